/* src/base/error.h: reserved members of a caller's struct have to be zero, in every function that
 * takes the struct. The same call with zeros gets further. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

static struct ilp_bytes bytes;
static struct ilp_image *image;
static struct ii_inspector inspector;
static struct ilp_error error;

static int setup(void **state)
{
    (void)state;
    bytes = load("good-csharp.dll");
    image = open_image(bytes, ILP_LAYOUT_FILE);
    inspector = ii_inspector(II_TAKES_NAME);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ii_inspector_close(&inspector);
    ilp_image_close(image);
    drop(bytes);
    return 0;
}

/* Sets the last byte of what is reserved in the object, for the first of two calls. */
#define IS_CHECKED(object, call)                                                      \
    do {                                                                              \
        uint8_t *last = (uint8_t *)(object)->reserved + sizeof(object)->reserved - 1; \
        *last = 1;                                                                    \
        assert_int_equal(call, ILP_E_MISUSE);                                         \
        assert_non_null(strstr(error.message, "reserved"));                           \
        *last = 0;                                                                    \
        assert_int_equal(call, ILP_OK);                                               \
    } while (0)

static ilp_status open_rewriter(const struct ilp_request *request,
                                const struct ilp_emitter *emitter)
{
    struct ilp_rewriter *rewriter;
    ilp_status status = ilp_rewriter_open(&rewriter, image, request, emitter, &error);
    ilp_rewriter_close(rewriter);
    return status;
}

static void test_request(void **state)
{
    (void)state;
    struct ilp_resolver resolver = {.user = NULL};
    struct ilp_off_switch off = {.flag = 0};
    struct ilp_request *request = ONE_REQUEST(inspector.inspector, &resolver, NULL);
    struct ii_emitter emitter;
    ii_emitter_begin(&emitter);
    IS_CHECKED(request, open_rewriter(request, NULL));
    IS_CHECKED(&resolver, open_rewriter(request, NULL));
    IS_CHECKED(&emitter.interface, open_rewriter(request, &emitter.interface));
    request->off_switches = &off;
    IS_CHECKED(&off, open_rewriter(request, NULL));
    ii_emitter_end(&emitter);
}

static ilp_status rewrite(struct ilp_rewriter *rewriter, const struct ilp_rule_action *action)
{
    struct ilp_method_result result;
    return ilp_rewrite_method(rewriter, ILP_TOKEN(ILP_MethodDef, 1), action,
                              (struct ilp_bytes){NULL, 0}, &result, &error);
}

static void test_action(void **state)
{
    (void)state;
    struct ilp_rule_action action = {.inspector = 0};
    struct ilp_rewriter *rewriter;
    assert_int_equal(ilp_rewriter_open(&rewriter, image,
                                       ONE_REQUEST(inspector.inspector, NULL, NULL), NULL, NULL),
                     ILP_OK);
    IS_CHECKED(&action, rewrite(rewriter, &action));
    ilp_rewriter_close(rewriter);
}

static ilp_status open_native(const struct ilp_native *native)
{
    struct ilp_inspector *opened;
    ilp_status status = ilp_inspector_open_native(&opened, native, NULL, &error);
    ilp_inspector_close(opened);
    return status;
}

static ilp_status check_needs(const struct ilp_resolver *resolver, const struct ilp_needs *needs)
{
    return ilp_inspector_check_needs(inspector.inspector, image, resolver, needs, NULL, &error);
}

static void test_inspectors(void **state)
{
    (void)state;
    struct ilp_native native = {.library = "library", .symbol = "symbol"};
    struct ilp_resolver resolver = {.user = NULL};
    struct ilp_needs needs = {.embed = false};
    IS_CHECKED(&native, open_native(&native));
    IS_CHECKED(&resolver, check_needs(&resolver, &needs));
    IS_CHECKED(&needs, check_needs(&resolver, &needs));
}

static ilp_status open_selector(const struct ilp_resolver *resolver)
{
    struct ilp_rules *rules;
    struct ilp_selector *selector;
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    ilp_status status = ilp_selector_open(&selector, rules, image, resolver, ILP_TARGET_AUTO, NULL,
                                          &error);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    return status;
}

static ilp_status open_tail_editor(const struct ilp_resolver *resolver)
{
    struct ilp_tail_editor *editor;
    ilp_status status = ilp_tail_editor_open(&editor, image, resolver, NULL, &error);
    ilp_tail_editor_close(editor);
    return status;
}

static ilp_status take_finding(void *user, const struct ilp_verify_finding *finding,
                               struct ilp_error *none)
{
    (void)user, (void)finding, (void)none;
    return ILP_OK;
}

static void test_resolvers(void **state)
{
    (void)state;
    const struct ilp_findings_sink sink = {.finding = take_finding};
    struct ilp_resolver resolver = {.user = NULL};
    IS_CHECKED(&resolver, open_selector(&resolver));
    IS_CHECKED(&resolver, open_tail_editor(&resolver));
    IS_CHECKED(&resolver, ilp_verify(image, &resolver, &sink, NULL, &error));
    IS_CHECKED(&resolver, ilp_verify_change(image, image, &resolver, &sink, NULL, &error));
}

static ilp_status write_nothing(void *user, const void *written, size_t size)
{
    (void)user, (void)written, (void)size;
    return ILP_OK;
}
static const struct ilp_sink sink = {NULL, write_nothing};

static void test_files(void **state)
{
    (void)state;
    struct ilp_edit *edit;
    struct ilp_symbols_link link = {.path = {NULL, 0}};
    struct ilp_write_options options = {.link = &link};
    assert_int_equal(ilp_edit_open(&edit, image, NULL, NULL), ILP_OK);
    IS_CHECKED(&options, ilp_edit_write(edit, &options, &sink, NULL, &error));
    IS_CHECKED(&link, ilp_edit_write(edit, &options, &sink, NULL, &error));
    ilp_edit_close(edit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),    cmocka_unit_test(test_action),
        cmocka_unit_test(test_inspectors), cmocka_unit_test(test_resolvers),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
