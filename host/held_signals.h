/* Holds signals that end a program during critical steps. */
#ifndef HELD_SIGNALS_H
#define HELD_SIGNALS_H

#include <signal.h>

/* Between these two no signal ends the program, in whatever thread it arrives; they may be
 * nested. */
struct held_signals {
    sigset_t mask;
};
struct held_signals signals_hold(void);
void signals_release(const struct held_signals *held);

/* As signals_hold(), forever: no other thread makes a file after this. Safe in signal handlers. */
void signals_hold_for_good(void);

#endif
