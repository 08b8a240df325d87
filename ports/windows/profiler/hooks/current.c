/* The contents of each thread's TLS, here and in the sections of the start-up code. See
 * current.h. */
#include "profiler/hooks/current.h"

/* 0 in each thread: Windows copies the bytes from _tls_start, of the section .tls, to _tls_end, of
 * .tls$ZZZ; the linker sorts these by name. */
extern struct hooks_thread *hooks_current_word;
__attribute__((section(".tls$HOOKS"), used)) struct hooks_thread *hooks_current_word = (void *)0;
