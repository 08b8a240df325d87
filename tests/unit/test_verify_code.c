/* The rules about code (III), and what is wrong with the rows of whole modules: files that were
 * assembled once (tests/files/make.sh), with a core library of a few types.
 *
 * The cases of tests/verify are here as bad-X.dll and good-X.dll; their sources say what they
 * expect. All others of tests/files/verify have many methods and types, whose names say which
 * findings they have: "operand, pointer: what is wrong". A name without a colon means none. */
#include <dirent.h>

#include "metadata_test.h"

#define FOLDER "verify/"

struct found {
    ilp_token token;
    enum ilp_finding_class kind;
    const char *code;
};

struct findings {
    struct found items[512];
    size_t count;
};

static ilp_status take(void *user, const struct ilp_verify_finding *finding,
                       struct ilp_error *error)
{
    struct findings *findings = user;
    (void)error;
    assert_true(findings->count < COUNT(findings->items));
    findings->items[findings->count++] = (struct found){finding->token, finding->kind,
                                                        finding->code};
    return ILP_OK;
}

static struct ilp_image *core;

static struct ilp_image *open_core(void *user, const struct ilp_assembly_name *name)
{
    (void)user;
    return strcmp(name->name, "mscorlib") == 0 ? core : NULL;
}

static ilp_status verify(struct ilp_image *image, struct findings *findings,
                         const struct ilp_allocator *allocator)
{
    const struct ilp_resolver resolver = {.open = open_core};
    const struct ilp_findings_sink sink = {findings, NULL, take};
    findings->count = 0;
    return ilp_verify(image, &resolver, &sink, allocator, NULL);
}

/* ---- files ---- */

typedef void file_test(const char *name, struct ilp_image *image);

/* Returns how many files there were whose names begin so; "" are all. */
static unsigned for_each_file(const char *beginning, file_test *test)
{
    unsigned count = 0;
    DIR *folder = opendir(ILP_TEST_FILES "/" FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        const char *end = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, beginning, strlen(beginning)) == 0 && strcmp(end, ".dll") == 0) {
            snprintf(path, sizeof path, FOLDER "%s", entry->d_name);
            struct ilp_image *image = open_image(load(path), ILP_LAYOUT_FILE);
            test(entry->d_name, image);
            close_built(image);
            count++;
        }
    }
    closedir(folder);
    return count;
}

/* ---- the cases of tests/verify ---- */

/* The word after "// LABEL: " in the case's source; "" if there is none. */
static void read_label(const char *name, const char *label, char word[64])
{
    char path[512], line[512], start[32];
    snprintf(path, sizeof path, "tests/verify/%.*s/%.*s.il", (int)strcspn(name, "-"), name,
             (int)(strrchr(name, '.') - strchr(name, '-') - 1), strchr(name, '-') + 1);
    snprintf(start, sizeof start, "// %s: ", label);
    word[0] = '\0';
    FILE *source = fopen(path, "r");
    if (!source) {
        fail_msg("%s has no source %s", name, path);
    }
    while (fgets(line, sizeof line, source)) {
        if (strncmp(line, start, strlen(start)) == 0) {
            assert_int_equal(sscanf(line + strlen(start), "%63s", word), 1);
        }
    }
    fclose(source);
}

static void check_case(const char *name, struct ilp_image *image)
{
    static struct findings findings;
    char expected[64], unwanted[64];
    bool found = false;
    read_label(name, "expects", expected);
    read_label(name, "lacks", unwanted);
    assert_int_equal(verify(image, &findings, NULL), ILP_OK);
    for (size_t i = 0; i < findings.count; i++) {
        const struct found *finding = &findings.items[i];
        bool meant = strcmp(finding->code, expected) == 0;
        found = found || meant;
        if (strcmp(finding->code, unwanted) == 0 ||
            (finding->kind == ILP_FINDING_ERROR && !meant)) {
            fail_msg("%s: %s is found", name, finding->code);
        }
    }
    if (expected[0] != '\0' && !found) {
        fail_msg("%s: %s is not found", name, expected);
    }
}

static void test_bad_code_is_found(void **state)
{
    (void)state;
    assert_in_range(for_each_file("bad-", check_case), 100, 1000);
}

static void test_good_code_is_not(void **state)
{
    (void)state;
    assert_in_range(for_each_file("good-", check_case), 30, 1000);
}

/* ---- methods that say what they expect ---- */

#define IN_CONSTRUCTOR " in constructor:" /* in the name of a type: what its constructors have */

