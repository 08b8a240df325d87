/* Folded stacks: "frame;frame;frame nanoseconds" for each path that took time of its own, as flame graph tools read them.
 *
 * The frames are the process's command, the thread, then the methods. ';' and what no line can hold is replaced. A stack
 * deeper than MAX_FRAMES ends with "(deeper)", which stands for all below it: so the numbers of a thread add up to its time,
 * and the file cannot grow with the square of a recursion's depth.
 */
#include "formats/format.h"

#include <inttypes.h>

#include "utf8.h"

#define MAX_FRAMES 1000u
#define MAX_BYTES ((uint64_t)4 << 30) /* of output */

struct folded {
    struct ilpi_call_tree tree;
    FILE *out;
    uint64_t bytes;
    uint32_t path[MAX_FRAMES];
};

static void write_frame(struct folded *folded, struct ilp_bytes text)
{
    for (size_t at = 0; at < text.size;) {
        uint32_t code;
        unsigned length = ilpi_utf8_read(text.data + at, text.size - at, &code);
        length = ilpi_utf8_is_surrogate(code) ? 0 : length;
        if (length == 0 || code == ';' || ilpi_utf8_is_control(code)) {
            fputc(length != 0 && code == ';' ? ':' : '?', folded->out);
        } else {
            fwrite(text.data + at, 1, length, folded->out);
        }
        at += length != 0 ? length : 1;
    }
    folded->bytes += text.size + 1;
}

/* The frames of the path's first `depth` nodes: a thread, then methods. */
static void write_stack(struct folded *folded, const struct ilpi_thread_sum *thread, size_t depth, const char *last, uint64_t time)
{
    const struct ilpi_call_tree *tree = &folded->tree;
    struct name name;
    write_frame(folded, process_name(tree->process, &name));
    fputc(';', folded->out);
    write_frame(folded, thread_name(&thread->story, thread->number, &name));
    for (size_t i = 1; i < depth; i++) {
        fputc(';', folded->out);
        write_frame(folded, method_name(tree->process, tree->nodes[folded->path[i]].method, &name));
    }
    fprintf(folded->out, "%s %" PRIu64 "\n", last, time);
}

/* All below a thread's node, without recursion: a tree may be as deep as a program's stack. */
static ilp_status write_thread(struct folded *folded, const struct ilpi_thread_sum *thread, struct ilp_error *error)
{
    const struct ilpi_call_node *nodes = folded->tree.nodes;
    const uint32_t root = thread->node;
    size_t depth = 1;
    uint32_t at = root;
    folded->path[0] = root;
    for (;;) {
        uint32_t next = depth < MAX_FRAMES ? nodes[at].first : 0;
        while (next == 0 && at != root) {
            next = nodes[at].next;
            at = nodes[at].parent;
            depth--;
        }
        if (next == 0) {
            return ILP_OK;
        }
        folded->path[depth++] = at = next;
        if (nodes[at].exclusive != 0) {
            write_stack(folded, thread, depth, "", nodes[at].exclusive);
        }
        if (depth == MAX_FRAMES && nodes[at].inclusive > nodes[at].exclusive) {
            write_stack(folded, thread, depth, ";(deeper)", nodes[at].inclusive - nodes[at].exclusive);
        }
        if (ferror(folded->out) || folded->bytes > MAX_BYTES) {
            return ilpi_fail(error, ferror(folded->out) ? ILP_E_CALLBACK : ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                             ferror(folded->out) ? "cannot write" : "more than 4 GB of stacks; trace fewer methods (--rules)");
        }
    }
}

static ilp_status write_process(struct folded *folded, const struct trace *trace, const struct traced *traced,
                                struct ilp_error *error)
{
    struct ilpi_call_tree *tree = &folded->tree;
    ILPI_TRY(ilpi_call_tree_open(tree, traced->file, traced->process, trace->subtract, 0, error));
    for (size_t i = 0; i < tree->thread_count; i++) {
        ILPI_TRY(write_thread(folded, &tree->threads[i], error));
    }
    return ILP_OK;
}

ilp_status write_folded(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct folded folded = {.out = out};
    struct traced traced = {.file = NULL};
    while (next_process(trace, &traced)) {
        ilp_status status = write_process(&folded, trace, &traced, error);
        ilpi_call_tree_close(&folded.tree);
        ILPI_TRY(status);
    }
    return ILP_OK;
}
