/* Several threads make of an assembly what one makes: the same bytes, symbols, answers in the same
 * order, for all that can be requested and blocks of few methods and many.
 *
 *   test_crew [FILE...]     other assemblies than those of the tests */
#include "inspect/apply.h"

#include <pthread.h>

#include "inspect/threads/block.h"
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"
#include "tests/unit/test_inputs.h"

static char **files;
static size_t file_count;

static struct {
    struct ilp_image *image;
    struct ilp_inspector *inspector;
} stock;

/* ---- what is requested ---- */

struct kind {
    const char *rules; /* NULL: none */
    bool decides;      /* and nothing is changed */
    enum ilp_write_layout layout;
};

static const struct kind kinds[] = {
    {.rules = NULL},
    {.rules = NULL, .layout = ILP_WRITE_COMPACT},
    {.rules = NULL, .decides = true},
    {.rules = "<rules><include args='yes' this='yes' exceptions='yes'/></rules>"},
    {.rules = "<rules><include args='yes' guard='yes' exceptions='yes'/></rules>"},
    {.rules = "<rules><include async='result' iterators='current' args='yes'"
              " exceptions='yes'/></rules>"},
    {.rules = "<rules><include async='result' guard='yes' exceptions='yes'/></rules>"},
    {.rules = "<rules><include tail-calls='strip' byref='inspect' pointers='inspect'/></rules>"},
    {.rules = "<rules>"
              "<exclude><method regex='^[a-z]+_(Old|Older)$'/></exclude>"
              "<include on-throw='keep'><return kind='struct' larger-than='8'/></include>"
              "<include><implements name='System.IDisposable'/></include>"
              "<include guard='yes'><source like='*a*'/></include>"
              "<include><method like='*e*'/></include>"
              "</rules>"},
};

static struct ilp_rules *rules_of(const char *text)
{
    struct ilp_rules *rules;
    struct ilp_error error;
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    struct ilp_bytes bytes = {(const uint8_t *)text, strlen(text)};
    if (ilp_rules_add(rules, bytes, "rules.xml", &error) != ILP_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    return rules;
}

/* ---- what comes of it ---- */

struct outcome {
    ilp_status status;
    struct ib_bytes answers;
    struct ilp_bytes file;
    struct ilp_bytes pdb;
};

static void put(struct ib_bytes *to, const void *bytes, size_t size)
{
    ib_put(to, &size, sizeof size);
    ib_put(to, bytes, size);
}

/* All of a result, with what it borrows. */
static ilp_status take_answer(void *user, ilp_token method, const struct ilp_method_result *result,
                              struct ilp_error *error)
{
    struct ib_bytes *answers = user;
    (void)error;
    struct ilp_method_result plain;
    memset(&plain, 0, sizeof plain);
    plain.reason = result->reason;
    plain.rule = result->rule;
    plain.rets = result->rets;
    plain.inspected = result->inspected;
    plain.already = result->already;
    plain.tail_calls = result->tail_calls;
    plain.stripped = result->stripped;
    plain.unreachable = result->unreachable;
    plain.tail_site_count = result->tail_site_count;
    plain.jumps = result->jumps;
    plain.boxed = result->boxed;
    plain.passes = result->passes;
    plain.id = result->id;
    plain.nameless = result->nameless;
    plain.arguments = result->arguments;
    plain.at_end = result->at_end;
    plain.withheld = result->withheld;
    plain.without_arguments = result->without_arguments;
    plain.replaces = result->replaces;
    plain.moved = result->moved;
    plain.exceptions = result->exceptions;
    plain.without_exceptions = result->without_exceptions;
    plain.old_size = result->old_size;
    put(answers, &method, sizeof method);
    put(answers, &plain, sizeof plain);
    put(answers, result->detail, strlen(result->detail));
    put(answers, result->body.data, result->body.size);
    for (size_t i = 0; i < result->tail_site_count; i++) {
        put(answers, &result->tail_sites[i].offset, sizeof result->tail_sites[i].offset);
        put(answers, &result->tail_sites[i].decision, sizeof result->tail_sites[i].decision);
    }
    return ILP_OK;
}

/* The assembly's own symbols, for rules; those that move are others. */
static struct ilp_symbols *open_symbols(void *user, const struct ilp_image *image,
                                        struct ilp_error *error)
{
    (void)image;
    snprintf(error->message, sizeof error->message, "there are none");
    return *(struct ilp_symbols **)user;
}

static struct ilp_image *open_reference(void *user, const struct ilp_assembly_name *name)
{
    (void)user;
    return strcmp(name->name, "MyProfiler") == 0 ? stock.image : NULL;
}

static void write_all(struct ilp_edit *edit, struct ilp_symbols *symbols, const struct kind *kind,
                      struct outcome *outcome)
{
    struct ilp_symbols_link link;
    struct ilp_bytes pdb;
    struct ilp_write_options options = {.layout = kind->layout};
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    if (symbols && !ilp_edit_is_empty(edit) &&
        ilp_symbols_write(symbols, edit, &pdb, &link, NULL) == ILP_OK) {
        outcome->pdb = exact(pdb.data, pdb.size);
        options.symbols = ILP_SYMBOLS_UPDATE;
        options.link = &link;
    }
    outcome->status = ilp_edit_write(edit, &options, &sink, NULL, NULL);
    outcome->file = taken(collector.bytes);
}

static struct outcome apply(struct ilp_bytes bytes, struct ilp_bytes pdb, const struct kind *kind,
                            const struct ilp_allocator *allocator, unsigned threads,
                            uint32_t block_methods)
{
    struct outcome outcome = {0};
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    struct ilp_symbols *moved = NULL, *read = NULL;
    struct ilp_rules *rules = kind->rules ? rules_of(kind->rules) : NULL;
    struct ilp_resolver resolver = {
        .user = &read, .open = open_reference, .open_symbols = open_symbols};
    struct ilp_request *request = ONE_REQUEST(stock.inspector, &resolver, allocator);
    struct ilp_report report = {&outcome.answers, take_answer};
    if (ilp_symbols_open(&moved, image, pdb, NULL, NULL) == ILP_OK) {
        assert_int_equal(ilp_symbols_open(&read, image, pdb, NULL, NULL), ILP_OK);
    }
    request->rules = rules;
    request->symbols = kind->decides ? NULL : moved;
    request->module_number = 1;
    request->threads = threads;
    outcome.status = ilpi_inspect_in_blocks(image, kind->decides ? NULL : edit, request, &report,
                                            block_methods, NULL);
    if (outcome.status == ILP_OK) {
        write_all(edit, kind->decides ? NULL : moved, kind, &outcome);
    }
    ilp_rules_close(rules);
    ilp_symbols_close(read);
    ilp_symbols_close(moved);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return outcome;
}

static void same_outcome(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->status, b->status);
    same_bytes((struct ilp_bytes){a->answers.data, a->answers.size},
               (struct ilp_bytes){b->answers.data, b->answers.size});
    same_bytes(a->file, b->file);
    same_bytes(a->pdb, b->pdb);
}

