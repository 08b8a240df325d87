/* src/verify/same_code.c and sequences.c over real assemblies: methods are inspected in many ways,
 * and what is proved of a new body has to be what the verifier finds; of bodies that were damaged
 * nothing may be proved that it refuses, and nothing at all where old code was damaged.
 *
 *   test_body_proof [FILE...]     other assemblies than those of the tests */
#include <glob.h>
#include <libgen.h>
#include <time.h>

#include "tests/unit/inspect_image.h"
#include "verify/body_check.h"
#include "verify/same_code.h"

static char **files;
static size_t file_count;
/* BODY_PROOF_MEASURE is set: nothing is damaged, but numbers are printed; "alone": nothing is
 * verified beside, for a profile */
static bool is_measured, is_alone;

static struct ilp_bytes load_file(const char *path)
{
    struct ib_bytes bytes = {0};
    uint8_t piece[4096];
    FILE *file = fopen(path, "rb");
    if (!file) {
        return (struct ilp_bytes){NULL, 0};
    }
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) != 0;) {
        ib_put(&bytes, piece, n);
    }
    fclose(file);
    return taken(bytes);
}

/* ---- references: the files beside ---- */

static struct {
    char folder[512];
    char names[512][128];
    struct ilp_image *images[512];
    size_t count;
} beside;

static struct ilp_image *open_beside(void *user, const struct ilp_assembly_name *name)
{
    char path[1024];
    (void)user;
    for (size_t i = 0; i < beside.count; i++) {
        if (strcmp(beside.names[i], name->name) == 0) {
            return beside.images[i];
        }
    }
    if (beside.count == COUNT(beside.images)) {
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s.dll", beside.folder, name->name);
    struct ilp_bytes bytes = load_file(path);
    struct ilp_image *image = NULL;
    if (bytes.data && ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) != ILP_OK) {
        drop(bytes);
        image = NULL;
    }
    snprintf(beside.names[beside.count], sizeof beside.names[0], "%s", name->name);
    beside.images[beside.count++] = image;
    return image;
}

static void begin_folder(const char *path)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(beside.folder, sizeof beside.folder, "%s", dirname(copy));
}

static void end_folder(void)
{
    for (size_t i = 0; i < beside.count; i++) {
        if (beside.images[i]) {
            close_built(beside.images[i]);
        }
    }
    beside.count = 0;
}

static const struct ilp_resolver resolver = {.open = open_beside};

/* ---- a file, inspected ---- */

struct changed {
    ilp_rid method;
    struct ilpi_insertion *insertions; /* their bytes are gone */
    size_t count;
};

static struct changed *changed;
static size_t changed_count, changed_room;

static void note(const struct ilp_rewriter *rewriter, ilp_rid method)
{
    struct changed *to;
    size_t count;
    const struct ilpi_insertion *insertions = ilpi_rewriter_insertions(rewriter, &count);
    if (changed_count == changed_room) {
        changed_room = changed_room != 0 ? 2 * changed_room : 64;
        changed = realloc(changed, changed_room * sizeof *changed);
        assert_non_null(changed);
    }
    to = &changed[changed_count++];
    *to = (struct changed){method, malloc((count + 1) * sizeof *insertions), count};
    assert_non_null(to->insertions);
    for (size_t i = 0; i < count; i++) {
        to->insertions[i] = insertions[i];
        to->insertions[i].bytes.data = NULL;
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* NULL: nothing is changed. */
static struct ilp_image *inspected(struct ilp_image *image, const struct ilp_inspector *inspector,
                                   const struct ilp_rule_action *action)
{
    struct ilp_edit *edit = open_edit(image);
    struct ilp_file_emitter *emitter;
    struct ilp_rewriter *rewriter;
    const struct ilp_inspector *inspectors[] = {inspector};
    const struct ilp_request request = {
        .inspectors = inspectors, .inspector_count = 1, .resolver = &resolver, .module_number = 1};
    changed_count = 0;
    assert_int_equal(ilp_file_emitter_open(&emitter, edit, NULL), ILP_OK);
    if (ilp_rewriter_open(&rewriter, image, &request, ilp_file_emitter_interface(emitter), NULL) !=
        ILP_OK) {
        rewriter = NULL;
    }
    for (ilp_rid rid = 1; rewriter && rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        struct ilp_method_result result;
        ilp_status status = ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, rid), action,
                                               (struct ilp_bytes){NULL, 0}, &result, NULL);
        if (status == ILP_E_MISUSE) { /* the inspector does not take that */
            break;
        }
        assert_int_equal(status, ILP_OK);
        if (result.body.size != 0) {
            assert_int_equal(ilp_edit_set_body(edit, rid, result.body, NULL), ILP_OK);
            note(rewriter, rid);
        }
    }
    struct ilp_bytes written;
    struct ilp_image *made = NULL;
    if (changed_count != 0 && write_edit(edit, &written, NULL, NULL) == ILP_OK) {
        made = open_image(written, ILP_LAYOUT_FILE);
    }
    ilp_rewriter_close(rewriter);
    ilp_file_emitter_close(emitter);
    ilp_edit_close(edit);
    return made;
}

