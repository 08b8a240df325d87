/* The same rewriter with two emitters over real assemblies: one that makes rows in an edit, one
 * that makes nothing. They have to give the same IL, tokens apart, and the written file has to hold
 * it.
 *
 *   test_rewrite_real [FILE...]     other assemblies than those of the tests */

#include "tests/unit/inspect_image.h"
#include "tests/unit/test_inputs.h"
#include "symbols/moves.h"
#include "tests/unit/one_request.h"

static char **files;
static size_t file_count;

/* The code of a body with all tokens zero, as they differ from one emitter to the other. */
static struct ilp_bytes without_tokens(struct ilp_bytes body)
{
    struct ilp_bytes copy = exact(body.data, body.size);
    struct ilp_arena *arena;
    struct ilp_body read;
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_body_read(&read, copy, 0, arena, NULL), ILP_OK);
    assert_int_equal(read.size, copy.size);
    uint8_t *code = (uint8_t *)(uintptr_t)copy.data + (read.fat ? 12 : 1);
    struct ilpi_insn insn;
    for (uint32_t at = 0; at < read.code.size; at += insn.size) {
        assert_true(ilpi_insn_read(read.code, at, &insn));
        uint8_t operand = ilpi_opcodes[insn.op].operand;
        if (operand == ILPI_OPERAND_TOKEN || operand == ILPI_OPERAND_METHOD ||
            operand == ILPI_OPERAND_STRING) {
            memset(code + at + insn.size - 4, 0, 4);
        }
    }
    ilp_arena_close(arena);
    return copy;
}

static void same_results(const struct ilp_method_result *a, const struct ilp_method_result *b)
{
    assert_int_equal(a->reason, b->reason);
    assert_string_equal(a->detail, b->detail);
    assert_int_equal(a->rets, b->rets);
    assert_int_equal(a->inspected, b->inspected);
    assert_int_equal(a->tail_calls, b->tail_calls);
    assert_int_equal(a->boxed, b->boxed);
    assert_int_equal(a->old_size, b->old_size);
    assert_int_equal(a->body.size, b->body.size);
    if (a->body.size != 0) {
        struct ilp_bytes plain_a = without_tokens(a->body);
        struct ilp_bytes plain_b = without_tokens(b->body);
        same_bytes(plain_a, plain_b);
        drop(plain_a);
        drop(plain_b);
    }
}

/* One rewriter per host. */
struct hosts {
    struct ilp_image *image;
    struct ilp_edit *edit;
    struct ilp_file_emitter *file_emitter;
    struct ii_emitter fake;
    struct ilp_rewriter *file;   /* bodies from the file, rows in the edit */
    struct ilp_rewriter *memory; /* bodies handed over, tokens from nowhere */
};

static bool hosts_begin(struct hosts *hosts, struct ilp_image *image,
                        const struct ilp_inspector *inspector)
{
    *hosts = (struct hosts){.image = image, .edit = open_edit(image)};
    ii_emitter_begin(&hosts->fake);
    assert_int_equal(ilp_file_emitter_open(&hosts->file_emitter, hosts->edit, NULL), ILP_OK);
    ilp_status status = ilp_rewriter_open(&hosts->file, image, ONE_REQUEST(inspector, NULL, NULL),
                                          ilp_file_emitter_interface(hosts->file_emitter), NULL);
    assert_int_equal(ilp_rewriter_open(&hosts->memory, image, ONE_REQUEST(inspector, NULL, NULL),
                                       &hosts->fake.interface, NULL),
                     status);
    return status == ILP_OK;
}

static void hosts_end(struct hosts *hosts)
{
    ilp_rewriter_close(hosts->file);
    ilp_rewriter_close(hosts->memory);
    ilp_file_emitter_close(hosts->file_emitter);
    ilp_edit_close(hosts->edit);
    ii_emitter_end(&hosts->fake);
}

static struct ilp_bytes body_in_image(const struct ilp_image *image, ilp_rid method)
{
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    return rva != 0 ? ilp_image_rva(image, rva, NULL) : (struct ilp_bytes){NULL, 0};
}

