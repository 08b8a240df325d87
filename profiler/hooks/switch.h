/* Turns a trace on and off while the program runs: by a signal that the runtime does not use,
 * TRACE_SIGNAL. */
#ifndef ILPI_HOOKS_SWITCH_H
#define ILPI_HOOKS_SWITCH_H

#include <stdbool.h>

/* Installs the signal handler, unless the program has one, and begins. `once`: the signal is left
 * alone. */
void hooks_switch_open(bool on, bool once);

/* When hooks are closed: waits for the thread, so that they may be opened again. */
void hooks_switch_close(void);

#endif
