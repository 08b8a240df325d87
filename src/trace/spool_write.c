/* Writes records into chunks. See spool_write.h.
 *
 * A chunk grows by complete records: `size` is stored with release order after each, so that a
 * thread closed from outside has only complete records. A record's code is written last, for
 * readers of a room. Until it is closed the thread owns its chunk; to write it out, a thread must
 * first win `state`:
 *
 *   OPEN -- the thread, chunk full --> WRITING --> OPEN
 *   OPEN -- another one, at the end --> CLOSED    (the thread never touches written bytes)
 *   OPEN -- the thread, at its end --> CLOSED
 *   CLOSED -- the next thread with this memory, when it has begun --> OPEN */
#include "trace/spool_write.h"

#include <string.h>

#include "trace/spool_chunk.h"
#include "trace/spool_record.h"
#include "trace/spool_repeat.h"
#include "trace/spool_rooms.h"

enum state { CLOSED, OPEN, WRITING }; /* zeroed memory belongs to no thread */

static const struct said nothing = {.number_count = 0};

/* ---- of the process ---- */

static bool chunk_write(const struct ilpi_spool *spool, uint8_t *chunk, size_t size)
{
    seal(chunk, chunk, size);
    return spool->sink.write(spool->sink.user, chunk, size) == ILP_OK;
}

void ilpi_spool_init(struct ilpi_spool *spool, struct ilp_sink sink,
                     const struct ilpi_spool_rooms *rooms, uint32_t process)
{
    *spool = (struct ilpi_spool){.sink = sink, .rooms = rooms, .process = process};
}

/* Writes one record as a chunk of its own. */
static void say(struct ilpi_spool *spool, enum ilpi_spool_kind kind, uint64_t time,
                const struct said *said)
{
    _Alignas(8)
        uint8_t chunk[ILPI_CHUNK_HEAD + 2 + ILPI_RECORD_FIELDS * NUMBER_SIZE + 4 * ILPI_SPOOL_TEXT];
    put_head(chunk, spool->process, 0, atomic_fetch_add(&spool->sequence, 1), time);
    uint8_t *end = put_fields(chunk + ILPI_CHUNK_HEAD, 0, said);
    put_code(chunk + ILPI_CHUNK_HEAD, kind, end);
    if (!chunk_write(spool, chunk, (size_t)(end - chunk))) {
        atomic_fetch_add(&spool->lost, 1);
    }
}

static struct ilp_bytes text_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, text ? strlen(text) : 0};
}

void ilpi_spool_head(struct ilpi_spool *spool, uint64_t time, uint64_t wall, const char *command,
                     const char *runtime)
{
    say(spool, SPOOL_HEAD, time,
        &(struct said){SAID_NUMBERS(1, wall), SAID_TEXTS(2, text_of(command), text_of(runtime))});
}

void ilpi_spool_cost(struct ilpi_spool *spool, uint64_t time, uint64_t pair, uint64_t inside)
{
    say(spool, SPOOL_COST, time, &(struct said){SAID_NUMBERS(2, pair, inside)});
}

void ilpi_spool_brief_cost(struct ilpi_spool *spool, uint64_t time, uint64_t pair)
{
    say(spool, SPOOL_BRIEF_COST, time, &(struct said){SAID_NUMBERS(1, pair)});
}

void ilpi_spool_path(struct ilpi_spool *spool, uint64_t time, const char *path, const char *reason)
{
    say(spool, SPOOL_PATH, time, &(struct said){SAID_TEXTS(2, text_of(path), text_of(reason))});
}

void ilpi_spool_untimed(struct ilpi_spool *spool, uint64_t time)
{
    say(spool, SPOOL_UNTIMED, time, &nothing);
}

void ilpi_spool_method(struct ilpi_spool *spool, uint64_t time, uint64_t id, const char *module,
                       const char *type, const char *name, const char *signature)
{
    say(spool, SPOOL_METHOD, time,
        &(struct said){SAID_NUMBERS(1, id), SAID_TEXTS(4, text_of(module), text_of(type),
                                                       text_of(name), text_of(signature))});
}

void ilpi_spool_switch(struct ilpi_spool *spool, uint64_t time, bool on)
{
    say(spool, SPOOL_SWITCH, time, &(struct said){SAID_NUMBERS(1, on)});
}

