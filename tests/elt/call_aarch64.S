/* As call_x86_64.S, for 64-bit Arm. */
#include "state.h"

/* x30 is free around a call: the call writes it. */
.macro ADDRESS register, symbol
    adrp \register, \symbol
    add \register, \register, #:lo12:\symbol
.endm

.macro LOAD_GENERAL first, second
    ldp x\first, x\second, [x30, #STATE_GENERAL + 8 * \first]
.endm

.macro STORE_GENERAL first, second
    stp x\first, x\second, [x30, #STATE_GENERAL + 8 * \first]
.endm

.macro LOAD_VECTORS first, second
    ldp q\first, q\second, [x30, #STATE_VECTORS + 16 * \first]
.endm

.macro STORE_VECTORS first, second
    stp q\first, q\second, [x30, #STATE_VECTORS + 16 * \first]
.endm

    .text
    .globl elt_test_call, elt_test_call_end
    .type elt_test_call, %function
elt_test_call:
    .cfi_startproc
    stp x29, x30, [sp, #-160]!
    .cfi_def_cfa_offset 160
    .cfi_offset x29, -160
    .cfi_offset x30, -152
    .macro SAVED operation
    \operation x19, x20, [sp, #16]
    \operation x21, x22, [sp, #32]
    \operation x23, x24, [sp, #48]
    \operation x25, x26, [sp, #64]
    \operation x27, x28, [sp, #80]
    \operation d8, d9, [sp, #96]
    \operation d10, d11, [sp, #112]
    \operation d12, d13, [sp, #128]
    \operation d14, d15, [sp, #144]
    .endm
    SAVED stp
    .irp number, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
    .cfi_offset x\number, (\number - 19) * 8 - 144
    .endr
    mrs x9, fpcr
    ADDRESS x10, saved_fpcr
    str x9, [x10]
    mov x9, sp
    ADDRESS x10, saved_sp
    str x9, [x10]
    ADDRESS x30, elt_test_before
    ldr x10, [x30, #STATE_FPCR]
    msr fpcr, x10
    ldr x10, [x30, #STATE_FPSR]
    msr fpsr, x10
    ldr x10, [x30, #STATE_GENERAL + 31 * 8]
    str x9, [x10, #STATE_GUARD]
    mov sp, x10
    /* CFA = *(sp + STATE_GUARD) + 160: no register has it */
    .cfi_escape 0x0f, 7, 0x8f, 0x80, 0x04, 0x06, 0x23, 0xa0, 0x01
    ldr x10, [x30, #STATE_NZCV]
    msr nzcv, x10
    .irp pair, "0,1", "2,3", "4,5", "6,7", "8,9", "10,11", "12,13", "14,15", "16,17", "18,19", "20,21", "22,23", "24,25", "26,27", "28,29", "30,31"
    LOAD_VECTORS \pair
    .endr
    .irp pair, "0,1", "2,3", "4,5", "6,7", "8,9", "10,11", "12,13", "14,15", "16,17", "18,19", "20,21", "22,23", "24,25", "26,27", "28,29"
    LOAD_GENERAL \pair
    .endr
    ldr x30, hook_address
    ldr x30, [x30]
    blr x30
    .globl elt_test_returned
elt_test_returned:
    ADDRESS x30, elt_test_after
    .irp pair, "0,1", "2,3", "4,5", "6,7", "8,9", "10,11", "12,13", "14,15", "16,17", "18,19", "20,21", "22,23", "24,25", "26,27", "28,29"
    STORE_GENERAL \pair
    .endr
    .irp pair, "0,1", "2,3", "4,5", "6,7", "8,9", "10,11", "12,13", "14,15", "16,17", "18,19", "20,21", "22,23", "24,25", "26,27", "28,29", "30,31"
    STORE_VECTORS \pair
    .endr
    mov x10, sp
    str x10, [x30, #STATE_GENERAL + 31 * 8]
    mrs x10, nzcv
    str x10, [x30, #STATE_NZCV]
    mrs x10, fpcr
    str x10, [x30, #STATE_FPCR]
    mrs x10, fpsr
    str x10, [x30, #STATE_FPSR]
    ADDRESS x10, saved_sp
    ldr x10, [x10]
    mov sp, x10
    .cfi_def_cfa sp, 160
    ADDRESS x10, saved_fpcr
    ldr x10, [x10]
    msr fpcr, x10
    SAVED ldp
    ldp x29, x30, [sp], #160
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
elt_test_call_end:
    .size elt_test_call, . - elt_test_call
    .balign 8
hook_address: .xword elt_test_hook

    .globl elt_test_handler
    .type elt_test_handler, %function
elt_test_handler:
    .cfi_startproc
    ADDRESS x9, elt_test_given
    str x0, [x9]
    mov x0, sp
    str x0, [x9, #32]
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    bl elt_test_inside
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    movz x9, #0xdddd
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17
    mov x\number, x9
    .endr
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    movi v\number\().16b, #0xdd
    .endr
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    fmov d\number, d\number
    .endr
    cmp x9, x30
    ret
    .cfi_endproc
    .size elt_test_handler, . - elt_test_handler

/* Hooks that break one thing each, then do what the right one does. */
.macro BROKEN name, instruction:vararg
    .globl elt_test_broken_\name
elt_test_broken_\name:
    \instruction
    ldr x16, right_hook_address
    ldr x16, [x16]
    br x16
.endm
    .irp number, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    BROKEN x\number, mvn x\number, x\number
    .endr
    .irp number, 8, 9, 10, 11, 12, 13, 14, 15
    BROKEN d\number, movi v\number\().16b, #0xdd
    .endr
    BROKEN fpcr, msr fpcr, xzr
    BROKEN guard, str x30, [sp, #48]
/* Leaves the stack pointer too high. */
    .globl elt_test_broken_sp, elt_test_broken_cfi
elt_test_broken_sp:
    mov x19, x30
    ldr x16, right_hook_address
    ldr x16, [x16]
    blr x16
    add sp, sp, #16
    ret x19
/* Calls the function as a stub does, but says nothing of what it pushed. */
    .type elt_test_broken_cfi, %function
elt_test_broken_cfi:
    .cfi_startproc
    stp x29, x30, [sp, #-32]!
    mov x0, x10
    ldr x16, handler_in_use_address
    ldr x16, [x16]
    blr x16
    ldp x29, x30, [sp], #32
    ret
    .cfi_endproc
    .size elt_test_broken_cfi, . - elt_test_broken_cfi
    .balign 8
right_hook_address: .xword elt_test_right_hook
handler_in_use_address: .xword elt_test_handler_in_use

    .data
    .balign 64
    .globl elt_test_before, elt_test_after, elt_test_hook, elt_test_right_hook, elt_test_handler_in_use
elt_test_before: .zero STATE_BYTES
    .balign 64
elt_test_after: .zero STATE_BYTES
elt_test_hook: .xword 0
elt_test_right_hook: .xword 0
elt_test_handler_in_use: .xword 0
saved_sp: .xword 0
saved_fpcr: .xword 0
    .globl elt_test_given, elt_test_given_sp
elt_test_given: .zero 32
elt_test_given_sp: .xword 0

    .section .note.GNU-stack, "", %progbits