/* The name that says what is found in a method or type; *length: of the codes in it. */
static const char *expectation(const struct ilp_image *image, ilp_token token, size_t *length)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    bool type = ILP_TOKEN_TABLE(token) == ILP_TypeDef;
    const char *name = type ? name_at(image, ILP_TypeDef, rid, ILP_TypeDef_TypeName)
                            : name_at(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    if (!type && (strcmp(name, ".ctor") == 0 || strcmp(name, ".cctor") == 0)) {
        name = name_at(image, ILP_TypeDef, ilp_owner_of_method(image, rid), ILP_TypeDef_TypeName);
        const char *end = strstr(name, IN_CONSTRUCTOR);
        *length = end ? (size_t)(end - name) : 0;
        return name;
    }
    const char *colon = strstr(name, IN_CONSTRUCTOR) ? NULL : strchr(name, ':');
    *length = colon ? (size_t)(colon - name) : 0;
    return name;
}

/* The codes of a row in the order of the alphabet, each once, with ", " between. */
static void codes_of(const struct findings *findings, ilp_token token, char codes[256])
{
    const char *last = "";
    codes[0] = '\0';
    for (;;) {
        const char *next = NULL;
        for (size_t i = 0; i < findings->count; i++) {
            const struct found *finding = &findings->items[i];
            bool later = finding->token == token && strcmp(finding->code, last) > 0;
            next = later && (!next || strcmp(finding->code, next) < 0) ? finding->code : next;
        }
        if (!next) {
            return;
        }
        snprintf(codes + strlen(codes), 256 - strlen(codes), "%s%s", codes[0] ? ", " : "", next);
        last = next;
    }
}

static unsigned wrong_rows;

static void check_rows(const char *file, const struct ilp_image *image, unsigned table,
                       const struct findings *findings)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, table); rid++) {
        char codes[256];
        ilp_token token = ILP_TOKEN(table, rid);
        size_t length;
        const char *name = expectation(image, token, &length);
        codes_of(findings, token, codes);
        if (strlen(codes) != length || memcmp(codes, name, length) != 0) {
            print_error("%s: %s: found: %s\n", file, name, codes);
            wrong_rows++;
        }
    }
}

static void check_names(const char *file, struct ilp_image *image)
{
    static struct findings findings;
    if (strncmp(file, "bad-", 4) == 0 || strncmp(file, "good-", 5) == 0 ||
        strcmp(file, "mscorlib.dll") == 0) {
        return;
    }
    assert_int_equal(verify(image, &findings, NULL), ILP_OK);
    check_rows(file, image, ILP_TypeDef, &findings);
    check_rows(file, image, ILP_MethodDef, &findings);
    for (size_t i = 0; i < findings.count; i++) {
        unsigned table = ILP_TOKEN_TABLE(findings.items[i].token);
        bool of_assembler = strcmp(findings.items[i].code, "ref-duplicate") == 0;
        if (table != ILP_TypeDef && table != ILP_MethodDef && !of_assembler) {
            print_error("%s: %08X: found: %s\n", file, findings.items[i].token,
                        findings.items[i].code);
            wrong_rows++;
        }
    }
}

static void test_rows_have_the_findings_they_are_named_for(void **state)
{
    (void)state;
    for_each_file("", check_names);
    assert_int_equal(wrong_rows, 0);
}

/* ---- memory ---- */

static void fail_each(const char *name, struct ilp_image *image)
{
    static struct findings findings;
    struct memory memory = {0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    assert_int_equal(verify(image, &findings, &allocator), ILP_OK);
    size_t calls = memory.calls;
    for (size_t n = 1; n <= calls; n++) {
        memory = (struct memory){.fail_at = n};
        ilp_status status = verify(image, &findings, &allocator);
        if (status != ILP_E_NO_MEMORY) {
            fail_msg("%s: allocation %zu of %zu: %s", name, n, calls, ilp_status_name(status));
        }
        memory_is_empty(&memory);
    }
}

static void test_memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_in_range(for_each_file("", fail_each), 100, 1000);
}

static int setup(void **state)
{
    (void)state;
    core = open_image(load(FOLDER "mscorlib.dll"), ILP_LAYOUT_FILE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close_built(core);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_code_is_found),
        cmocka_unit_test(test_good_code_is_not),
        cmocka_unit_test(test_rows_have_the_findings_they_are_named_for),
        cmocka_unit_test(test_memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
