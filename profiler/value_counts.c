/* Counts values per method: an array of counters for each thread, by the number of the method. See
 * value_counts.h. Methods of equal names (a module that was loaded again) have one number.
 *
 *   number 0              "(other methods)": those without a number, and without a counter
 *   a thread's counts     chunks[number / COUNTS_IN_CHUNK][number % COUNTS_IN_CHUNK]
 *   a thread ends         its counts are added to the list's
 *   a reader's counts     (list + threads that run) now - the same when it began
 *
 * Counters never go back to 0, so any number of readers may begin and end at different times. */
#include "profiler/value_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/list.h"
#include "base/map.h"
#include "profiler/output.h"
#include "profiler/shown_line.h"
#include "host/deadline.h"
#include "host/process.h"
#include "host/schemas.h"
#include "host/tool.h"

/* A counted method. Its name outlives its module, which may be unloaded. */
struct counted {
    const char *name; /* owned by the list */
    ilp_token token;
    uint64_t count; /* of ended threads; in a copy of the list, of all */
};

static struct {
    atomic_bool open;
    bool json;
    struct counted *methods; /* by number; the list changes under the lock of `threads` */
    uint32_t method_count;
    uint32_t method_room;
    struct ilpi_map numbers; /* by name and token; under the profiler's lock */
} counted;

/* Its lock also protects the counts. */
static struct thread_list threads = THREAD_LIST_EMPTY;

bool value_counts_are_open(void)
{
    return atomic_load_explicit(&counted.open, memory_order_relaxed);
}

void value_counts_open(bool json)
{
    counted.json = json;
    atomic_store(&counted.open, true);
}

/* ---- methods ---- */

enum {
    LONGEST_SEARCH = 64
}; /* the limit, since names may be made to collide: such methods are
                                 listed twice */

static bool has_room(void)
{
    if (counted.method_count < counted.method_room) {
        return true;
    }
    uint32_t room = counted.method_room != 0 ? 2 * counted.method_room : COUNTS_IN_CHUNK;
    struct counted *methods = grow_items(counted.methods, room, sizeof *methods);
    if (methods) {
        counted.methods = methods;
        counted.method_room = room;
    }
    return methods != NULL;
}

/* May move the list, to which ending threads add. */
static bool add_method(struct counted method)
{
    pthread_mutex_lock(&threads.lock);
    bool room = method.name && has_room();
    if (room) {
        counted.methods[counted.method_count++] = method;
    }
    pthread_mutex_unlock(&threads.lock);
    return room;
}

/* The existing number of a method: another watch has counted it, or another copy of its module. */
static uint32_t find_method(uint64_t hash, ilp_token token, const char *name, size_t size)
{
    struct ilpi_map_search search = ilpi_map_find(&counted.numbers, hash);
    for (uint32_t number; (number = ilpi_map_next(&search)) != 0;) {
        const struct counted *method = &counted.methods[number];
        if (method->token == token && strncmp(method->name, name, size) == 0 &&
            method->name[size] == '\0') {
            return number;
        }
    }
    return 0;
}

/* Two numbers for one method, as when the map has no room, only split its count. */
static uint32_t new_method(uint64_t hash, ilp_token token, const char *name, size_t size)
{
    struct ilpi_alloc alloc;
    struct ilp_error error;
    uint32_t number = counted.method_count;
    ilpi_alloc_init(&alloc, NULL);
    char *copy = number < COUNTS_IN_CHUNK * COUNT_CHUNKS ? copy_part(name, size) : NULL;
    if (!add_method((struct counted){copy, token, 0})) {
        free(copy);
        return 0;
    }
    counted.numbers.limit = LONGEST_SEARCH;
    /* otherwise it is just not found */
    (void)ilpi_map_add(&counted.numbers, &alloc, hash, number, &error);
    return number;
}

uint32_t value_counts_method(ilp_token method, const char *name, size_t size)
{
    if (!value_counts_are_open()) {
        return 0;
    }
    if (counted.method_count == 0 &&
        !add_method((struct counted){copy_text("(other methods)"), 0, 0})) {
        return 0;
    }
    uint64_t hash = XXH3_64bits_withSeed(name, size, method);
    uint32_t number = find_method(hash, method, name, size);
    return number != 0 ? number : new_method(hash, method, name, size);
}

/* ---- threads ---- */

static _Atomic uint64_t uncounted; /* there was no memory for a counter */

/* In a call of a method, for the first value of a chunk. The chunk is stored when it is complete:
 * readers see all of it or none. */
void value_counts_add_first(struct value_counts *counts, uint32_t method)
{
    _Atomic uint64_t *chunk = calloc(COUNTS_IN_CHUNK, sizeof *chunk);
    if (!chunk) {
        atomic_fetch_add(&uncounted, 1);
        return;
    }
    atomic_store_explicit(&chunk[method % COUNTS_IN_CHUNK], 1, memory_order_relaxed);
    atomic_store(&counts->chunks[method / COUNTS_IN_CHUNK], chunk);
    thread_list_add(&threads, &counts->listed);
}

static void add_to(struct counted *methods, uint32_t count, const struct value_counts *counts)
{
    for (uint32_t i = 0; i < count; i++) {
        _Atomic uint64_t *chunk = atomic_load(&counts->chunks[i / COUNTS_IN_CHUNK]);
        if (!chunk) {
            i |= COUNTS_IN_CHUNK - 1; /* skip to the next one */
        } else {
            methods[i].count += counted_so_far(&chunk[i % COUNTS_IN_CHUNK]);
        }
    }
}

static void add_up(struct listed_thread *thread)
{
    add_to(counted.methods, counted.method_count, (const struct value_counts *)thread);
}

