/* What the formats share. See format.h. */
#include "tools/export/format.h"

#include "host/file_io.h"

static const struct format formats[] = {
#define FORMAT(name, endings, text) {#name, endings, text, write_##name},
#include "tools/export/formats.def"
#undef FORMAT
};

const struct format *format_at(size_t number)
{
    return number < sizeof formats / sizeof formats[0] ? &formats[number] : NULL;
}

const struct format *format_named(const char *name)
{
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        if (strcmp(format->name, name) == 0) {
            return format;
        }
    }
    return NULL;
}

/* The length of the longest ending that the path has. */
static size_t ending_length(const struct format *format, const char *path)
{
    size_t longest = 0;
    for (const char *at = format->endings; *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        char ending[32];
        snprintf(ending, sizeof ending, "%.*s", (int)length, at);
        longest = length > longest && ends_with(path, ending) ? length : longest;
        at += length;
    }
    return longest;
}

const struct format *format_of_file(const char *path)
{
    const struct format *best = NULL;
    size_t longest = 0;
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        size_t length = ending_length(format, path);
        if (length > longest) {
            longest = length;
            best = format;
        }
    }
    return best;
}

ilp_status json_status(const struct ilpi_json *json, struct ilp_error *error)
{
    return json->status == ILP_OK
               ? ILP_OK
               : ilpi_fail(error, json->status, ILPI_NO_OFFSET, 0, "cannot write");
}

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

static size_t append(struct name *name, size_t size, struct ilp_bytes text)
{
    size_t room = sizeof name->text - size;
    size_t added = text.size < room ? text.size : room;
    if (added != 0) {
        memcpy(name->text + size, text.data, added);
    }
    return size + added;
}

struct ilp_bytes method_name(const struct ilpi_traced_process *process, uint32_t method,
                             struct name *name)
{
    if (method == ILPI_OTHER) {
        return bytes_of("(other)");
    }
    if (method >= process->methods.count) {
        return bytes_of("(a method that the spool does not define)");
    }
    const struct ilpi_traced_method *found = &process->methods.items[method];
    size_t size = append(name, 0, found->type);
    size = append(name, size,
                  (struct ilp_bytes){(const uint8_t *)".", found->type.size != 0 ? 1 : 0});
    size = append(name, size, found->name);
    return (struct ilp_bytes){(const uint8_t *)name->text, size};
}

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

bool cost_is_partial(const struct ilpi_traced_process *process)
{
    static const char slow[] = "slow";
    return process->path.size == sizeof slow - 1 &&
           memcmp(process->path.data, slow, sizeof slow - 1) == 0;
}

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
