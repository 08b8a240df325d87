/* Merges calls by path. See call_tree.h.
 *
 * Calls of a thread come from calls.c; `note` of an open call is its node. A map from (parent,
 * method) to the child finds the node of the next call.
 *
 *   calls    A(B C B) A(B)           tree    A: 2 calls
 *                                              B: 3    C: 1
 *
 * At the limit of nodes the tree is pruned (call_tree_prune.c); if that does not make enough room,
 * further paths are counted in ILPI_OTHER nodes. */
#include "trace/call_tree.h"

#include "base/hash.h"

/* The tree being built, and the thread's root. */
struct growing {
    struct ilpi_call_tree *tree;
    uint32_t root;
};

/* Appends to the parent's children, which stay in the order of their first call. */
void ilpi_call_node_link(struct ilpi_call_node *nodes, uint32_t node)
{
    struct ilpi_call_node *above = &nodes[nodes[node].parent];
    if (above->last != 0) {
        nodes[above->last].next = node;
    } else {
        above->first = node;
    }
    above->last = node;
}

static ilp_status add_node(struct ilpi_call_tree *tree, uint32_t parent, uint32_t method,
                           uint32_t *node, struct ilp_error *error)
{
    struct ilpi_call_node added = {.parent = parent, .method = method};
    ILPI_TRY(ILPI_LIST_ADD(&tree->file->alloc, &tree->nodes, added, error));
    *node = (uint32_t)(tree->nodes.count - 1);
    if (*node != 0) {
        ilpi_call_node_link(tree->nodes.items, *node);
    }
    return ILP_OK;
}

/* The hash of a node in the map of children. */
static uint64_t hash_node(uint32_t parent, uint32_t method)
{
    return ilpi_hash_number((uint64_t)parent << 32 | method);
}

ilp_status ilpi_call_node_index(struct ilpi_call_tree *tree, uint32_t node, struct ilp_error *error)
{
    uint64_t hash = hash_node(tree->nodes.items[node].parent, tree->nodes.items[node].method);
    return ilpi_map_add(&tree->children, &tree->file->alloc, hash, node, error);
}

/* 0: none yet. The root is not a child. */
static uint32_t find_child(const struct ilpi_call_tree *tree, uint32_t parent, uint32_t method)
{
    struct ilpi_map_search search = ilpi_map_find(&tree->children, hash_node(parent, method));
    uint32_t child;
    while ((child = ilpi_map_next(&search)) != 0) {
        const struct ilpi_call_node *node = &tree->nodes.items[child];
        if (node->parent == parent && node->method == method) {
            break;
        }
    }
    return child;
}

static bool is_at_limit(const struct ilpi_call_tree *tree)
{
    return tree->nodes.count + tree->deep >= tree->limit;
}

/* The child of `parent` for the method, which may be ILPI_OTHER, or `parent` itself if that is
 * ILPI_OTHER. */
static ilp_status child_of(struct ilpi_call_tree *tree, uint32_t parent, uint32_t method,
                           uint32_t *node, struct ilp_error *error)
{
    if (tree->nodes.items[parent].method == ILPI_OTHER) {
        *node = parent;
        return ILP_OK;
    }
    *node = find_child(tree, parent, method);
    if (*node != 0) {
        return ILP_OK;
    }
    if (is_at_limit(tree) && method != ILPI_OTHER) {
        return child_of(tree, parent, ILPI_OTHER, node, error);
    }
    ILPI_TRY(add_node(tree, parent, method, node, error));
    return ilpi_call_node_index(tree, *node, error);
}

static uint32_t parent_of(const struct growing *growing, const struct ilpi_call *calls,
                          size_t depth)
{
    return depth > 1 ? calls[depth - 2].note : growing->root;
}

/* `note` is the node of the call, for leave(). At the limit of nodes rare ones are given up first
 * (ilpi_call_tree_make_room()), and their later calls count in ILPI_OTHER. */
