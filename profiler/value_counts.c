/* See value_counts.h. */
#include "profiler/value_counts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/list.h"
#include "profiler/output.h"
#include "profiler/shown_line.h"
#include "host/process.h"
#include "host/tool.h"

/* A method that is counted. Its name outlives its module, which may be unloaded. */
struct counted {
    char *name; /* owned */
    ilp_token token;
    uint64_t count; /* of threads that have ended, and at the end of all */
};

static struct {
    atomic_bool open;
    bool json;
    struct counted *methods; /* by number; under the profiler's lock, but for what is counted */
    uint32_t method_count;
    uint32_t method_room;
} counted;

/* Its lock is that of what has been counted, too. */
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

/* Moves the list, which threads that end add to. */
static bool add_method(struct counted method)
{
    pthread_mutex_lock(&threads.lock);
    bool room = has_room();
    if (room) {
        counted.methods[counted.method_count++] = method;
    }
    pthread_mutex_unlock(&threads.lock);
    return room;
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
    uint32_t number = counted.method_count;
    char *copy = number < COUNTS_IN_CHUNK * COUNT_CHUNKS ? copy_part(name, size) : NULL;
    if (!copy || !add_method((struct counted){copy, method, 0})) {
        free(copy);
        return 0;
    }
    return number;
}

/* ---- threads ---- */

static _Atomic uint64_t uncounted; /* there was no memory for a counter */

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

static void add_up(struct listed_thread *listed)
{
    struct value_counts *counts = (struct value_counts *)listed;
    for (uint32_t i = 0; i < counted.method_count; i++) {
        _Atomic uint64_t *chunk = atomic_load(&counts->chunks[i / COUNTS_IN_CHUNK]);
        if (!chunk) {
            i |= COUNTS_IN_CHUNK - 1; /* to the next one */
        } else {
            counted.methods[i].count += counted_so_far(&chunk[i % COUNTS_IN_CHUNK]);
        }
    }
}

void value_counts_end_thread(struct value_counts *counts)
{
    thread_list_end(&threads, &counts->listed, add_up);
    for (unsigned i = 0; i < COUNT_CHUNKS; i++) {
        free((void *)atomic_load(&counts->chunks[i]));
        atomic_store(&counts->chunks[i], NULL);
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

static void write_text(const struct counted *method)
{
    char line[SHOWN_LINE_SIZE];
    int size = snprintf(line, sizeof line, "%12" PRIu64 "  %s\n", method->count, method->name);
    output_line(line, (size_t)size);
}

static void write_json(const struct counted *method)
{
    struct ilpi_json_text text;
    ilpi_json_text_open(&text, ILPI_JSON_COMPACT);
    ilpi_json_object(&text.json, NULL, ILPI_JSON_INLINE);
    ilpi_json_unsigned(&text.json, "process", (uint64_t)process_own());
    ilpi_json_string(&text.json, "method", method->name);
    if (method->token != 0) {
        ilpi_json_token(&text.json, "token", method->token);
    }
    ilpi_json_unsigned(&text.json, "count", method->count);
    ilpi_json_end(&text.json);
    if (ilpi_json_finish(&text.json) == ILP_OK) {
        struct ilp_bytes bytes = ilpi_json_text_bytes(&text);
        output_line((const char *)bytes.data, bytes.size);
    } else {
        memory_failed();
    }
    ilpi_json_text_close(&text);
}

void value_counts_write(void)
{
    if (!atomic_exchange(&counted.open, false) || counted.method_count == 0) {
        return;
    }
    thread_list_sum(&threads, add_up);
    counted.methods[0].count += atomic_exchange(&uncounted, 0);
    qsort(counted.methods, counted.method_count, sizeof *counted.methods, by_count);
    for (uint32_t i = 0; i < counted.method_count; i++) {
        if (counted.methods[i].count != 0) {
            (counted.json ? write_json : write_text)(&counted.methods[i]);
        }
        free(counted.methods[i].name);
    }
    free(counted.methods);
    counted.methods = NULL;
    counted.method_count = 0;
    counted.method_room = 0;
}
