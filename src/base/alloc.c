/* Memory: the default of the resize hook, the limit, and arenas. See alloc.h.
 *
 *   caller's hook <-- object's ilpi_alloc <-- job's ilpi_alloc (init_within) <-- arena
 *                     limit of all            own limit                       chunks
 *
 * Each request passes all limits on its way out. Blocks of an arena form a list, newest first. An
 * allocation that does not fit the newest chunk adds one of twice its size; a release or reset
 * frees chunks back to a mark. */
#include "base/alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitizers.h"

/*   header | allocation | padding | allocation | ... | free
 *            0                                     used   size */
struct ilpi_chunk {
    struct ilpi_chunk *next; /* older; NULL: the first */
    size_t size;             /* of the bytes after the header */
    size_t used;
};

/* Each chunk has twice the bytes of the one before, from the first to the largest: there are
 * thousands of arenas with few bytes. */
#ifdef HAS_ADDRESS_SANITIZER /* must see an access that leaves one allocation for the next */
#define FIRST_CHUNK   ((size_t)0)
#define LARGEST_CHUNK ((size_t)0)
#else
#define FIRST_CHUNK   ((size_t)512)
#define LARGEST_CHUNK ((size_t)16 * 1024)
#endif
#define FEWEST_BYTES ((size_t)64) /* of an array that begins to grow */
#define ALIGNMENT    alignof(max_align_t)
#define HEADER_BYTES ((sizeof(struct ilpi_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static void *default_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

void ilpi_alloc_init(struct ilpi_alloc *alloc, const struct ilp_allocator *allocator)
{
    *alloc = (struct ilpi_alloc){.hook = {.resize = default_resize}};
    if (allocator) {
        alloc->hook = *allocator;
    }
}

static void *resize_outer(void *user, void *block, size_t old_size, size_t new_size)
{
    return ilpi_resize(user, block, old_size, new_size);
}

/* The outer allocator is the hook of the inner one, so a resize passes the limits from the inside
 * out without a loop here; outer_of() recognises it for what is only counted. */
void ilpi_alloc_init_within(struct ilpi_alloc *alloc, struct ilpi_alloc *outer, size_t limit)
{
    *alloc = (struct ilpi_alloc){.hook = {resize_outer, outer, limit}};
}

/* The allocator that `alloc` takes its memory from; NULL: the caller's hook. */
static struct ilpi_alloc *outer_of(const struct ilpi_alloc *alloc)
{
    return alloc->hook.resize == resize_outer ? alloc->hook.user : NULL;
}

static bool fits(const struct ilpi_alloc *alloc, size_t bytes)
{
    return alloc->hook.limit == 0 ||
           (alloc->used <= alloc->hook.limit && bytes <= alloc->hook.limit - alloc->used);
}

/* Checked at all levels before any is changed, so that a refusal changes only `full`. */
bool ilpi_alloc_charge(struct ilpi_alloc *alloc, size_t bytes)
{
    for (struct ilpi_alloc *at = alloc; at; at = outer_of(at)) {
        at->full = at->full || !fits(at, bytes);
        if (!fits(at, bytes)) {
            return false;
        }
    }
    for (struct ilpi_alloc *at = alloc; at; at = outer_of(at)) {
        at->used += bytes;
    }
    return true;
}

/* The counterpart of ilpi_alloc_charge(), with the same number of bytes: it is subtracted at every
 * level without a check. */
void ilpi_alloc_discharge(struct ilpi_alloc *alloc, size_t bytes)
{
    for (; alloc; alloc = outer_of(alloc)) {
        alloc->used -= bytes;
    }
}

/* Whether any level has used more than half of its limit: callers then free what they keep for
 * speed only. */
bool ilpi_alloc_is_short(const struct ilpi_alloc *alloc)
{
    while (alloc && (alloc->hook.limit == 0 || alloc->used <= alloc->hook.limit / 2)) {
        alloc = outer_of(alloc);
    }
    return alloc;
}

static ilp_status fail_limit(const struct ilpi_alloc *alloc, struct ilp_error *error)
{
    return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                     "more than %zu MB of memory would be needed", alloc->hook.limit >> 20);
}

