/* Hooks on 32-bit x86: of all generations on Windows, of generation 3 elsewhere.
 *
 * Arguments are on the stack. On Windows the hook takes them off: 4 bytes in generation 1 and 3, 16 in generation 2, 12 in
 * its Tailcall. Elsewhere (CoreCLR on Linux) compiled code does that itself. The method's own arguments are in ecx and edx
 * at Enter and Tailcall, its value in eax and edx, or on the x87 stack, at Leave; compilers take all registers for
 * untouched. esp is a multiple of 4, no more.
 *
 * Those of Windows are assembled elsewhere for tests (ELT_STUBS_FOR_WINDOWS), under other names. */
#if defined __i386__
#include "elt/targets.h"

#ifdef _WIN32
#define WINDOWS_NAME(name, bytes) _elt_##name@bytes
#define TARGET(offset) _elt_targets + offset
#else
#define WINDOWS_NAME(name, bytes) elt_windows_##name
#define TARGET(offset) elt_targets@GOTOFF + offset(%ebx)
#endif

/* The function in C finds its arguments at the bottom of the frame, and may write there: they are copies. */
#define VECTORS 16
#define X87_VALUE (VECTORS + 8 * 16)
#define X87_STATUS (X87_VALUE + 12)
#define FRAME (X87_VALUE + 16)

/* fxam classifies ST0: C3, C2 and C0 are 1, 0 and 1 if it is empty. */
#define X87_CLASS 0x4500
#define X87_EMPTY 0x4100

/* `pops`: so many bytes of arguments are taken off the stack. */
.macro HOOK name, target, pops, arguments
    .globl \name
    .p2align 4
#ifndef _WIN32
    .hidden \name
    .type \name, @function
#endif
\name:
    .cfi_startproc
    pushl %ebp
    .cfi_adjust_cfa_offset 4
    .cfi_rel_offset %ebp, 0
    movl %esp, %ebp
    .cfi_def_cfa_register %ebp
    pushl %eax
    pushl %ecx
    pushl %edx
    pushl %ebx
    .cfi_offset %ebx, -24
#ifndef _WIN32
    call elt_here
    addl $_GLOBAL_OFFSET_TABLE_, %ebx
#endif
    cmpl $0, TARGET(ELT_ON)
    je 8f
    subl $FRAME, %esp
    andl $-16, %esp
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movaps %xmm\number, VECTORS + 16 * \number(%esp)
    .endr
    fxam
    fnstsw %ax
    andl $X87_CLASS, %eax
    movl %eax, X87_STATUS(%esp)
    cmpl $X87_EMPTY, %eax
    je 1f
    fstpt X87_VALUE(%esp)
1:  .irp index, 0, 1, 2, 3
    .if \index < \arguments
    movl 8 + 4 * \index(%ebp), %eax
    movl %eax, 4 * \index(%esp)
    .endif
    .endr
    call *TARGET(\target)
    cmpl $X87_EMPTY, X87_STATUS(%esp)
    je 2f
    fldt X87_VALUE(%esp)
2:  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    movaps VECTORS + 16 * \number(%esp), %xmm\number
    .endr
    leal -16(%ebp), %esp
8:  popl %ebx
    .cfi_restore %ebx
    popl %edx
    popl %ecx
    popl %eax
    popl %ebp
    .cfi_def_cfa %esp, 4
    .cfi_restore %ebp
    .if \pops
    ret $\pops
    .else
    ret
    .endif
    .cfi_endproc
#ifndef _WIN32
    .size \name, . - \name
#endif
.endm

    .text
#ifndef _WIN32
    .hidden elt_targets
    .type elt_here, @function
elt_here: /* puts the address after the call into ebx */
    .cfi_startproc
    movl (%esp), %ebx
    ret
    .cfi_endproc
    .size elt_here, . - elt_here
#endif

#ifndef _WIN32
    HOOK elt_enter3, ELT_ENTER3, 0, 1
    HOOK elt_leave3, ELT_LEAVE3, 0, 1
    HOOK elt_tailcall3, ELT_TAILCALL3, 0, 1
#endif

#if defined _WIN32 || defined ELT_STUBS_FOR_WINDOWS
    HOOK WINDOWS_NAME(enter1, 4), ELT_ENTER1, 4, 1
    HOOK WINDOWS_NAME(leave1, 4), ELT_LEAVE1, 4, 1
    HOOK WINDOWS_NAME(tailcall1, 4), ELT_TAILCALL1, 4, 1
    HOOK WINDOWS_NAME(enter2, 16), ELT_ENTER2, 16, 4
    HOOK WINDOWS_NAME(leave2, 16), ELT_LEAVE2, 16, 4
    HOOK WINDOWS_NAME(tailcall2, 12), ELT_TAILCALL2, 12, 3
    HOOK WINDOWS_NAME(enter3, 4), ELT_ENTER3, 4, 1
    HOOK WINDOWS_NAME(leave3, 4), ELT_LEAVE3, 4, 1
    HOOK WINDOWS_NAME(tailcall3, 4), ELT_TAILCALL3, 4, 1
#endif
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", @progbits
#endif
