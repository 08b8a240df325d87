/* The file to which several processes write lines, each from its ring (line_ring.h), so that every
 * line is whole, whichever process is killed.
 *
 * A write is cut where its process is killed in the midst, at the end of a page, and the next
 * process would append to half a line. So whoever writes has the file's lock, and has noted which
 * ring it writes, where and how much. Whoever gets the lock next compares, and completes what a
 * killed process has begun:
 *
 *   lock --complete--> note --write, take--> unlock
 *                        \--killed--> lock of another process: the rest is in the ring --> ...
 *
 * Without the lock (a file system that has none, a writer that is stopped) lines are written all
 * the same: only a kill in the midst may then cut one. */
#ifndef LINE_OUTPUT_H
#define LINE_OUTPUT_H

#include "host/line_ring.h"

struct line_output {
    int file;                                      /* that all append to; borrowed */
    void (*write)(const char *bytes, size_t size); /* to it */
    char *rings;             /* the name of the file of rings, line_rings_open() */
    struct line_ring *first; /* its first ring, mapped, where the writer is noted; NULL: no turns */
    char *room;              /* of LINE_RING_LONGEST, free when the lock is taken; borrowed */
    bool locked;
    bool hurries; /* the lock was waited for in vain the last time */
};

/* Takes the lock, and completes what another process has begun. Waits only for a moment. */
void line_output_lock(struct line_output *output);
void line_output_unlock(struct line_output *output);

/* Notes that `size` bytes at the start of `ring`, the one of that number, are written next. */
void line_output_note(const struct line_output *output, struct line_ring *ring, unsigned number,
                      size_t size);

/* How many of these bytes of a ring are in the file already, by what was noted. `file` has to be
 * readable. */
size_t line_output_written(int file, const struct line_ring *ring, const char *bytes, size_t size);

#endif
