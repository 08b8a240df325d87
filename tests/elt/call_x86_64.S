/* elt_test_call(): loads elt_test_before into the processor, calls elt_test_hook, stores what is there then as elt_test_after.
 * elt_test_handler: what the stubs call: destroys all that a function may. The same for Windows' convention. */
#include "state.h"

.macro GENERAL operation
    .irp pair, "0,rax", "8,rcx", "16,rdx", "24,rbx", "40,rbp", "48,rsi", "56,rdi"
    \operation \pair
    .endr
    .irp pair, "64,r8", "72,r9", "80,r10", "88,r11", "96,r12", "104,r13", "112,r14", "120,r15"
    \operation \pair
    .endr
.endm

.macro LOAD offset, register
    movq elt_test_before + \offset(%rip), %\register
.endm

.macro STORE offset, register
    movq %\register, elt_test_after + \offset(%rip)
.endm

/* elt_test_vectors: 0 SSE, 1 AVX, 2 AVX-512. */
.macro VECTORS width, memory, load
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .ifc \width, xmm
    .if \load
    movups \memory + STATE_VECTORS + 64 * \number(%rip), %xmm\number
    .else
    movups %xmm\number, \memory + STATE_VECTORS + 64 * \number(%rip)
    .endif
    .else
    .ifc \width, ymm
    .if \load
    vmovups \memory + STATE_VECTORS + 64 * \number(%rip), %ymm\number
    .else
    vmovups %ymm\number, \memory + STATE_VECTORS + 64 * \number(%rip)
    .endif
    .else
    .if \load
    vmovups \memory + STATE_VECTORS + 64 * \number(%rip), %zmm\number
    .else
    vmovups %zmm\number, \memory + STATE_VECTORS + 64 * \number(%rip)
    .endif
    .endif
    .endif
    .endr
    .ifc \width, zmm
    .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .if \load
    vmovups \memory + STATE_VECTORS + 64 * \number(%rip), %zmm\number
    .else
    vmovups %zmm\number, \memory + STATE_VECTORS + 64 * \number(%rip)
    .endif
    .endr
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    .if \load
    kmovw \memory + STATE_MASKS + 8 * \number(%rip), %k\number
    .else
    kmovw %k\number, \memory + STATE_MASKS + 8 * \number(%rip)
    .endif
    .endr
    .endif
.endm

.macro ALL_VECTORS memory, load
    cmpl $1, elt_test_vectors(%rip)
    ja 3f
    je 2f
    VECTORS xmm, \memory, \load
    jmp 4f
2:  VECTORS ymm, \memory, \load
    jmp 4f
3:  VECTORS zmm, \memory, \load
4:
.endm

    .text
    .globl elt_test_call, elt_test_call_end
    .type elt_test_call, @function
elt_test_call:
    .cfi_startproc
    .irp register, rbp, rbx, r12, r13, r14, r15
    pushq %\register
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %\register, 0
    .endr
    stmxcsr saved_mxcsr(%rip)
    fnstcw saved_x87(%rip)
    movq %rsp, saved_rsp(%rip)
    ALL_VECTORS elt_test_before, 1
    ldmxcsr elt_test_before + STATE_MXCSR(%rip)
    fldcw elt_test_before + STATE_X87(%rip)
    movq elt_test_before + STATE_GENERAL + 32(%rip), %rax
    movq %rsp, STATE_GUARD(%rax)
    movq %rax, %rsp
    /* CFA = *(rsp + STATE_GUARD) + 56: no register has it */
    .cfi_escape 0x0f, 6, 0x77, 0x80, 0x04, 0x06, 0x23, 56
    GENERAL LOAD
    pushq elt_test_before + STATE_FLAGS(%rip)
    popfq
    call *elt_test_hook(%rip)
    .globl elt_test_returned
elt_test_returned:
    GENERAL STORE
    movq %rsp, elt_test_after + STATE_GENERAL + 32(%rip)
    movq saved_rsp(%rip), %rsp
    .cfi_def_cfa %rsp, 56
    pushfq
    popq elt_test_after + STATE_FLAGS(%rip)
    cld
    stmxcsr elt_test_after + STATE_MXCSR(%rip)
    fnsave elt_test_after + STATE_X87(%rip)
    ALL_VECTORS elt_test_after, 0
    fldcw saved_x87(%rip)
    ldmxcsr saved_mxcsr(%rip)
    cmpl $0, elt_test_vectors(%rip)
    je 1f
    vzeroupper
1:  .irp register, r15, r14, r13, r12, rbx, rbp
    popq %\register
    .cfi_adjust_cfa_offset -8
    .cfi_restore %\register
    .endr
    ret
    .cfi_endproc
elt_test_call_end:
    .size elt_test_call, . - elt_test_call

/* Vectors from `first` on, all of the masks, the x87 registers. */
.macro DESTROY_VECTORS count
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .if \number < \count
    movups destroyed(%rip), %xmm\number
    .endif
    .endr
    cmpl $1, elt_test_vectors(%rip)
    jb 1f
    vzeroupper
    je 1f
    .irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vpxord %zmm\number, %zmm\number, %zmm\number
    .endr
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    kxorw %k\number, %k\number, %k\number
    .endr
