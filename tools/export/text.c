/* The call tree as text, and the methods with their times and values.
 *
 *   process 12: dotnet Shop.dll        facts, what is incomplete, what tracing costs
 *   thread: calls, depth               a tree: total ms, own ms, calls, method [ends]
 *   methods                            by their own time, with values if they were recorded
 *
 * It is meant to be read in a terminal, so all three parts are limited to what takes the most time,
 * and say how much they leave out. */
#include "tools/export/format.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/tool.h"

#define MAX_INDENT  40u   /* levels; deeper ones print their depth */
#define MAX_PATHS   1000u /* the longest ones */
#define MAX_METHODS 30u   /* by their own time */
#define MAX_SHOWN   8u    /* values of a method */

/* The state of one process. `most` is the time of the longest path that is not shown. */
struct text {
    const struct trace *trace;
    struct ilpi_call_tree tree;
    FILE *out;
    bool all;      /* all paths are shown */
    uint64_t most; /* or those that took longer than this */
};

/* Spools have nanoseconds. */
static double milliseconds(uint64_t time)
{
    return (double)time / 1e6;
}

/* ---- facts about the process ---- */

static void write_count(FILE *out, uint64_t count, const char *what)
{
    if (count != 0) {
        fprintf(out, "  %" PRIu64 " %s\n", count, what);
    }
}

/* The known cost of tracing a call. On the slow path the runtime's own part of the cost cannot be
 * measured, thus "more than". */
static void write_cost(FILE *out, const struct ilpi_traced_process *process, bool subtract)
{
    bool partial = cost_is_partial(process);
    const char *where = "which is in the times here (--subtract-cost)";
    if (subtract) {
        where = partial ? "of which so many are subtracted from the times here"
                        : "which times here do not have in them";
    }
    fprintf(out, "\n  a traced call costs %s %" PRIu64 " ns, ", partial ? "more than" : "about",
            process->pair);
    if (process->brief != 0) {
        fprintf(out, "a brief one %" PRIu64 " ns, ", process->brief);
    }
    fputs(where, out);
}

/* Warnings come before numbers, which they qualify. */
static void write_head(struct text *text)
{
    const struct ilpi_traced_process *process = text->tree.process;
    struct name name;
    FILE *out = text->out;
    fprintf(out, "process %u: ", process->number);
    text_out_bytes(out, process_name(process, &name), false);
    if (process->runtime.size != 0) {
        fputs("\n  ", out);
        text_out_bytes(out, process->runtime, false);
    }
    if (process->path.size != 0) {
        fputs("\n  ", out);
        if (is_path(process, ILPI_PATH_OF_IL)) {
            fputs("calls inserted into the IL, without hooks", out);
        } else {
            text_out_bytes(out, process->path, false);
            fputs(" hooks", out);
        }
        fputs(": ", out);
        text_out_bytes(out, process->reason, false);
    }
    if (process->pair != 0) {
        write_cost(out, process, text->trace->subtract);
    }
    if (process->untimed) {
        fputs("\n  calls were counted, without times; on the left those of a path with all that "
              "they called",
              out);
    }
    uint64_t calls = 0;
    for (size_t i = 0; i < text->tree.thread_count; i++) {
        calls += text->tree.threads[i].story.calls;
    }
    fprintf(out, "\n  threads: %zu, calls: %" PRIu64 "\n", text->tree.thread_count, calls);
    if (!process->ended) {
        fputs("  it did not end in order: what it did until then is here\n", out);
    }
    write_count(out, text->tree.rest, "calls are within (other): the tree is too large");
}

/* Only what there is: a count of 0 has no line. */
static void write_thread_head(struct text *text, const struct ilpi_thread_sum *thread)
{
    struct name name;
    FILE *out = text->out;
    const struct ilpi_thread_story *story = &thread->story;
    fputc('\n', out);
    text_out_bytes(out, thread_name(story, thread->number, &name), false);
    fprintf(out, " (%" PRIu64 "): %" PRIu64 " call%s, at most %zu deep\n", story->system_id,
            story->calls, plural(story->calls), story->deepest);
    write_count(out, story->unmatched, "ends of calls that were entered before tracing began");
    write_count(out, story->unseen, "calls whose end was not seen");
    write_count(out, story->running, "calls had not ended");
    write_count(out, story->past_limit, "calls were too deep to be shown");
    write_count(out, story->lost, "records were lost");
    write_count(out, thread->missing, "chunks are missing");
    write_count(out, story->gaps, "times tracing was off for a while");
}