ilp_status ilpi_alloc_status(const struct ilpi_alloc *alloc, ilp_status status,
                             struct ilp_error *error)
{
    return status == ILP_E_NO_MEMORY && alloc->full ? fail_limit(alloc, error) : status;
}

ilp_status ilpi_alloc_check(const struct ilpi_alloc *alloc, size_t bytes, struct ilp_error *error)
{
    size_t left = alloc->hook.limit - alloc->used;
    return alloc->hook.limit != 0 && bytes > left ? fail_limit(alloc, error) : ILP_OK;
}

/* `full` is set by the allocator whose own limit refused, so that its owner can distinguish a limit
 * from a lack of memory (ilpi_alloc_status()). A failed call leaves block and count as they
 * were. */
void *ilpi_resize(struct ilpi_alloc *alloc, void *block, size_t old_size, size_t new_size)
{
    size_t kept = alloc->used - old_size; /* what other blocks use */
    if (new_size != 0 && alloc->hook.limit != 0 &&
        (kept > alloc->hook.limit || new_size > alloc->hook.limit - kept)) {
        alloc->full = true;
        return NULL;
    }
    void *result = alloc->hook.resize(alloc->hook.user, block, old_size, new_size);
    if (result || new_size == 0) {
        alloc->used = kept + new_size;
    }
    return result;
}

/* At least doubling makes appending linear in all. Products are compared before they are made. */
ilp_status ilpi_grow(struct ilpi_alloc *alloc, void *items, size_t *capacity, size_t count,
                     size_t item_size, struct ilp_error *error)
{
    if (count <= *capacity) {
        return ILP_OK;
    }
    size_t wanted = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    if (wanted < FEWEST_BYTES / item_size) {
        wanted = FEWEST_BYTES / item_size;
    }
    if (wanted < count) {
        wanted = count;
    }
    if (wanted > SIZE_MAX / item_size) {
        return ilpi_fail_memory(error, SIZE_MAX);
    }
    void *block; /* copied, since a pointer to another type cannot be read as a void * */
    memcpy(&block, items, sizeof block);
    block = ilpi_resize(alloc, block, *capacity * item_size, wanted * item_size);
    if (!block) {
        return ilpi_fail_memory(error, wanted * item_size);
    }
    memcpy(items, &block, sizeof block);
    *capacity = wanted;
    return ILP_OK;
}

/* A failed shrink leaves block and capacity as they were: the memory is more than needed, but
 * right. */
void ilpi_trim(struct ilpi_alloc *alloc, void *items, size_t *capacity, size_t count,
               size_t item_size)
{
    void *block;
    memcpy(&block, items, sizeof block);
    void *less = ilpi_resize(alloc, block, *capacity * item_size, count * item_size);
    if (less || count == 0) {
        memcpy(items, &less, sizeof less);
        *capacity = count;
    }
}

/* The object begins with its allocator, from which its own memory came. */
void *ilpi_object_open(size_t size, const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, allocator);
    struct ilpi_alloc *object = ilpi_resize(&alloc, NULL, 0, size);
    if (!object) {
        ilpi_fail_memory(error, size);
        return NULL;
    }
    memset(object, 0, size);
    *object = alloc;
    return object;
}

void ilpi_object_close(struct ilpi_alloc *object, size_t size)
{
    struct ilpi_alloc alloc = *object; /* copied: the object is freed below */
    ilpi_resize(&alloc, object, size, 0);
}

static uint8_t *chunk_bytes(struct ilpi_chunk *chunk)
{
    return (uint8_t *)chunk + HEADER_BYTES;
}

/* A request that is larger than the doubled size gets a chunk of its own size. What the chunk
 * before has left is lost until that is freed. */
static struct ilpi_chunk *add_chunk(struct ilp_arena *arena, size_t size)
{
    size_t room = arena->chunks ? arena->chunks->size : 0;
    room = 2 * room > LARGEST_CHUNK ? LARGEST_CHUNK : 2 * room;
    room = room > FIRST_CHUNK ? room : FIRST_CHUNK;
    room = room > size ? room : size;
    struct ilpi_chunk *chunk = ilpi_resize(arena->alloc, NULL, 0, HEADER_BYTES + room);
    if (chunk) {
        *chunk = (struct ilpi_chunk){.next = arena->chunks, .size = room};
        arena->chunks = chunk;
    }
    return chunk;
}

