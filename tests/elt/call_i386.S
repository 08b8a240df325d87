/* As call_x86_64.S, for 32-bit x86. The hooks' arguments lie on the stack that elt_test_before has as its own. */
#include "state.h"

.macro GENERAL operation
    .irp pair, "0,eax", "8,ecx", "16,edx", "24,ebx", "40,ebp", "48,esi", "56,edi"
    \operation \pair
    .endr
.endm

.macro LOAD offset, register
    movl elt_test_before + \offset, %\register
.endm

.macro STORE offset, register
    movl %\register, elt_test_after + \offset
.endm

.macro VECTORS width, move, memory, load
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    .if \load
    \move \memory + STATE_VECTORS + 64 * \number, %\width\number
    .else
    \move %\width\number, \memory + STATE_VECTORS + 64 * \number
    .endif
    .endr
.endm

.macro MASKS memory, load
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    .if \load
    kmovw \memory + STATE_MASKS + 8 * \number, %k\number
    .else
    kmovw %k\number, \memory + STATE_MASKS + 8 * \number
    .endif
    .endr
.endm

.macro ALL_VECTORS memory, load
    cmpl $1, elt_test_vectors
    ja 3f
    je 2f
    VECTORS xmm, movups, \memory, \load
    jmp 4f
2:  VECTORS ymm, vmovups, \memory, \load
    jmp 4f
3:  VECTORS zmm, vmovups, \memory, \load
    MASKS \memory, \load
4:
.endm

    .text
    .globl elt_test_call, elt_test_call_end
    .type elt_test_call, @function
elt_test_call:
    .cfi_startproc
    .irp register, ebp, ebx, esi, edi
    pushl %\register
    .cfi_adjust_cfa_offset 4
    .cfi_rel_offset %\register, 0
    .endr
    stmxcsr saved_mxcsr
    fnstcw saved_x87
    movl %esp, saved_esp
    ALL_VECTORS elt_test_before, 1
    ldmxcsr elt_test_before + STATE_MXCSR
    fldcw elt_test_before + STATE_X87
    cmpl $0, elt_test_x87_value
    je 1f
    fldt elt_test_before + STATE_ST0
1:  movl elt_test_before + STATE_GENERAL + 32, %eax
    movl %esp, STATE_GUARD(%eax)
    movl %eax, %esp
    /* CFA = *(esp + STATE_GUARD) + 20: no register has it */
    .cfi_escape 0x0f, 6, 0x74, 0x80, 0x04, 0x06, 0x23, 20
    GENERAL LOAD
    pushl elt_test_before + STATE_FLAGS
    popfl
    call *elt_test_hook
    .globl elt_test_returned
elt_test_returned:
    GENERAL STORE
    movl %esp, elt_test_after + STATE_GENERAL + 32
    movl saved_esp, %esp
    .cfi_def_cfa %esp, 20
    pushfl
    popl elt_test_after + STATE_FLAGS
    cld
    stmxcsr elt_test_after + STATE_MXCSR
    fnsave elt_test_after + STATE_X87
    ALL_VECTORS elt_test_after, 0
    fldcw saved_x87
    ldmxcsr saved_mxcsr
    cmpl $0, elt_test_vectors
    je 1f
    vzeroupper
1:  .irp register, edi, esi, ebx, ebp
    popl %\register
    .cfi_adjust_cfa_offset -4
    .cfi_restore %\register
    .endr
    ret
    .cfi_endproc
elt_test_call_end:
    .size elt_test_call, . - elt_test_call

    .globl elt_test_handler
    .type elt_test_handler, @function