static void outcome_end(struct outcome *outcome)
{
    free(outcome->answers.data);
    drop(outcome->file);
    drop(outcome->pdb);
}

/* ---- tests ---- */

static void compare(struct ilp_bytes bytes, struct ilp_bytes pdb, uint32_t block_methods)
{
    static const unsigned threads[] = {2, 3, 8};
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        struct outcome expected = apply(bytes, pdb, &kinds[kind], NULL, 1, block_methods);
        for (size_t i = 0; i < COUNT(threads); i++) {
            struct outcome outcome = apply(bytes, pdb, &kinds[kind], NULL, threads[i],
                                           block_methods);
            same_outcome(&expected, &outcome);
            outcome_end(&outcome);
        }
        outcome_end(&expected);
    }
}

static void test_samples(void **state)
{
    (void)state;
    static const uint32_t block_methods[] = {1, 3, 16};
    glob_t found;
    assert_true(good_assemblies(&found));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct ilp_bytes bytes = load_path(found.gl_pathv[i]);
        for (size_t size = 0; size < COUNT(block_methods); size++) {
            compare(bytes, (struct ilp_bytes){NULL, 0}, block_methods[size]);
        }
        drop(bytes);
    }
    globfree(&found);
}

/* A pair of an assembly and its symbols: these move, and rules request source files. */
static void test_symbols(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-csharp.dll");
    struct ilp_bytes pdb = load("good-portable.pdb");
    compare(bytes, pdb, 4);
    drop(pdb);
    drop(bytes);
}

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < file_count; i++) {
        struct ilp_bytes bytes = load_path(files[i]);
        compare(bytes, (struct ilp_bytes){NULL, 0}, ILPI_BLOCK_METHODS);
        drop(bytes);
    }
}

/* ---- limits ---- */

#define METHODS 200u

/* Methods that share one large body: after 4 MB and four times the file, they are left as they
 * are. */
