/* Messages for whoever started the program. host/ prints nothing: a message goes to the reporter
 * that the program has set. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdarg.h>

#include "base/error.h"
#include "ilpatch.h"

struct reporter {
    void *user;
    /* one line, without its end; names in it may be any bytes */
    void (*message)(void *user, const char *text);

    /* The message before was about the command line of `command` (NULL: the main one). NULL:
     * nothing is added to it. */
    void (*usage)(void *user, const char *command);
};

/* The reporter of all messages from now on, borrowed; until then they are dropped. */
void reporter_set(const struct reporter *reporter);

/* The same for the thread alone, until it is NULL again. */
void reporter_set_own(const struct reporter *reporter);

void tell(const char *format, ...) ILPI_PRINTF(1, 2);

/* "FILE: message (at offset 0x1A0)" */
void tell_error(const char *file, const struct ilp_error *error);

/* What the reporter adds to a message about the command line. */
void tell_usage(const char *command);

void tell_list(const char *format, va_list arguments);

#endif
