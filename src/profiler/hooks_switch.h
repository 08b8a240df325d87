/* Turning a trace on and off while the program runs: by a signal that the runtime has no use for. */
#ifndef ILPI_HOOKS_SWITCH_H
#define ILPI_HOOKS_SWITCH_H

#include <stdbool.h>

/* SIGRTMIN + 4: kill -RTMIN+4 PID. CoreCLR has SIGRTMIN itself, for interrupting threads. */
#define HOOKS_SIGNAL (SIGRTMIN + 4)

/* Takes the signal, unless the program has it, and begins. */
void hooks_switch_open(bool on);

#endif
