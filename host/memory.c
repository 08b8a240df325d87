/* Allocates memory and text. See memory.h. A failure is counted and reported once; callers get
 * NULL, and pass it on.
 *
 * The count is what makes that possible: a caller compares it before and after a piece of work, and
 * need not look at each NULL in between. The command ends in the hook, the profiler goes on without
 * what it could not allocate. */
#include "host/memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint failures;
static void (*on_failure)(void);

unsigned memory_failures(void)
{
    return atomic_load_explicit(&failures, memory_order_relaxed);
}

void memory_failed(void)
{
    atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
    if (on_failure) {
        on_failure();
    }
}

void memory_on_failure(void (*function)(void))
{
    on_failure = function;
}

static void *checked(void *memory)
{
    if (!memory) {
        memory_failed();
    }
    return memory;
}

/* Never of size 0, for which calloc() may return NULL. */
void *new_items(size_t count, size_t size)
{
    return checked(calloc(count != 0 ? count : 1, size));
}

/* NULL leaves `items` as they were: the caller keeps its pointer until it has the new one. */
void *grow_items(void *items, size_t count, size_t size)
{
    return checked(count != 0 && size <= SIZE_MAX / count ? realloc(items, count * size) : NULL);
}

/* NULL for NULL, without a failure: so calls can be nested. */
char *copy_text(const char *text)
{
    return text ? checked(strdup(text)) : NULL;
}

char *copy_part(const char *text, size_t size)
{
    return text ? checked(strndup(text, size)) : NULL;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    return checked(text);
}

bool text_open(struct text_file *file)
{
    *file = (struct text_file){.text = NULL};
    file->out = checked(open_memstream(&file->text, &file->size));
    return file->out != NULL;
}

/* The text is complete only after fclose(), and a failed write means that memory was short. */
char *text_close(struct text_file *file)
{
    if (!file->out) {
        return NULL;
    }
    bool good = ferror(file->out) == 0;
    good = fclose(file->out) == 0 && good && file->text;
    if (!good) {
        free(file->text);
        file->text = NULL;
        memory_failed();
    }
    file->out = NULL;
    return file->text;
}
