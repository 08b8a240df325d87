/* Writing signatures: src/sig/sig_write.c, and what reading and writing do without memory. */
#include "sig_cases.h"

static void check_raw_sig(struct bench *bench, const struct ilp_sig *sig);

/* `raw` of a node that was read from shortest forms is what the node is written as. */
static void check_raw(struct bench *bench, const struct ilp_type *type)
{
    for (; type; type = type->next) {
        bench->bytes.size = 0;
        assert_int_equal(ilpi_type_write(&bench->bytes, type, NULL, NULL), ILP_OK);
        same_bytes(ilpi_buf_bytes(&bench->bytes), type->raw);
        check_raw(bench, type->inner);
        if (type->method) {
            check_raw_sig(bench, type->method);
        }
    }
}

static void check_raw_sig(struct bench *bench, const struct ilp_sig *sig)
{
    check_raw(bench, sig->ret);
    check_raw(bench, sig->params);
}

static void test_raw(void **state)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_bytes blob = hex(good[i].bytes);
        check_raw_sig(*state, read_good(*state, blob, good[i].kind));
        drop(blob);
    }
}

static ilp_status to_type_def(void *user, ilp_token from, ilp_token *to, struct ilp_error *error)
{
    size_t *left = user;
    if ((*left)-- == 0) {
        return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, from, "no more");
    }
    *to = ILP_TOKEN(ILP_TypeDef, ILP_TOKEN_RID(from) + 0x100);
    return ILP_OK;
}

static void test_map(void **state)
{
    struct bench *bench = *state;
    struct ilp_bytes blob = hex("00 02 20 15 08 15 12 15 01 11 16 1B 00 00 12 14");
    struct ilp_bytes expected = hex("00 02 20 84 14 08 15 12 84 14 01 11 84 14 1B 00 00 12 84 14");
    const struct ilp_sig *sig = read_good(bench, blob, ILP_SIG_METHOD);
    for (size_t calls = 0; calls <= 4; calls++) {
        size_t left = calls;
        struct ilpi_sig_map map = {.user = &left, .token = to_type_def};
        struct ilp_error error;
        bench->bytes.size = 0;
        ilpi_buf_text(&bench->bytes, "kept");
        ilp_status status = ilpi_sig_write(&bench->bytes, sig, &map, &error);
        if (calls < 4) {
            assert_int_equal(status, ILP_E_CALLBACK);
            assert_string_equal(error.message, "no more");
            assert_int_equal(bench->bytes.size, 4);
        } else {
            assert_int_equal(status, ILP_OK);
            struct ilp_bytes all = ilpi_buf_bytes(&bench->bytes);
            same_bytes((struct ilp_bytes){all.data + 4, all.size - 4}, expected);
        }
    }
    drop(expected);
    drop(blob);
}

static void test_measure(void **state)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_bytes blob = hex(good[i].bytes);
        struct ilpi_buf measure = {0};
        const struct ilp_sig *sig = read_good(*state, blob, good[i].kind);
        assert_int_equal(ilpi_sig_write(&measure, sig, NULL, NULL), ILP_OK);
        assert_int_equal(measure.size, blob.size);
        drop(blob);
    }
}

/* Trees made by hand which no blob can hold, or which could not be read again. */
static void test_misuse(void **state)
{
    struct bench *bench = *state;
    int32_t bounds[1] = {1 << 28};
    struct ilp_array_shape shape = {.bound_count = 1, .bounds = bounds};
    struct ilp_type i4 = {.element = ILP_ELEMENT_I4};
    struct ilp_type types[] = {
        {.element = ILP_ELEMENT_CLASS, .token = 0x04000001}, /* a Field */
        {.element = ILP_ELEMENT_CLASS, .token = 0x02000000},
        {.element = ILP_ELEMENT_INTERNAL},
        {.element = ILP_ELEMENT_SENTINEL},
        {.element = 0xFF},
        {.element = ILP_ELEMENT_GENERICINST, .inner = &i4, .number = 1},
        {.element = ILP_ELEMENT_VAR, .number = ILPI_PACKED_MAX + 1},
        {.element = ILP_ELEMENT_ARRAY, .inner = &i4, .number = 1, .shape = &shape},
    };
    for (size_t i = 0; i < COUNT(types); i++) {
        ilp_status expected = i < 6 ? ILP_E_MISUSE : ILP_E_TOO_LARGE;
        assert_int_equal(ilpi_type_write(&bench->bytes, &types[i], NULL, NULL), expected);
    }
    struct ilp_type deep[ILPI_SIG_MAX_DEPTH + 1] = {[ILPI_SIG_MAX_DEPTH] = i4};
    for (size_t i = 0; i < ILPI_SIG_MAX_DEPTH; i++) {
        deep[i] = (struct ilp_type){.element = ILP_ELEMENT_SZARRAY, .inner = &deep[i + 1]};
    }
    assert_int_equal(ilpi_type_write(&bench->bytes, &deep[0], NULL, NULL), ILP_E_TOO_DEEP);
    assert_int_equal(bench->bytes.size, 0);
    assert_int_equal(ilpi_type_write(&bench->bytes, &deep[1], NULL, NULL), ILP_OK);
    bench->bytes.size = 0;

    struct ilp_sig sigs[] = {
        {.kind = ILP_SIG_METHOD, .convention = 0x06, .ret = &i4},
        {.kind = ILP_SIG_FIELD, .convention = 0x00, .ret = &i4},
        {.kind = ILP_SIG_STANDALONE, .ret = &i4},
        {.kind = ILP_SIG_METHOD, .ret = &i4, .params = &i4},
        {.kind = ILP_SIG_METHOD, .ret = &i4, .param_count = 1},
        {.kind = ILP_SIG_METHOD, .ret = &i4, .params = &i4, .param_count = 2},
    };
    for (size_t i = 0; i < COUNT(sigs); i++) {
        assert_int_equal(ilpi_sig_write(&bench->bytes, &sigs[i], NULL, NULL), ILP_E_MISUSE);
    }
    assert_int_equal(bench->bytes.size, 0);
    i4.element = ILP_ELEMENT_I8;
    sigs[3].param_count = 1;
    struct ilp_bytes expected = hex("00 01 0A 0A");
    same_bytes(written(bench, &sigs[3]), expected);
    drop(expected);
}