/* After thread_list_end() no reader has the thread, so its chunks can be freed. */
void value_counts_end_thread(struct value_counts *counts)
{
    thread_list_end(&threads, &counts->listed, add_up);
    for (unsigned i = 0; i < COUNT_CHUNKS; i++) {
        free((void *)atomic_load(&counts->chunks[i]));
        atomic_store(&counts->chunks[i], NULL);
    }
}

/* ---- readers ---- */

/* Per sink; the first is for no sink. */
static struct {
    uint64_t *before; /* what each method had when the reader began; owned */
    uint32_t before_count;
    atomic_bool waits; /* waits for its lines */
} readers[1 + OUTPUT_SINKS];

static uint32_t count_methods(void)
{
    pthread_mutex_lock(&threads.lock);
    uint32_t count = counted.method_count;
    pthread_mutex_unlock(&threads.lock);
    return count;
}

/* A copy of the list with the counts of all threads; owned by the caller. NULL: no memory. */
static struct counted *sum_methods(uint32_t *count)
{
    *count = count_methods(); /* it never shrinks */
    struct counted *methods = new_items(*count + 1, sizeof *methods);
    if (!methods) {
        return NULL;
    }
    pthread_mutex_lock(&threads.lock);
    for (uint32_t i = 0; i < *count; i++) {
        methods[i] = counted.methods[i];
    }
    for (struct listed_thread *thread = threads.first; thread; thread = thread->next) {
        add_to(methods, *count, (const struct value_counts *)thread);
    }
    pthread_mutex_unlock(&threads.lock);
    if (*count != 0) {
        methods[0].count += atomic_load(&uncounted);
    }
    return methods;
}

/* The counts at the start of a reader; what it is given at its end is the difference. */
void value_counts_begin(int sink)
{
    uint32_t count;
    struct counted *methods = value_counts_are_open() ? sum_methods(&count) : NULL;
    uint64_t *before = methods ? new_items(count + 1, sizeof *before) : NULL;
    for (uint32_t i = 0; before && i < count; i++) {
        before[i] = methods[i].count;
    }
    free(methods);
    if (before) {
        free(readers[1 + sink].before);
        readers[1 + sink].before = before;
        readers[1 + sink].before_count = count;
        atomic_store(&readers[1 + sink].waits, true);
    }
}

void value_counts_close(void)
{
    atomic_store(&counted.open, false);
    for (int i = 0; i < 1 + OUTPUT_SINKS; i++) {
        atomic_store(&readers[i].waits, false);
    }
}

/* ---- the end ---- */

static int by_count(const void *left, const void *right)
{
    const struct counted *a = left;
    const struct counted *b = right;
    if (a->count != b->count) {
        return a->count < b->count ? 1 : -1;
    }
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->token > b->token) - (a->token < b->token);
}

enum { ROOM_PATIENCE_MS = 1000 };

/* Where lines go. A command reads them concurrently. */
struct count_reader {
    int sink;
    struct deadline until; /* after this time it is not waited for: it has stopped */
};

static void write_line(struct count_reader *reader, const char *line, size_t size)
{
    if (reader->sink < 0) {
        output_line(line, size);
    } else if (output_line_to(reader->sink, line, size, reader->until)) {
        reader->until = deadline_after(ROOM_PATIENCE_MS);
    }
}

static void write_text(struct count_reader *reader, const struct counted *method)
{
    char line[SHOWN_LINE_SIZE];
    int size = snprintf(line, sizeof line, "%12" PRIu64 "  %s\n", method->count, method->name);
    write_line(reader, line, (size_t)size);
}

static void write_json(struct count_reader *reader, const struct counted *method)
{
    struct ilpi_json_text text;
    ilpi_json_text_open(&text, ILPI_JSON_COMPACT);
    schema_object(&text.json, SCHEMA_COUNT, ILPI_JSON_INLINE);
    ilpi_json_unsigned(&text.json, "process", (uint64_t)process_own());
    ilpi_json_string(&text.json, "method", method->name);
    if (method->token != 0) {
        ilpi_json_token(&text.json, "token", method->token);
    }
    ilpi_json_unsigned(&text.json, "count", method->count);
    ilpi_json_end(&text.json);
    if (ilpi_json_finish(&text.json) == ILP_OK) {
        struct ilp_bytes bytes = ilpi_json_text_bytes(&text);
        write_line(reader, (const char *)bytes.data, bytes.size);
    } else {
        memory_failed();
    }
    ilpi_json_text_close(&text);
}

/* What was counted before the reader came is subtracted. Greatest first. */
void value_counts_write(int sink)
{
    if (!atomic_exchange(&readers[1 + sink].waits, false)) {
        return;
    }
    uint32_t count;
    struct counted *methods = sum_methods(&count);
    uint64_t *before = readers[1 + sink].before;
    uint32_t before_count = readers[1 + sink].before_count;
    readers[1 + sink].before = NULL;
    for (uint32_t i = 0; methods && i < count && i < before_count; i++) {
        methods[i].count -= before[i];
    }
    free(before);
    if (methods) {
        qsort(methods, count, sizeof *methods, by_count);
    }
    struct count_reader reader = {sink, deadline_after(ROOM_PATIENCE_MS)};
    for (uint32_t i = 0; methods && i < count && methods[i].count != 0; i++) {
        (counted.json ? write_json : write_text)(&reader, &methods[i]);
    }
    free(methods);
}

void value_counts_write_all(void)
{
    for (int sink = -1; sink < OUTPUT_SINKS; sink++) {
        value_counts_write(sink);
    }
}
