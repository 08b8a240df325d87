/* Folded stacks: "frame;frame;frame nanoseconds" for each path with time of its own, the input of
 * flame graph tools.
 *
 * The frames are the process's command, the thread, then the methods. ';' and characters that a
 * line cannot contain are replaced. A stack deeper than MAX_FRAMES ends in "(deeper)", which
 * includes everything below: so the numbers of a thread add up to its time, and the file cannot
 * grow with the square of the recursion depth. */
#include "tools/export/format.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/utf8.h"

#define MAX_FRAMES 1000u
#define MAX_BYTES  ((uint64_t)4 << 30) /* of output */

/* `line` has the frames down to the current node, of which ends[] are the sizes: going up cuts it,
 * going down appends. */
struct folded {
    const struct trace *trace;
    struct ilpi_call_tree tree;
    struct ilpi_buf line;    /* the frames down to the current node */
    size_t ends[MAX_FRAMES]; /* the end of each of them in it */
    FILE *out;
    uint64_t bytes;
};

/* How many bytes of a character are copied to a frame; 0: none. */
static unsigned kept_length(struct ilp_bytes text, size_t at)
{
    uint32_t code;
    uint8_t first = text.data[at];
    if (first >= 0x20 && first < 0x7F) {
        return first != ';';
    }
    unsigned length = ilpi_utf8_character(text.data + at, text.size - at, &code);
    return ilpi_utf8_is_control(code) ? 0 : length;
}

/* Runs of characters that are kept are copied at once. */
static void add_frame(struct folded *folded, struct ilp_bytes text, char before)
{
    if (before != '\0') {
        ilpi_buf_u8(&folded->line, (uint8_t)before);
    }
    for (size_t at = 0; at < text.size;) {
        size_t end = at;
        unsigned length;
        while (end < text.size && (length = kept_length(text, end)) != 0) {
            end += length;
        }
        ilpi_buf_bytes_add(&folded->line, text.data + at, end - at);
        if (end < text.size) {
            uint32_t code;
            length = ilpi_utf8_character(text.data + end, text.size - end, &code);
            ilpi_buf_u8(&folded->line, text.data[end] == ';' ? ':' : '?');
            end += length != 0 ? length : 1;
        }
        at = end;
    }
}

static void write_stack(struct folded *folded, const char *last, uint64_t time)
{
    fwrite(folded->line.data, 1, folded->line.size, folded->out);
    int rest = fprintf(folded->out, "%s %" PRIu64 "\n", last, time);
    folded->bytes += folded->line.size + (rest > 0 ? (size_t)rest : 0);
}

/* The file is bounded: a path is written with all of its frames, and a tree may have a million of
 * them. */
static ilp_status written(const struct folded *folded, struct ilp_error *error)
{
    if (folded->line.status != ILP_OK) {
        return ilpi_fail_memory(error, folded->line.size);
    }
    if (ferror(folded->out)) {
        return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0, "cannot write");
    }
    return folded->bytes <= MAX_BYTES
               ? ILP_OK
               : ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                           "more than 4 GB of stacks; trace fewer methods (--rules)");
}

/* Everything below a thread's node, without recursion: a tree may be as deep as a program's stack.
 *
 * `depth` is the number of frames in the line, of which process and thread are one, and nodes[at]
 * is the last of them. A step down appends a frame after ends[depth - 1]; a step up only lowers
 * `depth`, and the next frame overwrites what is beyond it. Index 0 is no child and no sibling: it
 * is the process's node. */
static ilp_status write_thread(struct folded *folded, const struct ilpi_thread_sum *thread,
                               struct ilp_error *error)
{
    const struct ilpi_traced_process *process = folded->tree.process;
    const struct ilpi_call_node *nodes = folded->tree.nodes.items;
    const uint32_t root = thread->node;
    struct name name;
    size_t depth = 1;
    uint32_t at = root;
    folded->line.size = 0;
    add_frame(folded, process_name(process, &name), '\0');
    add_frame(folded, thread_name(&thread->story, thread->number, &name), ';');
    folded->ends[0] = folded->line.size;
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
        at = next;
        folded->line.size = folded->ends[depth - 1];
        add_frame(folded, method_name(folded->trace, process, nodes[at].method, &name), ';');
        folded->ends[depth++] = folded->line.size;
        if (nodes[at].exclusive != 0) {
            write_stack(folded, "", nodes[at].exclusive);
        }
        if (depth == MAX_FRAMES && nodes[at].inclusive > nodes[at].exclusive) {
            write_stack(folded, ";(deeper)", nodes[at].inclusive - nodes[at].exclusive);
        }
        ILPI_TRY(written(folded, error));
    }
}

static ilp_status write_process(struct folded *folded, const struct exported_process *traced,
                                struct ilp_error *error)
{
    struct ilpi_call_tree *tree = &folded->tree;
    ILPI_TRY(ilpi_call_tree_open(tree, traced->file, traced->process, folded->trace->subtract, 0,
                                 error));
    for (size_t i = 0; i < tree->thread_count; i++) {
        ILPI_TRY(write_thread(folded, &tree->threads[i], error));
    }
    return ILP_OK;
}

ilp_status write_folded(const struct trace *trace, FILE *out, struct ilp_error *error)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct folded folded = {.trace = trace, .out = out, .line = {.alloc = &alloc}};
    struct exported_process traced = {.file = NULL};
    ilp_status status = ILP_OK;
    while (status == ILP_OK && next_process(trace, &traced)) {
        status = write_process(&folded, &traced, error);
        ilpi_call_tree_close(&folded.tree);
    }
    ilpi_buf_free(&folded.line);
    return status;
}
