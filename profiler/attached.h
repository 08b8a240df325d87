/* Attached commands of a running process (control.h), and the watch that they share.
 *
 *   InitializeForAttach     attached_listen: a socket
 *   ProfilerAttachComplete  attached_serve: a thread waits for commands
 *   the first connects      a watch begins: its options, outputs and status file
 *   CONTROL_START           loaded methods are compiled again, from then on all are seen
 *   another one connects    it joins the watch, or changes the watched methods
 *   the last one leaves     the watch ends: all code is reverted, and the thread waits again
 *
 * If the first one leaves before CONTROL_START, the profiler is unloaded, unless there was a watch
 * before (the runtime unloads only a profiler that has never requested ReJIT), or something in the
 * process may call it: the stock inspector, or the handler of a signal. */
#ifndef ILPI_ATTACHED_H
#define ILPI_ATTACHED_H

struct attached;
struct profiler;

/* Listens at `path`; NULL: failed. */
struct attached *attached_listen(struct profiler *profiler, const char *path);

void attached_serve(struct attached *attached);

/* Waits for the thread, which has requested that the profiler be unloaded. */
void attached_wait(struct attached *attached);

/* Call it before the process ends: removes the socket's name. */
void attached_unlink(struct attached *attached);

/* In a forked copy of the process: the connections are not its own. */
void attached_forget(struct attached *attached);

/* All of them are no-ops for NULL. */
void attached_close(struct attached *attached);

#endif
