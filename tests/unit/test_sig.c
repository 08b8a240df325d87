/* Reading and naming signatures: src/sig/elements.c, sig_shape.c, sig_read.c, sig_text.c. Every
 * good one of sig_cases.h is also cut at every byte and changed at every byte. */
#include "sig_cases.h"

/* Read, but written differently: what is no shortest form, and what says nothing. */
static const struct {
    enum ilp_sig_kind kind;
    const char *bytes;
    const char *written;
} wordy[] = {
    {ILP_SIG_METHOD, "00 80 01 08 08", "00 01 08 08"},
    {ILP_SIG_FIELD, "06 12 C0 00 00 15", "06 12 15"},
    {ILP_SIG_FIELD, "06 14 08 01 00 01 BF FB", "06 14 08 01 00 01 7B"}, /* -3 in 14 bits */
    {ILP_SIG_METHOD, "05 01 01 08 41", "05 01 01 08"}, /* ilasm's "vararg void M(int32, ...)" */
};

/* `at` counts from the start of the blob. */
static const struct {
    enum ilp_sig_kind kind;
    const char *bytes;
    ilp_status status;
    uint64_t at;
} bad[] = {
    /* the first byte */
    {ILP_SIG_METHOD, "", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_STANDALONE, "", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_TYPE_SPEC, "", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_METHOD, "06 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_METHOD, "0B 00 01", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_METHOD, "80 00 01", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_FIELD, "26 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_FIELD, "00 00 01", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_PROPERTY, "48 00 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_LOCALS, "06 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_METHOD_SPEC, "15 01 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_STANDALONE, "08 00 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_STANDALONE, "0A 01 08", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_FIELD, "06 1B 06 08", ILP_E_BAD_SIGNATURE, 2},
    /* counts */
    {ILP_SIG_METHOD, "10 00 00 01", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_METHOD, "00 DF FF FF FF 01 08", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_METHOD, "00 03 01 08", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_METHOD, "00 E0 01 08", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_LOCALS, "07 02 08", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_METHOD_SPEC, "0A 00", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_TYPE_SPEC, "15 12 15 00", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_TYPE_SPEC, "15 12 15 02 08", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_FIELD, "06 14 08 00 00 00", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_FIELD, "06 14 08 21 00 00", ILP_E_TOO_LARGE, 3},
    {ILP_SIG_FIELD, "06 14 08 01 02 01 01 00", ILP_E_BAD_SIGNATURE, 4},
    {ILP_SIG_FIELD, "06 14 08 01 00 02 00 00", ILP_E_BAD_SIGNATURE, 5},
    {ILP_SIG_FIELD, "06 14 08 20 1F 01 00", ILP_E_BAD_SIGNATURE, 4},
    /* element types */
    {ILP_SIG_FIELD, "06 00", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_FIELD, "06 17", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_FIELD, "06 80 08", ILP_E_BAD_SIGNATURE, 1}, /* a byte, not a compressed integer */
    {ILP_SIG_FIELD, "06 1A", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_FIELD, "06 1D 21 00 00 00 00 00 00 00 00", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_FIELD, "06 22", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_FIELD, "06 40", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_FIELD, "06 FF", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_TYPE_SPEC, "15 08 01 08", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_TYPE_SPEC, "15 20 15 12 15 01 08", ILP_E_BAD_SIGNATURE, 1},
    /* VOID */
    {ILP_SIG_METHOD, "00 01 01 01", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_METHOD, "00 00 10 01", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_FIELD, "06 01", ILP_E_BAD_SIGNATURE, 1},
    {ILP_SIG_FIELD, "06 1D 01", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_FIELD, "06 20 15 01", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_PROPERTY, "28 00 01", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_LOCALS, "07 01 01", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_TYPE_SPEC, "01", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_METHOD_SPEC, "0A 01 01", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_TYPE_SPEC, "14 01 01 00 00", ILP_E_BAD_SIGNATURE, 1},
    /* PINNED and SENTINEL */
    {ILP_SIG_FIELD, "06 1D 45 0E", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_TYPE_SPEC, "45 0E", ILP_E_BAD_SIGNATURE, 0},
    {ILP_SIG_METHOD, "00 00 45 0E", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_LOCALS, "07 01 45 45 0E", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_LOCALS, "07 01 10 45 0E", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_METHOD, "00 01 01 41 08", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_METHOD, "05 01 41 01 08", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_METHOD, "05 02 01 41 08 41 08", ILP_E_BAD_SIGNATURE, 5},
    {ILP_SIG_METHOD, "05 01 01 1D 41 08", ILP_E_BAD_SIGNATURE, 4},
    {ILP_SIG_METHOD, "05 01 01 15 12 15 02 08 41 08", ILP_E_BAD_SIGNATURE, 8},
    {ILP_SIG_METHOD, "05 00 01 41 41", ILP_E_BAD_SIGNATURE, 4},
    /* tokens: tag 3, row 0, a row that no token can hold */
    {ILP_SIG_FIELD, "06 12 17", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_FIELD, "06 12 01", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_FIELD, "06 12 C4 00 00 01", ILP_E_BAD_SIGNATURE, 2},
    {ILP_SIG_FIELD, "06 1F 00 08", ILP_E_BAD_SIGNATURE, 2},
    /* bytes left over */
    {ILP_SIG_METHOD, "00 00 01 00", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_METHOD, "00 00 01 41", ILP_E_BAD_SIGNATURE, 3},
    {ILP_SIG_TYPE_SPEC, "08 08", ILP_E_BAD_SIGNATURE, 1},
};

