/* The n-th allocation fails, for each n until all goes well: opening, inspecting, editing and
 * writing each say ILP_E_NO_MEMORY, leak nothing, and work again afterwards with the same objects.
 */
#include "metadata_test.h"

#include "metadata/resolve.h"
#include "tests/unit/one_request.h"

struct job {
    struct memory memory; /* of everything in the job */
    struct ilp_allocator allocator;
    struct ilp_bytes bytes;
    struct ilp_bytes inspector_bytes;
    bool late; /* the edit is made by hand, with rows of all kinds, too */
};

static struct ilp_image *self(void *user, const struct ilp_assembly_name *name)
{
    (void)name;
    return user;
}

static ilp_status edit_by_hand(struct ilp_edit *edit, struct ilp_error *error)
{
    uint32_t name;
    uint32_t blob;
    ilp_token text;
    ilp_rid rid;
    const struct ilp_bytes bytes = {(const uint8_t *)"\x06\x2A", 2};
    ILPI_TRY(ilp_edit_add_string(edit, "by hand", &name, error));
    ILPI_TRY(ilp_edit_add_blob(edit, bytes, &blob, error));
    ILPI_TRY(ilp_edit_add_user_string(edit, bytes, &text, error));
    ILPI_TRY(ilp_edit_add_row(edit, ILP_GenericParam,
                              (const uint32_t[]){0, 0, ILP_TOKEN(ILP_TypeDef, 1), name}, &rid,
                              error));
    ILPI_TRY(ilp_edit_add_row(edit, ILP_CustomAttribute,
                              (const uint32_t[]){ILP_TOKEN(ILP_TypeDef, 1), 0, blob}, &rid, error));
    ILPI_TRY(ilp_edit_set_cell(edit, ILP_Module, 1, ILP_Module_Generation, 1, error));
    return ilp_edit_set_body(edit, 1, bytes, error);
}

static ilp_status rewrite(struct job *job, struct ilp_image *image,
                          const struct ilp_inspector *inspector, struct ilp_edit *edit,
                          struct ilp_bytes *written, struct ilp_error *error)
{
    struct ilp_resolver resolver = {.user = image, .open = self};
    ILPI_TRY(ilp_inspect_returns(image, edit, ONE_REQUEST(inspector, &resolver, &job->allocator),
                                 NULL, error));
    if (job->late) {
        ILPI_TRY(edit_by_hand(edit, error));
    }
    return write_edit(edit, written, NULL, error);
}

/* The whole way. Everything that was opened is closed, whatever failed. */
static ilp_status run(struct job *job, struct ilp_bytes *written, struct ilp_error *error)
{
    struct ilp_image *inspector_image = NULL;
    struct ilp_inspector *inspector = NULL;
    struct ilp_image *image = NULL;
    struct ilp_edit *edit = NULL;
    *written = (struct ilp_bytes){NULL, 0};
    ilp_status status = ilp_image_open(&inspector_image, job->inspector_bytes, ILP_LAYOUT_FILE, "i",
                                       &job->allocator, error);
    if (status == ILP_OK) {
        status = ilp_inspector_open(&inspector, inspector_image, &job->allocator, error);
    }
    if (status == ILP_OK) {
        status = ilp_image_open(&image, job->bytes, ILP_LAYOUT_FILE, "t", &job->allocator, error);
    }
    if (status == ILP_OK) {
        status = ilp_edit_open(&edit, image, &job->allocator, error);
    }
    if (status == ILP_OK) {
        status = rewrite(job, image, inspector, edit, written, error);
    }
    ilp_edit_close(edit);
    ilp_image_close(image);
    ilp_inspector_close(inspector);
    ilp_image_close(inspector_image);
    return status;
}

