/* Spools into a file of some format: what `ilpatch trace` and `ilpatch report` have in common. */
#ifndef CONVERT_H
#define CONVERT_H

#include "host/options.h"
#include "tools/export/formats.h"

/* Options, as they are given. */
struct conversion {
    const char *format; /* NULL: by the ending of `output` */
    const char *output; /* NULL: to `out` */
    bool subtract;
    bool raw_names;
    struct value_filter_options filter_options;
    FILE *out;
    const struct format *chosen; /* by conversion_check(), */
    struct value_filter *filter; /* and this; NULL: all values; owned */
};

/* Takes one of these options; false for any other. */
bool conversion_option(struct conversion *conversion, enum option_id option, const char *value);

/* What format it will be; reported if there is none, or one that knows no filter. */
enum exit_code conversion_check(struct conversion *conversion, const char *command);

/* What the check has opened. */
void conversion_close(struct conversion *conversion);

/* The formats, a line for each, as the end of a help text. */
void conversion_help(void);

/* EXIT_INCOMPLETE: what could be read has been written, but something was damaged. */
enum exit_code convert(const struct conversion *conversion, char *const *spools, size_t count);

#endif
