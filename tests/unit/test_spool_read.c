/* Spools are read as they were written, and as far as they are whole: cut off anywhere, changed
 * anywhere, mixed up. */
#include "spool_builder.h"

#include <pthread.h>

static const char events[] = "1 2 =2:42 2 t2 3 u3 g 1 -1";

static void opened(struct ilpi_spool_file *file, struct ilp_bytes bytes)
{
    struct ilp_error error;
    if (ilpi_spool_open(file, bytes, NULL, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
}

static void text_is(struct ilp_bytes text, const char *expected)
{
    same_bytes(text, text_bytes(expected));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const enum ilpi_spool_kind kinds[] = {
        SPOOL_THREAD, SPOOL_ENTER,  SPOOL_ENTER, SPOOL_LEAVE_WITH, SPOOL_ENTER, SPOOL_TAILCALL,
        SPOOL_ENTER,  SPOOL_UNWIND, SPOOL_GAP,   SPOOL_ENTER,      SPOOL_LEAVE, SPOOL_THREAD_END};
    struct ilpi_spool_file file;
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    struct ilp_bytes bytes = built_from(events);
    opened(&file, bytes);
    assert_int_equal(file.processes.count, 1);
    const struct ilpi_traced_process *process = &file.processes.items[0];
    assert_int_equal(process->number, 7);
    assert_int_equal(process->wall, 5000000);
    assert_int_equal(process->start, 1000);
    text_is(process->command, "dotnet App.dll");
    text_is(process->path, "fast");
    assert_true(process->ended);
    assert_int_equal(process->methods.count, 9);
    text_is(process->methods.items[ilpi_traced_method_index(process, 4)].name, "M4");
    assert_int_equal(ilpi_traced_method_index(process, 0), 9);
    assert_int_equal(ilpi_traced_method_index(process, UINT64_MAX), 9);
    assert_int_equal(process->threads.count, 1);
    ilpi_spool_walk_begin(&walk, &file, &process->threads.items[0]);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_true(ilpi_spool_walk_next(&walk, &record));
        assert_int_equal(record.kind, kinds[i]);
        assert_int_equal(record.time, 1000 + 10 * (i < COUNT(kinds) - 1 ? i : i - 1));
        if (record.kind == SPOOL_LEAVE_WITH) {
            text_is(record.texts[FIELD_TEXT], "42");
            assert_int_equal(record.numbers[FIELD_METHOD], 2);
        }
    }
    assert_false(ilpi_spool_walk_next(&walk, &record));
    assert_int_equal(file.damaged, 0);
    ilpi_spool_close(&file);
    drop(bytes);
}

/* The writer knows no table of fields, so each kind is read by the reader's, spool.def. */
static void each_kind_is_read_as_written(void **state)
{
    static const struct ilp_bytes none = {NULL, 0};
    struct built *built = built_begin();
    struct ilpi_spool_thread *thread = &built->thread;
    struct ilpi_spool_file file;
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    bool met[SPOOL_KIND_COUNT] = {false};
    (void)state;
    ilpi_spool_cost(&built->spool, 1000, 31, 17);
    ilpi_spool_brief_cost(&built->spool, 1000, 11);
    ilpi_spool_switch(&built->spool, 1000, true);
    ilpi_spool_untimed(&built->spool, 1000);
    ilpi_spool_thread_name(thread, 1010, "Main");
    ilpi_spool_enter(thread, 1020, 1, none);
    ilpi_spool_leave(thread, 1030, 1, none);
    ilpi_spool_enter(thread, 1040, 2, text_bytes("a"));
    ilpi_spool_leave(thread, 1050, 2, text_bytes("b"));
    ilpi_spool_enter(thread, 1060, 3, none);
    ilpi_spool_tailcall(thread, 1070, 3);
    ilpi_spool_enter(thread, 1080, 4, none);
    ilpi_spool_unwind(thread, 1090, 4);
    put_value(thread, 1100, 5, false, none, text_bytes("c"));
    put_value(thread, 1110, 6, false, text_bytes("d"), text_bytes("e"));
    put_value(thread, 1120, 7, true, none, text_bytes("f"));
    put_value(thread, 1130, 8, true, text_bytes("g"), text_bytes("h"));
    ilpi_spool_calls(thread, 1140, 9, &(struct ilpi_spool_counts){1000, 20, 30, 1});
    ilpi_spool_call(thread, SPOOL_BRIEF, 1140, 10);
    ilpi_spool_gap(thread, 1140);
    ilpi_spool_lost(thread, 5);
    built->now = 1150;
    const struct {
        enum ilpi_spool_kind kind;
        enum ilpi_spool_field field; /* of the number */
        uint64_t number;
        const char *arguments, *text;
    } expected[] = {
        {SPOOL_THREAD, FIELD_SYSTEM_ID, 70, NULL, NULL},
        {SPOOL_THREAD_NAME, FIELD_NONE, 0, NULL, "Main"},
        {SPOOL_ENTER, FIELD_METHOD, 1, NULL, NULL},
        {SPOOL_LEAVE, FIELD_METHOD, 1, NULL, NULL},
        {SPOOL_ENTER_WITH, FIELD_METHOD, 2, NULL, "a"},
        {SPOOL_LEAVE_WITH, FIELD_METHOD, 2, NULL, "b"},
        {SPOOL_ENTER, FIELD_METHOD, 3, NULL, NULL},
        {SPOOL_TAILCALL, FIELD_METHOD, 3, NULL, NULL},
        {SPOOL_ENTER, FIELD_METHOD, 4, NULL, NULL},
        {SPOOL_UNWIND, FIELD_METHOD, 4, NULL, NULL},
        {SPOOL_VALUE, FIELD_METHOD, 5, NULL, "c"},
        {SPOOL_VALUE_WITH, FIELD_METHOD, 6, "d", "e"},
        {SPOOL_THROWN, FIELD_METHOD, 7, NULL, "f"},
        {SPOOL_THROWN_WITH, FIELD_METHOD, 8, "g", "h"},
        {SPOOL_CALLS, FIELD_UNWOUND, 30, NULL, NULL},
        {SPOOL_BRIEF, FIELD_METHOD, 10, NULL, NULL},
        {SPOOL_GAP, FIELD_NONE, 0, NULL, NULL},
        {SPOOL_LOST, FIELD_COUNT, 5, NULL, NULL},
        {SPOOL_THREAD_END, FIELD_NONE, 0, NULL, NULL},
    };
    struct ilp_bytes bytes = built_end(built);
    opened(&file, bytes);
    const struct ilpi_traced_process *process = &file.processes.items[0];
    assert_int_equal(process->pair, 31);
    assert_int_equal(process->inside, 17);
    assert_int_equal(process->brief, 11);
    assert_int_equal(process->switches, 1);
    assert_true(process->ended);
    assert_true(process->untimed);
    text_is(process->runtime, "CoreCLR");
    text_is(process->reason, "nothing else was requested");
    text_is(process->methods.items[0].module, "App.dll");
    text_is(process->methods.items[0].type, "T");
    text_is(process->methods.items[0].name, "M1");
    text_is(process->methods.items[0].signature, "void ()");
    ilpi_spool_walk_begin(&walk, &file, &process->threads.items[0]);
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_true(ilpi_spool_walk_next(&walk, &record));
        assert_int_equal(record.kind, expected[i].kind);
        met[record.kind] = true;
        if (expected[i].field != FIELD_NONE) {
            assert_int_equal(record.numbers[expected[i].field], expected[i].number);
        }
        if (expected[i].arguments) {
            text_is(record.texts[FIELD_ARGUMENTS], expected[i].arguments);
        }
        if (expected[i].text) {
            text_is(record.texts[FIELD_TEXT], expected[i].text);
        }
    }
    assert_int_equal(record.time, 1150);
    assert_false(ilpi_spool_walk_next(&walk, &record));
    for (unsigned kind = SPOOL_THREAD; kind < SPOOL_KIND_COUNT; kind++) {
        assert_true(met[kind] || kind == SPOOL_VALUE_AGAIN ||
                    ilpi_spool_fields[kind][0] == FIELD_NONE);
    }
    assert_int_equal(file.damaged, 0);
    ilpi_spool_close(&file);
    drop(bytes);
}

