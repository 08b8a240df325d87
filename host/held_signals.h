/* Signals that end a program, held while something is half done. */
#ifndef HELD_SIGNALS_H
#define HELD_SIGNALS_H

#include <signal.h>

/* No signal ends the program between these two, in whatever thread it comes; they may be nested. */
struct held_signals {
    sigset_t mask;
};
struct held_signals signals_hold(void);
void signals_release(const struct held_signals *held);

/* As signals_hold(), and for ever: no other thread makes a file after this. Safe in signal
 * handlers. */
void signals_hold_for_good(void);

#endif
