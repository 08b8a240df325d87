/* The report for a browser: report.html, with the trace inserted as JSON.
 *
 *   process: name, runtime, ...; threads; methods; nodes: parent, method, calls, total, own, ends
 *            timeline: for each thread calls and runs: depth, start, length, ...
 *   methods and nodes are referred to by their index, starts are ns from that of the process
 *
 * No data can end its element or become markup: every less-than sign is escaped, and the page
 * inserts texts as text nodes. report.html has the script. */
#include "tools/export/page.h"

#include "trace/call_bars.h"

#define HTML_NODES   200000u /* of all call trees; a browser must hold them */
#define LEAST_NODES  1000u   /* of each, even if there are many */
#define HTML_BARS    100000u /* of all timelines */
#define SHOWN_VALUES 24u

/* The limits of a process, depending on the number of processes. */
struct limits {
    size_t nodes;
    size_t bars;
};

/* ---- '<' ---- */

/* In JSON it occurs in strings only, where an escape is equivalent. A script element ends at
 * "</script", and a comment in it begins with "<!--": neither can occur without a less-than
 * sign. */
static ilp_status escape(void *user, const void *bytes, size_t size)
{
    FILE *out = user;
    const char *text = bytes;
    for (size_t at = 0; at < size;) {
        const char *found = memchr(text + at, '<', size - at);
        size_t plain = found ? (size_t)(found - (text + at)) : size - at;
        fwrite(text + at, 1, plain, out);
        at += plain;
        if (found) {
            fputs("\\u003c", out);
            at++;
        }
    }
    return ferror(out) ? ILP_E_CALLBACK : ILP_OK;
}

/* ---- the data ---- */

/* The most frequent ones; `over` is by how much a count may be too high, `cut` that the text is
 * incomplete. */
