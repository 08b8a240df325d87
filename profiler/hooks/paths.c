/* Counts calls by path: a tree in an array, with a hash table of (parent, method) for its edges.
 * See paths.h. Other threads may read a tree while it grows, at the end of the process: what is
 * linked is complete.
 *
 *   root -> A -> B            now = the youngest call's path
 *             \-> C -> B      the same method by another path: another node
 *   children are a ring: parent.last -> next (the first) -> ... -> last
 *
 * A call moves `now` to a child, its end to the parent. Items are never moved or freed while the
 * thread runs, so that pointers between them stay right. */
#include "profiler/hooks/paths.h"

#include "base/hash.h"
#include "base/pages.h"

#define PATHS_LIMIT   ((uint32_t)1 << 18)
#define PATHS_BUCKETS ((uint32_t)1 << 16)

static struct hooks_path **bucket_of(const struct hooks_paths *paths,
                                     const struct hooks_path *parent, const struct hooked *method)
{
    uint64_t hash = ilpi_hash_number((uintptr_t)parent * 31 + (uintptr_t)method);
    return &paths->table[hash % PATHS_BUCKETS];
}

/* Pages that are not used cost only addresses. */
static void open_room(struct hooks_paths *paths)
{
    paths->items = ilpi_pages_open(PATHS_LIMIT * sizeof *paths->items);
    paths->table = paths->items ? ilpi_pages_open(PATHS_BUCKETS * sizeof(void *)) : NULL;
    paths->limit = paths->table ? PATHS_LIMIT : 0;
}

/* Only used buckets are cleared. */
void hooks_paths_begin(struct hooks_thread *thread)
{
    struct hooks_paths *paths = &thread->paths;
    if (!paths->items) {
        open_room(paths);
    }
    for (uint32_t i = 0; i < paths->count; i++) {
        *bucket_of(paths, paths->items[i].parent, paths->items[i].method) = NULL;
        paths->items[i] = (struct hooks_path){.method = NULL};
    }
    paths->count = 0;
    paths->root = (struct hooks_path){.parent = &paths->root, .recent = &paths->crowd};
    paths->crowd = (struct hooks_path){.parent = &paths->root, .recent = &paths->crowd};
    paths->crowded = 0;
    atomic_store(&paths->written, false);
    hooks_paths_set(paths, &paths->root);
}

/* The youngest call's path that has room. */
static struct hooks_path *youngest_path(struct hooks_paths *paths)
{
    struct hooks_path *path = hooks_paths_now(paths);
    return path == &paths->crowd ? path->parent : path;
}

void hooks_paths_cut(struct hooks_thread *thread)
{
    struct hooks_paths *paths = &thread->paths;
    struct hooks_path *path = youngest_path(paths);
    for (; path != &paths->root; path = path->parent) {
        hooks_count(&path->unseen, 1);
    }
    hooks_count(&paths->crowd.unseen, paths->crowded);
    paths->crowded = 0;
    hooks_paths_set(paths, &paths->root);
}

static struct hooks_path *last_child(const struct hooks_path *path)
{
    return atomic_load_explicit(&path->last, memory_order_acquire);
}

static struct hooks_path *next_of(const struct hooks_path *path)
{
    return atomic_load_explicit(&path->next, memory_order_acquire);
}

/* A ring with the newest last: a reader that starts at `last` sees the first child next. */
static void add_child(struct hooks_path *parent, struct hooks_path *child)
{
    struct hooks_path *last = last_child(parent);
    atomic_store_explicit(&child->next, last ? next_of(last) : child, memory_order_relaxed);
    if (last) {
        atomic_store_explicit(&last->next, child, memory_order_release);
    }
    atomic_store_explicit(&parent->last, child, memory_order_release);
}

static struct hooks_path *make(struct hooks_paths *paths, struct hooks_path **bucket,
                               const struct hooked *method)
{
    struct hooks_path *parent = hooks_paths_now(paths);
    struct hooks_path *path = &paths->items[paths->count++];
    path->method = method;
    path->parent = parent;
    path->recent = &paths->crowd;
    path->chain = *bucket;
    *bucket = path;
    add_child(parent, path);
    return path;
}

/* `recent` is the last callee of a path, which most calls repeat, so that they need no look-up.
 * Beyond the limit all calls are one path, `crowd`, until the call that began it has ended. */
struct hooks_path *hooks_paths_find(struct hooks_paths *paths, const struct hooked *method)
{
    struct hooks_path *now = hooks_paths_now(paths);
    if (now == &paths->crowd || paths->limit == 0) {
        paths->crowded++;
        return &paths->crowd;
    }
    struct hooks_path **bucket = bucket_of(paths, now, method);
    struct hooks_path *path = *bucket;
    while (path && (path->parent != now || path->method != method)) {
        path = path->chain;
    }
    if (!path && paths->count == paths->limit) {
        paths->crowded = 1;
        paths->crowd.parent = now;
        return &paths->crowd;
    }
    path = path ? path : make(paths, bucket, method);
    now->recent = path;
    return path;
}

void hooks_paths_uncrowd(struct hooks_paths *paths)
{
    if (--paths->crowded == 0) {
        hooks_paths_set(paths, paths->crowd.parent);
    }
}

/* ---- writing ---- */

/* The thread's counts are sums over its paths. */
static struct ilpi_spool_counts add_up(struct hooks_thread *thread, const struct hooks_path *path,
                                       uint64_t open)
{
    struct ilpi_spool_counts counts = {.calls = hooks_counted(&path->calls),
                                       .tailcalls = hooks_counted(&path->tailcalls),
                                       .unwound = hooks_counted(&path->unwound),
                                       .open = open + hooks_counted(&path->unseen)};
    uint64_t ended = counts.tailcalls + counts.unwound + counts.open;
    hooks_count(&thread->counts.enters, counts.calls);
    hooks_count(&thread->counts.leaves, counts.calls > ended ? counts.calls - ended : 0);
    return counts;
}

/* Depth first, without recursion, since paths are as long as a stack is deep. */
static void write_paths(struct hooks_thread *thread, struct ilpi_spool_thread *to)
{
    static const struct ilp_bytes nothing = {NULL, 0};
    const struct hooks_path *root = &thread->paths.root;
    const struct hooks_path *path = root;
    for (;;) {
        const struct hooks_path *last = last_child(path);
        const struct hooks_path *next = last ? next_of(last) : NULL;
        while (!next && path != root) {
            ilpi_spool_leave(to, 0, path->method->id, nothing);
            next = path != last_child(path->parent) ? next_of(path) : NULL;
            path = path->parent;
        }
        if (!next) {
            return;
        }
        path = next;
        struct ilpi_spool_counts counts = add_up(thread, path, path->open);
        ilpi_spool_calls(to, 0, path->method->id, &counts);
    }
}

/* By the thread itself or by the end of the process, whichever is first. Calls that are open are
 * marked. */
void hooks_paths_write(struct hooks_thread *thread, struct ilpi_spool_thread *to)
{
    struct hooks_paths *paths = &thread->paths;
    if (!hooks_paths_now(paths) || atomic_exchange(&paths->written, true)) {
        return;
    }
    struct hooks_path *open = youngest_path(paths);
    for (; open != &paths->root; open = open->parent) {
        open->open = true;
    }
    write_paths(thread, to);
    uint64_t lost = add_up(thread, &paths->crowd, paths->crowded).calls;
    if (lost != 0) {
        ilpi_spool_lost(to, lost);
    }
}
