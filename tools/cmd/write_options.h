/* How a changed file is written: the options for it, in the same words for every command that
 * writes one. */
#ifndef WRITE_OPTIONS_H
#define WRITE_OPTIONS_H

#include "host/file_io.h"
#include "host/file_view.h"
#include "host/options.h"

/* As they are given, borrowed from the command line; and for the library. */
struct write_request {
    const char *strong_name;
    const char *key;
    bool verify;
    const char *symbols;
    const char *layout;
    bool compact; /* layout "compact" in one word */
    struct file_view key_file;
    struct ilp_write_options options;
    bool with_callers;
};

/* Takes an option that says how; false for any other. */
bool write_option(struct write_request *request, enum option_id option, const char *value);

/* Fills request->options. What makes no sense is reported. `command` is for messages. */
enum exit_code write_request_open(struct write_request *request, const char *command);
void write_request_close(struct write_request *request);

/* Whether they ask for a layout that is a change by itself. */
bool write_request_is_compact(const struct write_request *request);

/* Whether any was given. */
bool write_request_is_empty(const struct write_request *request);

#endif