static const char *text_of(struct bench *bench, const struct ilp_sig *sig)
{
    bench->text.size = 0;
    ilpi_sig_text(&bench->text, sig, "M", &short_names);
    ilpi_buf_u8(&bench->text, 0);
    assert_int_equal(bench->text.status, ILP_OK);
    return (const char *)bench->text.data;
}

/* ---- good, wordy, bad ---- */

static void test_good(void **state)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_bytes blob = hex(good[i].bytes);
        const struct ilp_sig *sig = read_good(*state, blob, good[i].kind);
        assert_string_equal(text_of(*state, sig), good[i].text);
        same_bytes(written(*state, sig), blob);
        drop(blob);
    }
}

static void test_wordy(void **state)
{
    for (size_t i = 0; i < COUNT(wordy); i++) {
        struct ilp_bytes blob = hex(wordy[i].bytes);
        struct ilp_bytes expected = hex(wordy[i].written);
        same_bytes(written(*state, read_good(*state, blob, wordy[i].kind)), expected);
        drop(expected);
        drop(blob);
    }
}

static void test_bad(void **state)
{
    struct bench *bench = *state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct ilp_bytes blob = hex(bad[i].bytes);
        struct ilp_error error = {0};
        struct ilp_sig *sig;
        ilp_status status = ilp_sig_read(&sig, blob, bad[i].kind, ORIGIN, bench->arena, &error);
        if (status != bad[i].status || error.status != status ||
            error.offset != ORIGIN + bad[i].at) {
            fail_msg("\"%s\": %s at %llu: %s", bad[i].bytes, ilp_status_name(status),
                     (unsigned long long)(error.offset - ORIGIN), error.message);
        }
        assert_int_equal(ilp_sig_read(&sig, blob, bad[i].kind, ORIGIN, bench->arena, NULL), status);
        drop(blob);
    }
}

static void test_messages(void **state)
{
    struct bench *bench = *state;
    static const struct {
        enum ilp_sig_kind kind;
        const char *bytes;
        const char *message;
    } cases[] = {
        {ILP_SIG_FIELD, "06 1D", "field signature: the data ends too early"},
        {ILP_SIG_LOCALS, "07 01 17", "locals signature: element type 0x17 does not exist"},
        {ILP_SIG_STANDALONE, "1A 00 01", "method signature: it cannot begin with 0x1A"},
        {ILP_SIG_METHOD, "00 09 01 08",
         "method signature: a count of 9, but only 2 bytes are left"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_bytes blob = hex(cases[i].bytes);
        struct ilp_error error;
        struct ilp_sig *sig;
        assert_int_equal(ilp_sig_read(&sig, blob, cases[i].kind, 0, bench->arena, &error),
                         ILP_E_BAD_SIGNATURE);
        assert_string_equal(error.message, cases[i].message);
        drop(blob);
    }
    struct ilp_sig *sig;
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){NULL, 0}, (enum ilp_sig_kind)7, 0,
                                  bench->arena, NULL),
                     ILP_E_MISUSE);
}

/* ---- the tree ---- */