static ilp_status enter(void *user, struct ilpi_call *calls, size_t depth, struct ilp_error *error)
{
    struct growing *growing = user;
    struct ilpi_call_tree *tree = growing->tree;
    struct ilpi_call *call = &calls[depth - 1];
    if (depth > tree->deepest) {
        tree->deepest = depth;
        tree->deep = tree->calls_of_node != 0 ? depth / tree->calls_of_node : 0;
    }
    if (is_at_limit(tree) && !tree->full) {
        ILPI_TRY(ilpi_call_tree_make_room(tree, &growing->root, calls, depth - 1, error));
    }
    ILPI_TRY(child_of(tree, parent_of(growing, calls, depth), call->method, &call->note, error));
    tree->nodes.items[call->note].calls++;
    tree->rest += tree->nodes.items[call->note].method == ILPI_OTHER ? 1 : 0;
    return ILP_OK;
}

/* Normal returns are the rest, and not counted. */
static void count_end(struct ilpi_call_node *node, enum ilpi_call_end how)
{
    switch (how) {
    case CALL_TAILCALLED: node->tailcalls++; break;
    case CALL_UNWOUND: node->unwound++; break;
    case CALL_UNSEEN:
    case CALL_RUNNING: node->unknown++; break;
    default: break;
    }
}

/* Exclusive time is counted by methods at once: a call adds its time to its method, and takes it
 * from its caller's method. Inclusive time is that of the outermost call of a recursion, which is
 * the one with one open entry. */
static void add_to_method(struct ilpi_call_tree *tree, uint32_t method, uint64_t time)
{
    struct ilpi_method_sum *sum = &tree->methods[method];
    sum->least = sum->calls == 0 || time < sum->least ? time : sum->least;
    sum->most = time > sum->most ? time : sum->most;
    sum->calls++;
    sum->exclusive += time;
    sum->inclusive += tree->process->open[method] == 1 ? time : 0;
}

/* A call's time is taken from its caller's own time when it ends, so `exclusive` can be below zero
 * in between; only the sum at the end means something. */
static ilp_status leave(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    const struct growing *growing = user;
    struct ilpi_call_tree *tree = growing->tree;
    const struct ilpi_call *call = &calls[depth - 1];
    struct ilpi_call_node *node = &tree->nodes.items[call->note];
    uint64_t spent = ending->time - call->start;
    uint32_t parent = parent_of(growing, calls, depth);
    count_end(node, ending->how);
    if (call->note != parent) { /* within ILPI_OTHER only the outermost call counts */
        node->inclusive += spent;
    }
    add_to_method(tree, call->method, spent);
    if (depth > 1) {
        tree->methods[calls[depth - 2].method].exclusive -= spent;
    }
    return ending->value.data ? ilpi_values_add(&tree->methods[call->method].values,
                                                &tree->of_values, ending->value, error)
                              : ILP_OK;
}

/* Counts calls, of which the first was entered. */
static void count(void *user, const struct ilpi_call *call,
                  const struct ilpi_counted_calls *counted)
{
    const struct growing *growing = user;
    struct ilpi_call_tree *tree = growing->tree;
    struct ilpi_call_node *node = &tree->nodes.items[call->note];
    uint64_t more = counted->calls != 0 ? counted->calls - 1 : 0;
    node->calls += more;
    node->tailcalls += counted->tailcalls;
    node->unwound += counted->unwound;
    node->unknown += counted->unknown;
    tree->rest += node->method == ILPI_OTHER ? more : 0;
    tree->methods[call->method].calls += more;
}

/* The thread is a node of its own at the root, so that all threads are in one tree. */
static ilp_status add_thread(struct ilpi_call_tree *tree, const struct ilpi_traced_thread *thread,
                             bool subtract, struct ilp_error *error)
{
    struct ilpi_thread_sum *sum = &tree->threads[tree->thread_count++];
    struct growing growing = {.tree = tree};
    const struct ilpi_call_visitor visitor = {&growing, enter, leave, count};
    *sum = (struct ilpi_thread_sum){.number = thread->number, .missing = thread->missing};
    ILPI_TRY(add_node(tree, 0, ILPI_THREAD, &sum->node, error));
    growing.root = sum->node;
    tree->deepest = tree->deep = 0;
    ILPI_TRY(ilpi_visit_calls(tree->file, tree->process, thread, subtract, &visitor, &sum->story,
                              error));
    return ILP_OK;
}

/* Sums up: a thread's time is that of its outermost calls, the process's that of its threads.
 * Children have higher indexes than their parents, so one backward pass is enough. */
