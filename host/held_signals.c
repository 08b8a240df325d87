/* Holds signals with POSIX threads. See held_signals.h.
 *
 *   thread A  signals_hold() ... release()     the list of temporary files changes
 *   handler   signals_hold_for_good()          waits until no thread holds; none can from then on
 *
 * A mask keeps the handler out of the thread that holds, and the flag out of all others: a handler
 * may run in any thread that has not blocked the signal. */
#include "host/held_signals.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

/* Set while a thread holds signals, or after one has ended the program. A handler may take this
 * lock, since it runs in a thread that does not hold signals. */
static atomic_flag held_by_one = ATOMIC_FLAG_INIT;
static _Thread_local unsigned hold_depth;

/* Spins: it is held for a few system calls at most, and a handler may not use a mutex. */
void signals_hold_for_good(void)
{
    while (atomic_flag_test_and_set_explicit(&held_by_one, memory_order_acquire)) {
        sched_yield();
    }
}

/* The outermost hold takes the flag; inner ones only count. */
struct held_signals signals_hold(void)
{
    struct held_signals held;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &held.mask);
    if (hold_depth++ == 0) {
        signals_hold_for_good();
    }
    return held;
}

void signals_release(const struct held_signals *held)
{
    if (--hold_depth == 0) {
        atomic_flag_clear_explicit(&held_by_one, memory_order_release);
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
}