1:  .rept 8
    fldz
    .endr
    .rept 8
    fstp %st(0)
    .endr
.endm

/* What it finds: its arguments, rsp, the flags, the x87 state. */
.macro NOTE first, second, third, fourth
    movq %\first, elt_test_given(%rip)
    movq %\second, elt_test_given + 8(%rip)
    movq %\third, elt_test_given + 16(%rip)
    movq %\fourth, elt_test_given + 24(%rip)
    movq %rsp, elt_test_given_sp(%rip)
    pushfq
    .cfi_adjust_cfa_offset 8
    popq elt_test_given_flags(%rip)
    .cfi_adjust_cfa_offset -8
    fnstenv elt_test_given_x87(%rip)
    fldenv elt_test_given_x87(%rip)
.endm

    .globl elt_test_handler
    .type elt_test_handler, @function
elt_test_handler:
    .cfi_startproc
    NOTE rdi, rsi, rdx, rcx
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call elt_test_inside
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    DESTROY_VECTORS 16
    .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    movq destroyed(%rip), %\register
    .endr
    cmpq %rax, %rsp
    ret
    .cfi_endproc
    .size elt_test_handler, . - elt_test_handler

    .globl elt_test_windows_handler
    .type elt_test_windows_handler, @function
elt_test_windows_handler:
    .cfi_startproc
    NOTE rcx, rdx, r8, r9
    subq $40, %rsp
    .cfi_adjust_cfa_offset 40
    call elt_test_windows_inside
    addq $40, %rsp
    .cfi_adjust_cfa_offset -40
    DESTROY_VECTORS 6
    .irp register, rax, rcx, rdx, r8, r9, r10, r11
    movq destroyed(%rip), %\register
    .endr
    .irp offset, 8, 16, 24, 32
    movq %rax, \offset(%rsp)
    .endr
    cmpq %rax, %rsp
    ret
    .cfi_endproc
    .size elt_test_windows_handler, . - elt_test_windows_handler

/* Hooks that break one thing each, then do what the right one does. */
.macro BROKEN name, instruction:vararg
    .globl elt_test_broken_\name
elt_test_broken_\name:
    \instruction
    jmp *elt_test_right_hook(%rip)
.endm
    BROKEN rbx, notq %rbx
    BROKEN rbp, notq %rbp
    BROKEN rsi, notq %rsi
    BROKEN rdi, notq %rdi
    BROKEN r12, notq %r12
    BROKEN r13, notq %r13
    BROKEN r14, notq %r14
    BROKEN r15, notq %r15
    BROKEN xmm6, movups destroyed(%rip), %xmm6
    BROKEN xmm15, movups destroyed(%rip), %xmm15
    BROKEN mxcsr, ldmxcsr broken_mxcsr(%rip)
    BROKEN x87cw, fldcw broken_x87(%rip)
    BROKEN guard, notq 48(%rsp)
    .globl elt_test_broken_rsp, elt_test_broken_df, elt_test_broken_x87empty, elt_test_broken_cfi
elt_test_broken_rsp:
    movq (%rsp), %rax
    movq %rax, 8(%rsp)
    addq $8, %rsp
    jmp *elt_test_right_hook(%rip)
elt_test_broken_df:
    pushq %rbx
    call *elt_test_right_hook(%rip)
    popq %rbx
    std
    ret
elt_test_broken_x87empty:
    pushq %rbx
    call *elt_test_right_hook(%rip)
    popq %rbx
    fld1
    ret
/* Calls the function as a stub does, but says nothing of what it pushed. */
    .type elt_test_broken_cfi, @function
elt_test_broken_cfi:
    .cfi_startproc
    pushq %rbp
    movq %rsp, %rbp
    subq $32, %rsp
    andq $-16, %rsp
    call *elt_test_handler_in_use(%rip)
    movq %rbp, %rsp
    popq %rbp
    ret
    .cfi_endproc
    .size elt_test_broken_cfi, . - elt_test_broken_cfi

    .data
    .balign 64
    .globl elt_test_before, elt_test_after, elt_test_hook, elt_test_right_hook, elt_test_handler_in_use, elt_test_vectors
elt_test_before: .zero STATE_BYTES
    .balign 64
elt_test_after: .zero STATE_BYTES
elt_test_hook: .quad 0
elt_test_right_hook: .quad 0
elt_test_handler_in_use: .quad 0
elt_test_vectors: .long 0
    .balign 16
destroyed: .quad 0x00dddddddddddd00, 0x00dddddddddddd00
saved_rsp: .quad 0
saved_mxcsr: .long 0
saved_x87: .long 0
broken_mxcsr: .long 0x1f80
broken_x87: .long 0x37f
    .globl elt_test_given, elt_test_given_sp, elt_test_given_flags, elt_test_given_x87
elt_test_given: .zero 32
elt_test_given_sp: .quad 0
elt_test_given_flags: .quad 0
elt_test_given_x87: .zero 32

    .section .note.GNU-stack, "", @progbits