/* ---- the tree ---- */

/* How calls of a path ended, if not by returning. */
static void write_ends(struct text *text, const struct ilpi_call_node *node)
{
    const struct {
        uint64_t count;
        const char *what;
    } ends[] = {
        {node->tailcalls, "tail call"}, {node->unwound, "exception"}, {node->unknown, "no end"}};
    const char *between = "  [";
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (ends[i].count != 0) {
            fprintf(text->out, "%s%s", between, ends[i].what);
            if (ends[i].count != 1) {
                fprintf(text->out, " x%" PRIu64, ends[i].count);
            }
            between = ", ";
        }
    }
    fputs(between[0] == ',' ? "]\n" : "\n", text->out);
}

/* Without times, `first` is a number of calls, and `second` the share in `third`. */
static void write_numbers(const struct text *text, uint64_t first, uint64_t second, uint64_t calls)
{
    if (text->tree.process->untimed) {
        fprintf(text->out, "%12" PRIu64 " %10" PRIu64 "  ", first, calls);
    } else {
        fprintf(text->out, "%12.3f %12.3f %10" PRIu64 "  ", milliseconds(first),
                milliseconds(second), calls);
    }
}

static void write_node(struct text *text, uint32_t at, size_t depth)
{
    const struct ilpi_call_node *node = &text->tree.nodes.items[at];
    struct name name;
    write_numbers(text, node->inclusive, node->exclusive, node->calls);
    if (depth > MAX_INDENT) {
        fprintf(text->out, "%*s[%zu] ", (int)(2 * MAX_INDENT), "", depth);
    } else {
        fprintf(text->out, "%*s", (int)(2 * depth), "");
    }
    text_out_bytes(text->out, method_name(text->trace, text->tree.process, node->method, &name),
                   false);
    write_ends(text, node);
}

/* Longest first. */
static int compare_times(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

/* A path takes at least as long as those below it, so the shown paths form a tree. Paths of equal
 * time are all shown or none, so that the result does not depend on the order. */
static void choose_paths(struct text *text)
{
    const struct ilpi_call_tree *tree = &text->tree;
    size_t count = 0;
    uint64_t *times = need(malloc(tree->nodes.count * sizeof *times));
    for (size_t i = 0; i < tree->nodes.count; i++) {
        if (tree->nodes.items[i].method != ILPI_THREAD) {
            times[count++] = tree->nodes.items[i].inclusive;
        }
    }
    qsort(times, count, sizeof *times, compare_times);
    text->all = count <= MAX_PATHS;
    /* sorted, this is the first path after those that are shown */
    text->most = text->all ? 0 : times[MAX_PATHS];
    if (!text->all) {
        fprintf(text->out, "  of %zu paths only those ", count);
        if (tree->process->untimed) {
            fprintf(text->out, "of more than %" PRIu64 " calls are shown\n", text->most);
        } else {
            fprintf(text->out, "that took more than %.3f ms are shown; an HTML report has more\n",
                    milliseconds(text->most));
        }
    }
    free(times);
}

/* The node itself, or its next sibling that is long enough. */
static uint32_t shown(const struct text *text, uint32_t at)
{
    while (at != 0 && !text->all && text->tree.nodes.items[at].inclusive <= text->most) {
        at = text->tree.nodes.items[at].next;
    }
    return at;
}

/* Without recursion: a tree may be as deep as a program's stack.
 *
 *   down    to the first shown child of the node
 *   across  else to the node's next shown sibling
 *   up      else to that of its parent, until the root is reached again */
static void write_tree(struct text *text, uint32_t root)
{
    const struct ilpi_call_node *nodes = text->tree.nodes.items;
    size_t depth = 0;
    uint32_t at = root;
    if (text->tree.process->untimed) {
        fprintf(text->out, "%12s %10s\n", "all calls", "calls");
    } else {
        fprintf(text->out, "%12s %12s %10s\n", "total ms", "own ms", "calls");
    }
    for (;;) {
        uint32_t next = shown(text, nodes[at].first);
        while (next == 0 && at != root) {
            next = shown(text, nodes[at].next);
            at = nodes[at].parent;
            depth--;
        }
        if (next == 0) {
            return;
        }
        at = next;
        write_node(text, at, depth++);
    }
}

/* ---- methods ---- */

/* A method with calls, to be sorted. */
struct ranked {
    uint32_t method;
    uint64_t exclusive;
};

/* By their own time; equal ones by number, so that the result does not depend on qsort(). */
static int compare(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->exclusive != b->exclusive) {
        return a->exclusive < b->exclusive ? 1 : -1;
    }
    return (a->method > b->method) - (a->method < b->method);
}