void ilpi_spool_end(struct ilpi_spool *spool, uint64_t time)
{
    say(spool, SPOOL_END, time, &nothing);
}

/* ---- of a thread ---- */

static bool in_room(const struct ilpi_spool_thread *thread)
{
    return thread->chunk && thread->chunk != thread->own;
}

/* Without a room, the chunk has no space for any record. */
static void begin_chunk(struct ilpi_spool_thread *thread, uint64_t time)
{
    thread->chunk = thread->spool->rooms ? ilpi_spool_next_room(thread) : thread->own;
    if (thread->chunk) { /* in this order: a reader skips an empty chunk */
        put_state(thread->chunk, ILPI_GROWING_MAGIC, ILPI_CHUNK_SIZE);
        put_head(thread->chunk, thread->spool->process, thread->number, thread->sequence++, time);
        atomic_thread_fence(memory_order_release);
    }
    thread->limit = thread->chunk ? ILPI_CHUNK_SIZE : ILPI_CHUNK_HEAD;
    thread->short_limit = in_room(thread) ? ILPI_CHUNK_SIZE - ILPI_SHORT_ROOM : 0;
    thread->begun = time;
    thread->time = time;
    thread->records = 0;
    atomic_store_explicit(&thread->size, ILPI_CHUNK_HEAD, memory_order_release);
}

static void put(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind, uint64_t time,
                const struct said *said);

static void put_lost(struct ilpi_spool_thread *thread)
{
    put(thread, SPOOL_LOST, thread->time, &(struct said){SAID_NUMBERS(1, thread->lost)});
}

static void lose(struct ilpi_spool_thread *thread, uint64_t records)
{
    thread->lost += records;
    atomic_fetch_add(&thread->spool->lost, records);
}

/* Completes the chunk. In a room it stays until several are appended. */
static void end_chunk(struct ilpi_spool_thread *thread, uint32_t size)
{
    if (thread->spool->rooms) {
        ilpi_spool_fill_room(thread, size);
    } else if (!chunk_write(thread->spool, thread->own, size)) {
        lose(thread, thread->records);
        thread->sequence--;
    }
}

/* Whether the chunk has records, or it is time to try for a room again. */
static bool may_end(const struct ilpi_spool_thread *thread, uint32_t size, uint64_t time)
{
    return thread->chunk ? size != ILPI_CHUNK_HEAD
                         : time > thread->begun && time - thread->begun > ILPI_CHUNK_AGE;
}

/* Begins another chunk. Lost records are counted, and reported at the start of all later chunks.
 * Not inlined: it is rare, and find_place() is in the path of each call. */
static __attribute__((noinline)) void next_chunk(struct ilpi_spool_thread *thread, uint64_t time)
{
    int open = OPEN;
    uint32_t size = atomic_load_explicit(&thread->size, memory_order_relaxed);
    if (!may_end(thread, size, time) ||
        !atomic_compare_exchange_strong(&thread->state, &open, WRITING)) {
        return;
    }
    if (thread->chunk) {
        end_chunk(thread, size);
    }
    begin_chunk(thread, time);
    if (thread->chunk && thread->lost != 0) {
        put_lost(thread);
        thread->records = 0; /* losing that record does not count */
    }
    atomic_store(&thread->state, OPEN);
}

/* Space for a record of at most that size; NULL: none, and it is lost. The record is not counted
 * until end_record(), so a thread that is stopped here has written nothing. */
static ALWAYS_INLINE uint8_t *find_place(struct ilpi_spool_thread *thread, uint64_t time,
                                         size_t room)
{
    uint32_t size = atomic_load_explicit(&thread->size, memory_order_relaxed);
    bool old = !in_room(thread) && time > thread->begun && time - thread->begun > ILPI_CHUNK_AGE;
    if (old || !thread->chunk || room > thread->limit - size) {
        next_chunk(thread, time);
        size = atomic_load_explicit(&thread->size, memory_order_relaxed);
        if (!thread->chunk || room > thread->limit - size) { /* closed, or no space */
            lose(thread, 1);
            return NULL;
        }
    }
    return thread->chunk + size;
}

