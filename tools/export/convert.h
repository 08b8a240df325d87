/* Converts spools to a file of some format: shared by `ilpatch trace` and `ilpatch report`. */
#ifndef CONVERT_H
#define CONVERT_H

#include "host/options.h"
#include "tools/export/formats.h"

/* Options, as given. */
struct conversion {
    const char *format; /* NULL: by the extension of `output` */
    const char *output; /* NULL: to `out` */
    bool subtract;      /* --subtract-cost: times do not include what hooks take */
    bool raw_names;     /* --raw-names: names as compilers made them */
    struct value_filter_options filter_options;
    FILE *out;                   /* where the report goes without `output`; borrowed */
    const struct format *chosen; /* set by conversion_check() */
    struct value_filter *filter; /* set by it as well; NULL: all values; owned */
};

/* Takes one of these options; false for any other. */
bool conversion_option(struct conversion *conversion, enum option_id option, const char *value);

/* Chooses the format; reports if there is none, or if it cannot filter. */
enum exit_code conversion_check(struct conversion *conversion, const char *command);

/* Frees what the check has opened. */
void conversion_close(struct conversion *conversion);

/* Prints the formats, one per line, as the end of a help text. */
void conversion_help(void);

/* EXIT_INCOMPLETE: everything readable was written, but something was damaged. */
enum exit_code convert(const struct conversion *conversion, char *const *spools, size_t count);

#endif