/* ---- memory ---- */

/* An allocator that counts, and fails when set to. */
struct meter {
    size_t out;   /* bytes not given back */
    size_t calls; /* allocations so far */
    size_t fail;  /* the number of the one that fails, counted from 1; 0: none */
};

static void *meter_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    struct meter *meter = user;
    if (new_size != 0 && ++meter->calls == meter->fail) {
        return NULL;
    }
    meter->out = meter->out - old_size + new_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

/* Reads, names and writes; the status of the first step that fails. */
static ilp_status cycle(struct meter *meter, struct ilp_bytes blob, enum ilp_sig_kind kind)
{
    const struct ilp_allocator allocator = {.resize = meter_resize, .user = meter};
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, &allocator);
    struct ilpi_buf text = {.alloc = &alloc};
    struct ilpi_buf bytes = {.alloc = &alloc};
    struct ilp_error error = {0};
    struct ilp_arena *arena = NULL;
    struct ilp_sig *sig;
    ilp_status status = ilp_arena_open(&arena, &allocator, &error);
    if (status == ILP_OK) {
        status = ilp_sig_read(&sig, blob, kind, 0, arena, &error);
    }
    if (status == ILP_OK) {
        status = ilpi_sig_write(&bytes, sig, NULL, &error);
        assert_int_equal(bytes.size, status == ILP_OK ? blob.size : 0);
    }
    assert_int_equal(error.status, status);
    if (status == ILP_OK) {
        ilpi_sig_text(&text, sig, "M", &short_names);
        status = text.status;
    }
    ilp_arena_close(arena);
    ilpi_buf_free(&text);
    ilpi_buf_free(&bytes);
    return status;
}

static size_t fail_each(struct ilp_bytes blob, enum ilp_sig_kind kind)
{
    for (size_t n = 1;; n++) {
        struct meter meter = {.fail = n};
        ilp_status status = cycle(&meter, blob, kind);
        assert_int_equal(meter.out, 0);
        if (meter.calls < n) {
            assert_int_equal(status, ILP_OK);
            return n - 1;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct ilp_bytes blob = hex(good[i].bytes);
        assert_true(fail_each(blob, good[i].kind) >= 4);
        drop(blob);
    }
    /* so many that types, shapes, sizes, bounds and nested signatures all start a chunk once */
    static const uint8_t local[] = {0x14, 0x1B, 0x00, 0x01, 0x08, 0x0E, 0x02,
                                    0x02, 0x03, 0x04, 0x02, 0x00, 0x7B};
    enum { LOCALS = 1500 };
    size_t size = 3 + LOCALS * sizeof local;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    bytes[0] = 0x07;
    bytes[1] = 0x80 | LOCALS >> 8;
    bytes[2] = LOCALS & 0xFF;
    for (size_t i = 0; i < LOCALS; i++) {
        memcpy(bytes + 3 + i * sizeof local, local, sizeof local);
    }
    assert_true(fail_each((struct ilp_bytes){bytes, size}, ILP_SIG_LOCALS) > 40);
    free(bytes);
}

/* A count is believed only as far as there are bytes. */
static void test_cost(void **state)
{
    (void)state;
    static const char *const blobs[] = {"07 DF FF FF FF 08", "06 14 08 20 DF FF FF FF 00",
                                        "06 15 12 15 DF FF FF FF 08"};
    for (size_t i = 0; i < COUNT(blobs); i++) {
        struct ilp_bytes blob = hex(blobs[i]);
        struct meter meter = {0};
        assert_int_equal(cycle(&meter, blob, ILP_SIG_STANDALONE), ILP_E_BAD_SIGNATURE);
        assert_in_range(meter.calls, 2, 8); /* the arena and its first chunks */
        drop(blob);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_raw, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_map, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_measure, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(test_misuse, open_bench, close_bench),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
