/* Memory and text for host/ and the programs.
 *
 * A function that gets no memory returns NULL, counts the failure, and calls the program's handler:
 * the command ends there (tools/tool.h), the profiler continues. So host/ never ends a process. A
 * caller with many small allocations continues with what it has; the whole unit of work (finding a
 * reference, reading options) is then discarded if memory_failures() has changed. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* The number of failed allocations in this process. */
unsigned memory_failures(void);

/* Reports a failed allocation elsewhere: in the library, in the C library. */
void memory_failed(void);

/* `function` may end the program; NULL: none. */
void memory_on_failure(void (*function)(void));

/* `count` zeroed items of `size` bytes; for 0 a valid pointer. */
void *new_items(size_t count, size_t size);

/* Resizes `items` to `count`; unchanged after a failure. */
void *grow_items(void *items, size_t count, size_t size);

/* Copies of a text, and of its first `size` bytes. NULL for NULL. */
char *copy_text(const char *text);
char *copy_part(const char *text, size_t size);

/* No text argument may be NULL. */
char *format_text(const char *format, ...) ILPI_PRINTF(1, 2);

/* Text written through a FILE. text_close() returns it, owned by the caller, or frees it if it is
 * incomplete. */
struct text_file {
    FILE *out; /* NULL: no memory */
    char *text;
    size_t size;
};
bool text_open(struct text_file *file);
char *text_close(struct text_file *file);

#endif
