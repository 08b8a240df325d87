/* Images that Mono loads: which are patched, what takes their place, and what is reported of those
 * that are not. */
#include "tests/unit/mono_process.h"

/* Nothing but where the report is was said. */
static void is_quiet(void)
{
    for (const char *line = status_text; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "partial\t", 8) != 0 && strncmp(line, "report\t", 7) != 0) {
            fail_msg("%s", status_text);
        }
    }
    says("report\t");
}

static void reports(const char *text)
{
    if (!strstr(reported, text)) {
        fail_msg("no '%s': %s", text, reported);
    }
}

/* ---- what is patched ---- */

static void test_patched(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    mono_image *first = played_open("/app/App.exe", app);
    mono_image *second = played_open("/app/Lib.dll", app);
    assert_true(patches("/app/Third.dll", app));
    played_close(first); /* not in the order in which they came */
    assert_true(is_patched(second));
    played_close(second);
    end_process();
    is_quiet();
    reports("\"file\": \"/app/App.exe\"");
    reports("\"file\": \"/app/Third.dll\"");
}

/* Assembly.Load(byte[]): what it refers to is looked for beside the program. */
static void test_without_file(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    assert_false(patches("data-0x7f", app)); /* beside which? */
    assert_true(patches("/app/App.exe", app));
    assert_true(patches("data-0x7f", app));
    end_process();
    is_quiet();
    reports("\"file\": \"\"");
}

static void test_framework(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    assert_true(patches("/app/App.exe", app));
    assert_true(patches("/mono/gac/Early/Early.dll", app)); /* whose folder is not known yet */
    assert_false(patches("/mono/4.5/mscorlib.dll", app));
    assert_false(patches("/mono/gac/System/System.dll", app));
    assert_true(patches("/monolith/Lib.dll", app));
    assert_false(patches("/other/MSCORLIB.DLL", app));
    assert_false(patches("/mono/4.5/Late.dll", app));
    end_process();
    is_quiet();
    reports("\"left\": \"framework\"");
    begin_process("--framework --inspect-returns");
    assert_true(patches("/app/App.exe", app));
    assert_true(patches("/mono/4.5/mscorlib.dll", app));
    assert_true(patches("/mono/4.5/System.dll", app));
    end_process();
}

/* The compiler, say: a program that is in Mono's folder is one all the same. */
static void test_program_of_mono(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    mono_image *program = played_open("/mono/4.5/mcs.exe", app);
    assert_false(patches("/mono/4.5/mscorlib.dll", app));
    assert_true(patches("/mono/4.5/mcs.exe", app)); /* in another domain */
    assert_false(patches("/mono/4.5/System.dll", app));
    assert_true(is_patched(program));
    played_close(program);
    end_process();
    is_quiet();
}

/* ---- what is left as it is ---- */

/* With rules about another assembly. */
static void begin_for_other(void)
{
    char options[256];
    tree_begin(&tree);
    tree_file(&tree, "rules.xml",
              "<rules><include><assembly like='Other'/></include><exclude/></rules>");
    snprintf(options, sizeof options, "--rules %s", tree_path(&tree, "rules.xml"));
    begin_in_tree(options);
}

static void test_inspector(void **state)
{
    struct ilp_bytes stock = load("../../data/inspector/MyProfiler.dll");
    (void)state;
    begin_process("--inspect-returns");
    mono_image *image = played_open("/app/MyProfiler.dll", stock);
    assert_ptr_equal(played_bytes(image).data, stock.data);
    played_close(image);
    end_process();
    says("MyProfiler is the stock inspector");
    reports("\"file\": \"/app/MyProfiler.dll\"");
    drop(stock);
}

static void test_no_methods(void **state)
{
    struct ib_image b;
    (void)state;
    ii_begin(&b, "App.resources");
    struct ilp_bytes texts = taken_file(ib_pe_file(&b, (struct ib_pe){0}));
    ib_end(&b);
    begin_for_other();
    assert_false(patches("/app/de/App.resources.dll", texts));
    end_process();
    is_quiet();
    assert_null(strstr(reported, "resources"));
    drop(texts);
}

static void test_rules(void **state)
{
    (void)state;
    begin_process("--method '*::Other'");
    assert_false(patches("/app/App.exe", app)); /* nothing of it is changed */
    end_process();
    is_quiet();
    reports("\"answer\": \"excluded\"");
    begin_for_other();
    assert_false(patches("/app/App.exe", app));
    end_process();
    is_quiet();
    reports("\"left\": \"rules\"");
}