/* Numbers of every length, through a chunk of their own. */
static void numbers_are_read_as_written(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        struct built *built = built_begin();
        struct ilpi_spool_file file;
        uint64_t id = ((uint64_t)1 << bit) - (bit % 2);
        ilpi_spool_method(&built->spool, built->now, id + 100, "", "", "far", "");
        struct ilp_bytes bytes = built_end(built);
        opened(&file, bytes);
        text_is(file.processes.items[0]
                    .methods.items[ilpi_traced_method_index(&file.processes.items[0], id + 100)]
                    .name,
                "far");
        ilpi_spool_close(&file);
        drop(bytes);
    }
}

/* All that can be read of a file; the number of its records. */
static size_t walk_all(struct ilpi_spool_file *file)
{
    size_t records = 0;
    for (size_t p = 0; p < file->processes.count; p++) {
        for (size_t t = 0; t < file->processes.items[p].threads.count; t++) {
            struct ilpi_spool_walk walk;
            struct ilpi_spool_record record;
            uint64_t before = 0;
            ilpi_spool_walk_begin(&walk, file, &file->processes.items[p].threads.items[t]);
            while (ilpi_spool_walk_next(&walk, &record)) {
                assert_true(record.time >= before);
                before = record.time;
                records++;
            }
        }
    }
    return records;
}

/* Several threads and chunks, one after the other. */
static struct ilp_bytes many_chunks(void)
{
    struct built *built = built_begin();
    for (unsigned i = 0; i < 5; i++) {
        built_events(built, "1 2 =2:42 v3:the_same_as_before v3:the_same_as_before -1");
        ilpi_spool_flush(&built->thread);
    }
    return built_end(built);
}

static void every_truncation_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct ilp_bytes bytes = many_chunks();
    size_t most = 0;
    for (size_t size = 0; size <= bytes.size; size++) {
        struct ilpi_spool_file file;
        struct ilp_error error;
        struct ilp_bytes cut = exact(bytes.data, size);
        ilp_status status = ilpi_spool_open(&file, cut, NULL, &error);
        if (status == ILP_OK) {
            size_t records = walk_all(&file);
            assert_true(records >= most); /* a longer file never says less */
            most = records;
            assert_true(file.damaged <= 1);
            assert_true(file.damaged == 0 || file.damage.offset < size);
        } else {
            assert_int_equal(status, ILP_E_BAD_SPOOL);
        }
        ilpi_spool_close(&file);
        drop(cut);
    }
    assert_int_equal(most, 1 + 5 * 6 + 1);
    drop(bytes);
}

static void every_change_is_seen_and_costs_one_chunk(void **state)
{
    (void)state;
    struct ilp_bytes bytes = many_chunks();
    for (size_t at = 0; at < bytes.size; at++) {
        struct ilpi_spool_file file;
        struct ilp_error error;
        struct ilp_bytes changed = exact(bytes.data, bytes.size);
        ((uint8_t *)(uintptr_t)changed.data)[at] ^= (uint8_t)(1u << at % 8);
        assert_int_equal(ilpi_spool_open(&file, changed, NULL, &error), ILP_OK);
        assert_true(walk_all(&file) >= 1 + 4 * 4);
        assert_true(file.damaged >= 1);
        assert_true(file.damage.offset <= at);
        ilpi_spool_close(&file);
        drop(changed);
    }
    drop(bytes);
}

