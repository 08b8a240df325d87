/* Hooks of generation 3 on x86-64 System V (Linux).
 *
 * What compiled code has in registers (registers.def says where that is from):
 *   Enter      r14 = client id, r15 = the caller's rsp. All argument registers are live: rdi rsi rdx rcx r8 r9, xmm0-7.
 *   Leave      rdi = client id, rsi = the caller's rsp. The value: rax rdx xmm0 xmm1, and rcx.
 *   Tailcall   as Leave; and xmm0 and xmm1 may hold anything that lives longer, as wide as the processor has it.
 * rsp is a multiple of 16 at the call, but nothing says that it must be: it is made one. */
#if defined __x86_64__ && !defined _WIN32
#include "elt/targets.h"

/* The first `count` vector registers, to or from the bottom of the frame. */
.macro NARROW count, save
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    .if \number < \count
    .if \save
    movaps %xmm\number, 16 * \number(%rsp)
    .else
    movaps 16 * \number(%rsp), %xmm\number
    .endif
    .endif
    .endr
.endm

/* All of xmm0 and xmm1, with the parts above them that this processor has. */
.macro WIDE save
    cmpl $32, elt_targets + ELT_VECTOR_BYTES(%rip)
    ja 3f
    je 2f
    NARROW 2, \save
    jmp 4f
2:
    .if \save
    vmovaps %ymm0, (%rsp)
    vmovaps %ymm1, 64(%rsp)
    .else
    vmovaps (%rsp), %ymm0
    vmovaps 64(%rsp), %ymm1
    .endif
    jmp 4f
3:
    .if \save
    vmovaps %zmm0, (%rsp)
    vmovaps %zmm1, 64(%rsp)
    .else
    vmovaps (%rsp), %zmm0
    vmovaps 64(%rsp), %zmm1
    .endif
4:
.endm

/* All general registers are kept. `vectors`: so many vector registers, 16 bytes of each; or WIDE. */
.macro HOOK name, target, id, vectors
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    cmpl $0, elt_targets + ELT_ON(%rip)
    je 9f
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    pushq %\register
    .endr
    subq $128, %rsp
    andq $-64, %rsp
    .ifc \vectors, WIDE
    WIDE 1
    .else
    NARROW \vectors, 1
    .endif
    movq %\id, %rdi
    call *elt_targets + \target(%rip)
    .ifc \vectors, WIDE
    WIDE 0
    .else
    NARROW \vectors, 0
    .endif
    leaq -9 * 8(%rbp), %rsp
    .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    popq %\register
    .endr
    popq %rbp
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
9:  ret
    .cfi_endproc
    .size \name, . - \name
.endm

    .hidden elt_targets
    .text
    HOOK elt_enter3, ELT_ENTER3, r14, 8
    HOOK elt_leave3, ELT_LEAVE3, rdi, 2
    HOOK elt_tailcall3, ELT_TAILCALL3, rdi, WIDE
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", @progbits
#endif
