/* The formats of traces (formats.def): by name, and by file name extension. */
#ifndef FORMATS_H
#define FORMATS_H

#include "tools/export/format.h"

/* The one for calls counted without times. */
#define FORMAT_WITHOUT_TIMES "text"

enum format_of { FORMAT_OF_CALLS, FORMAT_OF_VALUES };

struct format {
    const char *name;
    const char *endings; /* separated by spaces */
    const char *text;
    enum format_of of;
    ilp_status (*write)(const struct trace *trace, FILE *out, struct ilp_error *error);
};

/* NULL after the last one. */
const struct format *format_at(size_t number);

/* NULL: there is none. */
const struct format *format_named(const char *name);
const struct format *format_of_file(const char *path);

#endif
