/* The hooks, and the shadow stack that they keep for each thread.
 *
 *   Enter       push, and go to the child of the node
 *   Leave       pop, and go back to the parent
 *   Tailcall    the same as Leave: the frame is gone
 *   exception   pop, once for each method that it ends
 *
 * A hook runs on the thread of the method, where nothing may wait, allocate an object or call
 * managed code (elt.h). So these only count: names are known before the first call, and all is
 * printed at the end. */
#include "tree.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "elt.h"
#include "names.h"
#include "shadow_stack.h"

struct thread {
    struct shadow_stack stack; /* of struct named, with the caller's node as the note */
    struct tree tree;
    uint32_t node;
    ID unwound; /* the method that an exception is ending */
    struct thread *next;
};

static _Atomic(struct thread *) threads;
/* In the space that the loader keeps free for libraries that are loaded late: the other models may
 * allocate memory at the first access, which is in a hook. */
static _Thread_local struct thread *own __attribute__((tls_model("initial-exec")));

/* ---- the tree ---- */

uint32_t tree_child(struct tree *tree, uint32_t node, const struct named *what)
{
    struct node *nodes = tree->nodes;
    for (uint32_t i = nodes[node].child; i != 0; i = nodes[i].sibling) {
        if (nodes[i].what == what) {
            return i;
        }
    }
    if (tree->used == NODES) {
        return node;
    }
    uint32_t added = tree->used++;
    nodes[added] = (struct node){.what = what, .parent = node, .sibling = nodes[node].child};
    nodes[node].child = added;
    return added;
}

