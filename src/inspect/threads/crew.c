/* Threads that work on blocks of methods. See crew.h.
 *
 *   blocks   0 1 2 3 | 4 5 6 7 8 | 9 ...
 *            given     taken       free
 *
 * Blocks are taken in their order and given to the caller in their order. Those between are in a
 * ring, whose size limits how far the threads may be ahead. A worker waits for `room` in the ring,
 * the caller for `done`; while its block is not done, the caller builds later ones itself. */
#include "inspect/threads/crew.h"

#include "base/thread.h"
#include "inspect/rewriter.h"

/* Per thread: the block it works on, and some that wait for the caller. */
#define RING_BLOCKS  4u
#define MOST_THREADS 64u

struct worker {
    struct ilpi_crew *crew;
    struct ilpi_thread thread;
    struct ilpi_block_builder builder;
    bool failed; /* it could not be opened: the worker does nothing */
};

struct ilpi_crew {
    struct ilpi_alloc alloc;
    const struct ilp_inspection *inspection; /* the caller's */
    const struct ilp_request *request;
    bool records;
    ilp_rid first; /* the first method, */
    ilp_rid end;   /* and after the last */
    uint32_t block_methods;

    struct worker *workers; /* the first one is the caller's thread */
    size_t worker_count;
    size_t started; /* number of started threads, to be joined */

    struct ilpi_mutex mutex;       /* guards all members below */
    struct ilpi_event done;        /* signaled when a block is done */
    struct ilpi_event room;        /* signaled when the ring has room */
    struct ilpi_made_tokens *made; /* made until now */
    size_t made_size;
    struct ilpi_block *ring;
    size_t ring_count;
    size_t block_count;
    /* given <= next <= taken <= given + ring_count; all three only grow */
    size_t taken; /* number of blocks taken by workers */
    size_t next;  /* block for the caller */
    size_t given; /* number of blocks that the caller is done with */
    bool stopped; /* workers take no more blocks */
};

/* Embedding adds rows while it works, and native inspectors have P/Invoke methods made: both need
 * the real emitter, in order. */
bool ilpi_crew_can(const struct ilp_request *request)
{
    bool native = request->stand_in && request->stand_in->native;
    for (size_t i = 0; i < request->inspector_count; i++) {
        native = native || request->inspectors[i]->native;
    }
    return request->threads > 1 && !request->embed && !native;
}

/* ---- blocks; the lock is held ---- */

/* The end, for a number beyond the last block. */
static ilp_rid first_of(const struct ilpi_crew *crew, size_t number)
{
    size_t first = crew->first + number * crew->block_methods;
    return first < crew->end ? (ilp_rid)first : crew->end;
}

static struct ilpi_block *block_at(struct ilpi_crew *crew, size_t number)
{
    return &crew->ring[number % crew->ring_count];
}

/* `taken` counts up under the lock, so each block is taken by one thread. The slot in the ring is
 * free: can_take() was called under the same lock. */
static struct ilpi_block *take(struct ilpi_crew *crew)
{
    struct ilpi_block *block = block_at(crew, crew->taken);
    block->first = first_of(crew, crew->taken);
    block->count = first_of(crew, ++crew->taken) - block->first;
    block->done = false;
    return block;
}

/* The ring is full when as many blocks are taken and not given back as it has slots. */
static bool can_take(const struct ilpi_crew *crew)
{
    return crew->taken < crew->block_count && crew->taken - crew->given < crew->ring_count;
}

/* Unlocks while it works. */
static void work_on(struct ilpi_crew *crew, struct ilpi_block_builder *builder)
{
    struct ilpi_block *block = take(crew);
    memcpy(builder->made, crew->made, crew->made_size);
    ilpi_mutex_unlock(&crew->mutex);
    ilpi_builder_work(builder, block);
    ilpi_mutex_lock(&crew->mutex);
    block->done = true;
}

/* ---- threads ---- */