static void test_no_assembly(void **state)
{
    static const uint8_t symbols[] = "BSJB and more", one[] = {'M'}, short_pe[] = "MZ";
    (void)state;
    begin_process("--inspect-returns");
    assert_null(played_open("/app/App.pdb", (struct ilp_bytes){symbols, sizeof symbols}));
    assert_null(played_open("/app/One.dll", (struct ilp_bytes){one, sizeof one}));
    assert_null(played_open("/app/None.dll", (struct ilp_bytes){NULL, 0}));
    assert_null(played_open("/app/Short.dll", (struct ilp_bytes){short_pe, sizeof short_pe}));
    end_process();
    says("module\t");
    does_not_say("App.pdb");
    does_not_say("One.dll");
    does_not_say("Mono cannot read");
    says("/app/Short.dll: ");
    reports("\"file\": \"/app/Short.dll\"");
}

/* Mono reads what it can of it. */
static void test_damaged(void **state)
{
    static const char *const names[] = {"bad-row-cut.dll", "bad-table-unknown.dll",
                                        "bad-stream-offset.dll", "unsupported-native-pe.dll"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ilp_bytes bytes = load(names[i]);
        begin_process("--inspect-returns");
        mono_image *image = played_image("/app/Bad.dll", bytes);
        played_report(played.image_loading, image);
        assert_ptr_equal(played_bytes(image).data, bytes.data);
        assert_int_equal(played_bytes(image).size, bytes.size);
        played_close(image);
        end_process();
        says("/app/Bad.dll: ");
        reports("\"file\": \"/app/Bad.dll\"");
        drop(bytes);
    }
}

static void test_no_name(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    played.fails = "image_get_filename";
    assert_false(patches("/app/App.exe", app));
    end_process();
    is_quiet();
}

static void test_left_by_thread(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    images_leave(true);
    assert_false(patches("/app/App.exe", app));
    images_leave(false);
    assert_true(patches("/app/App.exe", app));
    end_process();
}

static void test_bytes_are_not_found(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    played.place = 8;
    assert_false(patches("/app/App.exe", app));
    assert_int_equal(played.from_data, 1);
    assert_false(patches("/app/Lib.dll", app));
    assert_int_equal(played.from_data, 1); /* it is not looked for again */
    assert_false(atomic_load(&process.works));
    end_process();
    says("failed\tMono 6.8 has the bytes of images where they are not found\n");
    assert_null(strstr(reported, "App.exe"));
}

/* ---- what Mono makes of it ---- */

static void test_not_taken(void **state)
{
    static const char *const guids[] = {"", "0123", "5A5A5A5A-5A5A-5A5A-5A5A-5A5A5A5A5A5B"};
    (void)state;
    for (size_t i = 0; i < COUNT(guids); i++) {
        begin_process("--inspect-returns");
        played.guid = guids[i];
        assert_true(patches("/app/App.exe", app));
        end_process();
        says("message\t/app/App.exe: Mono has not taken the patched assembly, and shows nothing\n");
    }
    begin_process("--inspect-returns");
    played.fails = "image_get_guid";
    assert_true(patches("/app/App.exe", app));
    end_process();
    says("message\t/app/App.exe: Mono has not taken the patched assembly, and shows nothing\n");
    begin_process("--method none");
    played.guid = "0123";
    assert_false(patches("/app/App.exe", app));
    end_process();
    is_quiet();
}

static void test_not_read(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    assert_true(patches("/app/App.exe", app));
    played.fails = "image";
    assert_null(played_open("/app/Lib.dll", app));
    assert_null(played_open("/app/de/None.dll", (struct ilp_bytes){NULL, 0}));
    end_process();
    says("message\t/app/Lib.dll: Mono cannot read the patched assembly\n");
    does_not_say("None.dll");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patched),        cmocka_unit_test(test_without_file),
        cmocka_unit_test(test_framework),      cmocka_unit_test(test_program_of_mono),
        cmocka_unit_test(test_inspector),      cmocka_unit_test(test_no_methods),
        cmocka_unit_test(test_rules),          cmocka_unit_test(test_no_assembly),
        cmocka_unit_test(test_damaged),        cmocka_unit_test(test_no_name),
        cmocka_unit_test(test_left_by_thread), cmocka_unit_test(test_bytes_are_not_found),
        cmocka_unit_test(test_not_taken),      cmocka_unit_test(test_not_read)};
    return cmocka_run_group_tests(tests, make_app, drop_app);
}
