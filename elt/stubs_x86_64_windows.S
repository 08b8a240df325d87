/* Hooks of all generations on x86-64 Windows.
 *
 * Their arguments are where any function's are: rcx rdx r8 r9, with 32 bytes for them above the return address. Generation 1
 * has the id, generation 2 all four (its Tailcall three), generation 3 the client id and in rdx the caller's rsp. Compiled
 * code stores argument registers before it calls Enter; at Leave and Tailcall it has the value in rax or xmm0, at Tailcall
 * anything that lives longer there, as wide as the processor has it. Leave of generation 3 returns with 0 in rcx: the caller
 * of a runtime-async method takes what is there for its continuation, and compiled code has put the client id there.
 *
 * Elsewhere than on Windows this is assembled for tests (ELT_STUBS_FOR_WINDOWS), under other names. */
#if defined __x86_64__ && (defined _WIN32 || defined ELT_STUBS_FOR_WINDOWS)
#include "elt/targets.h"

#ifdef _WIN32
#define NAME(name) elt_##name
#define UNWIND_PUSHED_RBP .seh_pushreg %rbp
#define UNWIND_FRAME .seh_setframe %rbp, 0
#define UNWIND_PROLOGUE_ENDS .seh_endprologue
#define UNWIND_POPPED_RBP
#else
#define NAME(name) elt_windows_##name
#define UNWIND_PUSHED_RBP .cfi_adjust_cfa_offset 8; .cfi_rel_offset %rbp, 0
#define UNWIND_FRAME .cfi_def_cfa_register %rbp
#define UNWIND_PROLOGUE_ENDS
#define UNWIND_POPPED_RBP .cfi_def_cfa %rsp, 8; .cfi_restore %rbp
#endif

.macro BEGIN name
    .globl \name
    .p2align 4
#ifdef _WIN32
    .def \name; .scl 2; .type 32; .endef
    .seh_proc \name
\name:
#else
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
#endif
.endm

.macro END name
#ifdef _WIN32
    .seh_endproc
#else
    .cfi_endproc
    .size \name, . - \name
#endif
.endm

/* Saves or restores the part above xmm0 that this processor has, after the other registers. */
.macro WIDE save
    cmpl $32, NAME(targets) + ELT_VECTOR_BYTES(%rip)
    jb 4f
    ja 3f
    .if \save
    vmovaps %ymm0, 32 + 16 * 6(%rsp)
    .else
    vmovaps 32 + 16 * 6(%rsp), %ymm0
    .endif
    jmp 4f
3:
    .if \save
    vmovaps %zmm0, 32 + 16 * 6(%rsp)
    .else
    vmovaps 32 + 16 * 6(%rsp), %zmm0
    .endif
4:
.endm

/* rcx, rdx, r8 and r9 go on as they came, but for rcx at that Leave. Registers that are pushed after the prologue ended need no directive: the frame is
 * found by rbp. */
.macro HOOK name, target, wide=0, no_continuation=0
    BEGIN \name
    pushq %rbp
    UNWIND_PUSHED_RBP
    movq %rsp, %rbp
    UNWIND_FRAME
    UNWIND_PROLOGUE_ENDS
    cmpl $0, NAME(targets) + ELT_ON(%rip)
    je 9f
    .irp register, rax, rcx, rdx, r8, r9, r10, r11
    pushq %\register
    .endr
    subq $32 + 16 * 6 + 64, %rsp
    andq $-64, %rsp
    .irp number, 0, 1, 2, 3, 4, 5
    movaps %xmm\number, 32 + 16 * \number(%rsp)
    .endr
    .if \wide
    WIDE 1
    .endif
    call *NAME(targets) + \target(%rip)
    .irp number, 0, 1, 2, 3, 4, 5
    movaps 32 + 16 * \number(%rsp), %xmm\number
    .endr
    .if \wide
    WIDE 0
    .endif
    leaq -7 * 8(%rbp), %rsp
    .irp register, r11, r10, r9, r8, rdx, rcx, rax
    popq %\register
    .endr
9:
    .if \no_continuation
    xorl %ecx, %ecx
    .endif
    popq %rbp
    UNWIND_POPPED_RBP
    ret
    END \name
.endm

#ifndef _WIN32
    .hidden elt_windows_targets
#endif
    .text
    HOOK NAME(enter1), ELT_ENTER1
    HOOK NAME(leave1), ELT_LEAVE1
    HOOK NAME(tailcall1), ELT_TAILCALL1
    HOOK NAME(enter2), ELT_ENTER2
    HOOK NAME(leave2), ELT_LEAVE2
    HOOK NAME(tailcall2), ELT_TAILCALL2
    HOOK NAME(enter3), ELT_ENTER3
    HOOK NAME(leave3), ELT_LEAVE3, 0, 1
    HOOK NAME(tailcall3), ELT_TAILCALL3, 1
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", @progbits
#endif
