/* src/rules/parsed.c and host/parsed_rules.c: rules that another process has parsed are the same
 * rules, and what is wrong with their bytes is refused. */
#include "metadata_test.h"

#include <fcntl.h>
#include <unistd.h>

#include "host/parsed_rules.h"
#include "host/shared_counters.h"
#include "rules/rules.h"

static const char xml[] = "<rules>\n"
                          "  <exclude name=\"secrets\"><method like=\"Get*\"/><not><type "
                          "name=\"A&amp;B\"/></not></exclude>\n"
                          "  <include name=\"rest\" when=\"value > 3\" args=\"yes\">\n"
                          "    <any><return kind=\"struct\"/><type regex=\"^Sh.p\"/></any>\n"
                          "  </include>\n"
                          "  <include enabled=\"no\"/>\n"
                          "</rules>";

static struct ilp_bytes xml_bytes(void)
{
    return (struct ilp_bytes){(const uint8_t *)xml, sizeof xml - 1};
}

static struct ilp_rules *open_rules(const struct ilp_allocator *allocator)
{
    struct ilp_rules *rules;
    assert_int_equal(ilp_rules_open(&rules, allocator, NULL), ILP_OK);
    return rules;
}

static void same_values(const struct ilpi_rule_value *a, const struct ilpi_rule_value *b)
{
    for (; a && b; a = a->next, b = b->next) {
        assert_int_equal(a->attribute, b->attribute);
        assert_string_equal(a->text, b->text);
    }
    assert_ptr_equal(a, b); /* both have ended */
}

static void same_conditions(const struct ilpi_rule_condition *a,
                            const struct ilpi_rule_condition *b)
{
    for (; a && b; a = a->next, b = b->next) {
        assert_int_equal(a->element, b->element);
        assert_int_equal(a->line, b->line);
        same_values(a->values, b->values);
        same_conditions(a->inner, b->inner);
    }
    assert_ptr_equal(a, b);
}

static void same_rules(const struct ilp_rules *a, const struct ilp_rules *b)
{
    assert_int_equal(ilp_rules_count(a), ilp_rules_count(b));
    for (uint32_t i = 0; i < ilp_rules_count(a); i++) {
        const struct ilpi_rule *left = &a->rules.items[i];
        const struct ilpi_rule *right = &b->rules.items[i];
        assert_string_equal(left->head.name, right->head.name);
        assert_string_equal(left->head.file, right->head.file);
        assert_int_equal(left->head.line, right->head.line);
        assert_int_equal(left->head.enabled, right->head.enabled);
        assert_memory_equal(&left->head.action, &right->head.action, sizeof left->head.action);
        assert_int_equal(left->when != NULL, right->when != NULL);
        same_conditions(left->conditions, right->conditions);
    }
}

static void parse(struct ilpi_buf *parsed, struct ilp_rules *rules)
{
    assert_int_equal(ilpi_rules_add_xml(rules, xml_bytes(), "r.xml", parsed, NULL), ILP_OK);
}

static void test_same(void **state)
{
    struct ilpi_alloc alloc;
    struct ilpi_buf parsed = {.alloc = &alloc};
    struct ilp_rules *read = open_rules(NULL);
    struct ilp_rules *replayed = open_rules(NULL);
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    parse(&parsed, read);
    assert_int_equal(ilpi_rules_add_parsed(replayed, ilpi_buf_bytes(&parsed), "r.xml", NULL),
                     ILP_OK);
    assert_int_equal(ilp_rules_count(replayed), 3);
    same_rules(read, replayed);
    ilpi_buf_free(&parsed);
    ilp_rules_close(read);
    ilp_rules_close(replayed);
}

