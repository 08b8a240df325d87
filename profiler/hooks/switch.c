/* Switches a trace. See switch.h. A signal handler may do next to nothing, so it wakes a thread,
 * which does the work. The same thread adjusts the clock every second.
 *
 * What is switched is the flag that stubs test. The runtime would also accept a new event mask: but
 * methods compiled with hooks keep calling them, at the same cost (measured with .NET 10), and
 * those compiled meanwhile would never have any. */
#include "profiler/hooks/switch.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "profiler/hooks/cost.h"
#include "profiler/hooks/state.h"
#include "profiler/own_thread.h"
#include "profiler/status.h"
#include "host/profiler_environment.h"

static sem_t switch_requested;
static pthread_t thread;
static bool has_thread;

static void on_signal(int number)
{
    (void)number;
    int error = errno;
    sem_post(&switch_requested);
    errno = error;
}

/* Measures the processor's counter and the cost of a call, usually done before the first hook. Here
 * the program runs meanwhile, so that it starts as fast as without a trace. */
static void begin_late(void)
{
    static const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    hooks_clock_keep(hooks_now());
    hooks_measure_late();
}

/* Wakes up each second to adjust the clock, and at once when the trace is to be switched. */
static void *work(void *unused)
{
    (void)unused;
    if (hooks_by_il() && !hooks_only_count()) {
        begin_late();
    }
    while (!atomic_load(&hooks.closed)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (sem_timedwait(&switch_requested, &until) == 0 && !atomic_load(&hooks.closed)) {
            bool on = !hooks_are_on();
            ilpi_spool_switch(&hooks.spool, hooks_now(), on);
            hooks_listen(on);
        }
        hooks_clock_adjust();
    }
    return NULL;
}

static bool start_thread(bool once)
{
    has_thread = own_thread_start(&thread, work, NULL);
    return has_thread && (once || pthread_detach(thread) == 0);
}

/* Only if it has its default action. */
static void take_signal(void)
{
    struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(TRACE_SIGNAL, NULL, &before);
    if (before.sa_handler == SIG_DFL) {
        sigaction(TRACE_SIGNAL, &action, NULL);
    } else {
        status_line("trace",
                    "signal %d is taken by the program: tracing cannot be turned on and off",
                    TRACE_SIGNAL);
    }
}

/* `once`: in an attached process, where the thread is joined at the end of the watch, and no signal
 * is taken. */
void hooks_switch_open(bool on, bool once)
{
    bool started = sem_init(&switch_requested, 0, 0) == 0 && start_thread(once);
    if (started && !once) {
        take_signal();
    } else if (!once) {
        status_line("trace", "no thread can be started: tracing cannot be turned on and off");
    }
    if (!on) {
        ilpi_spool_switch(&hooks.spool, hooks_now(), false);
    }
    hooks_listen(on);
}

void hooks_switch_close(void)
{
    if (has_thread) {
        sem_post(&switch_requested);
        pthread_join(thread, NULL);
        has_thread = false;
    }
}