/* What has the right check, but says nonsense: every byte of every record, checked again. */
static void records_that_lie_are_bounded(void **state)
{
    (void)state;
    struct ilp_bytes bytes = many_chunks();
    for (size_t chunk = 0; chunk < bytes.size;) {
        size_t size = ILPI_CHUNK_HEAD + ilpi_load_u32(bytes.data + chunk + CHUNK_SIZE);
        for (size_t at = CHUNK_PROCESS; at < size; at++) {
            for (unsigned value = 0; value < 256; value += at < ILPI_CHUNK_HEAD ? 51 : 15) {
                struct ilpi_spool_file file;
                struct ilp_error error;
                struct ilp_bytes changed = exact(bytes.data, bytes.size);
                uint8_t *data = (uint8_t *)(uintptr_t)changed.data + chunk;
                data[at] = (uint8_t)value;
                uint32_t check = ilpi_chunk_check(data, size);
                memcpy(data + CHUNK_CHECK, &check, sizeof check);
                assert_int_equal(ilpi_spool_open(&file, changed, NULL, &error), ILP_OK);
                walk_all(&file);
                ilpi_spool_close(&file);
                drop(changed);
            }
        }
        chunk += size;
    }
    drop(bytes);
}

static void chunks_may_come_in_any_order_and_twice(void **state)
{
    (void)state;
    struct ilp_bytes bytes = many_chunks();
    struct ib_bytes mixed = {0};
    size_t starts[64];
    size_t count = 0;
    for (size_t at = 0; at < bytes.size;
         at += ILPI_CHUNK_HEAD + ilpi_load_u32(bytes.data + at + CHUNK_SIZE)) {
        starts[count++] = at;
    }
    starts[count] = bytes.size;
    for (size_t i = 1; i < count; i++) { /* but the head, last one first, then one of them again */
        size_t at = count - i;
        ib_put(&mixed, bytes.data + starts[at], starts[at + 1] - starts[at]);
    }
    ib_put(&mixed, bytes.data, starts[1]);
    ib_put(&mixed, bytes.data + starts[count - 2], starts[count - 1] - starts[count - 2]);
    struct ilp_bytes all = taken(mixed);
    struct ilpi_spool_file file;
    opened(&file, all);
    assert_int_equal(file.processes.count, 1);
    assert_int_equal(file.processes.items[0].methods.count, 9);
    assert_int_equal(walk_all(&file), 1 + 5 * 6 + 1);
    assert_int_equal(file.damaged, 1);
    assert_int_equal(file.processes.items[0].threads.items[0].missing, 0);
    ilpi_spool_close(&file);
    drop(all);
    drop(bytes);
}

static void a_number_that_is_used_again_is_another_process(void **state)
{
    (void)state;
    struct ilp_bytes one = built_from("1 -1");
    struct ib_bytes both = {0};
    ib_put(&both, one.data, one.size);
    ib_put(&both, one.data, one.size);
    struct ilp_bytes all = taken(both);
    struct ilpi_spool_file file;
    opened(&file, all);
    assert_int_equal(file.processes.count, 2);
    assert_int_equal(file.processes.items[1].methods.count, 9);
    assert_int_equal(walk_all(&file), 2 * 4);
    assert_int_equal(file.damaged, 0);
    ilpi_spool_close(&file);
    drop(all);
    drop(one);
}

/* ---- several threads ---- */

#define WRITERS 4u

struct writers {
    pthread_mutex_t lock; /* of the sink alone, as a file's is */
    struct ib_bytes bytes;
    struct ilpi_spool spool;
    struct ilpi_spool_thread *threads; /* the memory stays after they are closed */
    atomic_uint next;
    atomic_uint calls[WRITERS];
    atomic_bool stop;
};

static ilp_status locked_append(void *user, const void *bytes, size_t size)
{
    struct writers *writers = user;
    pthread_mutex_lock(&writers->lock);
    ib_put(&writers->bytes, bytes, size);
    pthread_mutex_unlock(&writers->lock);
    return ILP_OK;
}

static void *write_calls(void *user)
{
    struct writers *writers = user;
    uint32_t number = atomic_fetch_add(&writers->next, 1);
    struct ilpi_spool_thread *thread = &writers->threads[number];
    uint64_t now = 1000;
    ilpi_spool_thread_begin(thread, &writers->spool, number + 1, now, number);
    while (!atomic_load(&writers->stop)) {
        ilpi_spool_enter(thread, now++, 1, text_bytes(NULL));
        ilpi_spool_leave(thread, now++, 1, text_bytes("a value"));
        atomic_fetch_add(&writers->calls[number], 1);
    }
    return NULL;
}

/* Until each thread has made as many calls, however long that takes. */
static void wait_for_calls(struct writers *writers, unsigned count)
{
    for (size_t i = 0; i < WRITERS; i++) {
        unsigned before = atomic_load(&writers->calls[i]);
        while (atomic_load(&writers->calls[i]) - before < count) {
            sched_yield();
        }
    }
}

/* As at the end of a process whose threads still run: each chunk is whole, none is there twice,
 * none is missing. */
