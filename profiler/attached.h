/* In a process that was running already: the connection to the command that had the profiler loaded
 * (control.h), and what follows from it.
 *
 *   InitializeForAttach     attached_open: where values go, and where what is said goes
 *   ProfilerAttachComplete  attached_serve: a thread waits for the command
 *   it says so              what has been loaded is compiled again, from then on all is seen
 *   it goes                 before that: the profiler is unloaded; after: it is idle, if it is the
 *                           command that shows values */
#ifndef ILPI_ATTACHED_H
#define ILPI_ATTACHED_H

#include "profiler/clr/corprof.h"

struct profiler;

/* What the command sends with the profiler: texts with a NUL behind each. */
struct attached_data {
    const char *control; /* the path of its socket */
    const char *report;  /* a file, or "" */
    const char *options; /* as ILPATCH_OPTIONS would hold them */
};

bool attached_data_read(struct attached_data *data, const char *bytes, size_t size);

/* Connects; from now on nothing is said on standard error, which is the program's. False: there is
 * no such command. */
bool attached_open(struct profiler *profiler, const char *path);

void attached_serve(struct profiler *profiler);

/* Waits for the thread, which has asked for the profiler to be unloaded. */
void attached_detached(struct profiler *profiler);

/* In a copy of the process: the connection is not its own. */
void attached_forget(const struct profiler *profiler);
void attached_close(struct profiler *profiler);

#endif
