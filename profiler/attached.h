/* In a process that was running already: commands that are attached to it (control.h), and what
 * follows from what they want.
 *
 *   InitializeForAttach     attached_listen: a socket
 *   ProfilerAttachComplete  attached_serve: a thread waits for commands
 *   one is there            a watch begins: its options, where values go, and what is said
 *   it says so              what has been loaded is compiled again, from then on all is seen
 *   another one comes       it joins the watch, or changes which methods are watched
 *   the last one goes       the watch ends: all code is what it was, and the thread waits again
 *
 * One that goes before it has said that takes the profiler with it, unless there was a watch
 * before: the runtime lets a profiler go that has never had anything compiled again. */
#ifndef ILPI_ATTACHED_H
#define ILPI_ATTACHED_H

struct attached;
struct profiler;

/* Listens at `path`; NULL: that cannot be done. */
struct attached *attached_listen(struct profiler *profiler, const char *path);

void attached_serve(struct attached *attached);

/* Waits for the thread, which has asked for the profiler to be unloaded. */
void attached_wait(struct attached *attached);

/* The process is about to end: none finds the socket any more. */
void attached_unlink(struct attached *attached);

/* In a copy of the process: connections are not its own. */
void attached_forget(struct attached *attached);

/* All of them do nothing for NULL. */
void attached_close(struct attached *attached);

#endif
