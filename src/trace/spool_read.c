/* Reads chunks into processes, threads and methods. See spool_read.h.
 *
 *   scan      complete chunks in the order of the file; those of thread 0 are read, since they
 *             define what the others refer to. Of a growing chunk, a copy of its records until now
 *   arrange   sorted by process, thread and sequence. Of two with one number the second is left
 *             out: a growing one, if the process ended before its room was emptied
 *
 * After a damaged chunk the next magic is searched for, since its size may be wrong; after so many
 * of them that the file must be crafted, chunks with a wrong check are skipped by their size. So
 * the work is bounded for any input. */
#include "trace/spool_read.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"

#define MAX_SEARCHES 1000u

struct ilpi_spool_chunk {
    const uint8_t *head; /* in the file, or a copy */
    uint64_t offset;
    uint32_t size;    /* including its head */
    uint32_t process; /* index */
    uint32_t thread;
    uint32_t sequence;
};

#define NO_PROCESS UINT32_MAX

static void note_damage(struct ilpi_spool_file *file, const struct ilp_error *error)
{
    if (file->damaged++ == 0) {
        file->damage = *error;
    }
}

static void note(struct ilpi_spool_file *file, uint64_t offset, const char *what)
{
    struct ilp_error error;
    ilpi_fail(&error, ILP_E_BAD_SPOOL, offset, 0, "%s", what);
    note_damage(file, &error);
}

/* ---- records ---- */

/* LEB128: seven bits in each byte, the lowest first; bit 7 is set if more follow. The tenth byte
 * has only one bit left. */
static uint64_t read_number(struct ilpi_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = ilpi_read_u8(cursor);
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
    ilpi_cursor_fail(cursor, ILP_E_BAD_SPOOL, "a number has more than 64 bits");
    return 0;
}

static struct ilp_bytes read_text(struct ilpi_cursor *cursor)
{
    uint64_t size = read_number(cursor);
    return ilpi_read_bytes(cursor, size <= ILPI_SPOOL_TEXT ? (size_t)size : SIZE_MAX);
}

/* Resolves a VALUE_AGAIN to a VALUE. What it refers to precedes it in the chunk. */
static void read_value_again(struct ilpi_cursor *cursor, const uint8_t *code, uint64_t back,
                             struct ilpi_spool_record *record)
{
    if (back > (size_t)(code - cursor->start)) {
        ilpi_cursor_fail(cursor, ILP_E_BAD_SPOOL, "a value's offset is before the chunk");
        return;
    }
    struct ilpi_cursor value = *cursor;
    value.at = code - back;
    value.end = code;
    record->kind = SPOOL_VALUE;
    record->numbers[FIELD_METHOD] = read_number(&value);
    record->texts[FIELD_TEXT] = read_text(&value);
    if (value.status != ILP_OK) {
        cursor->status = value.status;
        cursor->at = cursor->end;
    }
}

/* The next record of a chunk; false at its end, or after an error of the cursor. */
static bool read_record(struct ilpi_cursor *cursor, uint64_t *time,
                        struct ilpi_spool_record *record)
{
    if (ilpi_cursor_left(cursor) == 0) {
        return false;
    }
    const uint8_t *begin = cursor->at;
    uint8_t code = ilpi_read_u8(cursor);
    if (code >= SPOOL_KIND_COUNT || ilpi_spool_fields[code][0] == FIELD_NONE) {
        ilpi_cursor_fail(cursor, ILP_E_BAD_SPOOL, "a kind of record that is not known");
        return false;
    }
    record->kind = (enum ilpi_spool_kind)code;
    uint64_t number = 0;
    for (const uint8_t *field = ilpi_spool_fields[code]; *field != FIELD_NONE; field++) {
        if (ilpi_spool_codings[*field] == CODING_TEXT) {
            record->texts[*field] = read_text(cursor);
            continue;
        }
        number = read_number(cursor);
        if (ilpi_spool_codings[*field] == CODING_TIME) {
            *time = number <= UINT64_MAX - *time ? *time + number : UINT64_MAX;
        } else {
            record->numbers[*field] = number;
        }
    }
    record->time = *time;
    if (code == SPOOL_VALUE_AGAIN) {
        read_value_again(cursor, begin, number, record); /* its last field */
    }
    return cursor->status == ILP_OK;
}