static struct ilp_bytes body_in(const struct ilp_image *image, ilp_rid method)
{
    uint32_t rva = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    struct ilp_bytes bytes = ilp_image_rva(image, rva, NULL);
    bytes.size = ilpi_body_extent(bytes);
    return bytes;
}

/* ---- one body ---- */

struct sums {
    size_t bodies, proved, refused, damaged, still_proved, harmless;
    double proving, verifying;
};

static struct sums sums;

struct verdict {
    bool is_right;
    bool is_proved;
};

static struct verdict judge(struct ilpi_body_check *check, const struct ilpi_body_pair *pair)
{
    struct ilp_verify_finding finding;
    struct verdict verdict;
    uint64_t whole = ilpi_body_check_whole(check);
    assert_int_equal(ilpi_body_check(check, pair, &verdict.is_right, &finding, NULL), ILP_OK);
    verdict.is_proved = ilpi_body_check_whole(check) == whole;
    if (!verdict.is_right && is_measured) {
        printf("%08X IL_%04x %s: %s\n", pair->method, finding.offset, finding.code,
               finding.message);
    }
    return verdict;
}

static bool is_right_as_a_whole(struct ilpi_body_check *check, struct ilpi_body_pair pair)
{
    pair.insertions = NULL;
    return judge(check, &pair).is_right;
}

static bool is_inserted(const struct ilpi_same_code *same, uint32_t offset)
{
    bool any = false;
    for (size_t i = 0; i < same->inserted.count; i++) {
        const struct ilpi_inserted *inserted = &same->inserted.items[i];
        any = any || (offset >= inserted->at && offset < inserted->at + inserted->size);
    }
    return any;
}

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 0x9E3779B97F4A7C15;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

/* The parts of a body that are damaged. */
struct parts {
    struct ilp_body body;
    struct ilpi_same_code same;
    uint32_t code; /* its offset */
    uint32_t end;  /* its end: sections follow */
};

/* Damages a byte; true: one of the old code, clauses or header, where nothing else is as right. */
static bool damage(const struct parts *parts, uint8_t *bytes, size_t size)
{
    bool fat = parts->body.fat;
    uint32_t kind = random_below(4), at = 0;
    if (kind == 0 && fat) { /* MaxStack, flags, size, locals */
        static const uint8_t fields[] = {0, 2, 4, 8, 9};
        at = fields[random_below(COUNT(fields))];
        bytes[at] = (uint8_t)(bytes[at] - 1);
        return false;
    }
    if (kind == 1 && size > parts->end) {
        at = parts->end + random_below((uint32_t)size - parts->end);
        bytes[at] = (uint8_t)(bytes[at] + 1 + random_below(3));
        return false;
    }
    at = random_below(parts->end - parts->code);
    uint8_t *byte = &bytes[parts->code + at];
    if (kind == 2 && *byte == 0x2A) {
        *byte = 0; /* a ret is missing */
    } else {
        *byte = (uint8_t)(*byte + 1 + random_below(255));
    }
    return !is_inserted(&parts->same, at);
}

