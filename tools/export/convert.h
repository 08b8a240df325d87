/* Spools into a file of some format: what `ilpatch trace` and `ilpatch report` have in common. */
#ifndef CONVERT_H
#define CONVERT_H

#include <getopt.h>

#include "tools/export/format.h"

/* Options, as they are given. */
struct conversion {
    const char *format; /* NULL: by the ending of `output` */
    const char *output; /* NULL: to `out` */
    bool subtract;
    FILE *out;
    const struct format *chosen; /* by conversion_check() */
};

enum { OPTION_FORMAT = 640, OPTION_SUBTRACT_COST };

/* For a command's table of long options. */
#define CONVERSION_OPTIONS                              \
    {"format", required_argument, NULL, OPTION_FORMAT}, \
    {"subtract-cost", no_argument, NULL, OPTION_SUBTRACT_COST}

/* Takes one of these; false for any other. */
bool conversion_option(struct conversion *conversion, int option, const char *value);

/* What format it will be; told if there is none. */
enum exit_code conversion_check(struct conversion *conversion, const char *command);

/* The formats, a line for each, as the end of a help text. */
void conversion_help(void);

/* EXIT_INCOMPLETE: what could be read has been written, but something was damaged. */
enum exit_code convert(const struct conversion *conversion, char *const *spools, size_t count);

#endif
