/* What every thread is doing, as a tree: a node for each path of calls, with how often it was
 * walked. The hooks of elt/ keep it. */
#ifndef TREE_H
#define TREE_H

#include "../profiler-c/profiling.h"

/* A method or a class: its address is what the tree knows it by. */
struct named {
    uintptr_t id; /* FunctionID or ClassID */
    char name[];
};

struct node {
    const struct named *what;        /* NULL: outside of all methods with hooks */
    uint32_t parent, child, sibling; /* places in `nodes`; 0: none, since 0 is the root */
    uint64_t count, bytes;
};

enum { NODES = 1 << 16 };
struct tree {
    struct node *nodes; /* NODES of them, whose memory comes when it is touched */
    uint32_t used;
};

/* The child of a node that is `what`, which is added if it is not there. In a full tree it is the
 * node itself: then counts are right, and paths end early. */
uint32_t tree_child(struct tree *tree, uint32_t node, const struct named *what);

/* All threads' trees as one, the most frequent first, to standard error. With `bytes` a line has
 * these, too. The hooks have to be off. */
void tree_print(const char *heading, int with_bytes);

/* The tree of this thread, and the node where it is now. NULL: out of memory. */
struct tree *tree_here(uint32_t *node);

/* Sets the hooks and the event mask, with `events` besides what the tree needs. `unknown` is what
 * Initialize gets, `info` its ICorProfilerInfo3. */
HRESULT tree_start(void *unknown, uint32_t events, void **info);
void tree_stop(void);
void tree_set_callbacks(slot *callbacks);

#endif