static void fail_each(struct job *job, const char *name)
{
    struct ilp_bytes expected;
    struct ilp_error error = {0};
    job->allocator = memory_allocator(&job->memory);
    job->memory = (struct memory){0};
    assert_int_equal(run(job, &expected, &error), ILP_OK);
    memory_is_empty(&job->memory);
    size_t calls = job->memory.calls;
    for (size_t n = 1; n <= calls + 1; n++) {
        struct ilp_bytes written;
        error = (struct ilp_error){0};
        job->memory = (struct memory){.fail_at = n};
        ilp_status status = run(job, &written, &error);
        memory_is_empty(&job->memory);
        if (n <= calls) {
            if (status != ILP_E_NO_MEMORY || error.status != status || error.message[0] == '\0') {
                fail_msg("%s, allocation %zu of %zu: %s", name, n, calls, ilp_status_name(status));
            }
        } else {
            assert_int_equal(status, ILP_OK);
            same_bytes(written, expected);
        }
        drop(written);
    }
    drop(expected);
}

static void files(void **state)
{
    static const char *const names[] = {
        "good-small.dll",    "good-uncompressed.dll", "good-no-us.dll",  "good-pe32plus.dll",
        "good-security.dll", "good-il.dll",           "good-csharp.dll", "good-r2r.dll"};
    struct job *job = *state;
    for (size_t i = 0; i < COUNT(names); i++) {
        for (unsigned late = 0; late < 2; late++) {
            job->late = late;
            job->bytes = load(names[i]);
            fail_each(job, names[i]);
            drop(job->bytes);
        }
    }
}

/* Files of the kinds that cost memory while writing: growth, checksum, debug entries. */
static void built_files(void **state)
{
    struct job *job = *state;
    for (unsigned sections = 0; sections <= 2; sections++) {
        struct ib_image b;
        ib_begin(&b);
        ib_sample(&b);
        IB_ROW(&b, GenericParam, 0, 0, ILP_TOKEN(ILP_TypeDef, 2), 1);
        IB_ROW(&b, GenericParamConstraint, 1, ILP_TOKEN(ILP_TypeRef, 1));
        struct ib_file file =
            ib_pe_file(&b, (struct ib_pe){.extra_sections = sections, .extra_size = 56});
        ib_end(&b);
        ib_set32(file.data, file.optional + 64, 1);
        if (sections != 0) { /* .text begins with the CLI header */
            ib_directory(&file, 6, ib_get32(file.data, file.table_end - 28), 56);
        }
        job->late = true;
        job->bytes = taken_file(file);
        fail_each(job, "built");
        drop(job->bytes);
    }
}

/* Every limit from nothing up ends in one of two ways. */
static void limits(void **state)
{
    struct job *job = *state;
    job->late = true;
    job->bytes = load("good-il.dll");
    unsigned enough = 0;
    for (size_t limit = 1; limit < 2u << 20; limit += limit / 7 + 1) {
        struct ilp_bytes written;
        job->memory = (struct memory){0};
        job->allocator = memory_allocator(&job->memory);
        job->allocator.limit = limit;
        ilp_status status = run(job, &written, NULL);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        assert_true(status == ILP_OK || enough == 0); /* more never hurts */
        enough += status == ILP_OK;
        memory_is_empty(&job->memory);
        drop(written);
    }
    assert_int_not_equal(enough, 0);
    drop(job->bytes);
}

/* A look-up by name builds its index at the first query: that can fail, and be repeated. */
static void look_ups(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-il.dll");
    for (size_t n = 1;; n++) {
        struct memory memory = {0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_image *image;
        assert_int_equal(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, &allocator, NULL),
                         ILP_OK);
        /* what is small comes from memory that is there already */
        while (image->arena.chunks && ilpi_arena_alloc(&image->arena, 1) && memory.blocks == 2) {
        }
        memory.fail_at = memory.calls + n;
        ilp_status status = ilp_image_index(image, NULL);
        size_t calls = memory.calls;
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        assert_true((status == ILP_OK) == (image->types != NULL));
        assert_int_not_equal(ilpi_find_type(image, 0, "N", "Members"), 0);
        ilp_image_close(image);
        memory_is_empty(&memory);
        if (calls < memory.fail_at) {
            break;
        }
    }
    drop(bytes);
}

/* ---- functions that have memory of their own ---- */