/* Straight from the system, which takes no lock that a stopped thread may have. */
static bool tree_open(struct tree *tree)
{
    void *memory = mmap(NULL, NODES * sizeof(struct node), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *tree = (struct tree){memory == MAP_FAILED ? NULL : memory, 1};
    return tree->nodes != NULL;
}

/* Trap: threads appear at any time, also such as no callback has announced. What ended threads
 * did stays in the list. */
static struct thread *this_thread(void)
{
    if (!own) {
        struct thread *added = mmap(NULL, sizeof *added, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (added == MAP_FAILED || !tree_open(&added->tree) ||
            !shadow_stack_open(&added->stack, SHADOW_STACK_LIMIT)) {
            return NULL;
        }
        added->next = atomic_load(&threads);
        while (!atomic_compare_exchange_weak(&threads, &added->next, added)) {
        }
        own = added;
    }
    return own;
}

struct tree *tree_here(uint32_t *node)
{
    struct thread *thread = this_thread();
    *node = thread ? thread->node : 0;
    return thread ? &thread->tree : NULL;
}

/* ---- the hooks ---- */

static void entered(uintptr_t client_id)
{
    const struct named *method = (const struct named *)client_id;
    struct thread *thread = this_thread();
    if (thread) {
        shadow_stack_push(&thread->stack, method, thread->node);
        thread->node = tree_child(&thread->tree, thread->node, method);
        thread->tree.nodes[thread->node].count++;
    }
}

static void pop(struct thread *thread)
{
    struct shadow_frame frame;
    if (shadow_stack_pop(&thread->stack, &frame)) {
        thread->node = (uint32_t)frame.note;
    }
}

/* Trap: an event can be missed, when the hooks were off or a stack went past its limit. Younger
 * frames have ended by then, and a method that was never pushed ends nothing. */
static void left(uintptr_t client_id)
{
    struct thread *thread = this_thread();
    uint32_t above = thread ? shadow_stack_above(&thread->stack, (const void *)client_id)
                            : SHADOW_STACK_ABSENT;
    for (uint32_t i = 0; above != SHADOW_STACK_ABSENT && i <= above; i++) {
        pop(thread);
    }
}

/* Trap: an exception leaves methods without Leave. ExceptionUnwindFunctionEnter comes for each
 * method, with hooks or without, the youngest first; ...Leave follows when it is gone, so not for
 * the one that catches. In between its finally blocks call others, which are its children. Where an
 * exception ends in native code the last Leave does not come: left() of an older method finds what
 * stayed. */
static HRESULT unwind_begins(void *self, ID function)
{
    struct thread *thread = this_thread();
    (void)self;
    if (thread) {
        thread->unwound = function;
    }
    return S_OK;
}

static HRESULT unwind_ends(void *self)
{
    struct thread *thread = this_thread();
    const struct shadow_frame *top = thread ? shadow_stack_at(&thread->stack, 0) : NULL;
    (void)self;
    if (top && top->function && ((const struct named *)top->function)->id == thread->unwound) {
        pop(thread);
    }
    return S_OK;
}

void tree_set_callbacks(slot *callbacks)
{
    callbacks[ExceptionUnwindFunctionEnter] = (slot)unwind_begins;
    callbacks[ExceptionUnwindFunctionLeave] = (slot)unwind_ends;
}

/* Called once for a method, before its code is compiled: what it returns is what the hooks get. It
 * may allocate and call the runtime, which the hooks may not. */
static uintptr_t choose(uintptr_t function, void *info, int32_t *hook)
{
    struct named *method = name_of_method(info, function);
    *hook = method != NULL;
    return (uintptr_t)method;
}

HRESULT tree_start(void *unknown, uint32_t events, void **info)
{
    typedef uintptr_t mapper(uintptr_t function, void *data, int32_t *hook);
    HRESULT result = CALL(unknown, QueryInterface,
                          (void *, const struct guid *, void **))(unknown, &profiler_info3, info);
    elt_targets.enter3 = entered;
    elt_targets.leave3 = left;
    elt_targets.tailcall3 = left;
    if (result >= 0) {
        result = CALL(*info, SetFunctionIDMapper2, (void *, mapper *, void *))(*info, choose,
                                                                               *info);
    }
    if (result >= 0) {
        result = CALL(*info, SetEnterLeaveFunctionHooks3,
                      (void *, FunctionEnter3 *, FunctionLeave3 *, FunctionTailcall3 *))(
            *info, elt_enter3, elt_leave3, elt_tailcall3);
    }
    if (result >= 0) {
        result = CALL(*info, SetEventMask,
                      (void *, uint32_t))(*info, MONITOR_ENTERLEAVE | MONITOR_EXCEPTIONS | events);
    }
    elt_switch(result >= 0);
    return result;
}

void tree_stop(void)
{
    elt_switch(false);
}

/* ---- printed ---- */

static void merge(struct tree *into, uint32_t to, const struct tree *from, uint32_t node)
{
    into->nodes[to].count += from->nodes[node].count;
    into->nodes[to].bytes += from->nodes[node].bytes;
    for (uint32_t i = from->nodes[node].child; i != 0; i = from->nodes[i].sibling) {
        merge(into, tree_child(into, to, from->nodes[i].what), from, i);
    }
}

static void print(struct tree *tree, uint32_t node, int depth, int with_bytes)
{
    struct node *nodes = tree->nodes;
    if (nodes[node].what) {
        if (with_bytes) {
            fprintf(stderr, "%10llu", (unsigned long long)nodes[node].bytes);
        }
        fprintf(stderr, "%10llu  %*s%s\n", (unsigned long long)nodes[node].count, depth * 2, "",
                nodes[node].what->name);
    }
    for (;;) { /* children, the largest first; each is taken out when it was printed */
        uint32_t *largest = &nodes[node].child;
        for (uint32_t *i = largest; *i != 0; i = &nodes[*i].sibling) {
            const struct node *a = &nodes[*i], *b = &nodes[*largest];
            if (with_bytes ? a->bytes > b->bytes : a->count > b->count) {
                largest = i;
            }
        }
        uint32_t child = *largest;
        if (child == 0) {
            return;
        }
        *largest = nodes[child].sibling;
        print(tree, child, depth + (nodes[node].what != NULL), with_bytes);
    }
}

void tree_print(const char *heading, int with_bytes)
{
    struct tree all;
    if (!tree_open(&all)) {
        return;
    }
    for (const struct thread *thread = atomic_load(&threads); thread; thread = thread->next) {
        merge(&all, 0, &thread->tree, 0);
    }
    fprintf(stderr, "%s\n", heading);
    print(&all, 0, 0, with_bytes);
}