/* What was requested in vain would be a row more in the module. */
static void rewrite_in_both(struct hosts *hosts, ilp_rid rid)
{
    struct ilp_method_result by_file;
    struct ilp_method_result by_memory;
    uint32_t rows = ilp_edit_row_count(hosts->edit, ILP_MemberRef) +
                    ilp_edit_row_count(hosts->edit, ILP_TypeRef) +
                    ilp_edit_row_count(hosts->edit, ILP_TypeSpec);
    unsigned calls = hosts->fake.calls;
    assert_int_equal(ilp_rewrite_method(hosts->file, ILP_TOKEN(ILP_MethodDef, rid), NULL,
                                        (struct ilp_bytes){NULL, 0}, &by_file, NULL),
                     ILP_OK);
    assert_int_equal(ilp_rewrite_method(hosts->memory, ILP_TOKEN(ILP_MethodDef, rid), NULL,
                                        body_in_image(hosts->image, rid), &by_memory, NULL),
                     ILP_OK);
    same_results(&by_file, &by_memory);
    if (by_file.body.size != 0) {
        assert_int_equal(ilp_edit_set_body(hosts->edit, rid, by_file.body, NULL), ILP_OK);
    } else {
        assert_int_equal(hosts->fake.calls, calls);
        assert_int_equal(rows, ilp_edit_row_count(hosts->edit, ILP_MemberRef) +
                                   ilp_edit_row_count(hosts->edit, ILP_TypeRef) +
                                   ilp_edit_row_count(hosts->edit, ILP_TypeSpec));
    }
}

/* ilp_inspect_returns() gives the same file, save for the MVID, and a second run changes
 * nothing. */
static void check_written(struct hosts *hosts, const struct ilp_inspector *inspector)
{
    struct ilp_edit *edit = open_edit(hosts->image);
    assert_int_equal(
        ilp_inspect_returns(hosts->image, edit, ONE_REQUEST(inspector, NULL, NULL), NULL, NULL),
        ILP_OK);
    assert_int_equal(ilp_edit_is_empty(edit), ilp_edit_is_empty(hosts->edit));
    if (!ilp_edit_is_empty(edit)) {
        assert_int_equal(ilp_edit_renew_mvid(hosts->edit, NULL), ILP_OK);
    }
    struct ilp_image *once = rewritten(hosts->edit, NULL);
    struct ilp_image *other = rewritten(edit, NULL);
    same_bytes(once->pe.bytes, other->pe.bytes);
    struct ilp_edit *again = open_edit(once);
    assert_int_equal(
        ilp_inspect_returns(once, edit, ONE_REQUEST(inspector, NULL, NULL), NULL, NULL),
        ILP_E_MISUSE); /* an edit of another image */
    assert_int_equal(
        ilp_inspect_returns(once, again, ONE_REQUEST(inspector, NULL, NULL), NULL, NULL), ILP_OK);
    assert_true(ilp_edit_is_empty(again));
    ilp_edit_close(again);
    close_built(other);
    close_built(once);
    ilp_edit_close(edit);
}

/* False for an image that is refused as a whole. */
static bool check_file(const char *path, const struct ilp_inspector *inspector)
{
    struct ilp_image *image = open_image(load_path(path), ILP_LAYOUT_FILE);
    struct hosts hosts;
    bool open = hosts_begin(&hosts, image, inspector);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef) && open; rid++) {
        rewrite_in_both(&hosts, rid);
    }
    if (open) {
        check_written(&hosts, inspector);
    }
    hosts_end(&hosts);
    close_built(image);
    return open;
}

static void test_stock_inspector(void **state)
{
    (void)state;
    struct ilp_image *assembly = open_image(load_path("data/inspector/MyProfiler.dll"),
                                            ILP_LAYOUT_FILE);
    struct ilp_inspector *inspector;
    assert_int_equal(ilp_inspector_open(&inspector, assembly, NULL, NULL), ILP_OK);
    unsigned checked = 0;
    for (size_t i = 0; i < file_count; i++) {
        checked += check_file(files[i], inspector);
    }
    assert_true(checked > 0);
    assert_false(check_file("data/inspector/MyProfiler.dll", inspector));
    ilp_inspector_close(inspector);
    close_built(assembly);
}

static void test_small_inspector(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    for (size_t i = 0; i < file_count; i++) {
        check_file(files[i], inspector.inspector);
    }
    ii_inspector_close(&inspector);
}

/* ---- two ways ---- */