/* Counts are lower bounds, as in the other formats.
 *
 *   returned "a" x12, "b" x3 or more, ...; 1 to 9, 4.5 on average */
static void write_values(struct text *text, const struct ilpi_values *values)
{
    FILE *out = text->out;
    fprintf(out, "%38s", "returned ");
    for (size_t i = 0; i < values->kept.count && i < MAX_SHOWN; i++) {
        fputs(i != 0 ? ", " : "", out);
        text_out_bytes(out, values->kept.items[i].text, false);
        fputs(values->kept.items[i].cut ? "..." : "", out);
        fprintf(out, " x%" PRIu64, values->kept.items[i].count - values->kept.items[i].over);
        fputs(values->kept.items[i].over != 0 ? " or more" : "", out);
    }
    fputs(values->kept.count > MAX_SHOWN ? ", ..." : "", out);
    if (values->numbers > 1) {
        fprintf(out, "; %.15g to %.15g, %.6g on average", values->least, values->greatest,
                values->sum / (double)values->numbers);
    }
    fputc('\n', out);
}

/* Own time before total time, the other way round than in the tree, as it is what methods are
 * sorted by. */
static void write_method(struct text *text, uint32_t method)
{
    const struct ilpi_method_sum *sum = &text->tree.methods[method];
    struct name name;
    if (text->tree.process->untimed) {
        fprintf(text->out, "%12" PRIu64 "  ", sum->calls);
    } else {
        write_numbers(text, sum->exclusive, sum->inclusive, sum->calls);
    }
    text_out_bytes(text->out, method_name(text->trace, text->tree.process, method, &name), false);
    fputc('\n', text->out);
    if (sum->values.total != 0) {
        write_values(text, &sum->values);
    }
}

/* The methods with the most time of their own; with values all that have any. `calls` 0: it is only
 * named in the spool. */
static void write_methods(struct text *text)
{
    const struct ilpi_call_tree *tree = &text->tree;
    size_t count = 0;
    size_t left_out = 0;
    struct ranked *ranked = need(malloc((tree->process->methods.count + 1) * sizeof *ranked));
    for (uint32_t i = 0; i <= tree->process->methods.count; i++) {
        if (tree->methods[i].calls != 0) {
            ranked[count++] = (struct ranked){i, tree->methods[i].exclusive};
        }
    }
    qsort(ranked, count, sizeof *ranked, compare);
    fputs("\nmethods\n", text->out);
    if (tree->process->untimed) {
        fprintf(text->out, "%12s\n", "calls");
    } else {
        fprintf(text->out, "%12s %12s %10s\n", "own ms", "total ms", "calls");
    }
    for (size_t i = 0; i < count; i++) {
        if (i < MAX_METHODS || tree->methods[ranked[i].method].values.total != 0) {
            write_method(text, ranked[i].method);
        } else {
            left_out++;
        }
    }
    write_count(text->out, left_out,
                tree->process->untimed ? "more methods were called less"
                                       : "more methods took less");
    free(ranked);
}

/* The head names the number of calls, and what is incomplete, so the whole tree is made before the
 * first line is written. */
static ilp_status write_process(struct text *text, const struct exported_process *traced,
                                struct ilp_error *error)
{
    struct ilpi_call_tree *tree = &text->tree;
    ILPI_TRY(
        ilpi_call_tree_open(tree, traced->file, traced->process, text->trace->subtract, 0, error));
    write_head(text);
    choose_paths(text);
    for (size_t i = 0; i < tree->thread_count; i++) {
        if (tree->threads[i].story.calls != 0) {
            write_thread_head(text, &tree->threads[i]);
            write_tree(text, tree->threads[i].node);
        }
    }
    write_methods(text);
    return ILP_OK;
}

ilp_status write_text(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct text text = {.trace = trace, .out = out};
    struct exported_process traced = {.file = NULL};
    while (next_process(trace, &traced)) {
        fputs(traced.number != 0 ? "\n" : "", out);
        ilp_status status = write_process(&text, &traced, error);
        ilpi_call_tree_close(&text.tree);
        ILPI_TRY(status);
    }
    return ILP_OK;
}
