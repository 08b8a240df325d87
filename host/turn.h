/* Threads that work on files at the same time, each on one of its own.
 *
 * host/ and tools/ are written for one thread: open files, locks of folders, temporary files and
 * messages are the program's. So one thread has the turn, and the others are where each works on
 * what is its own alone, which takes most of the time: it reads, and the library decides, builds
 * and writes.
 *
 *   turn_give()   the library, with an image, an edit and an output of the thread's   turn_take()
 *
 * While turn_each() does not run there is one thread, and the others do nothing. */
#ifndef TURN_H
#define TURN_H

#include <stdbool.h>
#include <stddef.h>

/* Work that consists of parts. */
struct turn_work {
    /* Does a part; the thread has the turn before and afterwards. `thread`: its number. */
    void (*each)(void *user, unsigned thread, size_t part);
    void *user;
    size_t count; /* of parts */
};

/* Does all parts, which are begun in their order, in up to `threads` threads. If there are several,
 * the caller's waits for them: it alone gets signals, and its handler, which waits until no thread
 * holds them (temporary.h), never interrupts an allocation, whose lock that thread may need. */
void turn_each(unsigned threads, const struct turn_work *work);

void turn_give(void);
void turn_take(void);

/* Whether turn_each() runs, in more than one thread. */
bool turn_is_shared(void);

/* For what the library calls back: takes the turn, unless the thread has it already, and gives it
 * away if it was taken. */
bool turn_enter(void);
void turn_leave(bool taken);

/* Gives the turn away until another thread has said that something is different, and takes it
 * again. */
void turn_wait(void);
void turn_tell(void);

#endif
