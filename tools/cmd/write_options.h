/* The options for how a changed file is written, the same for every command that writes one. */
#ifndef WRITE_OPTIONS_H
#define WRITE_OPTIONS_H

#include "host/file_io.h"
#include "host/file_view.h"
#include "host/options.h"

/* As given, borrowed from the command line; and for the library. */
struct write_request {
    const char *strong_name; /* the word of --strong-name; NULL: not given, as for the others */
    const char *key;         /* the path of the key */
    bool verify;
    const char *symbols;
    const char *layout;
    bool compact; /* --compact, short for --layout compact */
    /* set by write_request_read() and write_request_open(); the options borrow the key's bytes */
    struct file_view key_file;
    struct ilp_write_options options;
    bool with_callers;
};

/* Takes one of these options; false for any other. */
bool write_option(struct write_request *request, enum option_id option, const char *value);

/* Fills request->options but for the key's bytes, and reads no file. Invalid combinations are
 * reported. `command` is for messages. */
enum exit_code write_request_read(struct write_request *request, const char *command);

/* Opens the key, if one is given: the last step, since all else is refused without reading. */
enum exit_code write_request_open(struct write_request *request);
void write_request_close(struct write_request *request);

/* Whether any was given. */
bool write_request_is_empty(const struct write_request *request);

#endif
