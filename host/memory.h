/* Memory and text for host/ and the programs.
 *
 * A function that gets no memory gives NULL, counts that, and calls what the program has set: the
 * command ends there (tools/tool.h), the profiler goes on. So host/ never ends a process. Who works
 * through many small allocations carries on with what it has, and the unit of work as a whole (a
 * reference found, options read) is given up if memory_failures() has changed since it began. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* How often memory has run out in this process. */
unsigned memory_failures(void);

/* Memory has run out elsewhere: in the library, in the C library. */
void memory_failed(void);

/* `function` may end the program; NULL: none. */
void memory_on_failure(void (*function)(void));

/* `count` zeroed items of `size` bytes; of 0 a valid pointer. */
void *new_items(size_t count, size_t size);

/* Room for `count` items in the place of `items`, which stay as they are if there is none. */
void *grow_items(void *items, size_t count, size_t size);

/* Copies of a text, and of its first `size` bytes. NULL of NULL. */
char *copy_text(const char *text);
char *copy_part(const char *text, size_t size);

/* No argument may be NULL where the format has a text. */
char *format_text(const char *format, ...) ILPI_PRINTF(1, 2);

/* Text that is written as a file. text_close() gives it, owned by the caller, and frees it where it
 * is not complete. */
struct text_file {
    FILE *out; /* NULL: no memory */
    char *text;
    size_t size;
};
bool text_open(struct text_file *file);
char *text_close(struct text_file *file);

#endif
