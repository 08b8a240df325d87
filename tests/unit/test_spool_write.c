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
#include "trace/spool_write.h"

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
