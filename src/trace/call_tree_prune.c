/* Prunes a tree to the paths with the longest time, at its end or while it grows. See call_tree.h.
 *
 * A path takes at least as long as those below it, and of paths with equal times the first ones are
 * kept, so what remains is a tree. Removed nodes are counted in an ILPI_OTHER node below their
 * caller. While a tree grows, open calls count with their time until now. */
#include "trace/call_tree.h"

#include <stdlib.h>

struct pruning {
    struct ilpi_call_tree *tree;
    uint64_t least;   /* longer ones stay */
    size_t ties;      /* and this many of exactly that time */
    uint32_t *moved;  /* owned; the new index of each node, or of the one it is counted in */
    uint32_t *others; /* owned; for each kept node: the ILPI_OTHER below it, or 0 */
    size_t size;      /* of each, in bytes */
    uint32_t count;   /* of nodes now */
};

static int longest_first(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

/* The time of the first node that does not fit. Of nodes with exactly that time as many stay as
 * there is room for (`ties`), in the order of their indexes: parents come before their children. */
static ilp_status choose(struct pruning *pruning, size_t limit, struct ilp_error *error)
{
    const struct ilpi_call_tree *tree = pruning->tree;
    size_t size = tree->nodes.count * sizeof(uint64_t);
    uint64_t *times = ilpi_resize(&tree->file->alloc, NULL, 0, size);
    if (!times) {
        return ilpi_fail_memory(error, size);
    }
    for (size_t i = 0; i < tree->nodes.count; i++) {
        times[i] = tree->nodes.items[i].inclusive;
    }
    qsort(times, tree->nodes.count, sizeof *times, longest_first);
    pruning->least = times[limit];
    pruning->ties = limit;
    while (pruning->ties != 0 && times[pruning->ties - 1] == pruning->least) {
        pruning->ties--;
    }
    pruning->ties = limit - pruning->ties;
    ilpi_resize(&tree->file->alloc, times, size, 0);
    return ILP_OK;
}

static bool stays(struct pruning *pruning, const struct ilpi_call_node *node)
{
    bool room = node->inclusive > pruning->least;
    if (node->inclusive == pruning->least && pruning->ties != 0) {
        pruning->ties--;
        room = true;
    }
    return node->method == ILPI_THREAD || (room && node->method != ILPI_OTHER);
}

/* Stores a node at the next index, which never exceeds that of the node being read. */
static uint32_t put(struct pruning *pruning, const struct ilpi_call_node *node, uint32_t parent)
{
    struct ilpi_call_node *nodes = pruning->tree->nodes.items;
    uint32_t at = pruning->count++;
    pruning->others[at] = 0;
    nodes[at] = *node;
    nodes[at].parent = parent;
    nodes[at].first = nodes[at].last = nodes[at].next = 0;
    if (at != 0) {
        ilpi_call_node_link(nodes, at);
    }
    return at;
}

/* The node in which a removed one is counted; the time is that of its outermost calls. */
static uint32_t put_aside(struct pruning *pruning, const struct ilpi_call_node *node,
                          uint32_t parent)
{
    struct ilpi_call_node *nodes = pruning->tree->nodes.items;
    bool outermost = nodes[parent].method != ILPI_OTHER;
    uint32_t other = outermost ? pruning->others[parent] : parent;
    if (other == 0) {
        other = pruning->others[parent] =
            put(pruning, &(struct ilpi_call_node){.method = ILPI_OTHER}, parent);
    }
    nodes[other].calls += node->calls;
    nodes[other].tailcalls += node->tailcalls;
    nodes[other].unwound += node->unwound;
    nodes[other].unknown += node->unknown;
    nodes[other].inclusive += outermost ? node->inclusive : 0;
    nodes[other].exclusive = nodes[other].inclusive;
    pruning->tree->rest += node->method != ILPI_OTHER ? node->calls : 0;
    return other;
}

/* Nodes move to lower indexes only, so one array is enough. A removed node's children are removed
 * with it, since they take no longer; their `moved` is then the same ILPI_OTHER. */
static void move_all(struct pruning *pruning)
{
    struct ilpi_call_tree *tree = pruning->tree;
    for (size_t i = 0; i < tree->nodes.count; i++) {
        const struct ilpi_call_node node = tree->nodes.items[i];
        uint32_t parent = i != 0 ? pruning->moved[node.parent] : 0;
        pruning->moved[i] = stays(pruning, &node) ? put(pruning, &node, parent)
                                                  : put_aside(pruning, &node, parent);
    }
    tree->nodes.count = pruning->count;
    for (size_t i = 0; i < tree->thread_count; i++) { /* also of one that is being added */
        tree->threads[i].node = pruning->moved[tree->threads[i].node];
    }
}

/* On success `moved` is valid until release(). */
static ilp_status prune(struct pruning *pruning, size_t limit, struct ilp_error *error)
{
    struct ilpi_alloc *alloc = &pruning->tree->file->alloc;
    ILPI_TRY(choose(pruning, limit, error));
    pruning->size = pruning->tree->nodes.count * sizeof *pruning->moved;
    pruning->moved = ilpi_resize(alloc, NULL, 0, pruning->size);
    pruning->others = ilpi_resize(alloc, NULL, 0, pruning->size);
    if (!pruning->moved || !pruning->others) {
        return ilpi_fail_memory(error, pruning->size);
    }
    move_all(pruning);
    ILPI_LIST_TRIM(alloc, &pruning->tree->nodes);
    ilpi_map_free(&pruning->tree->children, alloc);
    return ILP_OK;
}

static void release(struct pruning *pruning)
{
    struct ilpi_alloc *alloc = &pruning->tree->file->alloc;
    ilpi_resize(alloc, pruning->moved, pruning->moved ? pruning->size : 0, 0);
    ilpi_resize(alloc, pruning->others, pruning->others ? pruning->size : 0, 0);
}

ilp_status ilpi_call_tree_prune(struct ilpi_call_tree *tree, size_t limit, struct ilp_error *error)
{
    struct pruning pruning = {.tree = tree};
    ilp_status status = tree->nodes.count > limit ? prune(&pruning, limit, error) : ILP_OK;
    release(&pruning);
    return status;
}

/* ---- while the tree grows ---- */

/* Adds the time until now of each open call to its node, or subtracts it again; within ILPI_OTHER
 * only the outermost call counts. */
static void lend(struct ilpi_call_tree *tree, uint32_t root, const struct ilpi_call *calls,
                 size_t depth, bool give)
{
    uint64_t now = calls[depth].start;
    for (size_t i = 0; i < depth; i++) {
        uint32_t node = calls[i].note;
        uint64_t time = node != (i > 0 ? calls[i - 1].note : root) ? now - calls[i].start : 0;
        tree->nodes.items[node].inclusive += give ? time : -time;
    }
}

/* After nodes have moved: threads are found by their sum, not by method. */
static ilp_status index_again(struct ilpi_call_tree *tree, struct ilp_error *error)
{
    for (uint32_t i = 1; i < tree->nodes.count; i++) {
        const struct ilpi_call_node *node = &tree->nodes.items[i];
        if (node->method != ILPI_THREAD) {
            ILPI_TRY(ilpi_call_node_index(tree, i, error));
        }
    }
    return ILP_OK;
}

/* A quarter of the limit is kept, so that pruning is rare; if more than half remains (threads'
 * roots and ILPI_OTHER nodes always stay), the tree counts as full. */
ilp_status ilpi_call_tree_make_room(struct ilpi_call_tree *tree, uint32_t *root,
                                    struct ilpi_call *calls, size_t depth, struct ilp_error *error)
{
    struct pruning pruning = {.tree = tree};
    lend(tree, *root, calls, depth, true);
    ilp_status status = prune(&pruning, tree->limit / 4, error);
    if (status == ILP_OK) {
        for (size_t i = 0; i < depth; i++) {
            calls[i].note = pruning.moved[calls[i].note];
        }
        *root = pruning.moved[*root];
        lend(tree, *root, calls, depth, false);
        tree->full = tree->nodes.count > tree->limit / 2;
        status = index_again(tree, error);
    }
    release(&pruning);
    return status;
}
