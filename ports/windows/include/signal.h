/* Signals that no program gets on Windows: masks of them hold nothing. */
#ifndef PORT_SIGNAL_H
#define PORT_SIGNAL_H

#include_next <signal.h>
#include <pthread_signal.h>

typedef unsigned long sigset_t;

/* pthread.h has these, too. */
#undef SIG_BLOCK
#undef SIG_UNBLOCK
#undef SIG_SETMASK
#define SIG_BLOCK   0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

enum {
    SIGHUP = 1,
    SIGQUIT = 3,
    SIGTRAP = 5,
    SIGBUS = 7,
    SIGKILL = 9,
    SIGPIPE = 13,
    SIGXFSZ = 25,
    SIGRTMIN = 34
};

static inline int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

static inline int sigfillset(sigset_t *set)
{
    *set = ~0ul;
    return 0;
}

static inline int sigaddset(sigset_t *set, int number)
{
    *set |= 1ul << number;
    return 0;
}

static inline int sigdelset(sigset_t *set, int number)
{
    *set &= ~(1ul << number);
    return 0;
}

/* as it is here always */
enum { SA_RESETHAND = 1 };

struct sigaction {
    void (*sa_handler)(int number);
    int sa_flags;
    sigset_t sa_mask;
};

/* An interrupt from the keyboard is the only one that comes. */
static inline int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (number != SIGINT) {
        return -1;
    }
    if (before) {
        before->sa_handler = SIG_DFL;
    }
    return !action || signal(number, action->sa_handler) != SIG_ERR ? 0 : -1;
}

#undef pthread_sigmask
#define pthread_sigmask port_sigmask
static inline int port_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    (void)how;
    (void)set;
    if (before) {
        *before = 0;
    }
    return 0;
}

#endif
