/* The record of the current thread, for hooks. */
#ifndef ILPI_HOOKS_CURRENT_H
#define ILPI_HOOKS_CURRENT_H

struct hooks_thread;

/* NULL: no hook was called yet, or there was no memory. In static TLS: accessed by one instruction,
 * without a call or an allocation. */
extern _Thread_local struct hooks_thread *hooks_current __attribute__((tls_model("initial-exec")));

#endif
