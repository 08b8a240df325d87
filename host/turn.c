/* Threads that take turns. See turn.h. A turn is a mutex with one owner; a thread that has it runs
 * the parts of the program that are not made for threads. */
#include "host/turn.h"

#include <stdlib.h>

#include "base/thread.h"
#include "host/memory.h"

/* Open while there are several threads. */
static struct ilpi_mutex turn;
static struct ilpi_event different;

static bool several;               /* changes only while there is one thread */
static _Thread_local bool is_mine; /* meaningful while there are several */

bool turn_is_shared(void)
{
    return several;
}

void turn_take(void)
{
    if (several) {
        ilpi_mutex_lock(&turn);
        is_mine = true;
    }
}

void turn_give(void)
{
    if (several) {
        is_mine = false;
        ilpi_mutex_unlock(&turn);
    }
}

/* For callbacks of the library, which run with or without the turn. */
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

/* Other threads have the turn while this one waits; it has it again when it returns. */
void turn_wait(void)
{
    if (several) {
        is_mine = false;
        ilpi_event_wait(&different, &turn);
        is_mine = true;
    }
}

void turn_signal(void)
{
    if (several) {
        ilpi_event_announce(&different);
    }
}

/* ---- threads ---- */

/* `next` is changed by the thread that has the turn. */
struct all_parts {
    const struct turn_work *work;
    size_t next; /* the next part to begin */
};

struct part_thread {
    struct all_parts *all;
    unsigned number;
    struct ilpi_thread thread;
};

/* Parts are begun in order, whichever thread does them. */
static void do_parts(struct all_parts *all, unsigned thread)
{
    while (all->next < all->work->count) {
        size_t part = all->next++;
        all->work->each(all->work->user, thread, part);
    }
}

static void work_in_thread(void *user)
{
    const struct part_thread *own = user;
    turn_take();
    do_parts(own->all, own->number);
    turn_give();
}

static bool open_turn(void)
{
    if (!ilpi_mutex_open(&turn)) {
        return false;
    }
    if (!ilpi_event_open(&different)) {
        ilpi_mutex_close(&turn);
        return false;
    }
    return true;
}

/* A thread that cannot be started is not needed, unless it is the first one. None begins before all
 * are started. */
static void do_together(struct all_parts *all, struct part_thread *each, unsigned threads)
{
    unsigned count = 0;
    several = true;
    turn_take();
    for (; count < threads; count++) {
        each[count] = (struct part_thread){.all = all, .number = count};
        if (!ilpi_thread_start(&each[count].thread, work_in_thread, &each[count])) {
            break;
        }
    }
    if (count == 0) {
        do_parts(all, 0);
    }
    turn_give();
    while (count > 0) {
        ilpi_thread_join(&each[--count].thread);
    }
    several = false;
}

/* Without threads, or without memory for them, all parts are done here, in order. */
void turn_each(unsigned threads, const struct turn_work *work)
{
    struct all_parts all = {.work = work};
    threads = threads < work->count ? threads : (unsigned)work->count;
    struct part_thread *each = threads > 1 ? new_items(threads, sizeof *each) : NULL;
    if (each && open_turn()) {
        do_together(&all, each, threads);
        ilpi_event_close(&different);
        ilpi_mutex_close(&turn);
    } else {
        do_parts(&all, 0);
    }
    free(each);
}
