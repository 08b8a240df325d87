/* Threads over shared images, rules, inspectors and inlining, which need no lock between
 * ilp_image_index() and ilp_image_close(): looked up, resolved, selected, rewritten, verified, all
 * at once. Each thread gets what one thread alone gets; `make check-threads` looks for data races
 * besides (ThreadSanitizer). */
#include "tests/unit/metadata_test.h"

#include <pthread.h>

#include "metadata/resolve.h"
#include "tests/unit/one_request.h"

#define THREADS 4u
#define ROUNDS  3u

static const char rules_text[] =
    "<rules>\n"
    "  <exclude><method like='*Never'/></exclude>\n"
    "  <exclude><method regex='^[a-z]+_(Old|Older)$'/></exclude>\n"
    "  <include name='disposable'><implements name='System.IDisposable'/></include>\n"
    "  <include name='exceptions'><derives-from like='System.*Exception'/></include>\n"
    "  <include name='big'><return kind='struct' larger-than='8'/></include>\n"
    "  <include><attribute name='System.ObsoleteAttribute'/></include>\n"
    "  <include><return type='int'/></include>\n"
    "  <exclude/>\n"
    "</rules>\n";

/* What all threads share. */
static struct {
    struct ilp_bytes bytes[3];
    struct ilp_image *image, *inspector_image, *native_image;
    struct ilp_inspector *inspector;
    struct ilp_rules *rules;
    struct ilp_inlining *inlining;
    pthread_barrier_t begin;
} shared;

/* In a thread, which cmocka cannot leave. */
static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* ---- one after the other, as numbers that say what was found (FNV-1a) ---- */

struct digest {
    uint64_t value;
};

static void digest_bytes(struct digest *digest, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        digest->value = (digest->value ^ byte[i]) * 0x100000001B3;
    }
}

static void digest_number(struct digest *digest, uint64_t number)
{
    digest_bytes(digest, &number, sizeof number);
}

static void digest_text(struct digest *digest, const char *text)
{
    digest_bytes(digest, text, strlen(text) + 1);
}

static struct ilp_image *open_reference(void *user, const struct ilp_assembly_name *name)
{
    (void)user;
    return strcmp(name->name, "MyProfiler") == 0 ? shared.inspector_image : shared.image;
}

static const struct ilp_resolver resolver = {.open = open_reference};

static void look_up(struct digest *digest)
{
    struct ilp_arena *arena;
    const char *text;
    require(ilp_arena_open(&arena, NULL, NULL) == ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(shared.image, ILP_MethodDef); rid++) {
        struct ilp_body body;
        const char *il;
        uint64_t offset;
        uint32_t rva = ilp_cell(shared.image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        digest_number(digest, ilp_owner_of_method(shared.image, rid));
        require(ilp_method_text(shared.image, ILP_TOKEN(ILP_MethodDef, rid), arena, &text, NULL) ==
                ILP_OK);
        digest_text(digest, text);
        struct ilp_bytes bytes = ilp_image_rva(shared.image, rva, &offset);
        if (rva != 0 && ilp_body_read(&body, bytes, offset, arena, NULL) == ILP_OK &&
            ilp_body_text(&il, &body, NULL, arena, NULL) == ILP_OK) {
            digest_text(digest, il);
        }
    }
    ilp_arena_close(arena);
}

/* Types of other images, in both directions. */
static void resolve(struct digest *digest)
{
    struct ilp_image *const images[] = {shared.image, shared.inspector_image};
    for (size_t i = 0; i < COUNT(images); i++) {
        for (ilp_rid rid = 1; rid <= ilp_row_count(images[i], ILP_TypeRef); rid++) {
            struct ilpi_type_def found = ilpi_resolve_type(images[i], ILP_TOKEN(ILP_TypeRef, rid),
                                                           &resolver);
            digest_number(digest, found.image == shared.image);
            digest_number(digest, found.image ? found.rid : 0);
        }
    }
}

static void select_methods(struct digest *digest)
{
    struct ilp_selector *selector;
    require(ilp_selector_open(&selector, shared.rules, shared.image, &resolver, 0, NULL, NULL) ==
            ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(shared.image, ILP_MethodDef); rid++) {
        struct ilp_selection selection;
        require(ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL) == ILP_OK);
        digest_number(digest, selection.rule);
        digest_number(digest, selection.included);
    }
    ilp_selector_close(selector);
}

static void rewrite(struct digest *digest, const struct ilp_rules *rules)
{
    struct ilp_edit *edit;
    struct ilp_bytes written;
    struct ilp_request *request = ONE_REQUEST(shared.inspector, &resolver, NULL);
    request->rules = rules;
    require(ilp_edit_open(&edit, shared.image, NULL, NULL) == ILP_OK);
    require(ilp_inspect_returns(shared.image, edit, request, NULL, NULL) == ILP_OK);
    require(write_edit(edit, &written, NULL, NULL) == ILP_OK);
    digest_bytes(digest, written.data, written.size);
    drop(written);
    ilp_edit_close(edit);
}