static ALWAYS_INLINE uint64_t pass_time(struct ilpi_spool_thread *thread, uint64_t time)
{
    uint64_t delta = time > thread->time ? time - thread->time : 0;
    thread->time += delta;
    return delta;
}

static ALWAYS_INLINE void end_record(struct ilpi_spool_thread *thread, uint8_t *code,
                                     enum ilpi_spool_kind kind, uint8_t *end)
{
    put_code(code, kind, end);
    thread->records++;
    atomic_store_explicit(&thread->size, (uint32_t)(end - thread->chunk), memory_order_release);
}

static ALWAYS_INLINE void put_at_once(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind,
                                      uint64_t time, const struct said *said)
{
    uint8_t *code = find_place(thread, time, record_room(said));
    if (code) {
        end_record(thread, code, kind, put_fields(code, pass_time(thread, time), said));
    }
}

/* The same for rare records. */
static void put(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind, uint64_t time,
                const struct said *said)
{
    put_at_once(thread, kind, time, said);
}

void ilpi_spool_thread_begin(struct ilpi_spool_thread *thread, struct ilpi_spool *spool,
                             uint32_t number, uint64_t time, uint64_t system_id)
{
    thread->spool = spool;
    thread->number = number;
    thread->sequence = 0;
    thread->lost = 0;
    thread->room_count = 0;
    thread->full = 0;
    begin_chunk(thread, time);
    put(thread, SPOOL_THREAD, time, &(struct said){SAID_NUMBERS(1, system_id)});
    atomic_store(&thread->state, OPEN);
}

void ilpi_spool_thread_name(struct ilpi_spool_thread *thread, uint64_t time, const char *name)
{
    put(thread, SPOOL_THREAD_NAME, time, &(struct said){SAID_TEXTS(1, text_of(name))});
}

/* With text, or in the short form. */
static ALWAYS_INLINE void put_with(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind,
                                   enum ilpi_spool_kind with, uint64_t time, uint64_t method,
                                   struct ilp_bytes text)
{
    if (text.data) {
        put_at_once(thread, with, time,
                    &(struct said){SAID_NUMBERS(1, method), SAID_TEXTS(1, text)});
    } else {
        put_at_once(thread, kind, time, &(struct said){SAID_NUMBERS(1, method)});
    }
}

void ilpi_spool_enter(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      struct ilp_bytes arguments)
{
    put_with(thread, SPOOL_ENTER, SPOOL_ENTER_WITH, time, method, arguments);
}

void ilpi_spool_leave(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      struct ilp_bytes value)
{
    put_with(thread, SPOOL_LEAVE, SPOOL_LEAVE_WITH, time, method, value);
}

void ilpi_spool_call(struct ilpi_spool_thread *thread, enum ilpi_spool_kind kind, uint64_t time,
                     uint64_t method)
{
    put(thread, kind, time, &(struct said){SAID_NUMBERS(1, method)});
}

void ilpi_spool_tailcall(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method)
{
    put(thread, SPOOL_TAILCALL, time, &(struct said){SAID_NUMBERS(1, method)});
}

void ilpi_spool_unwind(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method)
{
    put(thread, SPOOL_UNWIND, time, &(struct said){SAID_NUMBERS(1, method)});
}

void ilpi_spool_calls(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                      const struct ilpi_spool_counts *counts)
{
    put(thread, SPOOL_CALLS, time,
        &(struct said){SAID_NUMBERS(5, method, counts->calls, counts->tailcalls, counts->unwound,
                                    counts->open)});
}

/* The start of the text, after its size, which usually is one byte. */
static ALWAYS_INLINE uint8_t *begin_value(struct ilpi_spool_thread *thread,
                                          enum ilpi_spool_kind kind, uint64_t time,
                                          const struct said *said)
{
    uint8_t *code = find_place(thread, time, record_room(said) + NUMBER_SIZE + ILPI_SPOOL_TEXT);
    if (!code) {
        return NULL;
    }
    thread->begun_kind = kind;
    thread->begun_fields = put_number(code + 1, pass_time(thread, time));
    return put_said(thread->begun_fields, said) + 1;
}

