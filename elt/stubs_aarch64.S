/* Hooks of generation 3 on 64-bit Arm.
 *
 * Every hook is called with the client id in x10 and the caller's sp in x11. Arguments and values are in x0-x8 and v0-v7;
 * compiled code takes these, and the frame pointer, for untouched, at all three hooks. */
#if defined __aarch64__
#include "elt/targets.h"

#define GENERAL 16
#define VECTORS 96
#define FRAME (VECTORS + 8 * 16)

/* x16 and x17 are anybody's at a call (AAPCS64 6.1.1). */
.macro HOOK name, target
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    hint #34 // bti c, where there is one
    adrp x16, elt_targets
    ldr w17, [x16, #:lo12:elt_targets + ELT_ON]
    cbz w17, 9f
    stp x29, x30, [sp, #-FRAME]!
    .cfi_def_cfa_offset FRAME
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    stp x0, x1, [sp, #GENERAL]
    stp x2, x3, [sp, #GENERAL + 16]
    stp x4, x5, [sp, #GENERAL + 32]
    stp x6, x7, [sp, #GENERAL + 48]
    str x8, [sp, #GENERAL + 64]
    stp q0, q1, [sp, #VECTORS]
    stp q2, q3, [sp, #VECTORS + 32]
    stp q4, q5, [sp, #VECTORS + 64]
    stp q6, q7, [sp, #VECTORS + 96]
    mov x0, x10
    ldr x16, [x16, #:lo12:elt_targets + \target]
    blr x16
    ldp q6, q7, [sp, #VECTORS + 96]
    ldp q4, q5, [sp, #VECTORS + 64]
    ldp q2, q3, [sp, #VECTORS + 32]
    ldp q0, q1, [sp, #VECTORS]
    ldr x8, [sp, #GENERAL + 64]
    ldp x6, x7, [sp, #GENERAL + 48]
    ldp x4, x5, [sp, #GENERAL + 32]
    ldp x2, x3, [sp, #GENERAL + 16]
    ldp x0, x1, [sp, #GENERAL]
    ldp x29, x30, [sp], #FRAME
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
9:  ret
    .cfi_endproc
    .size \name, . - \name
.endm

    .hidden elt_targets
    .text
    HOOK elt_enter3, ELT_ENTER3
    HOOK elt_leave3, ELT_LEAVE3
    HOOK elt_tailcall3, ELT_TAILCALL3
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
