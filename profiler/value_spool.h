/* The spool that --spool names: what the profiler's own inspector shows goes there as records,
 * which `ilpatch report` makes lines, distributions and pages of, instead of to a file as lines.
 *
 *   a value -> its text, in a record of the thread's chunk, which is a piece of the mapped file
 *
 * So nothing waits for whoever reads, and nothing is lost however the process ends
 * (hooks/spool_file.h). */
#ifndef ILPI_VALUE_SPOOL_H
#define ILPI_VALUE_SPOOL_H

#include "ilpatch.h"

struct runtime;

/* Before any value comes. `made`: a command has made the file. False: the reason was reported. */
bool value_spool_open(const char *path, bool made, const struct runtime *runtime);

/* Whether values go there. */
bool value_spool_is_open(void);

/* When no more is to be recorded: reports how many values were, and how many were lost. */
void value_spool_close(void);

/* After that: the file and what threads have mapped of it are let go. Not `quiet`: some thread may
 * still be at a value, so they stay until the next one is opened. */
void value_spool_release(bool quiet);

/* In a copy of the process (fork): nothing more is recorded. */
void value_spool_forget(void);

/* Under the profiler's lock: what records call a method of the image, which is the file at `path`;
 * 0: no spool, or no memory. */
uint64_t value_spool_method(struct ilp_image *image, const char *path, ilp_token method);

/* What a thread records with; NULL: there is no memory, or it is over. Owned by the caller. */
struct recording_thread;
struct recording_thread *value_spool_begin_thread(void);
void value_spool_end_thread(struct recording_thread *thread);

/* A value of the method, or an exception that has left it, with what is known of the call's
 * arguments (data NULL: nothing): where its text is to be written, at most ILPI_SPOOL_TEXT bytes,
 * before the record is ended with what that takes. NULL: it is lost, or the spool is closed. */
uint8_t *value_spool_begin(struct recording_thread *thread, uint64_t method, bool thrown,
                           struct ilp_bytes arguments);
void value_spool_end(struct recording_thread *thread, uint8_t *text, size_t size);

#endif
