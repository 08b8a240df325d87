/* The calls of a process merged by path, thread by thread: which method, called from where, how
 * often, how long.
 *
 *   node 0          the process
 *   its children    its threads
 *   below           methods; siblings are different methods
 *
 * A child comes after its parent in the array, so one pass from the end sums up. The number of
 * nodes is limited: when the limit is reached, a quarter of it stays, the nodes with the longest
 * time until then. All others are counted in nodes ILPI_OTHER below their callers, together with
 * their callees. The limit follows from the memory of a spool's report (calls.h), an eighth of
 * which is for values. */
#ifndef ILPI_CALL_TREE_H
#define ILPI_CALL_TREE_H

#include "trace/calls.h"
#include "base/map.h"
#include "trace/values.h"

#define ILPI_OTHER     (UINT32_MAX - 1) /* the method of nodes that sum up pruned ones */
#define ILPI_THREAD    UINT32_MAX       /* the method of threads, and of the process */
#define ILPI_MAX_NODES 1000000u

/* All calls of a method from one caller's node: 72 bytes, however many calls there are. */
struct ilpi_call_node {
    uint32_t parent; /* index; 0 for node 0 */
    uint32_t method; /* index into the process's methods, or one of the above */
    uint32_t first;  /* child; 0: none */
    uint32_t last;
    uint32_t next; /* sibling; 0: none. In the order of their first calls */
    uint64_t calls;
    uint64_t tailcalls; /* number of calls that ended by a tail call */
    uint64_t unwound;   /* by an exception */
    uint64_t unknown;   /* unseen, or not yet */
    uint64_t inclusive; /* nanoseconds */
    uint64_t exclusive; /* of that, without the time of children */
};

/* The calls of a method, from wherever. */
struct ilpi_method_sum {
    uint64_t calls;
    uint64_t inclusive; /* of calls that are not inside another one of the same method */
    uint64_t exclusive;
    uint64_t least; /* inclusive time of one call */
    uint64_t most;
    struct ilpi_values values;
};

struct ilpi_thread_sum {
    uint32_t node;
    uint32_t number;
    uint32_t missing; /* chunks */
    struct ilpi_thread_story story;
};

/* The calls of a process by their callers. Nodes with little time are merged when there are too
 * many. */
struct ilpi_call_tree {
    struct ilpi_spool_file *file;
    struct ilpi_traced_process *process;
    ILPI_LIST(struct ilpi_call_node) nodes;
    size_t limit;
    size_t calls_of_node; /* this many open calls take the memory of one node; 0: none */
    size_t deepest;       /* largest number of open calls of the current thread */
    size_t deep;          /* number of nodes that have no room because of them */
    bool full;            /* pruning cannot make room: there are too many threads */
    /* owned; one more than the process has, for undefined ones */
    struct ilpi_method_sum *methods;
    struct ilpi_thread_sum *threads; /* owned */
    size_t thread_count;
    struct ilpi_alloc of_values; /* within the file's allocator: for the text of values */
    struct ilpi_map children;    /* parent and method -> node */
    uint64_t rest;               /* calls counted in ILPI_OTHER */
};

/* Reads all threads of the process. Close it in any case. `limit` 0: as many as memory allows, at
 * most ILPI_MAX_NODES. */
ilp_status ilpi_call_tree_open(struct ilpi_call_tree *tree, struct ilpi_spool_file *file,
                               struct ilpi_traced_process *process, bool subtract, size_t limit,
                               struct ilp_error *error);
void ilpi_call_tree_close(struct ilpi_call_tree *tree);

/* Keeps the `limit` nodes with the longest time (threads always); all others are counted in a node
 * ILPI_OTHER below their callers. After a failure the tree is unchanged. */
ilp_status ilpi_call_tree_prune(struct ilpi_call_tree *tree, size_t limit, struct ilp_error *error);

/* ---- between call_tree.c and call_tree_prune.c ---- */

/* Makes room while calls are read: `depth` of them are open below the thread's node `root`, with
 * their nodes as notes, followed by the one being entered. After a failure the tree can only be
 * closed. */
ilp_status ilpi_call_tree_make_room(struct ilpi_call_tree *tree, uint32_t *root,
                                    struct ilpi_call *calls, size_t depth, struct ilp_error *error);

/* Links a node as the last child of its parent. */
void ilpi_call_node_link(struct ilpi_call_node *nodes, uint32_t node);

/* Adds a node to the map of children. */
ilp_status ilpi_call_node_index(struct ilpi_call_tree *tree, uint32_t node,
                                struct ilp_error *error);

#endif
