/* See turn.h. */
#include "host/turn.h"

#include <pthread.h>
#include <stdlib.h>

#include "host/memory.h"
#include "host/temporary.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t different = PTHREAD_COND_INITIALIZER;
static bool several;               /* changes only while there is one thread */
static _Thread_local bool is_mine; /* while there are several */
static _Thread_local bool is_held;

bool turn_is_shared(void)
{
    return several;
}

void turn_take(void)
{
    if (several && !is_held) {
        pthread_mutex_lock(&turn);
        is_mine = true;
    }
}

void turn_give(void)
{
    if (several && !is_held) {
        is_mine = false;
        pthread_mutex_unlock(&turn);
    }
}

void turn_hold(void)
{
    is_held = true;
}

void turn_release(void)
{
    is_held = false;
}

bool turn_enter(void)
{
    bool taken = several && !is_mine;
    if (taken) {
        turn_take();
    }
    return taken;
}

void turn_leave(bool taken)
{
    if (taken) {
        turn_give();
    }
}

void turn_wait(void)
{
    if (several) {
        is_mine = false;
        pthread_cond_wait(&different, &turn);
        is_mine = true;
    }
}

void turn_tell(void)
{
    if (several) {
        pthread_cond_broadcast(&different);
    }
}

/* ---- threads ---- */

struct all_parts {
    const struct turn_work *work;
    size_t next; /* part, that no thread has begun */
};

struct part_thread {
    struct all_parts *all;
    unsigned number;
    pthread_t id;
};

static void do_parts(struct all_parts *all, unsigned thread)
{
    while (all->next < all->work->count) {
        size_t part = all->next++;
        all->work->each(all->work->user, thread, part);
    }
}

static void *run(void *user)
{
    const struct part_thread *thread = user;
    turn_take();
    do_parts(thread->all, thread->number);
    turn_give();
    return NULL;
}

/* A thread begins with the signals that its maker has: with none. One that cannot be started is not
 * needed. */
static bool start(struct part_thread *thread)
{
    struct held_signals held = signals_hold();
    bool started = pthread_create(&thread->id, NULL, run, thread) == 0;
    signals_release(&held);
    return started;
}

void turn_each(unsigned threads, const struct turn_work *work)
{
    struct all_parts all = {.work = work};
    unsigned count = 1;
    threads = threads < work->count ? threads : (unsigned)work->count;
    struct part_thread *others = threads > 1 ? new_items(threads, sizeof *others) : NULL;
    several = others != NULL;
    turn_take();
    for (; others && count < threads; count++) {
        others[count] = (struct part_thread){.all = &all, .number = count};
        if (!start(&others[count])) {
            break;
        }
    }
    do_parts(&all, 0);
    turn_give();
    while (count > 1) {
        pthread_join(others[--count].id, NULL);
    }
    several = false;
    free(others);
}
