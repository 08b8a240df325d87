/* Formats messages. See message.h. Without memory a message is truncated, but still reported.
 *
 * A message goes to the reporter of the thread that reports it, which is how files that are patched
 * at the same time keep their messages apart; else to the common one. */
#include "host/message.h"

#include <stdio.h>
#include <stdlib.h>

static const struct reporter *reporter;
static _Thread_local const struct reporter *own; /* of this thread; NULL: use the common one */

void reporter_set(const struct reporter *other)
{
    reporter = other;
}

void reporter_set_own(const struct reporter *other)
{
    own = other;
}

static const struct reporter *reporter_now(void)
{
    return own ? own : reporter;
}

/* Most messages fit in the text on the stack, which needs no memory. */
void vreport_message(const char *format, va_list arguments)
{
    char text[1024];
    char *longer = NULL;
    va_list again;
    va_copy(again, arguments);
    if (vsnprintf(text, sizeof text, format, arguments) >= (int)sizeof text &&
        vasprintf(&longer, format, again) < 0) {
        longer = NULL;
    }
    va_end(again);
    const struct reporter *now = reporter_now();
    if (now) {
        now->message(now->user, longer ? longer : text);
    }
    free(longer);
}

void report_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vreport_message(format, arguments);
    va_end(arguments);
}

/* The offset is in the file, in hexadecimal, as tools for binary files show it. */
void report_file_error(const char *file, const struct ilp_error *error)
{
    if (error->offset != UINT64_MAX) {
        report_message("%s: %s (at offset 0x%llX)", file, error->message,
                       (unsigned long long)error->offset);
    } else {
        report_message("%s: %s", file, error->message);
    }
}

void report_usage(const char *command)
{
    const struct reporter *now = reporter_now();
    if (now && now->usage) {
        now->usage(now->user, command);
    }
}