static void threads_are_closed_while_they_write(void **state)
{
    (void)state;
    struct writers *writers = calloc(1, sizeof *writers);
    pthread_t ids[WRITERS];
    pthread_mutex_init(&writers->lock, NULL);
    writers->threads = calloc(WRITERS, sizeof *writers->threads);
    ilpi_spool_init(&writers->spool, (struct ilp_sink){writers, locked_append}, NULL, 7);
    ilpi_spool_head(&writers->spool, 1000, 1, "threads", "");
    for (size_t i = 0; i < WRITERS; i++) {
        pthread_create(&ids[i], NULL, write_calls, writers);
    }
    wait_for_calls(writers, 10000);
    for (size_t i = 0; i < WRITERS; i++) {
        ilpi_spool_thread_close(&writers->threads[i]);
    }
    wait_for_calls(writers, 10000);
    atomic_store(&writers->stop, true);
    for (size_t i = 0; i < WRITERS; i++) {
        pthread_join(ids[i], NULL);
    }
    struct ilp_bytes bytes = taken(writers->bytes);
    struct ilpi_spool_file file;
    opened(&file, bytes);
    assert_int_equal(file.processes.items[0].threads.count, WRITERS);
    assert_true(walk_all(&file) > WRITERS * 10000);
    assert_int_equal(file.damaged, 0);
    for (size_t i = 0; i < WRITERS; i++) {
        assert_int_equal(file.processes.items[0].threads.items[i].missing, 0);
    }
    ilpi_spool_close(&file);
    drop(bytes);
    free(writers->threads);
    free(writers);
}

/* ---- any mix ---- */

/* A record as it was written. */
struct written {
    enum ilpi_spool_kind kind;
    uint64_t time, method;
    struct ilp_bytes arguments, text; /* data NULL: none */
};

static uint32_t chosen(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)*seed * below >> 32);
}

/* Letters, seldom more of them than a record may have. */
static struct ilp_bytes any_text(uint32_t *seed)
{
    static char letters[2 * ILPI_SPOOL_TEXT];
    static const uint32_t longest[] = {8, 8, 40, 200, 1, 4, sizeof letters, 33};
    for (size_t i = 0; letters[0] == '\0' && i < sizeof letters; i++) {
        letters[sizeof letters - 1 - i] = (char)('a' + i % 23);
    }
    uint32_t size = chosen(seed, longest[chosen(seed, COUNT(longest))]);
    return (struct ilp_bytes){(const uint8_t *)letters + chosen(seed, 23),
                              size > 23 ? size - 23 : size};
}

/* Any record but those that begin or end a thread; it says itself what it is. */
static struct written write_any(struct ilpi_spool_thread *thread, uint64_t now, uint32_t *seed)
{
    static const struct ilp_bytes none = {NULL, 0};
    struct written made = {.time = now};
    struct ilp_bytes first = chosen(seed, 2) == 0 ? none : any_text(seed), second = any_text(seed);
    made.method = chosen(seed, 4) == 0 ? (uint64_t)chosen(seed, UINT32_MAX) << 31
                                       : chosen(seed, 300);
    switch (chosen(seed, 6)) {
    case 0:
        ilpi_spool_enter(thread, now, made.method, first);
        made.kind = first.data ? SPOOL_ENTER_WITH : SPOOL_ENTER;
        made.text = first;
        break;
    case 1:
        ilpi_spool_leave(thread, now, made.method, first);
        made.kind = first.data ? SPOOL_LEAVE_WITH : SPOOL_LEAVE;
        made.text = first;
        break;
    case 2:
        put_value(thread, now, made.method, false, first, second);
        made.kind = first.data ? SPOOL_VALUE_WITH : SPOOL_VALUE;
        made.arguments = first;
        made.text = second;
        break;
    case 3:
        put_value(thread, now, made.method, true, first, second);
        made.kind = first.data ? SPOOL_THROWN_WITH : SPOOL_THROWN;
        made.arguments = first;
        made.text = second;
        break;
    case 4:
        ilpi_spool_tailcall(thread, now, made.method);
        made.kind = SPOOL_TAILCALL;
        break;
    default: ilpi_spool_unwind(thread, now, made.method); made.kind = SPOOL_UNWIND;
    }
    return made;
}

static void is_text(struct ilp_bytes found, struct ilp_bytes expected)
{
    if (expected.data) {
        size_t size = expected.size < ILPI_SPOOL_TEXT ? expected.size : ILPI_SPOOL_TEXT;
        assert_int_equal(found.size, size);
        assert_true(size == 0 || memcmp(found.data, expected.data, size) == 0);
    }
}

static void are_as_written(struct ilp_bytes bytes, const struct written *made, size_t count)
{
    struct ilpi_spool_file file;
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    opened(&file, bytes);
    ilpi_spool_walk_begin(&walk, &file, &file.processes.items[0].threads.items[0]);
    assert_true(ilpi_spool_walk_next(&walk, &record));
    assert_int_equal(record.kind, SPOOL_THREAD);
    for (size_t i = 0; i < count; i++) {
        assert_true(ilpi_spool_walk_next(&walk, &record));
        assert_int_equal(record.kind, made[i].kind);
        assert_int_equal(record.time, made[i].time);
        assert_int_equal(record.numbers[FIELD_METHOD], made[i].method);
        is_text(record.texts[FIELD_ARGUMENTS], made[i].arguments);
        is_text(record.texts[FIELD_TEXT], made[i].text);
    }
    assert_int_equal(file.damaged, 0);
    ilpi_spool_close(&file);
}