static void test_members(void **state)
{
    struct ilp_bytes blob =
        hex("35 02 03 0F 1F 15 01 15 12 14 01 14 08 02 01 07 01 7B 41 1B 00 00 01 08");
    const struct ilp_sig *sig = read_good(*state, blob, ILP_SIG_STANDALONE);
    assert_int_equal(sig->kind, ILP_SIG_METHOD);
    assert_int_equal(sig->convention, ILP_CALL_VARARG | ILP_CALL_HASTHIS | ILP_CALL_GENERIC);
    assert_int_equal(sig->generic_count, 2);
    assert_int_equal(sig->param_count, 3);
    assert_int_equal(sig->required_count, 1);
    assert_int_equal(sig->ret->element, ILP_ELEMENT_PTR);
    assert_int_equal(sig->ret->inner->element, ILP_ELEMENT_CMOD_REQD);
    assert_int_equal(sig->ret->inner->token, 0x01000005);
    assert_int_equal(ilpi_type_unmodified(sig->ret->inner)->element, ILP_ELEMENT_VOID);

    const struct ilp_type *instance = sig->params;
    assert_int_equal(instance->number, 1);
    assert_int_equal(instance->inner->element, ILP_ELEMENT_CLASS);
    assert_int_equal(instance->inner->token, 0x02000005);
    assert_int_equal(instance->inner->raw.size, 2);
    const struct ilp_type *array = instance->inner->next;
    assert_null(array->next);
    assert_int_equal(array->number, 2);
    assert_int_equal(array->shape->size_count, 1);
    assert_int_equal(array->shape->sizes[0], 7);
    assert_int_equal(array->shape->bound_count, 1);
    assert_int_equal(array->shape->bounds[0], -3);

    const struct ilp_type *pointer = instance->next;
    assert_int_equal(pointer->method->ret->element, ILP_ELEMENT_VOID);
    assert_null(pointer->method->params);
    assert_int_equal(pointer->next->element, ILP_ELEMENT_I4);
    assert_ptr_equal(pointer->next->raw.data, blob.data + blob.size - 1);
    assert_null(pointer->next->next);
    drop(blob);

    blob = hex("07 01 20 15 45 1F 15 0E");
    sig = read_good(*state, blob, ILP_SIG_LOCALS);
    assert_null(sig->ret);
    assert_int_equal(ilpi_type_unmodified(sig->params)->element, ILP_ELEMENT_STRING);
    drop(blob);
}