/* Whether an old clause is another one now. */
static bool has_other_clauses(const struct parts *parts, struct ilp_bytes bytes,
                              struct ilp_arena *arena)
{
    struct ilp_body now;
    size_t first = parts->same.added_clauses, count = parts->body.clause_count;
    return ilp_body_read(&now, bytes, 0, arena, NULL) == ILP_OK &&
           (now.clause_count != count ||
            (first != count && memcmp(now.clauses + first, parts->body.clauses + first,
                                      (count - first) * sizeof *now.clauses) != 0));
}

static void damage_body(struct ilpi_body_check *check, struct ilpi_body_pair pair,
                        const struct changed *method, unsigned times)
{
    struct ilpi_alloc alloc;
    struct ilp_arena arena = {.alloc = &alloc};
    struct parts parts = {.same.alloc = &alloc};
    struct ilp_body old;
    struct ilp_bytes right = pair.new;
    ilpi_alloc_init(&alloc, NULL);
    assert_int_equal(ilp_body_read(&old, pair.old, 0, &arena, NULL), ILP_OK);
    assert_int_equal(ilp_body_read(&parts.body, pair.new, 0, &arena, NULL), ILP_OK);
    assert_true(ilpi_same_code(&parts.same, &old, &parts.body, method->insertions, method->count));
    parts.code = (uint32_t)(parts.body.code.data - pair.new.data);
    parts.end = parts.code + (uint32_t)parts.body.code.size;
    for (unsigned i = 0; i < times; i++) {
        struct ilp_bytes bytes = exact(right.data, right.size);
        bool of_old = damage(&parts, (uint8_t *)(uintptr_t)bytes.data, bytes.size);
        pair.new = bytes;
        struct verdict verdict = judge(check, &pair);
        sums.damaged++;
        sums.harmless += verdict.is_right;
        if (verdict.is_proved) {
            sums.still_proved++;
            assert_false(of_old || has_other_clauses(&parts, bytes, &arena));
            assert_true(is_right_as_a_whole(check, pair));
        }
        drop(bytes);
    }
    ilpi_same_code_free(&parts.same);
    ilpi_arena_free(&arena);
}

static void check_body(struct ilpi_body_check *check, const struct ilp_image *before,
                       const struct ilp_image *after, const struct changed *method)
{
    const struct ilpi_body_pair pair = {.method = ILP_TOKEN(ILP_MethodDef, method->method),
                                        .old = body_in(before, method->method),
                                        .new = body_in(after, method->method),
                                        .insertions = method->insertions,
                                        .insertion_count = method->count};
    double start = seconds();
    struct verdict verdict = judge(check, &pair);
    double end = seconds();
    sums.proving += end - start;
    sums.bodies++;
    sums.proved += verdict.is_proved;
    sums.refused += !verdict.is_right;
    if (verdict.is_proved && !is_alone) {
        assert_true(is_right_as_a_whole(check, pair));
        sums.verifying += seconds() - end;
        if (!is_measured) {
            damage_body(check, pair, method, 10);
        }
    }
}

/* ---- all of them ---- */

static const struct ilp_rule_action actions[] = {
    {0},
    {.guard = true},
    {.tail_calls = ILP_TAIL_CALLS_STRIP, .byref = ILP_BYREF_INSPECT},
    {.pass = ILP_PASS_ID, .pointers = ILP_POINTERS_INSPECT},
    {.pass = ILP_PASS_HANDLE},
    {.async = ILP_ASYNC_RESULT, .iterators = ILP_ITERATORS_CURRENT},
    {.exceptions = true},
    {.arguments = true, .self = true},
    {.arguments = true, .guard = true, .async = ILP_ASYNC_RESULT, .exceptions = true},
};

