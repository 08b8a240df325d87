/* What each thread's part of TLS is made of, here and in the start-up code's sections. See
 * current.h. */
#include "profiler/hooks/current.h"

/* 0 in each thread: Windows copies what lies between _tls_start, of the section .tls, and _tls_end,
 * of .tls$ZZZ; the linker sorts these by name. */
extern struct hooks_thread *hooks_current_word;
__attribute__((section(".tls$HOOKS"), used)) struct hooks_thread *hooks_current_word = (void *)0;
