/* Spools as they are written: chunks, their frames, and what becomes of records when a sink fails
 * or a thread is closed from outside. What the records say is read back in test_spool_read.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "trace/spool_short.h"

#define MAX_CHUNKS 64u

struct sink {
    size_t sizes[MAX_CHUNKS];
    uint8_t *chunks[MAX_CHUNKS];
    size_t count;
    bool fails;
};

static ilp_status take(void *user, const void *bytes, size_t size)
{
    struct sink *sink = user;
    if (sink->fails) {
        return ILP_E_CALLBACK;
    }
    assert_true(sink->count < MAX_CHUNKS);
    sink->chunks[sink->count] = malloc(size);
    memcpy(sink->chunks[sink->count], bytes, size);
    sink->sizes[sink->count++] = size;
    return ILP_OK;
}

struct fixture {
    struct sink sink;
    struct ilpi_spool spool;
    struct ilpi_spool_thread thread;
};

static int begin(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    ilpi_spool_init(&fixture->spool, (struct ilp_sink){&fixture->sink, take}, NULL, 7);
    ilpi_spool_thread_begin(&fixture->thread, &fixture->spool, 3, 1000, 99);
    *state = fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < fixture->sink.count; i++) {
        free(fixture->sink.chunks[i]);
    }
    free(fixture);
    return 0;
}

static uint32_t word(const struct sink *sink, size_t chunk, enum ilpi_chunk_offset offset)
{
    return ilpi_load_u32(sink->chunks[chunk] + offset);
}

static const struct ilp_bytes none = {NULL, 0};

static void chunks_have_frames(void **state)
{
    struct fixture *fixture = *state;
    const struct sink *sink = &fixture->sink;
    for (unsigned i = 0; i < 20000; i++) {
        ilpi_spool_enter(&fixture->thread, 1000 + i, 1, none);
        ilpi_spool_leave(&fixture->thread, 1000 + i, 1, none);
    }
    ilpi_spool_thread_end(&fixture->thread, 22000);
    assert_true(sink->count > 2);
    for (size_t i = 0; i < sink->count; i++) {
        assert_true(sink->sizes[i] <= ILPI_CHUNK_SIZE);
        assert_int_equal(word(sink, i, CHUNK_MAGIC), ILPI_SPOOL_MAGIC);
        assert_int_equal(word(sink, i, CHUNK_SIZE) + ILPI_CHUNK_HEAD, sink->sizes[i]);
        assert_int_equal(word(sink, i, CHUNK_CHECK),
                         ilpi_chunk_check(sink->chunks[i], sink->sizes[i]));
        assert_int_equal(word(sink, i, CHUNK_PROCESS), 7);
        assert_int_equal(word(sink, i, CHUNK_THREAD), 3);
        assert_int_equal(word(sink, i, CHUNK_SEQUENCE), i);
    }
    assert_int_equal(fixture->spool.lost, 0);
}

/* Three bytes for a call that is entered or left: what a trace of a long run takes. */
static void records_are_small(void **state)
{
    struct fixture *fixture = *state;
    uint32_t before = fixture->thread.size;
    ilpi_spool_enter(&fixture->thread, 1100, 5, none);
    assert_int_equal(fixture->thread.size - before, 3);
}

/* ---- in a room ---- */

struct room {
    _Alignas(8) uint8_t bytes[ILPI_CHUNK_SIZE + 1];
    bool is_taken;
    size_t appended; /* chunks */
};

static uint8_t *take_room(void *user, bool needed)
{
    struct room *room = user;
    uint8_t *bytes = room->is_taken ? NULL : room->bytes;
    (void)needed;
    room->is_taken = true;
    return bytes;
}

static ilp_status append_room(void *user, const struct ilp_bytes *parts, size_t count)
{
    struct room *room = user;
    (void)parts;
    room->appended += count / 2;
    return ILP_OK;
}

