/* A processor's state as the tests lay it out in memory: for the assembly that loads and stores it,
 * and for C. */
#ifndef TESTS_ELT_STATE_H
#define TESTS_ELT_STATE_H

/* Where the original stack pointer is, from the one at the call; below it are bytes that nothing
 * may touch. */
#define STATE_GUARD 512

#if defined __x86_64__ || defined __i386__
#define STATE_GENERAL 0 /* by number: rax rcx rdx rbx rsp rbp rsi rdi r8-15 */
#define STATE_FLAGS   128
#define STATE_MXCSR   136
/* as fnsave lays it out: the control word first, the tags at 8, ST0 at 28 */
#define STATE_X87     144
#define STATE_ST0     (STATE_X87 + 28)
#define STATE_VECTORS 256 /* 64 bytes each */
#define STATE_MASKS   2304
#define STATE_DERIVED 2368 /* what C makes of the above */
#define STATE_BYTES   2432
#elif defined __aarch64__
#define STATE_GENERAL 0 /* x0-x30, sp */
#define STATE_NZCV    256
#define STATE_FPCR    264
#define STATE_FPSR    272
#define STATE_VECTORS 288 /* 16 bytes each */
#define STATE_BYTES   800
#endif

#endif
