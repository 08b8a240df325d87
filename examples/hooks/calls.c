/* A profiler that prints the tree of calls of one assembly, with how often each path was taken.
 * README.md says how to build and run it. */
#include <stdio.h>

#include "../profiler-c/entry.h"
#include "tree.h"

static HRESULT initialize(void *self, void *unknown)
{
    void *info;
    (void)self;
    return tree_start(unknown, 0, &info);
}

/* Other threads may still run: they are not waited for, and their last counts may be missing. */
static HRESULT shut_down(void *self)
{
    (void)self;
    tree_stop();
    tree_print("     calls", 0);
    return S_OK;
}

static void set_callbacks(slot *callbacks)
{
    callbacks[Initialize] = (slot)initialize;
    callbacks[Shutdown] = (slot)shut_down;
    tree_set_callbacks(callbacks);
}

const struct profiler the_profiler = {
    {0x5A0E9C3B, 0x2F64, 0x4D0A, {0xB7, 0x11, 0x6C, 0x93, 0xE8, 0x20, 0x4F, 0x5D}},
    {&profiler_callback2},
    set_callbacks};
