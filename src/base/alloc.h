/* Memory: one resize hook with a limit, and arenas that are freed as a whole.
 *
 * Everything the library allocates goes through ilpi_resize(), so that one hook sees, counts and
 * can refuse every byte. Blocks carry their size back to the hook; only
 * alloc.c calls malloc(). */
#ifndef ILPI_ALLOC_H
#define ILPI_ALLOC_H

#include "base/error.h"

/* An allocator in use: the caller's hook, and the bytes allocated now. Embedded in its owner. For
 * one thread: nothing here locks. */
struct ilpi_alloc {
    struct ilp_allocator hook; /* a copy; its limit is that of this object alone */
    size_t used;               /* bytes allocated; never above hook.limit when that is not 0 */
    bool full;                 /* the limit has refused a request */
};

/* A copy of *allocator, or malloc/realloc/free without a limit when that is NULL. */
void ilpi_alloc_init(struct ilpi_alloc *alloc, const struct ilp_allocator *allocator);

/* For one job among several: memory comes from `outer`, which is borrowed, at most `limit`
 * bytes. */
void ilpi_alloc_init_within(struct ilpi_alloc *alloc, struct ilpi_alloc *outer, size_t limit);

/* The status of that job. ILP_E_NO_MEMORY becomes ILP_E_TOO_LARGE, in `error` as well, if the job's
 * own limit refused the memory. */
ilp_status ilpi_alloc_status(const struct ilpi_alloc *alloc, ilp_status status,
                             struct ilp_error *error);

/* ILP_E_TOO_LARGE if the job's limit does not leave that many bytes. */
ilp_status ilpi_alloc_check(const struct ilpi_alloc *alloc, size_t bytes, struct ilp_error *error);

/* realloc() with the old size given: block NULL and old_size 0 allocate, new_size 0 frees and
 * returns NULL. */
void *ilpi_resize(struct ilpi_alloc *alloc, void *block, size_t old_size, size_t new_size);

/* Counts memory that another library takes from the system by itself, mostly machine code, as if it
 * came from `alloc`. False if the limits do not leave that much; nothing is counted then. */
bool ilpi_alloc_charge(struct ilpi_alloc *alloc, size_t bytes);
void ilpi_alloc_discharge(struct ilpi_alloc *alloc, size_t bytes);

/* Whether more than half of a limit is in use: then skip what is optional. */
bool ilpi_alloc_is_short(const struct ilpi_alloc *alloc);

/* Grows an array so that `count` elements of `item_size` bytes fit, at least doubling. `items` is
 * the address of the pointer to the first one, whatever its type; *capacity counts elements. list.h
 * has the form that most arrays take. */
ilp_status ilpi_grow(struct ilpi_alloc *alloc, void *items, size_t *capacity, size_t count,
                     size_t item_size, struct ilp_error *error);

/* Gives back the memory of such an array that `count` elements do not need. */
void ilpi_trim(struct ilpi_alloc *alloc, void *items, size_t *capacity, size_t count,
               size_t item_size);

/* Objects of the public header keep what they were opened with: each begins with the struct
 * ilpi_alloc that it, and all it owns, comes from. Zeroed except for that. NULL and `error` set
 * when there is no memory. */
void *ilpi_object_open(size_t size, const struct ilp_allocator *allocator, struct ilp_error *error);

/* Gives back the object that begins there. */
void ilpi_object_close(struct ilpi_alloc *object, size_t size);

struct ilpi_chunk;

/* Memory that is freed all at once. Zero-initialise, set alloc, use; ilpi_arena_free() at the
 * end. */
struct ilp_arena {
    struct ilpi_alloc own; /* of an arena made by ilp_arena_open() */
    struct ilpi_alloc *alloc;
    struct ilpi_chunk *chunks; /* newest first; allocations come from the head */
};

/* `size` zeroed bytes, aligned for any type, or NULL. A size of 0 gives a valid pointer. */
void *ilpi_arena_alloc(struct ilp_arena *arena, size_t size);

/* The same, not zeroed. Pages that are never written take no memory, so a size that an input claims
 * costs only what the input holds. */
void *ilpi_arena_room(struct ilp_arena *arena, size_t size);

/* Room for `count` objects of `size` bytes; NULL when the product would wrap. */
void *ilpi_arena_array(struct ilp_arena *arena, size_t count, size_t size);

/* A copy of `size` bytes. */
void *ilpi_arena_copy(struct ilp_arena *arena, const void *bytes, size_t size);

/* A copy of `size` bytes with a NUL after it, aligned for characters only, so that short texts take
 * no padding. */
char *ilpi_arena_text(struct ilp_arena *arena, const char *text, size_t size);

/* A mark of an arena, and the release back to it: later allocations are freed. */
struct ilpi_arena_mark {
    struct ilpi_chunk *chunk; /* NULL: it was empty */
    size_t used;
};
struct ilpi_arena_mark ilpi_arena_mark(const struct ilp_arena *arena);
void ilpi_arena_release(struct ilp_arena *arena, struct ilpi_arena_mark mark);

/* Frees every allocation but keeps the newest chunk for the next ones. */
void ilpi_arena_reset(struct ilp_arena *arena);

void ilpi_arena_free(struct ilp_arena *arena);

#endif