static struct ilpi_cursor cursor_over(const struct ilpi_spool_chunk *chunk, struct ilp_error *error)
{
    struct ilp_bytes records = {chunk->head + ILPI_CHUNK_HEAD, chunk->size - ILPI_CHUNK_HEAD};
    struct ilpi_cursor cursor = ilpi_cursor_over(records, chunk->offset + ILPI_CHUNK_HEAD,
                                                 "a record of the spool", error);
    cursor.failure = ILP_E_BAD_SPOOL;
    return cursor;
}

/* ---- records of processes ---- */

/* Whether there may be more than `count`. */
static bool has_room(const struct ilpi_spool_file *file, size_t count, size_t always, size_t bytes)
{
    return count < always + file->bytes.size / bytes;
}

/* `has_room` compares with the file's size: a small file cannot have many methods, so memory is
 * bounded by what was read. */
static ilp_status add_method(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                             const struct ilpi_spool_record *record, struct ilp_error *error)
{
    if (!has_room(file, file->method_count, ILPI_MAX_METHODS, ILPI_BYTES_OF_METHOD)) {
        note(file, (uint64_t)(record->texts[FIELD_MODULE].data - file->bytes.data),
             "there are more methods than a spool of this size has");
        return ILP_OK;
    }
    file->method_count++;
    struct ilpi_traced_method method = {
        .id = record->numbers[FIELD_METHOD],
        .module = record->texts[FIELD_MODULE],
        .type = record->texts[FIELD_TYPE],
        .name = record->texts[FIELD_NAME],
        .signature = record->texts[FIELD_SIGNATURE],
        .definition = process->methods.count,
    };
    return ILPI_LIST_ADD(&file->alloc, &process->methods, method, error);
}

static ilp_status add_process(struct ilpi_spool_file *file, uint32_t number, uint64_t time,
                              struct ilp_error *error)
{
    struct ilpi_traced_process process = {.number = number, .start = time};
    return ILPI_LIST_ADD(&file->alloc, &file->processes, process, error);
}

/* Records that describe the process: they are in chunks of thread 0. */
static ilp_status take_record(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                              const struct ilpi_spool_record *record, struct ilp_error *error)
{
    switch (record->kind) {
    case SPOOL_HEAD:
        process->has_head = true;
        process->wall = record->numbers[FIELD_WALL];
        process->command = record->texts[FIELD_COMMAND];
        process->runtime = record->texts[FIELD_RUNTIME];
        process->start = record->time; /* `wall` was taken at this moment */
        return ILP_OK;
    case SPOOL_COST:
        process->pair = record->numbers[FIELD_PAIR];
        process->inside = record->numbers[FIELD_INSIDE];
        return ILP_OK;
    case SPOOL_BRIEF_COST: process->brief = record->numbers[FIELD_PAIR]; return ILP_OK;
    case SPOOL_PATH:
        process->path = record->texts[FIELD_TEXT];
        process->reason = record->texts[FIELD_REASON];
        return ILP_OK;
    case SPOOL_UNTIMED: process->untimed = true; return ILP_OK;
    case SPOOL_METHOD: return add_method(file, process, record, error);
    case SPOOL_SWITCH: process->switches++; return ILP_OK;
    case SPOOL_END: process->ended = true; return ILP_OK;
    default: return ILP_OK;
    }
}

/* The system may reuse a process number: a HEAD begins the new process. */
static bool begins_process(const struct ilpi_spool_chunk *chunk)
{
    return chunk->thread == 0 && chunk->size > ILPI_CHUNK_HEAD &&
           chunk->head[ILPI_CHUNK_HEAD] == SPOOL_HEAD;
}

