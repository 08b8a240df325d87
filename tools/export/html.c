/* The report for a browser: a page that stands as it is in report.html, with the trace in it as JSON.
 *
 * Nothing in the data can end the element it is in or become markup: every less-than sign in it is written as an escape, and
 * the page puts texts in place as texts. What the page does is in report.html.
 */
#include "tools/export/format.h"

#include <inttypes.h>

#define HTML_NODES 200000u /* of all call trees; a browser has to hold them */
#define LEAST_NODES 1000u  /* of each, however many there are */
#define SHOWN_VALUES 24u

/* report.html; the trace stands in the place of the mark. See html_page.S. */
extern const char html_page[];
extern const uint32_t html_page_size;
static const char mark[] = "@TRACE@";

/* ---- '<' ---- */

/* JSON has it in strings only, where its escape means the same. */
static ssize_t escape(void *cookie, const char *bytes, size_t size)
{
    FILE *out = cookie;
    for (size_t at = 0; at < size;) {
        const char *found = memchr(bytes + at, '<', size - at);
        size_t plain = found ? (size_t)(found - (bytes + at)) : size - at;
        fwrite(bytes + at, 1, plain, out);
        at += plain;
        if (found) {
            fputs("\\u003c", out);
            at++;
        }
    }
    return ferror(out) ? 0 : (ssize_t)size;
}

/* ---- the data ---- */

static void member(FILE *out, const char *name, struct ilp_bytes text)
{
    fprintf(out, "\"%s\":", name);
    json_out_bytes(out, text);
    fputc(',', out);
}

static void count_member(FILE *out, const char *name, uint64_t count)
{
    fprintf(out, "\"%s\":%" PRIu64 ",", name, count);
}

static void write_values(FILE *out, const struct ilpi_values *values)
{
    fprintf(out, "{\"total\":%" PRIu64 ",", values->total);
    if (values->numbers != 0) {
        fprintf(out, "\"numbers\":%" PRIu64 ",\"least\":%.17g,\"greatest\":%.17g,\"mean\":%.17g,", values->numbers,
                values->least, values->greatest, values->sum / (double)values->numbers);
    }
    fputs("\"kept\":[", out);
    for (size_t i = 0; i < values->count && i < SHOWN_VALUES; i++) {
        fputs(i != 0 ? ",[" : "[", out);
        json_out_bytes(out, values->kept[i].text);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%d]", values->kept[i].count, values->kept[i].over, values->kept[i].cut);
    }
    fputs("]}", out);
}

/* A name without its namespace: rows have little room, and most begin alike. */
static struct ilp_bytes short_name(const struct ilpi_traced_process *process, uint32_t method, struct ilp_bytes name)
{
    size_t type = method < process->method_count ? process->methods[method].type.size : 0;
    size_t begin = 0;
    for (size_t i = 0; i < type && i < name.size && !strchr("</[(`", name.data[i]); i++) {
        begin = name.data[i] == '.' ? i + 1 : begin;
    }
    return (struct ilp_bytes){name.data + begin, name.size - begin};
}

static void write_methods(FILE *out, const struct ilpi_call_tree *tree)
{
    struct name name;
    fputs("\"methods\":[", out);
    for (uint32_t i = 0; i <= tree->process->method_count; i++) {
        const struct ilpi_method_sum *sum = &tree->methods[i];
        bool defined = i < tree->process->method_count;
        fputs(i != 0 ? ",\n{" : "\n{", out);
        struct ilp_bytes full = method_name(tree->process, i, &name);
        member(out, "name", full);
        member(out, "short", short_name(tree->process, i, full));
        member(out, "module", defined ? tree->process->methods[i].module : bytes_of(""));
        member(out, "signature", defined ? tree->process->methods[i].signature : bytes_of(""));
        count_member(out, "calls", sum->calls);
        count_member(out, "total", sum->inclusive);
        count_member(out, "own", sum->exclusive);
        count_member(out, "least", sum->least);
        fprintf(out, "\"most\":%" PRIu64, sum->most);
        if (sum->values.total != 0) {
            fputs(",\"values\":", out);
            write_values(out, &sum->values);
        }
        fputc('}', out);
    }
    fputs("],\n", out);
}

