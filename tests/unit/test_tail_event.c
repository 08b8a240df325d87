/* profiler/tail/event.c: the JIT's events of tail calls, whole, cut and changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profiler/tail/event.c" /* the library has no profiler in it */
#include "profiler/clr/wide.c"

#define MAX_PAYLOAD 16384u

struct payload {
    uint8_t bytes[MAX_PAYLOAD];
    size_t size;
};

static void put_units(struct payload *payload, const uint16_t *units, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        payload->bytes[payload->size++] = (uint8_t)units[i];
        payload->bytes[payload->size++] = (uint8_t)(units[i] >> 8);
    }
}

static void put_text(struct payload *payload, const char *text)
{
    for (;; text++) {
        put_units(payload, (uint16_t[]){(uint8_t)*text}, 1);
        if (*text == '\0') {
            return;
        }
    }
}

static void put_u32(struct payload *payload, uint32_t value)
{
    put_units(payload, (uint16_t[]){(uint16_t)value, (uint16_t)(value >> 16)}, 2);
}

/* Up to the fields that the two events do not share. */
static struct payload begin(uint32_t prefixed)
{
    static const char *const texts[] = {"N.C",    "Compiled", "void  ()", "<null>",        "<null>",
                                        "<null>", "N.D`1[T]", "Callee",   "int32  (int32)"};
    struct payload payload = {.size = 0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_text(&payload, texts[i]);
    }
    put_u32(&payload, prefixed);
    return payload;
}

/* From a copy of just that size, so that a read too far shows under ASan. */
static bool read_copy(struct tail_event *event, uint32_t id, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    bool read = tail_event_read(event, id, (struct ilp_bytes){copy, size});
    free(copy);
    return read;
}

static struct payload succeeded(uint32_t type)
{
    struct payload payload = begin(1);
    put_u32(&payload, type);
    put_units(&payload, (uint16_t[]){7}, 1); /* ClrInstanceID */
    return payload;
}

static struct payload failed(void)
{
    struct payload payload = begin(0);
    put_text(&payload, "Caller is synchronized");
    put_units(&payload, (uint16_t[]){7}, 1);
    return payload;
}

static void a_tail_call_that_was_made(void **state)
{
    struct tail_event event;
    (void)state;
    for (uint32_t type = TAIL_FAST; type <= TAIL_HELPER; type++) {
        struct payload payload = succeeded(type);
        assert_true(read_copy(&event, EVENT_TAIL_CALL_SUCCEEDED, payload.bytes, payload.size));
        assert_int_equal(event.outcome, type);
        assert_true(event.prefixed);
        assert_string_equal(event.compiled.type, "N.C");
        assert_string_equal(event.compiled.name, "Compiled");
        assert_string_equal(event.caller.name, "<null>");
        assert_string_equal(event.callee.type, "N.D`1[T]");
        assert_string_equal(event.callee.name, "Callee");
        assert_string_equal(event.callee.signature, "int32  (int32)");
        assert_string_equal(event.reason, "");
    }
}

static void one_that_was_refused(void **state)
{
    struct tail_event event;
    struct payload payload = failed();
    (void)state;
    assert_true(read_copy(&event, EVENT_TAIL_CALL_FAILED, payload.bytes, payload.size));
    assert_int_equal(event.outcome, TAIL_REFUSED);
    assert_false(event.prefixed);
    assert_string_equal(event.reason, "Caller is synchronized");
}

static void unknown_kinds_and_events_are_refused(void **state)
{
    struct tail_event event;
    struct payload payload = succeeded(3);
    (void)state;
    assert_false(read_copy(&event, EVENT_TAIL_CALL_SUCCEEDED, payload.bytes, payload.size));
    payload = succeeded(UINT32_MAX);
    assert_false(read_copy(&event, EVENT_TAIL_CALL_SUCCEEDED, payload.bytes, payload.size));
    payload = succeeded(TAIL_FAST);
    assert_false(read_copy(&event, EVENT_TAIL_CALL_SUCCEEDED + 1, payload.bytes, payload.size));
}

/* All but ClrInstanceID, which is not read, has to be there. */
static void cut_events_are_refused(void **state)
{
    struct tail_event event;
    struct payload made = succeeded(TAIL_LOOP), refused = failed();
    (void)state;
    for (size_t size = 0; size <= made.size; size++) {
        assert_int_equal(read_copy(&event, EVENT_TAIL_CALL_SUCCEEDED, made.bytes, size),
                         size + 2 >= made.size);
    }
    for (size_t size = 0; size <= refused.size; size++) {
        assert_int_equal(read_copy(&event, EVENT_TAIL_CALL_FAILED, refused.bytes, size),
                         size + 2 >= refused.size);
    }
}

/* Each byte as 0, 0xFF and with a bit turned: whatever comes out, texts end. */
static void changed_events_do_no_harm(void **state)
{
    static const uint8_t flips[] = {0x00, 0xFF, 0x01, 0x80};
    struct tail_event event;
    struct payload payload = failed();
    (void)state;
    for (size_t at = 0; at < payload.size; at++) {
        for (size_t i = 0; i < sizeof flips; i++) {
            uint8_t old = payload.bytes[at];
            payload.bytes[at] = i < 2 ? flips[i] : old ^ flips[i];
            if (read_copy(&event, EVENT_TAIL_CALL_FAILED, payload.bytes, payload.size)) {
                assert_true(strlen(event.reason) < TAIL_TEXT_SIZE &&
                            strlen(event.callee.signature) < TAIL_TEXT_SIZE);
            }
            payload.bytes[at] = old;
        }
    }
}

static void text_is_utf_16_and_cut_after_a_character(void **state)
{
    static const uint16_t odd[] = {0xE4, 0x20AC, 0xD83D, 0xDE00, 0xD83D, 'x', 0xDC00, 0};
    struct tail_event event;
    struct payload payload = {.size = 0};
    (void)state;
    put_units(&payload, odd, sizeof odd / sizeof odd[0]);
    for (size_t i = 0; i < TAIL_TEXT_SIZE; i++) {
        put_units(&payload, (uint16_t[]){0x20AC}, 1);
    }
    for (size_t i = 0; i < 8; i++) {
        put_text(&payload, "");
    }
    put_u32(&payload, 1);
    put_u32(&payload, TAIL_FAST);
    assert_true(read_copy(&event, EVENT_TAIL_CALL_SUCCEEDED, payload.bytes, payload.size));
    assert_string_equal(event.compiled.type,
                        "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xA0\xBDx\xED\xB0\x80");
    assert_int_equal(strlen(event.compiled.name), (TAIL_TEXT_SIZE - 1) / 3 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tail_call_that_was_made),
        cmocka_unit_test(one_that_was_refused),
        cmocka_unit_test(unknown_kinds_and_events_are_refused),
        cmocka_unit_test(cut_events_are_refused),
        cmocka_unit_test(changed_events_do_no_harm),
        cmocka_unit_test(text_is_utf_16_and_cut_after_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
