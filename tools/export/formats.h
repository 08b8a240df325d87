/* What a trace can be written as (formats.def): by name, and by the end of a file's name. */
#ifndef FORMATS_H
#define FORMATS_H

#include "tools/export/format.h"

/* The one for calls that were counted without times. */
#define FORMAT_WITHOUT_TIMES "text"

enum format_of { FORMAT_OF_CALLS, FORMAT_OF_VALUES };

struct format {
    const char *name;
    const char *endings; /* with spaces between them */
    const char *text;
    enum format_of of;
    ilp_status (*write)(const struct trace *trace, FILE *out, struct ilp_error *error);
};

/* NULL behind the last one. */
const struct format *format_at(size_t number);

/* NULL: there is none. */
const struct format *format_named(const char *name);
const struct format *format_of_file(const char *path);

#endif