static void a_short_id_is_its_number(void **state)
{
    static const struct {
        uint64_t id;
        uint32_t bytes, size;
    } ids[] = {{0, 0, 1},          {127, 0x7F, 1},       {128, 0x0180, 2},
               {16383, 0x7FFF, 2}, {16384, 0x018080, 3}, {2097151, 0x7FFFFF, 3},
               {2097152, 0, 0},    {UINT64_MAX, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct ilpi_short_id id = ilpi_short_id(ids[i].id);
        assert_int_equal(id.bytes, ids[i].bytes);
        assert_int_equal(id.size, ids[i].size);
    }
}

/* Byte for byte what is written elsewhere, with the zero after it, whatever was there before; and
 * nothing past the room's end. */
static void short_records_are_like_others(void **state)
{
    static const uint64_t deltas[] = {0, 1, 127, 128, 16383, 16384, 3000000};
    static const uint64_t ids[] = {1, 127, 128, 16383, 16384, 2097151};
    static struct room room;
    struct fixture *fixture = *state;
    struct ilpi_spool_thread *other = &fixture->thread;
    struct ilpi_spool spool;
    struct ilpi_spool_thread *thread = calloc(1, sizeof *thread);
    const struct ilpi_spool_rooms rooms = {&room, take_room, NULL, NULL, append_room};
    uint64_t time = 1000;
    memset(room.bytes, 0xFF, sizeof room.bytes);
    ilpi_spool_init(&spool, (struct ilp_sink){&fixture->sink, take}, &rooms, 7);
    ilpi_spool_thread_begin(thread, &spool, 3, 1000, 99);
    ilpi_spool_thread_begin(other, &fixture->spool, 3, 1000, 99);
    for (unsigned i = 0; room.appended == 0; i++) {
        uint64_t id = ids[i % 6];
        enum ilpi_spool_kind kind = i % 2 == 0 ? SPOOL_ENTER : SPOOL_BRIEF;
        uint64_t delta = deltas[i / 6 % (i < 42 ? 7 : 5)];
        uint32_t before = thread->size;
        time += i < 42 && i % 5 == 4 ? UINT64_MAX - 20 : delta; /* goes back */
        ilpi_spool_short(thread, kind, time, id, ilpi_short_id(id));
        ilpi_spool_call(other, kind, time, id);
        time = thread->time;
        assert_int_equal(other->time, time);
        if (room.appended == 0 && other->size > ILPI_CHUNK_HEAD + 8 && thread->size > before) {
            assert_int_equal(room.bytes[thread->size], 0);
            assert_memory_equal(room.bytes + before,
                                other->chunk + other->size - (thread->size - before),
                                thread->size - before);
        }
    }
    assert_true(time > 3000000);
    assert_int_equal(room.bytes[ILPI_CHUNK_SIZE], 0xFF);
    free(thread);
}

/* A thread that has ended, or that others have closed, has no room to write to. */
static void nothing_is_short_without_a_room(void **state)
{
    static struct room room;
    struct fixture *fixture = *state;
    struct ilpi_spool spool;
    struct ilpi_spool_thread *thread = calloc(1, sizeof *thread);
    const struct ilpi_spool_rooms rooms = {&room, take_room, NULL, NULL, append_room};
    room.is_taken = true; /* there is none */
    ilpi_spool_init(&spool, (struct ilp_sink){&fixture->sink, take}, &rooms, 7);
    ilpi_spool_thread_begin(thread, &spool, 3, 1000, 99);
    ilpi_spool_short(thread, SPOOL_ENTER, 1001, 1, ilpi_short_id(1));
    assert_int_equal(spool.lost, 2); /* that the thread began is the other one */
    free(thread);
}

static void an_old_chunk_is_written(void **state)
{
    struct fixture *fixture = *state;
    ilpi_spool_enter(&fixture->thread, 1000 + ILPI_CHUNK_AGE, 1, none);
    assert_int_equal(fixture->sink.count, 0);
    ilpi_spool_leave(&fixture->thread, 1001 + ILPI_CHUNK_AGE, 1, none);
    assert_int_equal(fixture->sink.count, 1);
}

static void a_failing_sink_loses_records_and_says_so(void **state)
{
    struct fixture *fixture = *state;
    fixture->sink.fails = true;
    ilpi_spool_enter(&fixture->thread, 1001, 1, none);
    ilpi_spool_flush(&fixture->thread);
    assert_int_equal(fixture->thread.lost, 2); /* with the thread's beginning */
    assert_int_equal(fixture->spool.lost, 2);
    fixture->sink.fails = false;
    ilpi_spool_leave(&fixture->thread, 1002, 1, none);
    ilpi_spool_flush(&fixture->thread);
    assert_int_equal(fixture->sink.count, 1);
    assert_int_equal(word(&fixture->sink, 0, CHUNK_SEQUENCE), 0);
    assert_int_equal(fixture->sink.chunks[0][ILPI_CHUNK_HEAD], SPOOL_LOST);
    assert_int_equal(fixture->sink.chunks[0][ILPI_CHUNK_HEAD + 2], 2);
    assert_int_equal(fixture->sink.chunks[0][ILPI_CHUNK_HEAD + 3], SPOOL_LEAVE);
}

static void long_texts_are_cut(void **state)
{
    struct fixture *fixture = *state;
    uint8_t text[3 * ILPI_SPOOL_TEXT];
    memset(text, 'x', sizeof text);
    uint32_t before = fixture->thread.size;
    ilpi_spool_leave(&fixture->thread, 1000, 1, (struct ilp_bytes){text, sizeof text});
    assert_int_equal(fixture->thread.size - before, 1 + 1 + 1 + 2 + ILPI_SPOOL_TEXT);
    assert_int_equal(fixture->sink.count, 0);
    text[sizeof text - 1] = '\0';
    ilpi_spool_method(&fixture->spool, 1000, 1, (const char *)text, (const char *)text,
                      (const char *)text, (const char *)text);
    assert_int_equal(fixture->sink.sizes[0], ILPI_CHUNK_HEAD + 3 + 4 * (2 + ILPI_SPOOL_TEXT));
}

static void a_closed_thread_leaves_what_is_written_alone(void **state)
{
    struct fixture *fixture = *state;
    ilpi_spool_enter(&fixture->thread, 1001, 1, none);
    ilpi_spool_thread_close(&fixture->thread);
    assert_int_equal(fixture->sink.count, 1);
    uint8_t before[ILPI_CHUNK_SIZE];
    size_t size = fixture->sink.sizes[0];
    memcpy(before, fixture->thread.chunk, size);
    for (unsigned i = 0; i < 20000; i++) {
        ilpi_spool_enter(&fixture->thread, 1001, 1, none);
    }
    assert_memory_equal(before, fixture->thread.chunk, size);
    assert_true(fixture->spool.lost > 0);
    ilpi_spool_flush(&fixture->thread);
    ilpi_spool_thread_close(&fixture->thread);
    assert_int_equal(fixture->sink.count, 1);
}

/* Whoever takes the memory over begins while others may be closing all there is. */
static void a_thread_that_has_ended_is_closed(void **state)
{
    struct fixture *fixture = *state;
    ilpi_spool_enter(&fixture->thread, 1001, 1, none);
    ilpi_spool_thread_end(&fixture->thread, 1002);
    assert_int_equal(fixture->sink.count, 1);
    fixture->thread.size = ILPI_CHUNK_SIZE; /* as if the next one had just written there */
    ilpi_spool_thread_close(&fixture->thread);
    assert_int_equal(fixture->sink.count, 1);
    ilpi_spool_thread_begin(&fixture->thread, &fixture->spool, 4, 2000, 100);
    ilpi_spool_thread_close(&fixture->thread);
    assert_int_equal(fixture->sink.count, 2);
    assert_int_equal(word(&fixture->sink, 1, CHUNK_THREAD), 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_id_is_its_number),
        TEST(short_records_are_like_others),
        TEST(nothing_is_short_without_a_room),
        TEST(chunks_have_frames),
        TEST(records_are_small),
        TEST(an_old_chunk_is_written),
        TEST(a_failing_sink_loses_records_and_says_so),
        TEST(long_texts_are_cut),
        TEST(a_closed_thread_leaves_what_is_written_alone),
        TEST(a_thread_that_has_ended_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
