/* How a changed file is written: the options for it, in the same words for every command that writes one. */
#ifndef WRITE_OPTIONS_H
#define WRITE_OPTIONS_H

#include <getopt.h>

#include "tool.h"

enum { OPTION_STRONG_NAME = 768 };

/* For a command's table of long options. */
#define WRITE_OPTIONS {"strong-name", required_argument, NULL, OPTION_STRONG_NAME}

/* For a command's help. */
#define WRITE_OPTIONS_HELP \
    "      --strong-name WHAT    keep key and signature, which no longer fits, or clear both\n"

/* As they are given; borrowed from the command line. */
struct write_request {
    const char *strong_name;
};

/* Takes one of the options above; false for any other. */
bool write_option(struct write_request *request, int option, const char *value);

/* For the library. What makes no sense is told. `command` is for messages. */
enum exit_code write_options(const struct write_request *request, struct ilp_write_options *options,
                             const char *command);

#endif