static void check_way(struct ilp_image *image, const struct ilp_inspector *inspector,
                      const struct ilp_rule_action *action)
{
    struct ilpi_overlay overlay;
    struct ilpi_body_check *check;
    sums = (struct sums){.bodies = 0};
    struct ilp_image *made = inspected(image, inspector, action);
    if (made) {
        ilpi_overlay_open(&overlay, made);
        assert_int_equal(ilpi_body_check_open(&check, &overlay, &resolver, NULL), ILP_OK);
        for (size_t i = 0; i < changed_count; i++) {
            check_body(check, image, made, &changed[i]);
        }
        ilpi_body_check_close(check);
        ilpi_overlay_close(&overlay);
        close_built(made);
    }
    for (size_t i = 0; i < changed_count; i++) {
        free(changed[i].insertions);
    }
    if (is_measured) {
        printf("  %zu bodies, %zu proved, %zu refused; damaged %zu, still proved %zu, harmless "
               "%zu; %.2f us, %.2f us\n",
               sums.bodies, sums.proved, sums.refused, sums.damaged, sums.still_proved,
               sums.harmless, 1e6 * sums.proving / (double)(sums.bodies + !sums.bodies),
               1e6 * sums.verifying / (double)(sums.proved + !sums.proved));
    }
}

static void check_inspector(const struct ilp_inspector *inspector)
{
    for (size_t i = 0; i < file_count; i++) {
        begin_folder(files[i]);
        struct ilp_bytes bytes = load_file(files[i]);
        struct ilp_image *image;
        assert_non_null(bytes.data);
        if (ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK) {
            if (is_measured) {
                printf("%s\n", files[i]);
            }
            for (size_t way = 0; way < COUNT(actions); way++) {
                check_way(image, inspector, &actions[way]);
            }
            ilp_image_close(image);
        }
        drop(bytes);
        end_folder();
    }
}

static void with_the_stock_inspector(void **state)
{
    (void)state;
    struct ilp_image *assembly = open_image(load_file("data/inspector/MyProfiler.dll"),
                                            ILP_LAYOUT_FILE);
    struct ilp_inspector *inspector;
    assert_int_equal(ilp_inspector_open(&inspector, assembly, NULL, NULL), ILP_OK);
    check_inspector(inspector);
    ilp_inspector_close(inspector);
    close_built(assembly);
}

static void with_functions(void **state)
{
    static const struct ilp_native functions[] = {
        {.call = ILP_NATIVE_CALLI, .address = 0x1122334455667788, .then = 0x11223344556677},
        {.call = ILP_NATIVE_CALLI_MANAGED,
         .address = 0x1122334455667788,
         .then = 1,
         .typed = 2,
         .object = 3,
         .integer = 4,
         .arguments = {5, 6, 7, 8, 9},
         .exception = 10},
        {.call = ILP_NATIVE_CALLI_MANAGED,
         .address = 1,
         .then = 2,
         .typed = 3,
         .context = {11, 12}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct ilp_inspector *inspector;
        assert_int_equal(ilp_inspector_open_native(&inspector, &functions[i], NULL, NULL), ILP_OK);
        check_inspector(inspector);
        ilp_inspector_close(inspector);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_the_stock_inspector),
        cmocka_unit_test(with_functions),
    };
    glob_t found;
    if (glob(ILP_TEST_FILES "/good-*.dll", 0, NULL, &found) != 0 ||
        glob("tests/command/files/[A-Z]*.dll", GLOB_APPEND, NULL, &found) != 0 ||
        glob("tests/command/files/[A-Z]*.exe", GLOB_APPEND, NULL, &found) != 0) {
        return 1; /* run from the project's root */
    }
    const char *measure = getenv("BODY_PROOF_MEASURE");
    is_measured = measure != NULL;
    is_alone = measure && strcmp(measure, "alone") == 0;
    files = argc > 1 ? argv + 1 : found.gl_pathv;
    file_count = argc > 1 ? (size_t)argc - 1 : found.gl_pathc;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(changed);
    globfree(&found);
    return failed;
}