/* A worker opens its builder on its own thread, since that takes time and memory; the caller's
 * opens when it has to wait for the first time. */
static bool open_builder(struct worker *worker)
{
    const struct ilpi_crew *crew = worker->crew;
    return worker->builder.inspection ||
           ilpi_builder_open(&worker->builder, crew->inspection, crew->request, crew->records,
                             NULL) == ILP_OK;
}

/* Ends when all blocks are taken, or at once if the builder cannot be opened. */
static void work(void *user)
{
    struct worker *worker = user;
    struct ilpi_crew *crew = worker->crew;
    if (!open_builder(worker)) {
        return; /* the others do its work */
    }
    ilpi_mutex_lock(&crew->mutex);
    while (!crew->stopped && crew->taken < crew->block_count) {
        if (can_take(crew)) {
            work_on(crew, &worker->builder);
            ilpi_event_announce(&crew->done);
        } else {
            ilpi_event_wait(&crew->room, &crew->mutex);
        }
    }
    ilpi_mutex_unlock(&crew->mutex);
}

/* Stops at the first thread that the system refuses: those that run are enough, even none. */
static void start(struct ilpi_crew *crew)
{
    bool started = true;
    for (size_t i = 1; i < crew->worker_count && started; i++) {
        started = ilpi_thread_start(&crew->workers[i].thread, work, &crew->workers[i]);
        crew->started += started;
    }
}

/* ---- opening and closing ---- */

static bool open_locks(struct ilpi_crew *crew)
{
    if (!ilpi_mutex_open(&crew->mutex)) {
        return false;
    }
    if (!ilpi_event_open(&crew->done)) {
        ilpi_mutex_close(&crew->mutex);
        return false;
    }
    if (!ilpi_event_open(&crew->room)) {
        ilpi_event_close(&crew->done);
        ilpi_mutex_close(&crew->mutex);
        return false;
    }
    return true;
}

static void close_locks(struct ilpi_crew *crew)
{
    ilpi_event_close(&crew->room);
    ilpi_event_close(&crew->done);
    ilpi_mutex_close(&crew->mutex);
}

static size_t worker_bytes(const struct ilpi_crew *crew)
{
    return crew->worker_count * sizeof *crew->workers;
}

static size_t ring_bytes(const struct ilpi_crew *crew)
{
    return crew->ring_count * sizeof *crew->ring;
}

/* Fields are set for what was allocated, so that close_memory() can follow a failure at any
 * point. */
static bool open_memory(struct ilpi_crew *crew)
{
    crew->workers = ilpi_resize(&crew->alloc, NULL, 0, worker_bytes(crew));
    crew->ring = ilpi_resize(&crew->alloc, NULL, 0, ring_bytes(crew));
    crew->made = ilpi_resize(&crew->alloc, NULL, 0, crew->made_size);
    for (size_t i = 0; i < crew->worker_count && crew->workers; i++) {
        crew->workers[i] = (struct worker){.crew = crew};
    }
    for (size_t i = 0; i < crew->ring_count && crew->ring; i++) {
        memset(&crew->ring[i], 0, sizeof crew->ring[i]);
        ilpi_block_init(&crew->ring[i], &crew->alloc.hook);
    }
    return crew->workers && crew->ring && crew->made;
}

static void close_memory(struct ilpi_crew *crew)
{
    for (size_t i = 0; i < crew->worker_count && crew->workers; i++) {
        ilpi_builder_close(&crew->workers[i].builder);
    }
    for (size_t i = 0; i < crew->ring_count && crew->ring; i++) {
        ilpi_block_free(&crew->ring[i]);
    }
    ilpi_resize(&crew->alloc, crew->workers, crew->workers ? worker_bytes(crew) : 0, 0);
    ilpi_resize(&crew->alloc, crew->ring, crew->ring ? ring_bytes(crew) : 0, 0);
    ilpi_resize(&crew->alloc, crew->made, crew->made ? crew->made_size : 0, 0);
}

