/* Messages for the user of the program. host/ prints nothing: a message goes to the program's
 * reporter. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdarg.h>

#include "base/error.h"
#include "ilpatch.h"

struct reporter {
    void *user;
    /* one line without a line feed; names in it may contain any bytes */
    void (*message)(void *user, const char *text);

    /* The previous message was about the command line of `command` (NULL: the main one). NULL:
     * ignored. */
    void (*usage)(void *user, const char *command);
};

/* Sets the reporter of all later messages, borrowed; until then they are dropped. */
void reporter_set(const struct reporter *reporter);

/* The same for this thread only, until it is NULL again. */
void reporter_set_own(const struct reporter *reporter);

void report_message(const char *format, ...) ILPI_PRINTF(1, 2);

/* "FILE: message (at offset 0x1A0)" */
void report_file_error(const char *file, const struct ilp_error *error);

/* Lets the reporter add a hint to a message about the command line. */
void report_usage(const char *command);

void vreport_message(const char *format, va_list arguments);

#endif
