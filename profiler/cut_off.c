/* Handles SIGBUS on truncated files. See cut_off.h. The handler takes no lock and only makes system
 * calls, so it may run in hooks and in the runtime's cooperative mode. */
#include "profiler/cut_off.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "host/file_map.h"
#include "host/process.h"

/* Free while `begin` is 0, reserved but not valid yet while `size` is. */
struct watched {
    _Atomic uintptr_t begin;
    _Atomic size_t size;
};

enum { MOST = 4096 }; /* a room for each recording thread; threads that end pass theirs on */

static struct watched all[MOST];
static _Atomic unsigned used; /* none from here on was ever used */
static atomic_bool happened;

/* Replaces the whole part, not the page: a record may span pages. */
static bool replace(uintptr_t address)
{
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        uintptr_t begin = atomic_load(&all[i].begin);
        size_t size = atomic_load(&all[i].size);
        if (begin != 0 && address - begin < size) {
            atomic_store(&happened, true);
            return file_map_replace((void *)begin, size);
        }
    }
    return false;
}

/* ---- the signal ---- */

static struct sigaction before;

/* Restores the previous action: the instruction faults again; a signal that a process sent is sent
 * again. */
static void as_usual(int number, const siginfo_t *info)
{
    struct sigaction usual;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    sigaction(number, &usual, NULL);
    if (info->si_code <= 0) {
        kill(process_own(), number);
    }
}

/* Only a fault in a mapping of ours is answered (replace()). All others go to the handler that was
 * there before, or end the process as they would without this one. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    int error = errno;
    if (info->si_code <= 0 || !replace((uintptr_t)info->si_addr)) {
        if ((before.sa_flags & SA_SIGINFO) != 0) {
            before.sa_sigaction(number, info, context);
        } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
            before.sa_handler(number);
        } else if (before.sa_handler == SIG_DFL || info->si_code > 0) {
            as_usual(number, info);
        }
    }
    errno = error;
}

static atomic_bool is_taken;

static void take_signal(void)
{
    struct sigaction own;
    if (!atomic_exchange(&is_taken, true) && sigaction(SIGBUS, NULL, &before) == 0) {
        own = before;
        own.sa_flags |= SA_SIGINFO;
        own.sa_sigaction = on_fault;
        sigaction(SIGBUS, &own, NULL);
    }
}

/* ---- watching ---- */

/* Entries are found by index from the handler, so one is claimed with a compare-and-swap, and its
 * size set afterwards: a size of 0 contains no address. */
bool cut_off_watch(void *memory, size_t size)
{
    take_signal();
    for (unsigned i = 0; i < MOST; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&all[i].begin, &none, (uintptr_t)memory)) {
            unsigned old = atomic_load(&used);
            atomic_store(&all[i].size, size);
            while (old <= i && !atomic_compare_exchange_weak(&used, &old, i + 1)) {
            }
            return true;
        }
    }
    return false;
}

void cut_off_forget(const void *memory)
{
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        if (atomic_load(&all[i].begin) == (uintptr_t)memory) {
            atomic_store(&all[i].size, 0);
            atomic_store(&all[i].begin, 0);
            return;
        }
    }
}

bool cut_off_happened(void)
{
    return atomic_load(&happened);
}

bool cut_off_has_handler(void)
{
    return atomic_load(&is_taken);
}

void cut_off_begin(void)
{
    atomic_store(&happened, false);
}
