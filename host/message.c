/* See message.h. A message is reported also when there is no memory for it: then it is cut. */
#include "host/message.h"

#include <stdio.h>
#include <stdlib.h>

static const struct reporter *reporter;

void reporter_set(const struct reporter *other)
{
    reporter = other;
}

void tell_list(const char *format, va_list arguments)
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
    if (reporter) {
        reporter->message(reporter->user, longer ? longer : text);
    }
    free(longer);
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_list(format, arguments);
    va_end(arguments);
}

void tell_error(const char *file, const struct ilp_error *error)
{
    if (error->offset != UINT64_MAX) {
        tell("%s: %s (at offset 0x%llX)", file, error->message, (unsigned long long)error->offset);
    } else {
        tell("%s: %s", file, error->message);
    }
}

void tell_usage(const char *command)
{
    if (reporter && reporter->usage) {
        reporter->usage(reporter->user, command);
    }
}
