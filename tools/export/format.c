/* What the formats share: processes, names and times. See format.h.
 *
 * Names are made for each call that is written, so they are made in the caller's room (struct
 * name), without allocating. Everything in a spool may be wrong: a method number without a
 * definition has a placeholder for its name. */
#include "tools/export/format.h"

#include "tools/export/readable_name.h"

/* A writer keeps its first failure, so that it is looked at once, at the end of a format. */
ilp_status json_status(const struct ilpi_json *json, struct ilp_error *error)
{
    return json->status == ILP_OK
               ? ILP_OK
               : ilpi_fail(error, json->status, ILPI_NO_OFFSET, 0, "cannot write");
}

/* Goes on from the process in *traced, in the next file if that was its last one. Empty files are
 * passed over. */
bool next_process(const struct trace *trace, struct exported_process *traced)
{
    size_t file = traced->file ? (size_t)(traced->file - trace->files) : 0;
    size_t next = traced->file ? (size_t)(traced->process - traced->file->processes.items) + 1 : 0;
    for (; file < trace->count; file++, next = 0) {
        if (next < trace->files[file].processes.count) {
            size_t number = traced->file ? traced->number + 1 : 0;
            *traced = (struct exported_process){&trace->files[file],
                                                &trace->files[file].processes.items[next], number};
            return true;
        }
    }
    return false;
}

/* Truncates at the end of the room. */
static size_t append(struct name *name, size_t size, struct ilp_bytes text)
{
    size_t room = sizeof name->text - size;
    size_t added = text.size < room ? text.size : room;
    if (added != 0) {
        memcpy(name->text + size, text.data, added);
    }
    return size + added;
}

/* name->type is set for namespace_size(), which must not find a dot in the method's own name. */
struct ilp_bytes raw_method_name(const struct ilpi_traced_process *process, uint32_t method,
                                 struct name *name)
{
    name->type = 0;
    if (method == ILPI_OTHER) {
        return bytes_of("(other)");
    }
    if (method >= process->methods.count) {
        return bytes_of("(a method that the spool does not define)");
    }
    const struct ilpi_traced_method *found = &process->methods.items[method];
    name->type = append(name, 0, found->type);
    size_t size = append(name, name->type, bytes_of(found->type.size != 0 ? "." : ""));
    size = append(name, size, found->name);
    return (struct ilp_bytes){(const uint8_t *)name->text, size};
}

/* Empty if the names are wanted as they are, or if the compiler did not make this one. */
struct ilp_bytes readable_method_name(const struct trace *trace,
                                      const struct ilpi_traced_process *process, uint32_t method,
                                      struct name *name)
{
    size_t size = 0;
    if (!trace->raw_names && method < process->methods.count) {
        const struct ilpi_traced_method *found = &process->methods.items[method];
        size = readable_name(found->type, found->name, name->text, sizeof name->text, &name->type);
    }
    return (struct ilp_bytes){size != 0 ? (const uint8_t *)name->text : NULL, size};
}

struct ilp_bytes method_name(const struct trace *trace, const struct ilpi_traced_process *process,
                             uint32_t method, struct name *name)
{
    struct ilp_bytes readable = readable_method_name(trace, process, method, name);
    return readable.size != 0 ? readable : raw_method_name(process, method, name);
}

/* Up to the last dot before anything that cannot be in a namespace: dots in generic arguments and
 * nested types do not count. */
size_t namespace_size(struct ilp_bytes full, const struct name *name)
{
    size_t size = 0;
    for (size_t i = 0; i < name->type && !memchr("`/+<[(", full.data[i], 6); i++) {
        size = full.data[i] == '.' ? i + 1 : size;
    }
    return size;
}

/* Names are made only if there is a filter. */
bool takes_value(const struct trace *trace, const struct ilpi_traced_process *process,
                 uint32_t method, uint64_t time, struct ilp_bytes value)
{
    struct name raw;
    struct name readable;
    return !trace->filter ||
           value_filter_takes(trace->filter, raw_method_name(process, method, &raw),
                              readable_method_name(trace, process, method, &readable),
                              trace_time(trace, time), value);
}

/* A thread without a name of its own gets its number in the trace, which is not that of the
 * system. */
struct ilp_bytes thread_name(const struct ilpi_thread_story *story, uint32_t number,
                             struct name *name)
{
    if (story->name.size != 0) {
        return story->name;
    }
    snprintf(name->text, sizeof name->text, "thread %u", number);
    return bytes_of(name->text);
}

struct ilp_bytes process_name(const struct ilpi_traced_process *process, struct name *name)
{
    if (process->command.size != 0) {
        return process->command;
    }
    snprintf(name->text, sizeof name->text, "process %u", process->number);
    return bytes_of(name->text);
}

bool is_path(const struct ilpi_traced_process *process, const char *path)
{
    size_t size = strlen(path);
    return process->path.size == size && memcmp(process->path.data, path, size) == 0;
}

/* On the slow path the runtime calls the hooks, and its own part of the time is outside of them. */
bool cost_is_partial(const struct ilpi_traced_process *process)
{
    return is_path(process, "slow");
}

/* Words of the formats; the spool has numbers. */
const char *end_name(enum ilpi_call_end how)
{
    switch (how) {
    case CALL_RETURNED: return "returned";
    case CALL_TAILCALLED: return "tail call";
    case CALL_UNWOUND: return "exception";
    case CALL_UNSEEN: return "unseen";
    default: return "running";
    }
}