uint8_t *ilpi_spool_begin_value(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                                bool thrown, struct ilp_bytes arguments)
{
    if (arguments.data) {
        return begin_value(thread, thrown ? SPOOL_THROWN_WITH : SPOOL_VALUE_WITH, time,
                           &(struct said){SAID_NUMBERS(1, method), SAID_TEXTS(1, arguments)});
    }
    return begin_value(thread, thrown ? SPOOL_THROWN : SPOOL_VALUE, time,
                       &(struct said){SAID_NUMBERS(1, method)});
}

/* A text below 128 bytes has a size of one byte, for which there is room before it; a longer one is
 * moved by one. */
void ilpi_spool_end_value(struct ilpi_spool_thread *thread, uint8_t *text, size_t size)
{
    uint32_t place = atomic_load_explicit(&thread->size, memory_order_relaxed);
    uint8_t *code = thread->chunk + place;
    if (size < 0x80) {
        text[-1] = (uint8_t)size;
    } else {
        memmove(text + 1, text, size);
        text = put_number(text - 1, size);
    }
    uint8_t *fields = thread->begun_fields;
    const uint8_t *before = thread->begun_kind == SPOOL_VALUE && size >= LEAST_REPEATED
                                ? repeat_find(thread, fields, text, size)
                                : NULL;
    if (before) {
        end_record(thread, code, SPOOL_VALUE_AGAIN, put_number(fields, (uint64_t)(code - before)));
    } else {
        end_record(thread, code, thread->begun_kind, text + size);
    }
}

void ilpi_spool_gap(struct ilpi_spool_thread *thread, uint64_t time)
{
    put(thread, SPOOL_GAP, time, &nothing);
}

void ilpi_spool_lost(struct ilpi_spool_thread *thread, uint64_t count)
{
    lose(thread, count);
    put_lost(thread);
}

void ilpi_spool_flush(struct ilpi_spool_thread *thread)
{
    next_chunk(thread, thread->time);
}

/* The chunk stays as it is if another thread has closed it meanwhile. */
void ilpi_spool_thread_end(struct ilpi_spool_thread *thread, uint64_t time)
{
    int open = OPEN;
    put(thread, SPOOL_THREAD_END, time, &nothing);
    uint32_t size = atomic_load_explicit(&thread->size, memory_order_relaxed);
    if (!atomic_compare_exchange_strong(&thread->state, &open, WRITING)) {
        return;
    }
    if (thread->chunk && size != ILPI_CHUNK_HEAD) {
        end_chunk(thread, size);
    }
    if (thread->spool->rooms) {
        ilpi_spool_give_rooms_back(thread);
    }
    atomic_store(&thread->state, CLOSED);
}

void ilpi_spool_thread_continue(struct ilpi_spool_thread *heir,
                                const struct ilpi_spool_thread *closed)
{
    heir->spool = closed->spool;
    heir->number = closed->number;
    heir->sequence = closed->sequence;
    heir->lost = closed->lost;
    begin_chunk(heir, closed->time);
    atomic_store(&heir->state, OPEN);
}

/* Only one side wins `state`: the thread or the one that closes it; so the bytes are written
 * once. */
void ilpi_spool_thread_close(struct ilpi_spool_thread *thread)
{
    int open = OPEN;
    if (!atomic_compare_exchange_strong(&thread->state, &open, CLOSED)) {
        return; /* it is being written just now, or closed */
    }
    uint32_t size = atomic_load_explicit(&thread->size, memory_order_acquire);
    if (thread->chunk == thread->own && size > ILPI_CHUNK_HEAD &&
        !chunk_write(thread->spool, thread->chunk, size)) {
        atomic_fetch_add(&thread->spool->lost, 1);
    }
}

/* Without writing: the rooms keep their records, for whoever empties them. */
void ilpi_spool_thread_leave(struct ilpi_spool_thread *thread)
{
    const struct ilpi_spool_rooms *rooms = thread->spool ? thread->spool->rooms : NULL;
    atomic_store(&thread->state, CLOSED);
    for (unsigned i = 0; i < thread->room_count && rooms; i++) {
        rooms->leave(rooms->user, thread->rooms[i]);
    }
    thread->room_count = thread->full = 0;
    thread->chunk = NULL;
    thread->limit = ILPI_CHUNK_HEAD;
    thread->short_limit = 0;
}
