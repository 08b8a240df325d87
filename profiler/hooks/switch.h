/* Turning a trace on and off while the program runs: by a signal that the runtime has no use for,
 * TRACE_SIGNAL. */
#ifndef ILPI_HOOKS_SWITCH_H
#define ILPI_HOOKS_SWITCH_H

#include <stdbool.h>

/* Takes the signal, unless the program has it, and begins. `once`: the signal stays what it is to
 * the process. */
void hooks_switch_open(bool on, bool once);

/* When hooks are closed: waits for the thread, so that they may be opened again. */
void hooks_switch_close(void);

#endif
