/* A profiler that prints where objects are allocated: the tree of calls of one assembly, and in it
 * the classes of the objects that were allocated there, with their bytes. What the framework
 * allocates counts for the method that called it. README.md says how to build and run it.
 *
 * The stack is not walked when an object is allocated: the shadow stack has it already. */
#include <stdio.h>

#include "../profiler-c/entry.h"
#include "names.h"
#include "tree.h"

static void *info;

static HRESULT object_allocated(void *self, ID object, ID class)
{
    uint32_t node, size = 0;
    struct tree *tree = tree_here(&node);
    (void)self;
    if (tree && CALL(info, GetObjectSize, (void *, ID, uint32_t *))(info, object, &size) >= 0) {
        uint32_t leaf = tree_child(tree, node, name_of_class(info, class));
        tree->nodes[leaf].count++;
        for (uint32_t i = leaf;;
             i = tree->nodes[i].parent) { /* a caller has those of its callees */
            tree->nodes[i].bytes += size;
            if (i == 0) {
                break;
            }
        }
    }
    return S_OK;
}

/* Trap: without ENABLE_OBJECT_ALLOCATED, which only Initialize can set, objects are allocated by
 * fast helpers that report nothing. */
static HRESULT initialize(void *self, void *unknown)
{
    (void)self;
    return tree_start(unknown, MONITOR_OBJECT_ALLOCATED | ENABLE_OBJECT_ALLOCATED, &info);
}

static HRESULT shut_down(void *self)
{
    (void)self;
    tree_stop();
    tree_print("     bytes     count", 1);
    return S_OK;
}

static void set_callbacks(slot *callbacks)
{
    callbacks[Initialize] = (slot)initialize;
    callbacks[Shutdown] = (slot)shut_down;
    callbacks[ObjectAllocated] = (slot)object_allocated;
    tree_set_callbacks(callbacks);
}

const struct profiler the_profiler = {
    {0x8C41F6D2, 0x7B3E, 0x4A95, {0x90, 0x2D, 0x1E, 0x57, 0xB4, 0xC6, 0x38, 0xA1}},
    {&profiler_callback2},
    set_callbacks};