/* Each beginning, and each byte as another one: taken as a whole or not at all. */
static void test_broken(void **state)
{
    struct ilpi_alloc alloc;
    struct ilpi_buf parsed = {.alloc = &alloc};
    struct ilp_rules *rules = open_rules(NULL);
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    parse(&parsed, rules);
    for (size_t size = 0; size < parsed.size; size++) {
        struct ilp_error error = {0};
        struct ilp_bytes part = exact(parsed.data, size);
        assert_int_equal(ilpi_rules_add_parsed(rules, part, "r.xml", &error), ILP_E_BAD_RULES);
        assert_int_not_equal(error.message[0], 0);
        drop(part);
    }
    struct ilp_bytes more = exact(parsed.data, parsed.size + 1); /* the buffer has room */
    assert_int_equal(ilpi_rules_add_parsed(rules, more, "r.xml", NULL), ILP_E_BAD_RULES);
    drop(more);
    assert_int_equal(ilp_rules_count(rules), 3);
    for (size_t at = 0; at < parsed.size; at++) {
        static const uint8_t others[] = {0, 1, 2, 0x7F, 0xFF};
        for (size_t i = 0; i < COUNT(others); i++) {
            struct ilp_rules *own = open_rules(NULL);
            struct ilp_bytes changed = exact(parsed.data, parsed.size);
            ((uint8_t *)(uintptr_t)changed.data)[at] = others[i];
            ilp_status status = ilpi_rules_add_parsed(own, changed, "r.xml", NULL);
            assert_true(status == ILP_OK || status == ILP_E_BAD_RULES);
            assert_true(status == ILP_OK || ilp_rules_count(own) == 0);
            drop(changed);
            ilp_rules_close(own);
        }
    }
    ilpi_buf_free(&parsed);
    ilp_rules_close(rules);
}

static void test_memory(void **state)
{
    struct ilpi_alloc alloc;
    struct ilpi_buf parsed = {.alloc = &alloc};
    struct ilp_rules *rules = open_rules(NULL);
    ilp_status status = ILP_E_NO_MEMORY;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    parse(&parsed, rules);
    ilp_rules_close(rules);
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {0};
        struct ilp_allocator allocator = memory_allocator(&memory);
        rules = open_rules(&allocator);
        memory.fail_at = memory.calls + n;
        status = ilpi_rules_add_parsed(rules, ilpi_buf_bytes(&parsed), "r.xml", NULL);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        ilp_rules_close(rules);
        memory_is_empty(&memory);
    }
    ilpi_buf_free(&parsed);
}

/* ---- between processes ---- */

static ilp_status add(struct parsed_rules *parsed, struct ilp_rules *rules, const char *text)
{
    struct ilp_bytes bytes = {(const uint8_t *)text, strlen(text)};
    return parsed_rules_add(parsed, rules, bytes, "r.xml", NULL);
}

static void test_file(void **state)
{
    static const char wrong[] = "<rules><what/></rules>";
    struct parsed_rules *collected = parsed_rules_collect();
    struct ilp_rules *read = open_rules(NULL);
    struct ilp_rules *again = open_rules(NULL);
    (void)state;
    assert_int_equal(parsed_rules_file(collected), -1); /* nothing was collected */
    assert_int_equal(add(collected, read, "<rules><include name=\"first\"/></rules>"), ILP_OK);
    assert_int_equal(add(collected, read, xml), ILP_OK);
    assert_int_equal(add(collected, read, wrong), ILP_E_BAD_RULES);
    int file = parsed_rules_file(collected);
    assert_true(file >= 0);
    char *name = shared_counters_name(file);
    struct parsed_rules *parsed = parsed_rules_open(name);
    assert_non_null(parsed);
    assert_int_equal(add(parsed, again, "<rules><include name=\"first\"/></rules>"), ILP_OK);
    assert_int_equal(add(parsed, again, xml), ILP_OK);
    same_rules(read, again);
    assert_int_equal(add(parsed, again, wrong), ILP_E_BAD_RULES);
    assert_int_equal(add(parsed, again, "<rules><include name=\"new\"/></rules>"), ILP_OK);
    assert_int_equal(ilp_rules_count(again), 5);
    assert_int_equal(add(NULL, again, xml), ILP_OK);
    parsed_rules_close(parsed);
    parsed_rules_close(collected);
    close(file);
    free(name);
    ilp_rules_close(read);
    ilp_rules_close(again);
}

/* What is not such a file is not used. */
static void test_other_files(void **state)
{
    static const char *const names[] = {"", "/dev/null", "/proc/self/exe", "tests/unit/nowhere"};
    char path[] = "/tmp/ilpatch-parsed-XXXXXX";
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_null(parsed_rules_open(names[i]));
    }
    int file = mkstemp(path); /* it could be made shorter while it is read */
    assert_int_equal(write(file, "ilprules", 8), 8);
    assert_null(parsed_rules_open(path));
    close(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_file),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