/* Allocates at a multiple of `alignment` from the start of the chunk. */
static void *carve(struct ilp_arena *arena, size_t size, size_t alignment)
{
    struct ilpi_chunk *chunk = arena->chunks;
    if (size > SIZE_MAX - HEADER_BYTES) {
        return NULL;
    }
    /* a chunk's bytes begin at a multiple of ALIGNMENT, so offsets in it can be aligned instead */
    size_t start = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || start > chunk->size || size > chunk->size - start) {
        chunk = add_chunk(arena, size);
        start = 0;
    }
    if (!chunk) {
        return NULL;
    }
    chunk->used = start + size;
    return chunk_bytes(chunk) + start;
}

/* Not zeroed: for what the caller fills at once. */
void *ilpi_arena_room(struct ilp_arena *arena, size_t size)
{
    return carve(arena, size, ALIGNMENT);
}

void *ilpi_arena_alloc(struct ilp_arena *arena, size_t size)
{
    void *room = ilpi_arena_room(arena, size);
    return room ? memset(room, 0, size) : NULL;
}

void *ilpi_arena_array(struct ilp_arena *arena, size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? NULL : ilpi_arena_alloc(arena, count * size);
}

/* Alignment 1: texts and names follow each other without gaps. */
char *ilpi_arena_text(struct ilp_arena *arena, const char *text, size_t size)
{
    char *copy = size != SIZE_MAX ? carve(arena, size + 1, 1) : NULL;
    if (copy) {
        if (size != 0) {
            memcpy(copy, text, size);
        }
        copy[size] = '\0';
    }
    return copy;
}

struct ilpi_arena_mark ilpi_arena_mark(const struct ilp_arena *arena)
{
    return (struct ilpi_arena_mark){arena->chunks, arena->chunks ? arena->chunks->used : 0};
}

void *ilpi_arena_copy(struct ilp_arena *arena, const void *bytes, size_t size)
{
    void *copy = ilpi_arena_alloc(arena, size);
    if (copy && size != 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static void free_chunks(struct ilp_arena *arena, struct ilpi_chunk *chunk,
                        const struct ilpi_chunk *end)
{
    while (chunk != end) {
        struct ilpi_chunk *next = chunk->next;
        ilpi_resize(arena->alloc, chunk, HEADER_BYTES + chunk->size, 0);
        chunk = next;
    }
}

/* Keeps the newest chunk, the largest one mostly: an arena that is reset for each method soon has
 * one chunk that is large enough, and allocates no more. */
void ilpi_arena_reset(struct ilp_arena *arena)
{
    if (arena->chunks) {
        free_chunks(arena, arena->chunks->next, NULL);
        arena->chunks->next = NULL;
        arena->chunks->used = 0;
    }
}

/* Chunks are newest first, so those before the mark's are what was added since. */
void ilpi_arena_release(struct ilp_arena *arena, struct ilpi_arena_mark mark)
{
    free_chunks(arena, arena->chunks, mark.chunk);
    arena->chunks = mark.chunk;
    if (mark.chunk) {
        mark.chunk->used = mark.used;
    }
}

void ilpi_arena_free(struct ilp_arena *arena)
{
    free_chunks(arena, arena->chunks, NULL);
    arena->chunks = NULL;
}

/* The arena is an object of its own: its chunks are from the allocator inside it. */
ilp_status ilp_arena_open(struct ilp_arena **out, const struct ilp_allocator *allocator,
                          struct ilp_error *error)
{
    struct ilp_arena *arena = ilpi_object_open(sizeof *arena, allocator, error);
    *out = arena;
    if (!arena) {
        return ILP_E_NO_MEMORY;
    }
    arena->alloc = &arena->own;
    return ILP_OK;
}

void ilp_arena_reset(struct ilp_arena *arena)
{
    ilpi_arena_reset(arena);
}

void ilp_arena_close(struct ilp_arena *arena)
{
    if (arena) {
        ilpi_arena_free(arena);
        ilpi_object_close(&arena->own, sizeof *arena);
    }
}
