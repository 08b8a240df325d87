/* Memory: the resize hook's default, the limit, and arenas. See alloc.h. */
#include "base/alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitizers.h"

struct ilpi_chunk {
    struct ilpi_chunk *next;
    size_t size; /* of the bytes behind the header */
    size_t used;
};

#ifdef HAS_ADDRESS_SANITIZER /* is to see a step from one thing into the next */
#define CHUNK_BYTES ((size_t)0)
#else
#define CHUNK_BYTES ((size_t)16 * 1024)
#endif
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

void ilpi_alloc_init_within(struct ilpi_alloc *alloc, struct ilpi_alloc *outer, size_t limit)
{
    *alloc = (struct ilpi_alloc){.hook = {resize_outer, outer, limit}};
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

void *ilpi_resize(struct ilpi_alloc *alloc, void *block, size_t old_size, size_t new_size)
{
    size_t kept = alloc->used - old_size;
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

ilp_status ilpi_grow(struct ilpi_alloc *alloc, void *items, size_t *capacity, size_t count,
                     size_t item_size, struct ilp_error *error)
{
    if (count <= *capacity) {
        return ILP_OK;
    }
    size_t wanted = *capacity < 8 ? 16 : *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
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
    struct ilpi_alloc alloc = *object; /* which is gone with the object */
    ilpi_resize(&alloc, object, size, 0);
}

static uint8_t *chunk_bytes(struct ilpi_chunk *chunk)
{
    return (uint8_t *)chunk + HEADER_BYTES;
}

void *ilpi_arena_room(struct ilp_arena *arena, size_t size)
{
    if (size > SIZE_MAX - HEADER_BYTES - ALIGNMENT) {
        return NULL;
    }
    struct ilpi_chunk *chunk = arena->chunks;
    if (!chunk || size > chunk->size - chunk->used) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        chunk = ilpi_resize(arena->alloc, NULL, 0, HEADER_BYTES + room);
        if (!chunk) {
            return NULL;
        }
        *chunk = (struct ilpi_chunk){.next = arena->chunks, .size = room};
        arena->chunks = chunk;
    }
    void *result = chunk_bytes(chunk) + chunk->used;
    size_t end = (chunk->used + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    chunk->used = end < chunk->size ? end : chunk->size;
    return result;
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

void *ilpi_arena_copy(struct ilp_arena *arena, const void *bytes, size_t size)
{
    void *copy = ilpi_arena_alloc(arena, size);
    if (copy && size != 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

static void free_chunks(struct ilp_arena *arena, struct ilpi_chunk *chunk)
{
    while (chunk) {
        struct ilpi_chunk *next = chunk->next;
        ilpi_resize(arena->alloc, chunk, HEADER_BYTES + chunk->size, 0);
        chunk = next;
    }
}

void ilpi_arena_reset(struct ilp_arena *arena)
{
    if (arena->chunks) {
        free_chunks(arena, arena->chunks->next);
        arena->chunks->next = NULL;
        arena->chunks->used = 0;
    }
}

void ilpi_arena_free(struct ilp_arena *arena)
{
    free_chunks(arena, arena->chunks);
    arena->chunks = NULL;
}

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
