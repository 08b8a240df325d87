/* The spool of --spool: the profiler's own inspector writes records there instead of lines, and
 * `ilpatch report` makes lines, distributions and pages from them.
 *
 *   a value -> its text, in a record of the thread's chunk, which is a piece of the mapped file
 *
 * So nothing waits for a reader, and nothing is lost however the process ends
 * (hooks/spool_file.h). */
#ifndef ILPI_VALUE_SPOOL_H
#define ILPI_VALUE_SPOOL_H

#include "ilpatch.h"

struct runtime;

/* Call it before any value. `made`: a command has created the file. False: the reason was
 * reported. */
bool value_spool_open(const char *path, bool made, const struct runtime *runtime);

/* Whether values are recorded. */
bool value_spool_is_open(void);

/* Ends recording: reports how many values were recorded, and how many were lost. */
void value_spool_close(void);

/* After that: closes the file and unmaps the threads' pieces. Not `quiet`: a thread may still
 * record, so they stay until the next opening. */
void value_spool_release(bool quiet);

/* In a forked copy of the process: nothing more is recorded. */
void value_spool_forget(void);

/* Under the profiler's lock: the id of a method of the image, which is the file at `path`; 0: no
 * spool, or no memory. */
uint64_t value_spool_method(struct ilp_image *image, const char *path, ilp_token method);

/* A thread's recorder; NULL: no memory, or recording has ended. Owned by the caller. */
struct recording_thread;
struct recording_thread *value_spool_begin_thread(void);
void value_spool_end_thread(struct recording_thread *thread);

/* Begins a record for a value of the method, or an exception that has left it, with the call's
 * arguments (data NULL: none): returns where to write its text, at most ILPI_SPOOL_TEXT bytes; then
 * end the record with its size. NULL: it is lost, or the spool is closed. */
uint8_t *value_spool_begin(struct recording_thread *thread, uint64_t method, bool thrown,
                           struct ilp_bytes arguments);
void value_spool_end(struct recording_thread *thread, uint8_t *text, size_t size);

#endif