/* Values that were there before take a few bytes, and are read as any other. */
static void values_that_repeat_are_read_as_written(void **state)
{
    enum { ROUNDS = 40, METHODS = 3, LARGEST = 200 };
    static const uint32_t sizes[] = {1, 15, 16, 17, 23, 24, 63, 64, 65, 127, 128, 129, LARGEST};
    enum { VALUES = ROUNDS * METHODS * COUNT(sizes) };
    struct written *made = calloc(VALUES, sizeof *made);
    struct built *built = built_begin();
    uint8_t text[LARGEST];
    size_t all = 0, count = 0;
    (void)state;
    for (size_t i = 0; i < LARGEST; i++) {
        text[i] = (uint8_t)('a' + i % 26);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            for (uint64_t method = 1; method <= METHODS; method++, count++) {
                made[count] = (struct written){.kind = SPOOL_VALUE,
                                               .time = built->now += 10,
                                               .method = method,
                                               .text = {text, sizes[i]}};
                put_value(&built->thread, made[count].time, method, false,
                          (struct ilp_bytes){NULL, 0}, made[count].text);
                all += sizes[i];
            }
        }
    }
    struct ilp_bytes bytes = built_end(built);
    assert_true(bytes.size < all / 4);
    are_as_written(bytes, made, count);
    drop(bytes);
    free(made);
}

/* Those that differ in one byte, anywhere, or in their method alone, are other values. */
static void values_that_differ_do_not_repeat(void **state)
{
    enum { SIZE = 150, VALUES = 3 * SIZE };
    struct written *made = calloc(VALUES, sizeof *made);
    uint8_t(*texts)[SIZE] = calloc(VALUES, sizeof *texts);
    struct built *built = built_begin();
    (void)state;
    for (size_t i = 0; i < VALUES; i++) {
        memset(texts[i], 'a', SIZE);
        texts[i][i % SIZE] = i < SIZE ? 'b' : 'a';
        made[i] = (struct written){.kind = SPOOL_VALUE,
                                   .time = built->now += 10,
                                   .method = i < 2 * SIZE ? 1 : 200 + i,
                                   .text = {texts[i], SIZE}};
        put_value(&built->thread, made[i].time, made[i].method, false, (struct ilp_bytes){NULL, 0},
                  made[i].text);
    }
    struct ilp_bytes bytes = built_end(built);
    are_as_written(bytes, made, VALUES);
    drop(bytes);
    free(texts);
    free(made);
}

enum { MIXED = 3000 };

/* Times go on, stand, or go so far that the chunk is written. */
static void mix(struct ilpi_spool_thread *thread, uint64_t *now, struct written *made,
                uint32_t seed)
{
    static const uint64_t steps[] = {0, 3, 90, 20000, 3000000, ILPI_CHUNK_AGE + 1};
    for (size_t i = 0; i < MIXED; i++) {
        *now += steps[chosen(&seed, chosen(&seed, 9) == 0 ? COUNT(steps) : 3)];
        made[i] = write_any(thread, *now, &seed);
    }
}

static void any_mix_is_read_as_written(void **state)
{
    (void)state;
    struct written *made = calloc(MIXED, sizeof *made);
    for (uint32_t seed = 1; seed <= 4; seed++) {
        struct built *built = built_begin();
        mix(&built->thread, &built->now, made, seed);
        struct ilp_bytes bytes = built_end(built);
        are_as_written(bytes, made, MIXED);
        drop(bytes);
    }
    free(made);
}

/* ---- rooms ---- */

#define FILE_LIMIT (3u << 20)

/* A spool as a file of a fixed size; what is free in it is after `end`. */
struct disk {
    _Alignas(8) uint8_t bytes[FILE_LIMIT];
    size_t end;
    size_t taken; /* rooms, */
    size_t left;  /* those of them with records that no thread writes into, */
    size_t spare; /* and those that are free again */
    uint8_t *spares[ILPI_THREAD_ROOMS];
    bool full;
    void (*written)(struct disk *disk); /* called when chunks were; NULL: nothing is */
    struct ilpi_spool_rooms rooms;
    struct ilpi_spool spool;
    struct ilpi_spool_thread thread;
};

static uint8_t *take_room(void *user, bool needed)
{
    struct disk *disk = user;
    size_t offset = (disk->end + ILPI_HEAD_SIZE - 1) & ~(size_t)(ILPI_HEAD_SIZE - 1);
    assert_true(needed || disk->thread.full != 0);
    if (disk->spare != 0) {
        return disk->spares[--disk->spare];
    }
    if (disk->full || offset + ILPI_CHUNK_SIZE > FILE_LIMIT) {
        return NULL;
    }
    disk->end = offset + ILPI_CHUNK_SIZE;
    disk->taken++;
    return disk->bytes + offset;
}

static void give_room_back(void *user, uint8_t *room)
{
    struct disk *disk = user;
    assert_true(disk->spare < ILPI_THREAD_ROOMS);
    disk->spares[disk->spare++] = room;
}

static void leave_room(void *user, uint8_t *room)
{
    struct disk *disk = user;
    assert_true(room + ILPI_CHUNK_SIZE <= disk->bytes + disk->end);
    disk->left++;
}

static ilp_status append_there(void *user, const struct ilp_bytes *parts, size_t count)
{
    struct disk *disk = user;
    size_t end = disk->end;
    if (disk->full) {
        return ILP_E_CALLBACK;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(disk->bytes + end, parts[i].data, parts[i].size);
        end += parts[i].size;
    }
    __atomic_store_n(&disk->end, ILPI_CHUNK_PLACE(end), __ATOMIC_RELEASE);
    if (disk->written) {
        disk->written(disk);
    }
    return ILP_OK;
}

static ilp_status write_there(void *user, const void *bytes, size_t size)
{
    return append_there(user, &(struct ilp_bytes){bytes, size}, 1);
}