static void write_values(struct ilpi_json *json, const struct ilpi_values *values)
{
    ilpi_json_object(json, "values", ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, "total", values->total);
    if (values->numbers != 0) {
        ilpi_json_unsigned(json, "numbers", values->numbers);
        ilpi_json_double(json, "least", values->least);
        ilpi_json_double(json, "greatest", values->greatest);
        ilpi_json_double(json, "mean", values->sum / (double)values->numbers);
    }
    ilpi_json_array(json, "kept", ILPI_JSON_INLINE);
    for (size_t i = 0; i < values->kept.count && i < SHOWN_VALUES; i++) {
        ilpi_json_array(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_bytes(json, NULL, values->kept.items[i].text);
        ilpi_json_unsigned(json, NULL, values->kept.items[i].count);
        ilpi_json_unsigned(json, NULL, values->kept.items[i].over);
        ilpi_json_unsigned(json, NULL, values->kept.items[i].cut);
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
}

/* Both names of a method, and the readable one without its namespace: rows are narrow, and most
 * names begin alike. */
static void write_names(struct ilpi_json *json, const struct trace *trace,
                        const struct ilpi_traced_process *process, uint32_t method)
{
    struct name name;
    struct ilp_bytes full = raw_method_name(process, method, &name);
    ilpi_json_bytes(json, "name", full);
    struct name readable;
    struct ilp_bytes shown = readable_method_name(trace, process, method, &readable);
    size_t space = shown.data ? namespace_size(shown, &readable) : namespace_size(full, &name);
    if (shown.data) {
        ilpi_json_bytes(json, "readable", shown);
    } else {
        shown = full;
    }
    ilpi_json_bytes(json, "short", (struct ilp_bytes){shown.data + space, shown.size - space});
}

/* A list on lines of its own. */
static void begin_list(struct ilpi_json *json, const char *name, enum ilpi_json_layout layout)
{
    ilpi_json_line(json, 0);
    ilpi_json_array(json, name, layout);
}

/* One more than are defined: the last element is for numbers without a definition, to which nodes
 * may refer. */
static void write_methods(struct ilpi_json *json, const struct trace *trace,
                          const struct ilpi_call_tree *tree)
{
    begin_list(json, "methods", ILPI_JSON_HANGING);
    for (uint32_t i = 0; i <= tree->process->methods.count; i++) {
        const struct ilpi_method_sum *sum = &tree->methods[i];
        bool defined = i < tree->process->methods.count;
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        write_names(json, trace, tree->process, i);
        ilpi_json_bytes(json, "module",
                        defined ? tree->process->methods.items[i].module : bytes_of(""));
        ilpi_json_bytes(json, "signature",
                        defined ? tree->process->methods.items[i].signature : bytes_of(""));
        ilpi_json_unsigned(json, "calls", sum->calls);
        ilpi_json_unsigned(json, "total", sum->inclusive);
        ilpi_json_unsigned(json, "own", sum->exclusive);
        ilpi_json_unsigned(json, "least", sum->least);
        ilpi_json_unsigned(json, "most", sum->most);
        if (sum->values.total != 0) {
            write_values(json, &sum->values);
        }
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

/* With everything that keeps the times from being complete: lost records, gaps, calls that had no
 * end. */
static void write_threads(struct ilpi_json *json, const struct ilpi_call_tree *tree)
{
    struct name name;
    begin_list(json, "threads", ILPI_JSON_HANGING);
    for (size_t i = 0; i < tree->thread_count; i++) {
        const struct ilpi_thread_sum *thread = &tree->threads[i];
        const struct ilpi_thread_story *story = &thread->story;
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_bytes(json, "name", thread_name(story, thread->number, &name));
        ilpi_json_unsigned(json, "node", thread->node);
        ilpi_json_unsigned(json, "id", story->system_id);
        ilpi_json_unsigned(json, "calls", story->calls);
        ilpi_json_unsigned(json, "deepest", story->deepest);
        ilpi_json_unsigned(json, "unmatched", story->unmatched);
        ilpi_json_unsigned(json, "unseen", story->unseen);
        ilpi_json_unsigned(json, "running", story->running);
        ilpi_json_unsigned(json, "tooDeep", story->past_limit);
        ilpi_json_unsigned(json, "lost", story->lost);
        ilpi_json_unsigned(json, "gaps", story->gaps);
        ilpi_json_unsigned(json, "missing", thread->missing);
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

/* Threads have none, nor has what is merged into "(other)". */
static int64_t method_number(uint32_t method)
{
    switch (method) {
    case ILPI_THREAD: return -1;
    case ILPI_OTHER: return -2;
    default: return method;
    }
}

/* A node is a row of numbers; the page knows their order.
 *
 *   parent, method, calls, total, own, ended by tail calls, by exceptions, without an end */
static void write_nodes(struct ilpi_json *json, const struct ilpi_call_tree *tree)
{
    begin_list(json, "nodes", ILPI_JSON_INLINE);
    for (size_t i = 0; i < tree->nodes.count; i++) {
        const struct ilpi_call_node *node = &tree->nodes.items[i];
        ilpi_json_line(json, 0);
        ilpi_json_unsigned(json, NULL, node->parent);
        ilpi_json_signed(json, NULL, method_number(node->method));
        ilpi_json_unsigned(json, NULL, node->calls);
        ilpi_json_unsigned(json, NULL, node->inclusive);
        ilpi_json_unsigned(json, NULL, node->exclusive);
        ilpi_json_unsigned(json, NULL, node->tailcalls);
        ilpi_json_unsigned(json, NULL, node->unwound);
        ilpi_json_unsigned(json, NULL, node->unknown);
    }
    ilpi_json_end(json);
}

/* Leaves the object open, for write_calls(). */
static void write_tree(struct ilpi_json *json, const struct trace *trace,
                       const struct ilpi_call_tree *tree)
{
    const struct ilpi_traced_process *process = tree->process;
    struct name name;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_bytes(json, "name", process_name(process, &name));
    ilpi_json_bytes(json, "runtime", process->runtime);
    ilpi_json_bytes(json, "path", process->path);
    ilpi_json_bytes(json, "reason", process->reason);
    ilpi_json_unsigned(json, "number", process->number);
    /* in ms, as the script's Date takes it */
    ilpi_json_unsigned(json, "wall", process->wall / 1000000);
    ilpi_json_unsigned(json, "pair", process->pair);
    ilpi_json_unsigned(json, "rest", tree->rest);
    ilpi_json_bool(json, "ended", process->ended);
    write_threads(json, tree);
    write_methods(json, trace, tree);
    write_nodes(json, tree);
}

/* Also rows of numbers: those of a call, and those of a run of short calls.
 *
 *   depth, start, length, calls, method, how it ended       a call
 *   depth, start, length, calls, busy                       a run */
static void write_bars(struct ilpi_json *json, const struct ilpi_call_bars *bars, size_t begin,
                       size_t end, bool runs)
{
    uint64_t start = bars->process->start;
    begin_list(json, runs ? "runs" : "calls", ILPI_JSON_INLINE);
    for (size_t i = begin; i < end; i++) {
        const struct ilpi_call_bar *bar = &bars->bars.items[i];
        if ((bar->method == ILPI_RUN) != runs) {
            continue;
        }
        ilpi_json_line(json, 0);
        ilpi_json_unsigned(json, NULL, bar->depth);
        ilpi_json_unsigned(json, NULL, bar->start > start ? bar->start - start : 0);
        ilpi_json_unsigned(json, NULL, bar->length);
        ilpi_json_unsigned(json, NULL, bar->calls);
        ilpi_json_unsigned(json, NULL, runs ? bar->busy : bar->method);
        if (!runs) {
            ilpi_json_unsigned(json, NULL, bar->how);
        }
    }
    ilpi_json_end(json);
}

/* Bars are sorted by thread, so one pass gives each thread its own. */
static void write_timeline_of(struct ilpi_json *json, const struct ilpi_call_bars *bars)
{
    size_t end = 0;
    ilpi_json_line(json, 0);
    ilpi_json_object(json, "timeline", ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, "least", bars->least);
    ilpi_json_unsigned(json, "inRuns", bars->in_runs);
    ilpi_json_unsigned(json, "deeper", bars->deeper);
    ilpi_json_unsigned(json, "leftOut", bars->left_out);
    ilpi_json_array(json, "threads", ILPI_JSON_INLINE);
    for (uint32_t i = 0; i < bars->process->threads.count; i++) {
        size_t begin = end;
        while (end < bars->bars.count && bars->bars.items[end].thread == i) {
            end++;
        }
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        write_bars(json, bars, begin, end, false);
        write_bars(json, bars, begin, end, true);
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
}

/* Reads the threads a second time: damage was already counted with the tree. */
static ilp_status write_calls(struct ilpi_json *json, const struct trace *trace,
                              const struct exported_process *traced, size_t limit,
                              struct ilp_error *error)
{
    struct ilpi_call_bars bars;
    uint64_t damaged = traced->file->damaged;
    ilp_status status = ilpi_call_bars_open(&bars, traced->file, traced->process, trace->subtract,
                                            limit, error);
    traced->file->damaged = damaged;
    if (status == ILP_OK) {
        write_timeline_of(json, &bars);
    }
    ilpi_call_bars_close(&bars);
    return status;
}

/* The tree is closed before the second pass, so that only one of the two is in memory. */
static ilp_status write_process(const struct trace *trace, const struct exported_process *traced,
                                const struct limits *limits, struct ilpi_json *json,
                                struct ilp_error *error)
{
    struct ilpi_call_tree tree;
    ilp_status status = ilpi_call_tree_open(&tree, traced->file, traced->process, trace->subtract,
                                            0, error);
    if (status == ILP_OK) {
        status = ilpi_call_tree_prune(
            &tree, limits->nodes > LEAST_NODES ? limits->nodes : LEAST_NODES, error);
    }
    if (status == ILP_OK) {
        write_tree(json, trace, &tree);
    }
    ilpi_call_tree_close(&tree);
    if (status == ILP_OK) {
        status = write_calls(json, trace, traced, limits->bars, error);
        ilpi_json_end(json);
    }
    return status;
}

/* A page shows all processes, so they share the limits evenly. */
static ilp_status write_data(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct exported_process traced = {.file = NULL};
    struct ilpi_json json;
    size_t processes = 0;
    for (size_t i = 0; i < trace->count; i++) {
        processes += trace->files[i].processes.count;
    }
    const struct limits limits = {processes != 0 ? HTML_NODES / processes : 0,
                                  processes != 0 ? HTML_BARS / processes : 0};
    ilpi_json_begin(&json, (struct ilp_sink){out, escape}, ILPI_JSON_COMPACT);
    ilpi_json_object(&json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(&json, "version", ilp_version());
    ilpi_json_bool(&json, "subtract", trace->subtract);
    ilpi_json_array(&json, "processes", ILPI_JSON_HANGING);
    while (next_process(trace, &traced)) {
        ILPI_TRY(write_process(trace, &traced, &limits, &json, error));
    }
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    ilpi_json_flush(&json);
    return json_status(&json, error);
}

/* The page is closed also after a failure: its file is abandoned by the caller, but standard output
 * is not. */
ilp_status write_html(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    page_begin(out, page_of_calls());
    ilp_status status = write_data(trace, out, error);
    page_end(out, page_of_calls());
    return status;
}
