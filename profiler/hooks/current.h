/* What the thread that runs has for its hooks. */
#ifndef ILPI_HOOKS_CURRENT_H
#define ILPI_HOOKS_CURRENT_H

struct hooks_thread;

/* NULL: it has met no hook, or had no memory for it. One word of static TLS: no call and no
 * allocation on the way to it. */
extern _Thread_local struct hooks_thread *hooks_current __attribute__((tls_model("initial-exec")));

#endif