static struct disk *disk_begin(void)
{
    struct disk *disk = calloc(1, sizeof *disk);
    uint64_t magic = ILPI_HEAD_MAGIC;
    memcpy(disk->bytes, &magic, sizeof magic);
    disk->end = ILPI_HEAD_SIZE;
    disk->rooms = (struct ilpi_spool_rooms){disk, take_room, give_room_back, leave_room,
                                            append_there};
    ilpi_spool_init(&disk->spool, (struct ilp_sink){disk, write_there}, &disk->rooms, 7);
    ilpi_spool_head(&disk->spool, 1000, 1, "rooms", "");
    ilpi_spool_thread_begin(&disk->thread, &disk->spool, 1, 1000, 70);
    return disk;
}

/* The records in it now, in threads so many. */
static size_t count_records(const struct disk *disk, size_t size, size_t threads, uint64_t damaged)
{
    struct ilpi_spool_file file;
    struct ilp_bytes bytes = exact(disk->bytes, size);
    opened(&file, bytes);
    assert_int_equal(file.processes.items[0].threads.count, threads);
    for (size_t i = 0; i < threads; i++) {
        assert_int_equal(file.processes.items[0].threads.items[i].missing, 0);
    }
    size_t records = walk_all(&file);
    assert_int_equal(file.damaged, damaged);
    ilpi_spool_close(&file);
    drop(bytes);
    return records;
}

/* Nothing says that a record is there, or that the last one is. */
static void what_grows_is_read_at_any_time(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    uint64_t now = 1000;
    for (size_t i = 1; i < 80000; i++) {
        ilpi_spool_enter(&disk->thread, now += 1000, 1 + i % 9,
                         text_bytes(i % 3 == 0 ? "n=5" : NULL));
        if (i < 50 || i % 997 == 0 || disk->thread.records < 3) {
            assert_int_equal(count_records(disk, disk->end, 1, 0), 1 + i);
        }
    }
    assert_true(disk->end > 3 * ILPI_THREAD_ROOMS * ILPI_CHUNK_SIZE);
    assert_int_equal(disk->taken, ILPI_THREAD_ROOMS);
    assert_int_equal(disk->left, 0);
    free(disk);
}

/* While chunks are written, and before their rooms are emptied, they are there twice, and count
 * once. */
static size_t records_then;

static void count_then(struct disk *disk)
{
    assert_int_equal(count_records(disk, disk->end, 1, 0), records_then);
    assert_int_equal(count_records(disk, disk->end - 100, 1, 0), records_then); /* a part of it */
    /* emptying has begun: the first code is gone */
    for (size_t i = 0; i < disk->thread.full; i++) {
        disk->thread.rooms[i][ILPI_CHUNK_HEAD] = 0;
        assert_int_equal(count_records(disk, disk->end, 1, 0), records_then);
    }
}

static void a_chunk_may_be_there_twice(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    disk->written = count_then;
    for (records_then = 1; disk->thread.sequence < 3 * ILPI_THREAD_ROOMS; records_then++) {
        ilpi_spool_enter(&disk->thread, 2000, 1, text_bytes("n=5"));
    }
    assert_int_equal(count_records(disk, disk->end, 1, 0), records_then);
    free(disk);
}

/* Chunks are read while others are written: each value of a record is the number of the record, so
 * that one which was put together of two is seen. */
struct reading {
    struct disk *disk;
    atomic_bool over;
};

static void *write_numbers(void *user)
{
    struct reading *reading = user;
    struct disk *disk = reading->disk;
    for (uint64_t i = 1; disk->end < FILE_LIMIT - 2 * ILPI_THREAD_ROOMS * ILPI_CHUNK_SIZE; i++) {
        ilpi_spool_leave(&disk->thread, 1000 + i, i, text_bytes(NULL));
    }
    atomic_store(&reading->over, true);
    return NULL;
}

/* Numbers are counted from the first chunk on, without a hole where no chunk is missing. */
static void numbers_are_whole(const struct ilpi_spool_file *file)
{
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    ilpi_spool_walk_begin(&walk, (struct ilpi_spool_file *)(uintptr_t)file,
                          &file->processes.items[0].threads.items[0]);
    uint64_t expected = 0;
    while (ilpi_spool_walk_next(&walk, &record)) {
        if (record.kind == SPOOL_LEAVE) {
            assert_int_equal(record.numbers[FIELD_METHOD], ++expected);
            assert_int_equal(record.time, 1000 + expected);
        }
    }
}

static size_t read_meanwhile(struct reading *reading)
{
    size_t reads = 0;
    while (!atomic_load(&reading->over)) {
        struct ilpi_spool_file file;
        struct ilp_error error;
        const struct ilp_bytes bytes = {reading->disk->bytes,
                                        __atomic_load_n(&reading->disk->end, __ATOMIC_ACQUIRE)};
        assert_int_equal(ilpi_spool_open(&file, bytes, NULL, &error), ILP_OK);
        if (file.processes.items[0].threads.count == 1 &&
            file.processes.items[0].threads.items[0].missing == 0) {
            numbers_are_whole(&file);
            reads++;
        }
        ilpi_spool_close(&file);
    }
    return reads;
}

static void what_is_written_can_be_read_meanwhile(void **state)
{
    (void)state;
    size_t reads = 0;
    for (unsigned rounds = 0; reads < 20; rounds++) {
        struct reading reading = {.disk = disk_begin()};
        pthread_t thread;
        assert_true(rounds < 1000);
        assert_int_equal(pthread_create(&thread, NULL, write_numbers, &reading), 0);
        reads += read_meanwhile(&reading);
        pthread_join(thread, NULL);
        free(reading.disk);
    }
}

static void any_mix_is_read_from_rooms(void **state)
{
    (void)state;
    struct written *made = calloc(MIXED, sizeof *made);
    for (uint32_t seed = 5; seed <= 8; seed++) {
        struct disk *disk = disk_begin();
        uint64_t now = 1000;
        mix(&disk->thread, &now, made, seed);
        assert_int_equal(disk->spool.lost, 0);
        struct ilp_bytes bytes = exact(disk->bytes, disk->end);
        are_as_written(bytes, made, MIXED);
        drop(bytes);
        free(disk);
    }
    free(made);
}