static void write_threads(FILE *out, const struct ilpi_call_tree *tree)
{
    struct name name;
    fputs("\"threads\":[", out);
    for (size_t i = 0; i < tree->thread_count; i++) {
        const struct ilpi_thread_sum *thread = &tree->threads[i];
        const struct ilpi_thread_story *story = &thread->story;
        fputs(i != 0 ? ",\n{" : "\n{", out);
        member(out, "name", thread_name(story, thread->number, &name));
        count_member(out, "node", thread->node);
        count_member(out, "id", story->system_id);
        count_member(out, "calls", story->calls);
        count_member(out, "deepest", story->deepest);
        count_member(out, "unmatched", story->unmatched);
        count_member(out, "unseen", story->unseen);
        count_member(out, "running", story->running);
        count_member(out, "tooDeep", story->past_limit);
        count_member(out, "lost", story->lost);
        count_member(out, "gaps", story->gaps);
        fprintf(out, "\"missing\":%u}", thread->missing);
    }
    fputs("],\n", out);
}

/* A node is a row of numbers; the page knows their order. The method is -1 for threads and -2 for the rest. */
static void write_nodes(FILE *out, const struct ilpi_call_tree *tree)
{
    fputs("\"nodes\":[", out);
    for (size_t i = 0; i < tree->node_count; i++) {
        const struct ilpi_call_node *node = &tree->nodes[i];
        long method = node->method == ILPI_THREAD ? -1 : node->method == ILPI_OTHER ? -2 : (long)node->method;
        fprintf(out, "%s\n%u,%ld,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, i != 0 ? "," : "",
                node->parent, method, node->calls, node->inclusive, node->exclusive, node->tailcalls, node->unwound,
                node->unknown);
    }
    fputs("]", out);
}

static void write_tree(FILE *out, const struct ilpi_call_tree *tree)
{
    const struct ilpi_traced_process *process = tree->process;
    struct name name;
    fputc('{', out);
    member(out, "name", process_name(process, &name));
    member(out, "runtime", process->runtime);
    member(out, "path", process->path);
    member(out, "reason", process->reason);
    count_member(out, "number", process->number);
    count_member(out, "wall", process->wall / 1000000);
    count_member(out, "pair", process->pair);
    count_member(out, "rest", tree->rest);
    fprintf(out, "\"ended\":%s,\n", process->ended ? "true" : "false");
    write_threads(out, tree);
    write_methods(out, tree);
    write_nodes(out, tree);
    fputc('}', out);
}

static ilp_status write_process(const struct trace *trace, const struct traced *traced, size_t nodes, FILE *out,
                                struct ilp_error *error)
{
    struct ilpi_call_tree tree;
    ilp_status status = ilpi_call_tree_open(&tree, traced->file, traced->process, trace->subtract, 0, error);
    if (status == ILP_OK) {
        status = ilpi_call_tree_prune(&tree, nodes > LEAST_NODES ? nodes : LEAST_NODES, error);
    }
    if (status == ILP_OK) {
        write_tree(out, &tree);
    }
    ilpi_call_tree_close(&tree);
    return status;
}

static ilp_status write_data(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct traced traced = {.file = NULL};
    size_t processes = 0;
    for (size_t i = 0; i < trace->count; i++) {
        processes += trace->files[i].process_count;
    }
    fprintf(out, "{\"version\":\"%s\",\"subtract\":%s,\"processes\":[", ilp_version(), trace->subtract ? "true" : "false");
    while (next_process(trace, &traced)) {
        fputs(traced.number != 0 ? ",\n" : "\n", out);
        ILPI_TRY(write_process(trace, &traced, HTML_NODES / processes, out, error));
    }
    fputs("]}", out);
    return ILP_OK;
}

ilp_status write_html(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    FILE *data = fopencookie(out, "w", (cookie_io_functions_t){.write = escape});
    if (!data) {
        return ilpi_fail_memory(error, BUFSIZ);
    }
    const char *place = memmem(html_page, html_page_size, mark, sizeof mark - 1);
    size_t before = (size_t)(place - html_page);
    size_t after = before + sizeof mark - 1;
    fwrite(html_page, 1, before, out);
    ilp_status status = write_data(trace, data, error);
    bool written = fclose(data) == 0;
    fwrite(html_page + after, 1, html_page_size - after, out);
    ILPI_TRY(status);
    return written ? ILP_OK : ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0, "cannot write");
}