static struct ilp_bytes many_methods(void)
{
    static uint8_t body[12 + 60000] = {0x13, 0x30, 8, 0, 60000 & 0xFF, 60000 >> 8};
    struct ib_image b;
    ii_begin(&b, "Many");
    ii_type(&b, "N", "C", II_OBJECT);
    for (unsigned i = 0; i < METHODS; i++) {
        char name[16];
        snprintf(name, sizeof name, "M%u", i);
        ii_method(&b, name, i % 3 == 0 ? "00 00 08" : "00 00 0C");
    }
    body[12] = 0x16;              /* ldc.i4.0, many times nop, */
    body[sizeof body - 1] = 0x2A; /* ret */
    ib_data(&b, ILP_MethodDef, 1, ILP_MethodDef_RVA, body, sizeof body);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){0});
    struct ilp_bytes bytes = exact(image->pe.bytes.data, image->pe.bytes.size);
    const struct ilpi_table *table = &image->tables[ILP_MethodDef];
    uint8_t *rows = (uint8_t *)(uintptr_t)bytes.data + (table->rows - image->pe.bytes.data);
    for (unsigned i = 1; i < METHODS; i++) {
        memcpy(rows + (size_t)i * table->shape.size, rows, 4); /* the RVA comes first */
    }
    close_built(image);
    return bytes;
}

static ilp_status count_limits(void *user, ilp_token method, const struct ilp_method_result *result,
                               struct ilp_error *error)
{
    (void)method, (void)error;
    *(unsigned *)user += result->reason == ILP_REASON_LIMIT;
    return ILP_OK;
}

static void test_budget(void **state)
{
    (void)state;
    unsigned limits = 0;
    struct ilp_bytes bytes = many_methods();
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    const struct ilp_report report = {&limits, count_limits};
    assert_int_equal(
        ilp_inspect_returns(image, NULL, ONE_REQUEST(stock.inspector, NULL, NULL), &report, NULL),
        ILP_OK);
    ilp_image_close(image);
    assert_in_range(limits, METHODS / 4, METHODS / 2 + METHODS / 4);
    compare(bytes, (struct ilp_bytes){NULL, 0}, 5);
    drop(bytes);
}

static ilp_status stop_late(void *user, ilp_token method, const struct ilp_method_result *result,
                            struct ilp_error *error)
{
    (void)result, (void)error;
    return ILP_TOKEN_RID(method) < *(unsigned *)user ? ILP_OK : ILP_E_CALLBACK;
}

/* A report that ends the work ends that of all threads. */
static void test_stop(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-csharp.dll");
    struct ilp_image *image = open_image(bytes, ILP_LAYOUT_FILE);
    for (unsigned last = 1; last <= ilp_row_count(image, ILP_MethodDef); last += 3) {
        struct ilp_edit *edit = open_edit(image);
        const struct ilp_report report = {&last, stop_late};
        struct ilp_request *request = ONE_REQUEST(stock.inspector, NULL, NULL);
        request->threads = 3;
        assert_int_equal(ilpi_inspect_in_blocks(image, edit, request, &report, 2, NULL),
                         ILP_E_CALLBACK);
        ilp_edit_close(edit);
    }
    ilp_image_close(image);
    drop(bytes);
}

/* Memory of several threads, of which the n-th allocation fails. */
struct shared_memory {
    pthread_mutex_t mutex;
    struct memory memory;
};

static void *shared_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    struct shared_memory *shared = user;
    pthread_mutex_lock(&shared->mutex);
    void *moved = memory_resize(&shared->memory, block, old_size, new_size);
    pthread_mutex_unlock(&shared->mutex);
    return moved;
}

/* A thread that gets no memory leaves its work to the others: all goes well, or it is an error. */
static void test_memory(void **state)
{
    (void)state;
    struct ilp_bytes bytes = load("good-csharp.dll");
    const struct ilp_bytes none = {NULL, 0};
    struct shared_memory shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct ilp_allocator allocator = {.resize = shared_resize, .user = &shared};
    struct outcome expected = apply(bytes, none, &kinds[0], NULL, 1, 2);
    bool failed = true;
    for (unsigned long n = 1; failed; n += 1 + n / 40) {
        shared.memory = (struct memory){.fail_at = n};
        struct outcome outcome = apply(bytes, none, &kinds[0], &allocator, 3, 2);
        failed = shared.memory.calls >= n;
        if (outcome.status == ILP_OK) {
            same_outcome(&expected, &outcome);
        } else {
            assert_int_equal(outcome.status, ILP_E_NO_MEMORY);
        }
        memory_is_empty(&shared.memory);
        outcome_end(&outcome);
    }
    outcome_end(&expected);
    drop(bytes);
}

static int open_stock(void **state)
{
    (void)state;
    stock.image = open_image(load("../../data/inspector/MyProfiler.dll"), ILP_LAYOUT_FILE);
    assert_int_equal(ilp_image_index(stock.image, NULL), ILP_OK);
    return ilp_inspector_open(&stock.inspector, stock.image, NULL, NULL) == ILP_OK ? 0 : -1;
}

static int close_stock(void **state)
{
    (void)state;
    ilp_inspector_close(stock.inspector);
    close_built(stock.image);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_budget),  cmocka_unit_test(test_stop),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_files),
    };
    files = argv + 1;
    file_count = (size_t)argc - 1;
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