/* Whatever the record is that finds no room. */
static void any_record_may_be_lost(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        struct disk *disk = disk_begin();
        uint32_t next = seed;
        disk->full = true;
        while (disk->spool.lost == 0) {
            write_any(&disk->thread, 1000, &next);
        }
        write_any(&disk->thread, 1000, &next);
        assert_int_equal(disk->spool.lost, 2);
        assert_int_equal(disk->left, 1);
        free(disk);
    }
}

/* What cannot be written stays where it is. */
static void a_room_keeps_what_cannot_be_written(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    size_t records = 1;
    disk->full = true;
    while (disk->spool.lost == 0) {
        ilpi_spool_enter(&disk->thread, 2000, 1, text_bytes("n=5"));
        records++;
    }
    assert_int_equal(disk->left, 1);
    assert_int_equal(count_records(disk, disk->end, 1, 0), records - 1);
    free(disk);
}

/* Shorter than what was in the room before. */
static void a_short_chunk_may_stay_in_a_room(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    size_t records = 2;
    while (disk->thread.sequence <= 2 * ILPI_THREAD_ROOMS) {
        ilpi_spool_enter(&disk->thread, 2000, 1, text_bytes("n=5"));
        records++;
    }
    disk->full = true;
    ilpi_spool_thread_end(&disk->thread, 3000);
    assert_int_equal(disk->left, 1);
    assert_int_equal(count_records(disk, disk->end, 1, 0), records);
    free(disk);
}

/* The code of a record is written last: a process that is killed in the midst of one leaves all
 * before it. */
static void a_torn_record_is_none(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    ilpi_spool_enter(&disk->thread, 2000, 1, text_bytes("n=5"));
    uint8_t *code = disk->thread.chunk + disk->thread.size;
    ilpi_spool_enter(&disk->thread, 3000, 2, text_bytes("a text with a length"));
    assert_int_equal(count_records(disk, disk->end, 1, 0), 3);
    *code = 0;
    assert_int_equal(count_records(disk, disk->end, 1, 0), 2);
    *code = 200; /* what is made up is no record either */
    assert_int_equal(count_records(disk, disk->end, 1, 1), 2);
    free(disk);
}

static void what_grows_may_be_cut_off(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    for (unsigned i = 0; i < 100; i++) {
        ilpi_spool_enter(&disk->thread, 2000, 1, text_bytes(NULL));
    }
    size_t chunk = (size_t)(disk->thread.chunk - disk->bytes);
    assert_int_equal(count_records(disk, chunk + disk->thread.size, 1, 1), 101);
    /* a record is, too */
    assert_int_equal(count_records(disk, chunk + ILPI_CHUNK_HEAD + 4, 1, 2), 1);
    assert_int_equal(count_records(disk, chunk + ILPI_CHUNK_HEAD, 0, 1), 0);
    free(disk);
}

/* A thread's memory goes to the next one, and the room with it. */
static void threads_share_a_room_one_after_the_other(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    size_t records = 1;
    for (uint32_t i = 2; i < 40; i++) {
        ilpi_spool_enter(&disk->thread, 2000, 1, text_bytes(NULL));
        ilpi_spool_thread_end(&disk->thread, 3000);
        ilpi_spool_thread_begin(&disk->thread, &disk->spool, i, 4000, 71);
        records += 3;
        assert_int_equal(count_records(disk, disk->end, i, 0), records);
    }
    assert_int_equal(disk->taken, 1);
    assert_int_equal(disk->left, 0);
    free(disk);
}

/* It is requested again after a while, and then it is said what was lost. */
static void without_room_records_are_lost(void **state)
{
    (void)state;
    struct disk *disk = disk_begin();
    uint64_t now = 2000;
    disk->full = true;
    while (disk->spool.lost == 0) {
        ilpi_spool_enter(&disk->thread, now, 1, text_bytes(NULL));
    }
    size_t there = count_records(disk, disk->end, 1, 0);
    disk->full = false;
    for (unsigned i = 0; i < 9; i++) {
        ilpi_spool_enter(&disk->thread, now, 1, text_bytes(NULL));
    }
    assert_int_equal(disk->spool.lost, 10);
    assert_int_equal(disk->taken, 1);
    ilpi_spool_leave(&disk->thread, now + ILPI_CHUNK_AGE + 1, 1, text_bytes(NULL));
    assert_int_equal(disk->spool.lost, 10);
    assert_int_equal(disk->taken, 2);
    assert_int_equal(count_records(disk, disk->end, 1, 0), there + 2);
    assert_int_equal(disk->thread.chunk[ILPI_CHUNK_HEAD], SPOOL_LOST);
    disk->full = true; /* the chunk stays in its room, and the next thread has none */
    ilpi_spool_thread_end(&disk->thread, now);
    ilpi_spool_thread_begin(&disk->thread, &disk->spool, 2, now, 71);
    ilpi_spool_enter(&disk->thread, now, 1, text_bytes(NULL));
    ilpi_spool_thread_end(&disk->thread, now);
    assert_int_equal(count_records(disk, disk->end, 1, 0), there + 3);
    assert_int_equal(disk->thread.lost, 3);
    assert_int_equal(disk->left, 2);
    free(disk);
}

/* ---- more than a file of its size has ---- */