elt_test_handler:
    .cfi_startproc
    .irp index, 0, 4, 8, 12
    movl 4 + \index(%esp), %eax
    movl %eax, elt_test_given + \index
    .endr
    movl %esp, elt_test_given_sp
    pushfl
    .cfi_adjust_cfa_offset 4
    popl elt_test_given_flags
    .cfi_adjust_cfa_offset -4
    fnstenv elt_test_given_x87
    fldenv elt_test_given_x87
    subl $12, %esp
    .cfi_adjust_cfa_offset 12
    call elt_test_inside
    addl $12, %esp
    .cfi_adjust_cfa_offset -12
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movups destroyed, %xmm\number
    .endr
    cmpl $1, elt_test_vectors
    jb 1f
    vzeroupper
    je 1f
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    kxorw %k\number, %k\number, %k\number
    .endr
1:  .rept 8
    fldz
    .endr
    .rept 8
    fstp %st(0)
    .endr
    .irp register, eax, ecx, edx
    movl destroyed, %\register
    .endr
    movl elt_test_handler_arguments, %ecx
    testl %ecx, %ecx
    jz 3f
2:  movl %eax, (%esp, %ecx, 4)
    decl %ecx
    jnz 2b
3:  movl %eax, %ecx
    cmpl %eax, %esp
    ret
    .cfi_endproc
    .size elt_test_handler, . - elt_test_handler

/* Hooks that break one thing each, then do what the right one does. */
.macro BROKEN name, instruction:vararg
    .globl elt_test_broken_\name
elt_test_broken_\name:
    \instruction
    jmp *elt_test_right_hook
.endm
    BROKEN ebx, notl %ebx
    BROKEN ebp, notl %ebp
    BROKEN esi, notl %esi
    BROKEN edi, notl %edi
    BROKEN mxcsr, ldmxcsr broken_mxcsr
    BROKEN x87cw, fldcw broken_x87
    BROKEN guard, notl 48(%esp)
    .globl elt_test_broken_esp, elt_test_broken_df, elt_test_broken_x87empty, elt_test_broken_cfi
/* Takes 4 bytes more off the stack: a Tailcall2 with the four parameters of Leave2. */
elt_test_broken_esp:
    popl %eax
    movl %eax, back
    call *elt_test_right_hook
    addl $4, %esp
    jmp *back
elt_test_broken_df:
    popl %eax
    movl %eax, back
    call *elt_test_right_hook
    std
    jmp *back
elt_test_broken_x87empty:
    popl %eax
    movl %eax, back
    call *elt_test_right_hook
    fld1
    jmp *back
/* Calls the function as a stub does, but says nothing of what it pushed. */
    .type elt_test_broken_cfi, @function
elt_test_broken_cfi:
    .cfi_startproc
    pushl %ebp
    movl %esp, %ebp
    subl $32, %esp
    andl $-16, %esp
    call *elt_test_handler_in_use
    movl %ebp, %esp
    popl %ebp
    ret
    .cfi_endproc
    .size elt_test_broken_cfi, . - elt_test_broken_cfi

    .data
    .balign 64
    .globl elt_test_before, elt_test_after, elt_test_hook, elt_test_right_hook, elt_test_handler_in_use, elt_test_vectors
    .globl elt_test_x87_value, elt_test_handler_arguments
elt_test_before: .zero STATE_BYTES
    .balign 64
elt_test_after: .zero STATE_BYTES
elt_test_hook: .long 0
elt_test_right_hook: .long 0
elt_test_handler_in_use: .long 0
elt_test_vectors: .long 0
elt_test_x87_value: .long 0
elt_test_handler_arguments: .long 0
    .balign 16
destroyed: .quad 0x00dddddddddddd00, 0x00dddddddddddd00
saved_esp: .long 0
saved_mxcsr: .long 0
saved_x87: .long 0
broken_mxcsr: .long 0x1f80
broken_x87: .long 0x37f
back: .long 0
    .globl elt_test_given, elt_test_given_sp, elt_test_given_flags, elt_test_given_x87
elt_test_given: .zero 16
elt_test_given_sp: .long 0
elt_test_given_flags: .long 0
elt_test_given_x87: .zero 32

    .section .note.GNU-stack, "", @progbits