/* At least one block for each thread. Threads that cannot be started are not needed: the caller's
 * thread can do all blocks. */
ilp_status ilpi_crew_open(struct ilpi_crew **out, const struct ilp_inspection *inspection,
                          const struct ilp_request *request, bool records, ilp_rid first,
                          uint32_t block_methods, struct ilp_error *error)
{
    const struct ilpi_module_context *module = &inspection->rewriter->module;
    *out = NULL;
    struct ilpi_crew *crew = ilpi_object_open(sizeof *crew, request->allocator, error);
    if (!crew) {
        return ILP_E_NO_MEMORY;
    }
    crew->inspection = inspection;
    crew->request = request;
    crew->records = records;
    crew->first = first;
    crew->end = ilp_row_count(module->image, ILP_MethodDef) + 1;
    crew->made_size = module->made_size;
    crew->block_methods = block_methods;
    crew->block_count = (crew->end - first + block_methods - 1) / block_methods;
    crew->worker_count = request->threads < MOST_THREADS ? request->threads : MOST_THREADS;
    if (crew->worker_count > crew->block_count) {
        crew->worker_count = crew->block_count;
    }
    crew->ring_count = crew->worker_count * RING_BLOCKS;
    if (!open_memory(crew) || !open_locks(crew)) {
        ilp_status status = ilpi_fail_memory(error, ring_bytes(crew));
        close_memory(crew);
        ilpi_object_close(&crew->alloc, sizeof *crew);
        return status;
    }
    memcpy(crew->made, module->made, module->made_size);
    start(crew);
    *out = crew;
    return ILP_OK;
}

/* Workers finish the block they work on; those that wait for room are woken up by `stopped`. */
void ilpi_crew_close(struct ilpi_crew *crew)
{
    if (!crew) {
        return;
    }
    ilpi_mutex_lock(&crew->mutex);
    crew->stopped = true;
    ilpi_event_announce(&crew->room);
    ilpi_mutex_unlock(&crew->mutex);
    for (size_t i = 1; i <= crew->started; i++) {
        ilpi_thread_join(&crew->workers[i].thread);
    }
    close_locks(crew);
    close_memory(crew);
    ilpi_object_close(&crew->alloc, sizeof *crew);
}

/* ---- the caller's turn ---- */

/* Lets the caller's thread work on another block until its own is done. */
static void wait_for_block(struct ilpi_crew *crew)
{
    struct worker *worker = &crew->workers[0];
    if (can_take(crew) && worker->builder.inspection) {
        work_on(crew, &worker->builder);
    } else if (can_take(crew) && !worker->failed) {
        ilpi_mutex_unlock(&crew->mutex);
        worker->failed = !open_builder(worker);
        ilpi_mutex_lock(&crew->mutex);
    } else {
        ilpi_event_wait(&crew->done, &crew->mutex);
    }
}

/* Publishes the tokens made until now, gives the last block back to the ring, and waits for the
 * next one. Block NULL: no thread has taken it, and the caller does its methods directly. */
bool ilpi_crew_next(struct ilpi_crew *crew, struct ilpi_turn *turn)
{
    ilpi_mutex_lock(&crew->mutex);
    memcpy(crew->made, crew->inspection->rewriter->module.made, crew->made_size);
    crew->given = crew->next;
    ilpi_event_announce(&crew->room);
    bool more = crew->next < crew->block_count;
    struct ilpi_block *block = NULL;
    if (more && crew->taken > crew->next) {
        block = block_at(crew, crew->next);
        while (!block->done) {
            wait_for_block(crew);
        }
    } else if (more) {
        crew->taken++; /* no thread has taken it: the caller does it now */
    }
    *turn = (struct ilpi_turn){first_of(crew, crew->next), first_of(crew, crew->next + more),
                               block};
    crew->next += more;
    ilpi_mutex_unlock(&crew->mutex);
    return more;
}