/* The process that currently has the chunk's number; NO_PROCESS: there are too many. `numbers` maps
 * it to the process's index, plus one. */
static ilp_status find_process(struct ilpi_spool_file *file, struct ilpi_map *numbers,
                               struct ilpi_spool_chunk *chunk, struct ilp_error *error)
{
    const struct ilpi_traced_process *processes = file->processes.items;
    uint32_t number = ilpi_load_u32(chunk->head + CHUNK_PROCESS);
    uint64_t time = ilpi_load_u64(chunk->head + CHUNK_TIME);
    uint64_t hash = ilpi_hash_number(number);
    struct ilpi_map_search search = ilpi_map_find(numbers, hash);
    uint32_t found = ilpi_map_next(&search);
    while (found != 0 && processes[found - 1].number != number) {
        found = ilpi_map_next(&search);
    }
    chunk->process = found - 1;
    if (found != 0 && !(begins_process(chunk) && processes[chunk->process].has_head)) {
        return ILP_OK;
    }
    if (!has_room(file, file->processes.count, ILPI_MAX_PROCESSES, ILPI_BYTES_OF_PROCESS)) {
        note(file, chunk->offset, "there are more processes than a spool of this size has");
        chunk->process = NO_PROCESS;
        return ILP_OK;
    }
    ILPI_TRY(add_process(file, number, time, error));
    chunk->process = (uint32_t)file->processes.count - 1;
    if (found != 0) {
        ilpi_map_replace(numbers, &search, chunk->process + 1);
        return ILP_OK;
    }
    return ilpi_map_add(numbers, &file->alloc, hash, chunk->process + 1, error);
}

/* Thread 0's chunks are read now, since they define methods and the start; the others are only
 * sorted, and read for each thread later. */
static ilp_status take_chunk(struct ilpi_spool_file *file, struct ilpi_map *numbers,
                             struct ilpi_spool_chunk *chunk, struct ilp_error *error)
{
    ILPI_TRY(find_process(file, numbers, chunk, error));
    if (chunk->process == NO_PROCESS) {
        return ILP_OK;
    }
    uint64_t time = ilpi_load_u64(chunk->head + CHUNK_TIME);
    struct ilpi_traced_process *process = &file->processes.items[chunk->process];
    if (chunk->thread != 0) {
        process->start = !process->has_head && time < process->start ? time : process->start;
        return ILP_OK;
    }
    struct ilp_error damage;
    struct ilpi_cursor cursor = cursor_over(chunk, &damage);
    struct ilpi_spool_record record;
    while (read_record(&cursor, &time, &record)) {
        ILPI_TRY(take_record(file, process, &record, error));
    }
    if (cursor.status != ILP_OK) {
        note_damage(file, &damage);
    }
    return ILP_OK;
}

/* ---- scan ---- */

static bool is_grown(const struct ilpi_spool_chunk *chunk)
{
    return ilpi_load_u32(chunk->head + CHUNK_MAGIC) == ILPI_GROWING_MAGIC;
}

/* Whether there may be a chunk at `offset`; then *size is its stated size, and *grows whether that
 * is the size of its room. A growing one may be cut off at the end of the file. */
static bool chunk_at(const struct ilpi_spool_file *file, size_t offset, size_t *size, bool *grows)
{
    size_t left = file->bytes.size - offset;
    const uint8_t *head = file->bytes.data + offset;
    uint32_t magic = left < ILPI_CHUNK_HEAD ? 0 : ilpi_load_u32(head + CHUNK_MAGIC);
    if (magic != ILPI_SPOOL_MAGIC && magic != ILPI_GROWING_MAGIC) {
        return false;
    }
    uint32_t records = ilpi_load_u32(head + CHUNK_SIZE);
    *size = (size_t)records + ILPI_CHUNK_HEAD;
    *grows = magic == ILPI_GROWING_MAGIC;
    return records <= ILPI_CHUNK_SIZE - ILPI_CHUNK_HEAD && (*grows || *size <= left);
}