/* What so many of one thing become: how many are read, and the file's size. */
static size_t read_many(void (*put)(struct ib_bytes *bytes, unsigned i), unsigned count,
                        size_t (*read)(const struct ilpi_spool_file *file), size_t *size,
                        uint64_t *damaged)
{
    struct ib_bytes bytes = {0};
    struct ilpi_spool_file file;
    struct ilp_error error;
    for (unsigned i = 0; i < count; i++) {
        put(&bytes, i);
    }
    assert_int_equal(
        ilpi_spool_open(&file, (struct ilp_bytes){bytes.data, bytes.size}, NULL, &error), ILP_OK);
    size_t found = read(&file);
    *size = bytes.size;
    *damaged = file.damaged;
    if (file.damaged != 0) {
        assert_non_null(strstr(file.damage.message, "than a spool of this size has"));
    }
    ilpi_spool_close(&file);
    ib_free(&bytes);
    return found;
}

static void put_method(struct ib_bytes *bytes, unsigned i)
{
    struct ilpi_spool spool;
    ilpi_spool_init(&spool, (struct ilp_sink){bytes, built_append}, NULL, 7);
    ilpi_spool_method(&spool, 1000, i, "", "", "", "");
}

static size_t methods_of(const struct ilpi_spool_file *file)
{
    assert_int_equal(file->processes.items[0].methods.count, file->method_count);
    return file->method_count;
}

static void put_thread_of(struct ib_bytes *bytes, uint32_t process, unsigned thread)
{
    struct ilpi_spool spool;
    struct ilpi_spool_thread *of = calloc(1, sizeof *of);
    assert_non_null(of);
    ilpi_spool_init(&spool, (struct ilp_sink){bytes, built_append}, NULL, process);
    ilpi_spool_thread_begin(of, &spool, thread, 1000, 70);
    ilpi_spool_thread_end(of, 1000);
    free(of);
}

static void put_thread(struct ib_bytes *bytes, unsigned i)
{
    put_thread_of(bytes, 7, i + 1);
}

static size_t threads_of(const struct ilpi_spool_file *file)
{
    assert_int_equal(file->processes.items[0].threads.count, file->chunks.count);
    return file->chunks.count;
}

static void put_process(struct ib_bytes *bytes, unsigned i)
{
    put_thread_of(bytes, i + 1, 1);
}

static size_t processes_of(const struct ilpi_spool_file *file)
{
    return file->processes.count;
}

static void there_are_no_more_than_the_size_allows(void **state)
{
    (void)state;
    static const struct {
        void (*put)(struct ib_bytes *bytes, unsigned i);
        size_t (*read)(const struct ilpi_spool_file *file);
        unsigned always;
        unsigned bytes; /* for one more */
    } kinds[] = {
        {put_method, methods_of, ILPI_MAX_METHODS, ILPI_BYTES_OF_METHOD},
        {put_thread, threads_of, ILPI_MAX_CHUNKS, ILPI_BYTES_OF_CHUNK},
        {put_process, processes_of, ILPI_MAX_PROCESSES, ILPI_BYTES_OF_PROCESS},
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        size_t size;
        uint64_t damaged;
        assert_int_equal(read_many(kinds[i].put, kinds[i].always, kinds[i].read, &size, &damaged),
                         kinds[i].always);
        assert_int_equal(damaged, 0);
        size_t found = read_many(kinds[i].put, 3 * kinds[i].always, kinds[i].read, &size, &damaged);
        assert_int_equal(found, kinds[i].always + size / kinds[i].bytes);
        assert_int_equal(found + damaged, 3 * kinds[i].always);
    }
}

static void what_is_no_spool_is_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"", "ILT\1", "MZ\x90", "{\"traceEvents\":[]}"};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct ilpi_spool_file file;
        struct ilp_error error;
        struct ilp_bytes bytes = exact(files[i], strlen(files[i]));
        assert_int_equal(ilpi_spool_open(&file, bytes, NULL, &error), ILP_E_BAD_SPOOL);
        ilpi_spool_close(&file);
        drop(bytes);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct ilp_bytes bytes = many_chunks();
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_spool_file file;
        struct ilp_error error;
        status = ilpi_spool_open(&file, bytes, &allocator, &error);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        ilpi_spool_close(&file);
        memory_is_empty(&memory);
        assert_true(n < 50);
    }
    drop(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(each_kind_is_read_as_written),
        cmocka_unit_test(numbers_are_read_as_written),
        cmocka_unit_test(every_truncation_is_read_as_far_as_it_goes),
        cmocka_unit_test(every_change_is_seen_and_costs_one_chunk),
        cmocka_unit_test(records_that_lie_are_bounded),
        cmocka_unit_test(chunks_may_come_in_any_order_and_twice),
        cmocka_unit_test(a_number_that_is_used_again_is_another_process),
        cmocka_unit_test(threads_are_closed_while_they_write),
        cmocka_unit_test(values_that_repeat_are_read_as_written),
        cmocka_unit_test(values_that_differ_do_not_repeat),
        cmocka_unit_test(any_mix_is_read_as_written),
        cmocka_unit_test(any_mix_is_read_from_rooms),
        cmocka_unit_test(any_record_may_be_lost),
        cmocka_unit_test(what_grows_is_read_at_any_time),
        cmocka_unit_test(a_chunk_may_be_there_twice),
        cmocka_unit_test(what_is_written_can_be_read_meanwhile),
        cmocka_unit_test(a_room_keeps_what_cannot_be_written),
        cmocka_unit_test(a_short_chunk_may_stay_in_a_room),
        cmocka_unit_test(a_torn_record_is_none),
        cmocka_unit_test(what_grows_may_be_cut_off),
        cmocka_unit_test(threads_share_a_room_one_after_the_other),
        cmocka_unit_test(without_room_records_are_lost),
        cmocka_unit_test(there_are_no_more_than_the_size_allows),
        cmocka_unit_test(what_is_no_spool_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