static void add_up(struct ilpi_call_tree *tree)
{
    for (size_t i = 0; i < tree->nodes.count; i++) {
        tree->nodes.items[i].exclusive = tree->nodes.items[i].method == ILPI_THREAD
                                             ? 0
                                             : tree->nodes.items[i].inclusive;
    }
    for (size_t i = tree->nodes.count; i-- > 1;) {
        const struct ilpi_call_node *node = &tree->nodes.items[i];
        struct ilpi_call_node *parent = &tree->nodes.items[node->parent];
        if (parent->method == ILPI_THREAD) {
            parent->inclusive += node->inclusive;
            parent->calls += node->calls;
        } else {
            parent->exclusive -= node->inclusive;
        }
    }
}

/* The memory of a node and its entry in the map of children, while that map grows. */
#define NODE_BYTES (sizeof(struct ilpi_call_node) + 6 * sizeof(struct ilpi_map_slot))
#define LEAST_ROOM ((size_t)1 << 17)

/* An eighth for texts of values, at least LEAST_ROOM; the rest for nodes. A limit that the caller
 * gives is exact: open calls then take nothing of it. */
static void divide_room(struct ilpi_call_tree *tree, size_t limit)
{
    size_t room = ilpi_report_room(tree->file);
    size_t for_values = room / 8 > LEAST_ROOM ? room / 8 : LEAST_ROOM;
    size_t nodes = (room > for_values + LEAST_ROOM ? room - for_values : LEAST_ROOM) / NODE_BYTES;
    nodes = nodes < ILPI_MAX_NODES ? nodes : ILPI_MAX_NODES;
    tree->limit = limit != 0 ? limit : nodes;
    tree->calls_of_node = limit != 0 ? 0 : NODE_BYTES / sizeof(struct ilpi_call);
    tree->of_values.hook.limit = for_values;
}

/* Threads are read one after another, into one tree. The map from parent and method to a node is
 * only needed while it grows. */
ilp_status ilpi_call_tree_open(struct ilpi_call_tree *tree, struct ilpi_spool_file *file,
                               struct ilpi_traced_process *process, bool subtract, size_t limit,
                               struct ilp_error *error)
{
    uint32_t root;
    size_t sums = (process->methods.count + 1) * sizeof *tree->methods;
    size_t threads = process->threads.count * sizeof *tree->threads;
    *tree = (struct ilpi_call_tree){.file = file, .process = process};
    ilpi_alloc_init_within(&tree->of_values, &file->alloc, 0);
    tree->methods = ilpi_resize(&file->alloc, NULL, 0, sums);
    if (!tree->methods) {
        return ilpi_fail_memory(error, sums);
    }
    memset(tree->methods, 0, sums);
    tree->threads = ilpi_resize(&file->alloc, NULL, 0, threads + 1);
    if (!tree->threads) {
        return ilpi_fail_memory(error, threads);
    }
    divide_room(tree, limit);
    ILPI_TRY(add_node(tree, 0, ILPI_THREAD, &root, error));
    for (size_t i = 0; i < process->threads.count; i++) {
        ILPI_TRY(add_thread(tree, &process->threads.items[i], subtract, error));
    }
    ilpi_map_free(&tree->children, &file->alloc);
    add_up(tree);
    for (size_t i = 0; i <= process->methods.count; i++) {
        struct ilpi_values *values = &tree->methods[i].values;
        file->cut = file->cut || (values->total != 0 && values->kept.count == 0);
        ilpi_values_sort(values);
    }
    return ILP_OK;
}

void ilpi_call_tree_close(struct ilpi_call_tree *tree)
{
    struct ilpi_alloc *alloc = &tree->file->alloc;
    for (size_t i = 0; tree->methods && i <= tree->process->methods.count; i++) {
        ilpi_values_free(&tree->methods[i].values, &tree->of_values);
    }
    size_t sums = (tree->process->methods.count + 1) * sizeof *tree->methods;
    size_t threads = tree->process->threads.count * sizeof *tree->threads;
    ilpi_resize(alloc, tree->methods, tree->methods ? sums : 0, 0);
    ilpi_resize(alloc, tree->threads, tree->threads ? threads + 1 : 0, 0);
    ILPI_LIST_FREE(alloc, &tree->nodes);
    ilpi_map_free(&tree->children, alloc);
}
