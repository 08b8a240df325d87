/* Writing traces: what the formats share.
 *
 *   spools -> processes -> threads -> calls (src/trace/calls.h), or all calls of a process merged
 *   (src/trace/call_tree.h)
 *
 * Timelines are streamed, since a spool may be larger than memory. Texts in a spool may be any
 * bytes. */
#ifndef FORMAT_H
#define FORMAT_H

#include "base/json.h"
#include "trace/call_tree.h"

#include "host/text_out.h"
#include "host/tool.h"
#include "tools/export/value_filter.h"

/* The trace being written. */
struct trace {
    struct ilpi_spool_file *files; /* open spools; borrowed, as is the filter */
    size_t count;
    bool subtract;               /* subtract the cost of hooks */
    bool raw_names;              /* names as compilers made them */
    uint64_t base;               /* its earliest time */
    struct value_filter *filter; /* for formats of values; NULL: all */
};

/* A time relative to the start of the trace. */
static inline uint64_t trace_time(const struct trace *trace, uint64_t time)
{
    return time > trace->base ? time - trace->base : 0;
}

/* The writers, one per format of formats.def. */
#define FORMAT(id, name, endings, of, text) \
    ilp_status write_##id(const struct trace *trace, FILE *out, struct ilp_error *error);
#include "tools/export/formats.def"
#undef FORMAT

/* The writer's status, as an error. */
ilp_status json_status(const struct ilpi_json *json, struct ilp_error *error);

/* ---- processes, one after the other ---- */

struct exported_process {
    struct ilpi_spool_file *file;        /* the spool that has the process; borrowed */
    struct ilpi_traced_process *process; /* one of its `processes` */
    size_t number;                       /* counted from 0 over all files */
};

/* False after the last one. Begin with a zeroed one. */
bool next_process(const struct trace *trace, struct exported_process *traced);

/* ---- names ---- */

/* Room for a method's name; longer ones are truncated. */
struct name {
    char text[2 * ILPI_SPOOL_TEXT];
    size_t type; /* the size of the type's part of a method's name */
};

/* "Type.Name" as in metadata; "(other)" for ILPI_OTHER, and a placeholder for an undefined method.
 * May borrow from `name`. */
struct ilp_bytes raw_method_name(const struct ilpi_traced_process *process, uint32_t method,
                                 struct name *name);

/* The name in the source (readable_name.h). Empty, with `data` NULL, if it is the same. */
struct ilp_bytes readable_method_name(const struct trace *trace,
                                      const struct ilpi_traced_process *process, uint32_t method,
                                      struct name *name);

/* The readable name, or else the raw one. */
struct ilp_bytes method_name(const struct trace *trace, const struct ilpi_traced_process *process,
                             uint32_t method, struct name *name);

/* The size of a method's namespace, including the dot at its end. */
size_t namespace_size(struct ilp_bytes full, const struct name *name);

/* Whether the trace's filter accepts a value of this method, by either of its names. */
bool takes_value(const struct trace *trace, const struct ilpi_traced_process *process,
                 uint32_t method, uint64_t time, struct ilp_bytes value);

/* "main", or "thread 3" for one without a name. */
struct ilp_bytes thread_name(const struct ilpi_thread_story *story, uint32_t number,
                             struct name *name);

/* "returned", "tail call", "exception", "unseen", "running" */
const char *end_name(enum ilpi_call_end how);

/* Whether the cost of a call is not fully known: on the slow path the runtime's part is not
 * measured. */
bool cost_is_partial(const struct ilpi_traced_process *process);

/* Whether it was recorded in this way: "fast", "slow", or one of ILPI_PATH_OF_... */
bool is_path(const struct ilpi_traced_process *process, const char *path);

/* The program and its arguments, or "process 12". */
struct ilp_bytes process_name(const struct ilpi_traced_process *process, struct name *name);

#endif