static void edit_tail_calls(struct digest *digest)
{
    struct ilp_tail_editor *editor;
    require(ilp_tail_editor_open(&editor, shared.image, &resolver, NULL, NULL) == ILP_OK);
    for (ilp_rid rid = 1; rid <= ilp_row_count(shared.image, ILP_MethodDef); rid++) {
        const struct ilp_tail_call *calls;
        struct ilp_bytes body;
        size_t count;
        if (ilp_tail_calls(editor, rid, &calls, &count, NULL) == ILP_OK &&
            ilp_tail_change(editor, ILP_TAIL_ADD, &body, NULL) == ILP_OK) {
            digest_number(digest, count);
            digest_bytes(digest, body.data, body.size);
        }
    }
    ilp_tail_editor_close(editor);
}

static ilp_status take_finding(void *user, const struct ilp_verify_finding *finding,
                               struct ilp_error *error)
{
    (void)error;
    digest_text(user, finding->code);
    digest_text(user, finding->message);
    digest_number(user, finding->token);
    digest_number(user, finding->offset);
    return ILP_OK;
}

static void verify(struct digest *digest)
{
    const struct ilp_findings_sink sink = {.user = digest, .finding = take_finding};
    struct ilp_image *const images[] = {shared.image, shared.inspector_image, shared.native_image};
    for (size_t i = 0; i < COUNT(images); i++) {
        require(ilp_verify(images[i], &resolver, &sink, NULL, NULL) == ILP_OK);
    }
}

static void read_inlining(struct digest *digest)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(shared.native_image, ILP_MethodDef); rid++) {
        size_t count;
        const ilp_rid *inlined = ilp_inlined(shared.inlining, rid, &count);
        digest_bytes(digest, inlined, count * sizeof *inlined);
    }
}

static void ignore_missing(void *user, const char *what)
{
    digest_text(user, what);
}

static void check_needs(struct digest *digest)
{
    const struct ilp_needs needs = {.closed = true, .user = digest, .missing = ignore_missing};
    require(ilp_inspector_check_needs(shared.inspector, shared.image, &resolver, &needs, NULL,
                                      NULL) == ILP_OK);
}

static void do_job(struct digest *digest, unsigned job)
{
    switch (job) {
    case 0: look_up(digest); break;
    case 1: resolve(digest); break;
    case 2: select_methods(digest); break;
    case 3: rewrite(digest, shared.rules); break;
    case 4: rewrite(digest, NULL); break;
    case 5: edit_tail_calls(digest); break;
    case 6: verify(digest); break;
    case 7: read_inlining(digest); break;
    default: check_needs(digest);
    }
}

#define JOBS 9u

struct found {
    struct digest jobs[JOBS];
};

/* ---- threads ---- */

/* Threads begin with different jobs, so that different ones meet. */
static void do_all(struct found *found, unsigned first)
{
    *found = (struct found){.jobs = {{0}}};
    for (unsigned i = 0; i < JOBS; i++) {
        unsigned job = (first + i) % JOBS;
        found->jobs[job].value = 0xCBF29CE484222325;
        do_job(&found->jobs[job], job);
    }
}

struct thread {
    pthread_t id;
    unsigned number;
    struct found found[ROUNDS];
};

static void *work(void *argument)
{
    struct thread *thread = argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&shared.begin);
        do_all(&thread->found[round], thread->number * (round + 1));
    }
    return NULL;
}

static void test_all_at_once(void **state)
{
    static struct thread threads[THREADS];
    struct found expected;
    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i].number = i;
        assert_int_equal(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
    }
    /* afterwards, so that what is only made at the first use is made by several at once */
    do_all(&expected, 0);
    for (unsigned i = 0; i < THREADS * ROUNDS; i++) {
        for (unsigned job = 0; job < JOBS; job++) {
            if (threads[i / ROUNDS].found[i % ROUNDS].jobs[job].value != expected.jobs[job].value) {
                fail_msg("job %u of thread %u, round %u", job, i / ROUNDS, i % ROUNDS);
            }
        }
    }
}

/* ---- what they share ---- */

static struct ilp_image *open_shared(unsigned number, const char *path)
{
    struct ilp_image *image;
    shared.bytes[number] = load(path);
    assert_int_equal(
        ilp_image_open(&image, shared.bytes[number], ILP_LAYOUT_FILE, path, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_image_index(image, NULL), ILP_OK);
    return image;
}

static int open_all(void **state)
{
    (void)state;
    shared.image = open_shared(0, "good-csharp.dll");
    shared.inspector_image = open_shared(1, "../../data/inspector/MyProfiler.dll");
    shared.native_image = open_shared(2, "good-r2r.dll");
    assert_int_equal(ilp_inspector_open(&shared.inspector, shared.inspector_image, NULL, NULL),
                     ILP_OK);
    assert_int_equal(ilp_inlining_open(&shared.inlining, shared.native_image, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_rules_open(&shared.rules, NULL, NULL), ILP_OK);
    struct ilp_bytes rules = {(const uint8_t *)rules_text, sizeof rules_text - 1};
    struct ilp_error error;
    if (ilp_rules_add(shared.rules, rules, "rules.xml", &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
    return pthread_barrier_init(&shared.begin, NULL, THREADS);
}

static int close_all(void **state)
{
    (void)state;
    pthread_barrier_destroy(&shared.begin);
    ilp_rules_close(shared.rules);
    ilp_inlining_close(shared.inlining);
    ilp_inspector_close(shared.inspector);
    ilp_image_close(shared.image);
    ilp_image_close(shared.inspector_image);
    ilp_image_close(shared.native_image);
    for (size_t i = 0; i < COUNT(shared.bytes); i++) {
        drop(shared.bytes[i]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_at_once)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
