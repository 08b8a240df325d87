/* The profiler's messages to whoever started the process, or attached to it: lines of
 * "word<TAB>text" at the end of a file (ILPATCH_STATUS). Without one there are none. */
#ifndef ILPI_STATUS_H
#define ILPI_STATUS_H

#include "base/error.h"
#include "host/shared_counters.h"

/* Opens the file: the command's (shared_counters.h), or another one, which is created if needed.
 * NULL or "": none. */
void status_open(const char *path);

/* Takes over a descriptor of the file; -1: none. */
void status_take(int file);

/* Until it is called with -1, lines of this thread go to another one. Borrowed. */
void status_divert(int file);

/* Whether there is one, and it can be written. */
bool status_is_open(void);

/* Nothing is written until status_take(); but a thread may be about to write or count: what it uses
 * stays until the next call. */
void status_leave(void);

/* When nothing of the profiler is left. */
void status_close(void);

/* The descriptor; -1: none. */
int status_descriptor(void);

/* Another descriptor of the same file, owned by the caller, which status_leave() does not close;
 * -1: none. */
int status_duplicate(void);

/* The counters of this process: in that file, or in its own memory. Never NULL. */
struct shared_counters_slot *status_slot(void);
bool status_has_shared_counters(void);

/* The words:
 *   loaded     the version of the runtime and the number of the process
 *   inspector  the inspector is there, too: from now on methods are rewritten
 *   failed     why nothing can be done
 *   unwritable a file that was requested, and why it cannot be written: nothing can be done
 *   message    what else kept the options from being used
 *   module     why nothing of a module is inspected
 *   method     what went wrong with one method
 *   values     why some values are shown in another way than others, for people
 *   chosen     how many values were shown of those that could be, for people
 *   count      how many methods had an answer: "inspected 12"; not in a file with shared counters
 *   trace      about a trace, for people
 *   hooks      what its hooks counted: "enters 12"
 *   partial    the file for what is known of it until then; it goes when the report is complete
 *   report     the file that --report names, when it is complete
 *   unwritten  "the report" or "the file of ids", its name, and why it is not
 *   ended      that all has been said; a process that is killed does not say it
 * and those of tail/calls.h. Longer lines are cut. */
#define STATUS_LINE_SIZE 16384u
void status_line(const char *word, const char *format, ...) ILPI_PRINTF(2, 3);
void status_module(const char *path, const struct ilp_error *error);

/* Reports only the first method per error; the second function reports how many others there
 * were. */
void status_method(const char *path, ilp_token method, const struct ilp_error *error);
void status_method_repeated(void);

/* Reports how many methods had each outcome, unless the slot has them. */
void status_counts(const uint32_t by_reason[]);

/* Reports that everything was reported. */
void status_end(void);

#endif