/* A rewriter that decodes all code, beside one that passes over most of it. */
struct ways {
    struct ii_emitter emitters[2];
    struct ilp_rewriter *rewriters[2];
    size_t at_end, others;
};

static void same_maps(struct ilp_rewriter *const rewriters[2])
{
    const struct ilp_il_map *maps[2];
    size_t counts[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ilp_rewriter_map(rewriters[i], &maps[i], &counts[i], NULL), ILP_OK);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(maps[0], maps[1], counts[0] * sizeof *maps[0]);
}

/* The shifts say of every offset what the whole map says. */
static void same_shifts(struct ilp_rewriter *rewriter)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    struct ilpi_moves moves[2];
    const struct ilp_il_map *map;
    size_t count;
    assert_int_equal(ilp_rewriter_map(rewriter, &map, &count, NULL), ILP_OK);
    uint32_t end = map[count - 1].old_offset;
    assert_int_equal(ilpi_moves_make(&moves[0], map, count, &arena, NULL), ILP_OK);
    assert_int_equal(ilpi_rewriter_shifts(rewriter, &map, &count, NULL), ILP_OK);
    assert_int_equal(ilpi_moves_make(&moves[1], map, count, &arena, NULL), ILP_OK);
    assert_int_equal(moves[0].count, moves[1].count);
    assert_int_equal(moves[0].count, count + 1);
    for (uint32_t at = 0; at <= end; at++) {
        assert_int_equal(ilpi_moved(&moves[0], at), ilpi_moved(&moves[1], at));
    }
    ilpi_arena_free(&arena);
}

static void same_insertions(struct ilp_rewriter *const rewriters[2])
{
    size_t counts[2];
    const struct ilpi_insertion *insertions[2];
    for (size_t i = 0; i < 2; i++) {
        insertions[i] = ilpi_rewriter_insertions(rewriters[i], &counts[i]);
    }
    assert_int_equal(counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; i++) {
        assert_int_equal(insertions[0][i].insn, insertions[1][i].insn);
        assert_int_equal(insertions[0][i].entry, insertions[1][i].entry);
        same_bytes(insertions[0][i].bytes, insertions[1][i].bytes);
    }
}

static void rewrite_both_ways(struct ways *ways, ilp_rid rid, const struct ilp_rule_action *action)
{
    struct ilp_method_result results[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ilp_rewrite_method(ways->rewriters[i], ILP_TOKEN(ILP_MethodDef, rid),
                                            action, (struct ilp_bytes){NULL, 0}, &results[i], NULL),
                         ILP_OK);
    }
    same_results(&results[0], &results[1]);
    same_bytes(results[0].body, results[1].body);
    assert_int_equal(results[0].unreachable, results[1].unreachable);
    assert_int_equal(results[0].already, results[1].already);
    assert_int_equal(results[0].jumps, results[1].jumps);
    assert_int_equal(results[0].moved, results[1].moved);
    if (results[0].body.size != 0) {
        bool at_end = ways->rewriters[1]->scratch.patch.unmoved != 0;
        assert_int_equal(ways->rewriters[0]->scratch.patch.unmoved, 0);
        ways->at_end += at_end;
        ways->others += !at_end;
        same_maps(ways->rewriters);
        same_insertions(ways->rewriters);
        same_shifts(ways->rewriters[0]);
        same_shifts(ways->rewriters[1]);
    }
}

static void check_ways(struct ways *ways, struct ilp_image *image,
                       const struct ilp_inspector *inspector, const struct ilp_rule_action *action)
{
    ilp_status status = ILP_OK;
    for (size_t i = 0; i < 2; i++) {
        ii_emitter_begin(&ways->emitters[i]);
        status = ilp_rewriter_open(&ways->rewriters[i], image, ONE_REQUEST(inspector, NULL, NULL),
                                   &ways->emitters[i].interface, NULL);
    }
    if (status == ILP_OK) {
        ways->rewriters[0]->scratch.pass_limit = 0;
    }
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef) && status == ILP_OK; rid++) {
        rewrite_both_ways(ways, rid, action);
    }
    for (size_t i = 0; i < 2; i++) {
        ilp_rewriter_close(ways->rewriters[i]);
        ii_emitter_end(&ways->emitters[i]);
    }
}

