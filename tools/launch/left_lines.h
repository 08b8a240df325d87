/* What programs with the profiler leave in their rings (host/line_ring.h) when they end: lines that
 * were not yet in the file of values. */
#ifndef LEFT_LINES_H
#define LEFT_LINES_H

/* What could not be written. */
struct lost_lines {
    unsigned count;
    int error; /* why: errno */
};

/* The program has ended. Processes that still run write at once from now on, and have written what
 * they kept back when this returns; what others have left is added to the file of values, `output`
 * with the process's number for "%p". `rings` is the file of rings. */
struct lost_lines left_lines_write(int rings, const char *output);

#endif
