/* Calls counted by path: a tree for each thread instead of a record for each call, so that no clock
 * is read and nothing is written until the thread or the process ends. In hooks: nothing here locks
 * or allocates. */
#ifndef ILPI_PATHS_H
#define ILPI_PATHS_H

#include "profiler/hooks/state.h"

/* Allocates once, or empties what another thread left. Without memory calls are only counted in
 * total. */
void hooks_paths_begin(struct hooks_thread *thread);

/* Open calls are no longer inside any path. */
void hooks_paths_cut(struct hooks_thread *thread);

/* Writes the tree, once, and adds its counts to the thread's. */
void hooks_paths_write(struct hooks_thread *thread, struct ilpi_spool_thread *to);

/* The path of `method` from here, when it is not the last entered one. */
struct hooks_path *hooks_paths_find(struct hooks_paths *paths, const struct hooked *method);

/* The end of a call that had no room. */
void hooks_paths_uncrowd(struct hooks_paths *paths);

static inline struct hooks_path *hooks_paths_now(const struct hooks_paths *paths)
{
    return atomic_load_explicit(&paths->now, memory_order_relaxed);
}

static inline void hooks_paths_set(struct hooks_paths *paths, struct hooks_path *now)
{
    atomic_store_explicit(&paths->now, now, memory_order_relaxed);
}

static inline void hooks_paths_enter(struct hooks_paths *paths, const struct hooked *method)
{
    struct hooks_path *path = hooks_paths_now(paths)->recent;
    if (path->method != method) {
        path = hooks_paths_find(paths, method);
    }
    hooks_count(&path->calls, 1);
    hooks_paths_set(paths, path);
}

/* Leaves the youngest call's path, and returns it. */
static inline struct hooks_path *hooks_paths_leave(struct hooks_paths *paths)
{
    struct hooks_path *path = hooks_paths_now(paths);
    if (path == &paths->crowd) {
        hooks_paths_uncrowd(paths);
    } else {
        hooks_paths_set(paths, path->parent);
    }
    return path;
}

#endif