/* Adds the prefix to all calls that can have it, in `edit` (may be NULL), and counts methods. */
static ilp_status edit_tail_calls(struct ilp_image *image, struct ilp_edit *edit,
                                  const struct ilp_allocator *allocator, unsigned *changed)
{
    struct ilp_tail_editor *editor;
    ilp_status status = ilp_tail_editor_open(&editor, image, NULL, allocator, NULL);
    for (ilp_rid rid = 1; status == ILP_OK && rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        const struct ilp_tail_call *calls;
        struct ilp_bytes body = {NULL, 0};
        size_t count;
        status = ilp_tail_calls(editor, rid, &calls, &count, NULL);
        if (status == ILP_OK && count != 0) {
            status = ilp_tail_change(editor, ILP_TAIL_ADD, &body, NULL);
        }
        if (status == ILP_OK && body.size != 0) {
            *changed += 1;
            status = edit ? ilp_edit_set_body(edit, rid, body, NULL) : ILP_OK;
        }
    }
    ilp_tail_editor_close(editor);
    return status;
}

static void tail_editor(void **state)
{
    struct ilp_bytes plain = load("good-il.dll"), prefixed;
    struct ilp_image *image;
    struct ilp_edit *edit;
    unsigned changed = 0;
    (void)state;
    assert_int_equal(ilp_image_open(&image, plain, ILP_LAYOUT_FILE, NULL, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_edit_open(&edit, image, NULL, NULL), ILP_OK);
    assert_int_equal(edit_tail_calls(image, edit, NULL, &changed), ILP_OK);
    assert_int_equal(write_edit(edit, &prefixed, NULL, NULL), ILP_OK);
    assert_int_not_equal(changed, 0);
    ilp_edit_close(edit);
    ilp_image_close(image);
    const struct ilp_bytes files[] = {plain, prefixed};
    for (size_t i = 0; i < COUNT(files); i++) {
        ilp_status status = ILP_E_NO_MEMORY;
        assert_int_equal(ilp_image_open(&image, files[i], ILP_LAYOUT_FILE, NULL, NULL, NULL),
                         ILP_OK);
        for (size_t n = 1; status != ILP_OK; n++) {
            struct memory memory = {.fail_at = n};
            struct ilp_allocator allocator = memory_allocator(&memory);
            status = edit_tail_calls(image, NULL, &allocator, &changed);
            memory_is_empty(&memory);
            assert_true(status == ILP_E_NO_MEMORY || (status == ILP_OK && n > 5));
            assert_int_equal(status == ILP_OK, memory.calls < n);
        }
        ilp_image_close(image);
    }
    drop(plain);
    drop(prefixed);
}

static void ignore_missing(void *user, const char *what)
{
    (void)user, (void)what;
}

static void inspector_needs(void **state)
{
    struct job *job = *state;
    struct ilp_needs needs = {.closed = true, .missing = ignore_missing};
    struct ilp_inspector *inspector;
    struct ilp_image *image;
    ilp_status status = ILP_E_NO_MEMORY;
    assert_int_equal(
        ilp_image_open(&image, job->inspector_bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_inspector_open(&inspector, image, NULL, NULL), ILP_OK);
    struct ilp_resolver resolver = {.user = image, .open = self};
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        status = ilp_inspector_check_needs(inspector, image, &resolver, &needs, &allocator, NULL);
        memory_is_empty(&memory);
        assert_true(status == ILP_E_NO_MEMORY || (status == ILP_OK && n > 1));
        assert_int_equal(status == ILP_OK, memory.calls < n);
    }
    ilp_inspector_close(inspector);
    ilp_image_close(image);
}

static int setup(void **state)
{
    static struct job job;
    struct ib_image b;
    ib_begin(&b);
    ib_inspector(&b);
    job.inspector_bytes = taken_file(ib_pe_file(&b, (struct ib_pe){0}));
    ib_end(&b);
    *state = &job;
    return 0;
}

static int teardown(void **state)
{
    drop(((struct job *)*state)->inspector_bytes);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),       cmocka_unit_test(built_files),
        cmocka_unit_test(limits),      cmocka_unit_test(look_ups),
        cmocka_unit_test(tail_editor), cmocka_unit_test(inspector_needs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
