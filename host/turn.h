/* Threads that process files in parallel, each its own file.
 *
 * host/ and tools/ are single-threaded: open files, folder locks, temporary files and messages are
 * global. So only the thread that has the turn runs them. The others work on data of their own,
 * which takes most of the time: reading, and the library's deciding, building and writing.
 *
 *   turn_give()   the library, with an image, an edit and an output of the thread's   turn_take()
 *
 * Outside of turn_each() there is one thread, and these functions are no-ops. */
#ifndef TURN_H
#define TURN_H

#include <stdbool.h>
#include <stddef.h>

/* Work that consists of parts. */
struct turn_work {
    /* Does a part; the thread has the turn before and after. `thread`: its number. */
    void (*each)(void *user, unsigned thread, size_t part);
    void *user;
    size_t count; /* of parts */
};

/* Does all parts, in up to `threads` threads, beginning them in order. With several threads, the
 * caller's waits for them: only it gets signals, and its handler, which waits until no thread holds
 * them (temporary.h), never interrupts an allocation, whose lock that thread may need. */
void turn_each(unsigned threads, const struct turn_work *work);

void turn_give(void);
void turn_take(void);

/* Whether turn_each() runs in more than one thread. */
bool turn_is_shared(void);

/* For callbacks of the library: takes the turn, unless the thread has it already, and gives it up
 * if it was taken. */
bool turn_enter(void);
void turn_leave(bool taken);

/* Gives the turn up until another thread has signaled a change, and takes it again. */
void turn_wait(void);
void turn_signal(void);

#endif
