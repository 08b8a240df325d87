/* Preloaded into the command: its memory has one lock, as that of musl, and it is interrupted where
 * this is least favourable: the first thread has that lock, and another one holds signals
 * (host/temporary.h). */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int holders;
static _Thread_local int depth;

static int is_first(void)
{
    return syscall(SYS_gettid) == getpid();
}

/* Signals are held by a call that requests the mask before, and released by one that does not. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    if (!is_first() && before) {
        holders += depth++ == 0;
    } else if (!is_first()) {
        holders -= --depth == 0;
    }
    return syscall(SYS_rt_sigprocmask, how, set, before, (size_t)8) == 0 ? 0 : 1;
}

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
    if (is_first() && holders != 0) {
        raise(SIGINT);
    }
}

void *malloc(size_t size)
{
    take_lock();
    void *memory = __libc_malloc(size);
    pthread_mutex_unlock(&lock);
    return memory;
}

void *realloc(void *old, size_t size)
{
    take_lock();
    void *memory = __libc_realloc(old, size);
    pthread_mutex_unlock(&lock);
    return memory;
}

void free(void *memory)
{
    take_lock();
    __libc_free(memory);
    pthread_mutex_unlock(&lock);
}