/* To find the next chunk after damage. Both magics differ in the last byte only. */
static size_t find_magic(const struct ilpi_spool_file *file, size_t offset)
{
    static const uint8_t magic[3] = {ILPI_SPOOL_MAGIC & 0xFF, ILPI_SPOOL_MAGIC >> 8 & 0xFF,
                                     ILPI_SPOOL_MAGIC >> 16 & 0xFF};
    const uint8_t *end = file->bytes.data + file->bytes.size;
    const uint8_t *at = file->bytes.data + offset;
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof magic)) != NULL) {
        if (end - at > 3 &&
            (at[3] == ILPI_SPOOL_MAGIC >> 24 || at[3] == ILPI_GROWING_MAGIC >> 24)) {
            return (size_t)(at - file->bytes.data);
        }
        at++;
    }
    return file->bytes.size;
}

/* Pages of zeroes are usual: a room that a thread did not fill, or a file that was extended before
 * the program ended. */
static size_t count_zeroes(const struct ilpi_spool_file *file, size_t offset)
{
    static const uint8_t zeroes[256];
    const uint8_t *from = file->bytes.data + offset;
    const uint8_t *end = file->bytes.data + file->bytes.size;
    const uint8_t *at = from;
    while ((size_t)(end - at) >= sizeof zeroes && memcmp(at, zeroes, sizeof zeroes) == 0) {
        at += sizeof zeroes;
    }
    while (at < end && *at == 0) {
        at++;
    }
    return (size_t)(at - from);
}

/* The size of a growing chunk's records: up to a zero code, or to the last complete one. A code is
 * written after all that follows it, so the record that is being written still has code 0; `whole`
 * is after the last complete record. */
static uint32_t measure_grown(const struct ilpi_spool_chunk *room, struct ilp_error *damage,
                              bool *damaged)
{
    struct ilpi_cursor cursor = cursor_over(room, damage);
    struct ilpi_spool_record record;
    uint64_t time = 0;
    const uint8_t *whole = cursor.at;
    while (ilpi_cursor_left(&cursor) != 0 && __atomic_load_n(cursor.at, __ATOMIC_ACQUIRE) != 0 &&
           read_record(&cursor, &time, &record)) {
        whole = cursor.at;
    }
    *damaged = cursor.status != ILP_OK;
    return (uint32_t)(whole - room->head);
}

/* A chunk without a thread has been read already (process data), or belongs to no process that is
 * known. */
static ilp_status add_chunk(struct ilpi_spool_file *file, struct ilpi_map *numbers,
                            struct ilpi_spool_chunk chunk, struct ilp_error *error)
{
    chunk.thread = ilpi_load_u32(chunk.head + CHUNK_THREAD);
    chunk.sequence = ilpi_load_u32(chunk.head + CHUNK_SEQUENCE);
    file->scanned++;
    ILPI_TRY(take_chunk(file, numbers, &chunk, error));
    if (chunk.thread == 0 || chunk.process == NO_PROCESS) {
        return ILP_OK; /* it was read already, or cannot be */
    }
    if (!has_room(file, file->chunks.count, ILPI_MAX_CHUNKS, ILPI_BYTES_OF_CHUNK)) {
        note(file, chunk.offset, "there are more chunks than a spool of this size has");
        return ILP_OK;
    }
    return ILPI_LIST_ADD(&file->alloc, &file->chunks, chunk, error);
}

/* Adds a copy of its records; nothing if it has none yet, or if its head has changed afterwards:
 * then its thread has begun another chunk, and this one is elsewhere in the file. *size is its
 * room. */
