/* Lines that ended programs leave in their rings (host/line_ring.h), not yet written to the file of
 * values. */
#ifndef LEFT_LINES_H
#define LEFT_LINES_H

/* Lines that could not be written. */
struct lost_lines {
    unsigned count;
    int error; /* the reason: errno */
};

/* Call after the program has ended. Processes that still run now write at once, and have written
 * their buffered lines when this returns; lines that others left are appended to the file of
 * values, `output` with the process's number for "%p". `rings` is the file of rings. */
struct lost_lines left_lines_write(int rings, const char *output);

#endif
