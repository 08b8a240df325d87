/* Turning a trace on and off while the program runs: by a signal that the runtime has no use for,
 * TRACE_SIGNAL. */
#ifndef ILPI_HOOKS_SWITCH_H
#define ILPI_HOOKS_SWITCH_H

#include <stdbool.h>

/* Takes the signal, unless the program has it, and begins. */
void hooks_switch_open(bool on);

#endif
