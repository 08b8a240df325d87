/* Interrupts of Windows: a handler runs in a thread of its own, so a lock suffices. See
 * held_signals.h. */
#include "host/held_signals.h"

#include <windows.h>

static CRITICAL_SECTION held_by_one;
static INIT_ONCE held_by_one_made = INIT_ONCE_STATIC_INIT;

static BOOL CALLBACK make_lock(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once;
    (void)parameter;
    (void)context;
    InitializeCriticalSection(&held_by_one);
    return TRUE;
}

struct held_signals signals_hold(void)
{
    InitOnceExecuteOnce(&held_by_one_made, make_lock, NULL, NULL);
    EnterCriticalSection(&held_by_one);
    return (struct held_signals){0};
}

void signals_release(const struct held_signals *held)
{
    (void)held;
    LeaveCriticalSection(&held_by_one);
}

void signals_hold_for_good(void)
{
    signals_hold();
}