static void test_text_without_names(void **state)
{
    struct bench *bench = *state;
    static const struct {
        enum ilp_sig_kind kind;
        const char *bytes;
        const char *text;
    } cases[] = {
        {ILP_SIG_METHOD, "20 01 01 12 15", "instance void *(class 0x01000005)"},
        {ILP_SIG_FIELD, "06 1F 16 08", "int32 modreq(0x1B000005)"},
        {ILP_SIG_METHOD_SPEC, "0A 02 08 0E", "<int32,string>"},
        {ILP_SIG_LOCALS, "07 01 08", "(int32)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_bytes blob = hex(cases[i].bytes);
        const struct ilp_sig *sig = read_good(bench, blob, cases[i].kind);
        bench->text.size = 0;
        ilpi_sig_text(&bench->text, sig, NULL, NULL);
        ilpi_buf_u8(&bench->text, 0);
        assert_string_equal((const char *)bench->text.data, cases[i].text);
        drop(blob);
    }
}

static void test_elements(void **state)
{
    (void)state;
    assert_string_equal(ilpi_element_text(ILP_ELEMENT_U), "native uint");
    assert_string_equal(ilpi_element_text(0x17), "");
    assert_string_equal(ilpi_element_text(0x100), "");
    const char *values = "02 03 04 05 06 07 08 09 0A 0B 0C 0D 18 19";
    for (unsigned element = 0; element < 0x200; element++) {
        char number[8];
        snprintf(number, sizeof number, "%02X", element);
        bool expected = element < 0x100 && strstr(values, number) != NULL;
        assert_int_equal(ilpi_element_is_primitive_value(element), expected);
    }
}

/* ---- depth ---- */

/* A field of `levels` nested types: an int32, and `levels` - 1 times something around it. */
static struct ilp_bytes nested(const char *before, const char *after, size_t levels)
{
    struct ilp_bytes head = hex(before);
    struct ilp_bytes tail = hex(after);
    size_t size = 2 + (levels - 1) * (head.size + tail.size);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    uint8_t *at = bytes;
    *at++ = 0x06;
    for (size_t i = 1; i < levels; i++) {
        memcpy(at, head.data, head.size);
        at += head.size;
    }
    *at++ = ILP_ELEMENT_I4;
    for (size_t i = 1; tail.size != 0 && i < levels; i++) {
        memcpy(at, tail.data, tail.size);
        at += tail.size;
    }
    drop(head);
    drop(tail);
    return (struct ilp_bytes){bytes, size};
}

static void test_depth(void **state)
{
    struct bench *bench = *state;
    static const struct {
        const char *before;
        const char *after;
        size_t size; /* of before */
        size_t at;   /* where in it the next type begins */
    } cases[] = {
        {"0F", "", 1, 1},          {"1D", "", 1, 1},          {"20 15", "", 2, 2},
        {"14", "01 00 00", 1, 1},  {"15 12 15 01", "", 4, 1}, {"1B 00 00", "", 3, 3},
        {"1B 00 01 01", "", 4, 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_error error;
        struct ilp_sig *sig;
        struct ilp_bytes blob = nested(cases[i].before, cases[i].after, ILPI_SIG_MAX_DEPTH);
        sig = read_good(bench, blob, ILP_SIG_FIELD);
        same_bytes(written(bench, sig), blob);
        text_of(bench, sig);
        drop(blob);

        blob = nested(cases[i].before, cases[i].after, ILPI_SIG_MAX_DEPTH + 1);
        assert_int_equal(ilp_sig_read(&sig, blob, ILP_SIG_FIELD, ORIGIN, bench->arena, &error),
                         ILP_E_TOO_DEEP);
        assert_int_equal(error.offset,
                         ORIGIN + 1 + (ILPI_SIG_MAX_DEPTH - 1) * cases[i].size + cases[i].at);
        drop(blob);
    }

    struct ilp_bytes blob = nested("1D", "", 1000 * 1000);
    struct ilp_sig *sig;
    assert_int_equal(ilp_sig_read(&sig, blob, ILP_SIG_FIELD, 0, bench->arena, NULL),
                     ILP_E_TOO_DEEP);
    drop(blob);
}

/* ---- every cut, every change ---- */

static void test_truncated(void **state)
{
    struct bench *bench = *state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_bytes blob = hex(good[i].bytes);
        for (size_t size = 0; size < blob.size; size++) {
            struct ilp_bytes cut = exact(blob.data, size);
            struct ilp_error error;
            struct ilp_sig *sig;
            assert_int_equal(ilp_sig_read(&sig, cut, good[i].kind, ORIGIN, bench->arena, &error),
                             ILP_E_BAD_SIGNATURE);
            assert_in_range(error.offset, ORIGIN, ORIGIN + size);
            drop(cut);
        }
        drop(blob);
    }
}

/* The shape of a call agrees with the tree. */
static void check_shape(struct ilp_bytes blob, const struct ilp_sig *sig)
{
    struct ilpi_sig_call call;
    assert_int_equal(ilpi_sig_call_shape(blob, ORIGIN, &call, NULL), ILP_OK);
    assert_int_equal(call.convention, sig->convention);
    assert_int_equal(call.params, sig->param_count);
    assert_int_equal(call.returns, ilpi_type_unmodified(sig->ret)->element != ILP_ELEMENT_VOID);
}

static void test_changed(void **state)
{
    struct bench *bench = *state;
    size_t accepted = 0;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_bytes blob = hex(good[i].bytes);
        for (size_t change = 0; change < blob.size * 256; change++) {
            struct ilp_bytes changed = exact(blob.data, blob.size);
            ((uint8_t *)(uintptr_t)changed.data)[change / 256] = (uint8_t)change;
            ilp_arena_reset(bench->arena);
            struct ilp_sig *sig;
            if (ilp_sig_read(&sig, changed, good[i].kind, 0, bench->arena, NULL) == ILP_OK) {
                accepted++;
                if (sig->kind == ILP_SIG_METHOD) {
                    check_shape(changed, sig);
                }
                char *text = strdup(text_of(bench, sig));
                struct ilp_bytes bytes = written(bench, sig);
                struct ilp_bytes again = exact(bytes.data, bytes.size);
                sig = read_good(bench, again, sig->kind);
                assert_string_equal(text_of(bench, sig), text);
                same_bytes(written(bench, sig), again); /* now the forms are the shortest */
                free(text);
                drop(again);
            }
            drop(changed);
        }
        drop(blob);
    }
    assert_true(accepted > 10 * COUNT(good));
}

static void test_bad_shape(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint64_t at;
    } cases[] = {{"", 0},           {"06 08", 0}, {"00", 1},       {"00 04 01 08", 1},
                 {"10 00 00", 1},   {"00 00", 2}, {"00 00 20", 3}, {"00 00 20 15", 4},
                 {"00 00 20 80", 4}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilp_bytes blob = hex(cases[i].bytes);
        struct ilp_error error;
        struct ilpi_sig_call call;
        assert_int_equal(ilpi_sig_call_shape(blob, ORIGIN, &call, &error), ILP_E_BAD_SIGNATURE);
        assert_int_equal(error.offset, ORIGIN + cases[i].at);
        drop(blob);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_wordy, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_bad, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_messages, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_members, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_text_without_names, open_bench, close_bench),
        cmocka_unit_test(test_elements),
        cmocka_unit_test_setup_teardown(test_depth, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_truncated, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_changed, open_bench, close_bench),
        cmocka_unit_test(test_bad_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