static ilp_status add_grown(struct ilpi_spool_file *file, struct ilpi_map *numbers, size_t offset,
                            size_t *size, struct ilp_error *error)
{
    const uint8_t *room = file->bytes.data + offset;
    struct ilpi_spool_chunk chunk = {.head = room, .offset = offset};
    struct ilp_error damage;
    uint8_t head[ILPI_CHUNK_HEAD];
    bool damaged;
    size_t left = file->bytes.size - offset;
    if (*size > left) {
        note(file, offset, "the chunk of a spool that is here was cut off");
        *size = left;
    }
    memcpy(head, room, sizeof head);
    atomic_thread_fence(memory_order_acquire);
    chunk.size = (uint32_t)*size;
    chunk.size = measure_grown(&chunk, &damage, &damaged);
    bool empty = chunk.size == ILPI_CHUNK_HEAD;
    chunk.head = empty ? head : ilpi_arena_copy(&file->copies, room, chunk.size);
    if (!chunk.head) {
        return ilpi_fail_memory(error, chunk.size);
    }
    atomic_thread_fence(memory_order_acquire);
    bool emptied = !empty && chunk.head[ILPI_CHUNK_HEAD] == 0; /* between measuring and copying */
    if (emptied || memcmp(head, room, sizeof head) != 0) {
        return ILP_OK;
    }
    if (damaged) {
        note_damage(file, &damage);
    }
    return empty ? ILP_OK : add_chunk(file, numbers, chunk, error);
}

static bool is_sound(const struct ilpi_spool_file *file, size_t offset, size_t size)
{
    const uint8_t *chunk = file->bytes.data + offset;
    return ilpi_load_u32(chunk + CHUNK_CHECK) == ilpi_chunk_check(chunk, size);
}

static bool has_head(const struct ilpi_spool_file *file)
{
    return file->bytes.size >= ILPI_HEAD_SIZE && ilpi_load_u64(file->bytes.data) == ILPI_HEAD_MAGIC;
}

/* Whether the chunk, of which a part is here, was found in its room, which is emptied only after
 * the whole chunk is written. */
static bool is_in_room(const struct ilpi_spool_file *file, size_t offset)
{
    const uint8_t *head = file->bytes.data + offset;
    bool is_long_enough = file->bytes.size - offset >= ILPI_CHUNK_HEAD;
    for (size_t i = 0; i < file->chunks.count && is_long_enough; i++) {
        const uint8_t *other = file->chunks.items[i].head;
        if (is_grown(&file->chunks.items[i]) && memcmp(head + CHUNK_PROCESS, other + CHUNK_PROCESS,
                                                       ILPI_CHUNK_HEAD - CHUNK_PROCESS) == 0) {
            return true;
        }
    }
    return false;
}

/* `broken` bounds the searches for a magic: each may read to the end of the file. */
static ilp_status scan(struct ilpi_spool_file *file, struct ilpi_map *numbers,
                       struct ilp_error *error)
{
    size_t size, broken = 0;
    for (size_t at = has_head(file) ? ILPI_HEAD_SIZE : 0; at < file->bytes.size; at += size) {
        bool grows = false;
        bool there = file->bytes.data[at] != 0 && chunk_at(file, at, &size, &grows);
        if (file->bytes.data[at] == 0) {
            size = count_zeroes(file, at);
        } else if (there && grows) {
            ILPI_TRY(add_grown(file, numbers, at, &size, error));
        } else if (!there || !is_sound(file, at, size)) {
            bool searched = ++broken <= MAX_SEARCHES;
            if (!searched || !is_in_room(file, at)) {
                note(file, at,
                     there ? "the chunk of a spool that is here has been changed since it was "
                             "written"
                           : "no whole chunk of a spool is here; the process may have been killed "
                             "while it was written");
            }
            size = searched || !there ? find_magic(file, at + 1) - at : size;
        } else {
            const struct ilpi_spool_chunk chunk = {
                .head = file->bytes.data + at, .offset = at, .size = (uint32_t)size};
            ILPI_TRY(add_chunk(file, numbers, chunk, error));
        }
    }
    return ILP_OK;
}

/* ---- arrange ---- */