/* All kinds of inspectors; what was rewritten once is looked at again, too. */
static void check_ways_of(struct ways *ways, struct ilp_image *image,
                          const struct ilp_rule_action *action)
{
    static const char *const kinds[] = {II_TAKES_NAME, II_TAKES_OBJECT};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct ii_inspector inspector = ii_inspector(kinds[i]);
        check_ways(ways, image, inspector.inspector, action);
        struct ilp_edit *edit = open_edit(image);
        if (ilp_inspect_returns(image, edit, ONE_REQUEST(inspector.inspector, NULL, NULL), NULL,
                                NULL) == ILP_OK) {
            struct ilp_image *once = rewritten(edit, NULL);
            check_ways(ways, once, inspector.inspector, action);
            close_built(once);
        }
        ilp_edit_close(edit);
        ii_inspector_close(&inspector);
    }
}

static void test_two_ways(void **state)
{
    static const struct ilp_rule_action actions[] = {
        {0},
        {.byref = ILP_BYREF_INSPECT, .pointers = ILP_POINTERS_INSPECT},
        {.guard = true},
        {.tail_calls = ILP_TAIL_CALLS_STRIP},
        {.async = ILP_ASYNC_SKIP},
    };
    struct ways ways = {.at_end = 0};
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct ilp_image *image = open_image(load_path(files[i]), ILP_LAYOUT_FILE);
        for (size_t j = 0; j < COUNT(actions); j++) {
            check_ways_of(&ways, image, &actions[j]);
        }
        close_built(image);
    }
    printf("%zu at their end, %zu others\n", ways.at_end, ways.others);
    assert_true(ways.at_end > 0 && ways.others > 0);
}

/* A report that says no ends the work; nothing is left over. */
static ilp_status says_no(void *user, ilp_token method, const struct ilp_method_result *result,
                          struct ilp_error *error)
{
    unsigned *left = user;
    (void)result;
    return --*left == 0 ? ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, method, "enough")
                        : ILP_OK;
}

static void test_report_ends_it(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ilp_image *image = open_image(load_path("tests/command/files/Sample.dll"),
                                         ILP_LAYOUT_FILE);
    for (unsigned edits = 0; edits < 2; edits++) {
        unsigned left = 3;
        struct ilp_report report = {&left, says_no};
        struct ilp_error error = {.status = ILP_OK};
        struct ilp_edit *edit = edits ? open_edit(image) : NULL;
        assert_int_equal(ilp_inspect_returns(image, edit,
                                             ONE_REQUEST(inspector.inspector, NULL, NULL), &report,
                                             &error),
                         ILP_E_CALLBACK);
        assert_int_equal(error.token, ILP_TOKEN(ILP_MethodDef, 3));
        assert_int_equal(left, 0);
        ilp_edit_close(edit);
    }
    close_built(image);
    ii_inspector_close(&inspector);
}

/* Every allocation of the whole job fails once. */
static void test_memory(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ilp_bytes bytes = load_path("tests/command/files/Hello.exe");
    for (size_t fail_at = 1;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_image *image;
        struct ilp_edit *edit = NULL;
        struct ilp_bytes written = {NULL, 0};
        ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, &allocator, NULL);
        if (status == ILP_OK) {
            status = ilp_edit_open(&edit, image, &allocator, NULL);
        }
        if (status == ILP_OK) {
            status = ilp_inspect_returns(
                image, edit, ONE_REQUEST(inspector.inspector, NULL, &allocator), NULL, NULL);
        }
        if (status == ILP_OK) {
            status = write_edit(edit, &written, NULL, NULL);
        }
        drop(written);
        ilp_edit_close(edit);
        ilp_image_close(image);
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            assert_true(fail_at > 10);
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    drop(bytes);
    ii_inspector_close(&inspector);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stock_inspector), cmocka_unit_test(test_small_inspector),
        cmocka_unit_test(test_two_ways),        cmocka_unit_test(test_report_ends_it),
        cmocka_unit_test(test_memory),
    };
    glob_t found;
    if (!good_assemblies(&found) ||
        glob("tests/command/files/[A-Z]*.exe", GLOB_APPEND, NULL, &found) != 0) {
        return 1; /* run from the project's root */
    }
    files = argc > 1 ? argv + 1 : found.gl_pathv;
    file_count = argc > 1 ? (size_t)argc - 1 : found.gl_pathc;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    globfree(&found);
    return failed;
}
