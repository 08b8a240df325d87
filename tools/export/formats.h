/* The formats of traces (formats.def): by name, and by file name extension. */
#ifndef FORMATS_H
#define FORMATS_H

#include "tools/export/format.h"

/* The one for calls counted without times. */
#define FORMAT_WITHOUT_TIMES "text"

enum format_of { FORMAT_OF_CALLS, FORMAT_OF_VALUES };

struct format {
    const char *name;    /* the word of --format */
    const char *endings; /* separated by spaces */
    const char *text;    /* for the help */
    enum format_of of;   /* what it shows: the filter of values is for FORMAT_OF_VALUES only */
    /* Writes everything to `out`. ILP_E_CALLBACK: `out` failed, and has the reason. */
    ilp_status (*write)(const struct trace *trace, FILE *out, struct ilp_error *error);
};

/* NULL after the last one. */
const struct format *format_at(size_t number);

/* NULL: there is none. */
const struct format *format_named(const char *name);
const struct format *format_of_file(const char *path);

#endif