static int compare_number(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* Of one number, the complete chunk comes first. */
static int compare_chunks(const void *left, const void *right)
{
    const struct ilpi_spool_chunk *a = left;
    const struct ilpi_spool_chunk *b = right;
    int order = compare_number(a->process, b->process);
    order = order != 0 ? order : compare_number(a->thread, b->thread);
    order = order != 0 ? order : compare_number(a->sequence, b->sequence);
    order = order != 0 ? order : is_grown(a) - is_grown(b);
    return order != 0 ? order : compare_number(a->offset, b->offset);
}

static int compare_methods(const void *left, const void *right)
{
    const struct ilpi_traced_method *a = left;
    const struct ilpi_traced_method *b = right;
    int order = compare_number(a->id, b->id);
    return order != 0 ? order : compare_number(a->definition, b->definition);
}

/* Sorted by id, the first definition of each: a method may be defined again after its thread lost
 * records. */
static void arrange_methods(struct ilpi_traced_process *process)
{
    if (process->methods.count == 0) {
        return;
    }
    qsort(process->methods.items, process->methods.count, sizeof *process->methods.items,
          compare_methods);
    size_t kept = 1;
    for (size_t i = 1; i < process->methods.count; i++) {
        if (process->methods.items[i].id != process->methods.items[kept - 1].id) {
            process->methods.items[kept++] = process->methods.items[i];
        }
    }
    process->methods.count = kept;
}

/* Assigns a chunk to its thread, or begins the next one. Sequence numbers of a thread count from 0
 * without gaps, so a jump is the number of chunks that are missing. */
static ilp_status place_chunk(struct ilpi_spool_file *file, size_t at, struct ilp_error *error)
{
    const struct ilpi_spool_chunk *chunk = &file->chunks.items[at];
    struct ilpi_traced_process *process = &file->processes.items[chunk->process];
    size_t count = process->threads.count;
    if (count == 0 || process->threads.items[count - 1].number != chunk->thread) {
        struct ilpi_traced_thread next = {.number = chunk->thread, .chunk = at};
        ILPI_TRY(ILPI_LIST_ADD(&file->alloc, &process->threads, next, error));
    }
    struct ilpi_traced_thread *thread = &process->threads.items[process->threads.count - 1];
    uint32_t expected = thread->chunk_count != 0 ? file->chunks.items[at - 1].sequence + 1 : 0;
    thread->missing += chunk->sequence - expected;
    thread->chunk_count++;
    return ILP_OK;
}

/* Sorted by process, thread and sequence number. A chunk may be there twice, as a growing one and
 * complete: the complete one is sorted first. */
static ilp_status arrange(struct ilpi_spool_file *file, struct ilp_error *error)
{
    size_t kept = 0;
    if (file->chunks.count != 0) {
        qsort(file->chunks.items, file->chunks.count, sizeof *file->chunks.items, compare_chunks);
    }
    for (size_t i = 0; i < file->chunks.count; i++) {
        struct ilpi_spool_chunk chunk = file->chunks.items[i];
        const struct ilpi_spool_chunk *before = kept != 0 ? &file->chunks.items[kept - 1] : NULL;
        if (before && before->process == chunk.process && before->thread == chunk.thread &&
            before->sequence == chunk.sequence) {
            if (!is_grown(&chunk)) {
                note(file, chunk.offset, "a chunk of this number is there already");
            }
            continue;
        }
        file->chunks.items[kept++] = chunk;
        ILPI_TRY(place_chunk(file, kept - 1, error));
    }
    file->chunks.count = kept;
    for (size_t i = 0; i < file->processes.count; i++) {
        arrange_methods(&file->processes.items[i]);
    }
    return ILP_OK;
}

/* ---- the interface ---- */

bool ilpi_spool_is_one(struct ilp_bytes bytes)
{
    const struct ilpi_spool_file file = {.bytes = bytes};
    size_t size;
    bool grows;
    return has_head(&file) || (bytes.size != 0 && chunk_at(&file, 0, &size, &grows));
}

/* Only a file without any chunk is refused. Damage is noted, and the rest is read. */
ilp_status ilpi_spool_open(struct ilpi_spool_file *file, struct ilp_bytes bytes,
                           const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct ilpi_map numbers = {.slots = NULL};
    *file = (struct ilpi_spool_file){.bytes = bytes};
    ilpi_alloc_init(&file->alloc, allocator);
    file->copies.alloc = &file->alloc;
    ilp_status status = scan(file, &numbers, error);
    ilpi_map_free(&numbers, &file->alloc);
    ILPI_TRY(status);
    if (file->scanned == 0) {
        return ilpi_fail(error, ILP_E_BAD_SPOOL, 0, 0,
                         "there is nothing of a spool in it; ilpatch trace --spool writes them");
    }
    return arrange(file, error);
}

void ilpi_spool_close(struct ilpi_spool_file *file)
{
    for (size_t i = 0; i < file->processes.count; i++) {
        struct ilpi_traced_process *process = &file->processes.items[i];
        ilpi_resize(&file->alloc, process->open,
                    process->open ? (process->methods.count + 1) * sizeof *process->open : 0, 0);
        ILPI_LIST_FREE(&file->alloc, &process->methods);
        ILPI_LIST_FREE(&file->alloc, &process->threads);
    }
    ILPI_LIST_FREE(&file->alloc, &file->processes);
    ILPI_LIST_FREE(&file->alloc, &file->chunks);
    ilpi_arena_free(&file->copies);
}

uint32_t ilpi_traced_method_index(const struct ilpi_traced_process *process, uint64_t id)
{
    size_t from = 0;
    size_t to = process->methods.count;
    /* ids are usually consecutive */
    if (to != 0 && id >= process->methods.items[0].id && id - process->methods.items[0].id < to &&
        process->methods.items[id - process->methods.items[0].id].id == id) {
        return (uint32_t)(id - process->methods.items[0].id);
    }
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (process->methods.items[middle].id < id) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool found = from < process->methods.count && process->methods.items[from].id == id;
    return (uint32_t)(found ? from : process->methods.count);
}

void ilpi_spool_walk_begin(struct ilpi_spool_walk *walk, struct ilpi_spool_file *file,
                           const struct ilpi_traced_thread *thread)
{
    *walk = (struct ilpi_spool_walk){
        .file = file, .chunk = thread->chunk, .end = thread->chunk + thread->chunk_count};
    walk->cursor = ilpi_cursor_over((struct ilp_bytes){NULL, 0}, 0, "", NULL);
}

/* The records of a thread, across its chunks. Time never goes back between chunks. */
bool ilpi_spool_walk_next(struct ilpi_spool_walk *walk, struct ilpi_spool_record *record)
{
    while (!read_record(&walk->cursor, &walk->time, record)) {
        if (walk->cursor.status != ILP_OK) {
            note_damage(walk->file, &walk->error);
        }
        if (walk->chunk == walk->end) {
            return false;
        }
        const struct ilpi_spool_chunk *chunk = &walk->file->chunks.items[walk->chunk++];
        uint64_t time = ilpi_load_u64(chunk->head + CHUNK_TIME);
        walk->time = time > walk->time ? time : walk->time;
        walk->cursor = cursor_over(chunk, &walk->error);
    }
    return true;
}

/* Damage is reported when all chunks are walked, not a second time here. */
uint64_t ilpi_traced_end(struct ilpi_spool_file *file, const struct ilpi_traced_process *process)
{
    uint64_t damaged = file->damaged;
    struct ilp_error damage = file->damage;
    uint64_t end = process->start;
    for (size_t i = 0; i < process->threads.count; i++) {
        const struct ilpi_traced_thread *thread = &process->threads.items[i];
        struct ilpi_traced_thread last = *thread;
        struct ilpi_spool_walk walk;
        struct ilpi_spool_record record;
        last.chunk += thread->chunk_count - 1;
        last.chunk_count = 1;
        ilpi_spool_walk_begin(&walk, file, &last);
        while (ilpi_spool_walk_next(&walk, &record)) {
        }
        end = walk.time > end ? walk.time : end;
    }
    file->damaged = damaged;
    file->damage = damage;
    return end;
}
