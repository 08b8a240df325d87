/* Inspectors in a process of Mono: the stock one is started in each domain, once, and others are
 * loaded where they are wanted. */
#include "profiler/unmanaged.h"
#include "tests/unit/mono_process.h"

#define OWN_INSPECTOR "tests/command/files/good-inspector.dll"
#define WITH_OWN      "command-version=" ILP_VERSION ";inspect-returns=1;inspector=" OWN_INSPECTOR

static int domains[3];

static void use_domain(unsigned number)
{
    played.domain = (mono_domain *)(void *)&domains[number];
}

static void initialize(void)
{
    use_domain(0);
    played.runtime_initialized(played.user);
}

static void unload_domain(unsigned number)
{
    played.domain_unloaded(played.user, (mono_domain *)(void *)&domains[number]);
}

/* An inspector's image stays, as in Mono; here it goes. */
static void drop_image(mono_image *image)
{
    assert_non_null(image);
    played_close(image);
}

static void test_stock(void **state)
{
    char *addresses = unmanaged_addresses();
    (void)state;
    begin_process("--inspect-returns");
    initialize();
    assert_non_null(process.stock);
    assert_int_equal(played.invoked, 1);
    assert_string_equal(played.addresses, addresses);
    assert_string_equal(process.stock->name, process.inspector);
    assert_true(played.is_copied);
    assert_false(is_patched(process.stock) && process.replaced);
    assert_null(played_want("System"));
    assert_int_equal(played.invoked, 1);
    drop_image(process.stock);
    end_process();
    char line[64];
    snprintf(line, sizeof line, "inspector\t%ld\n", (long)getpid());
    says(line);
    does_not_say("message\t");
    free(addresses);
}

static void test_domains(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    initialize();
    use_domain(1);
    assert_null(played_want("App"));
    assert_int_equal(played.invoked, 2);
    use_domain(2);
    assert_null(played_want("App"));
    use_domain(1);
    assert_null(played_want("Lib"));
    assert_int_equal(played.invoked, 3);
    unload_domain(1); /* another one may get its address */
    assert_null(played_want("Lib"));
    assert_int_equal(played.invoked, 4);
    unload_domain(2);
    unload_domain(2); /* which is not known any more */
    unload_domain(0);
    assert_null(played_want("Lib"));
    assert_int_equal(played.invoked, 4);
    drop_image(process.stock);
    end_process();
}

/* By its name, in whatever case. */
static void test_own(void **state)
{
    (void)state;
    begin_process(WITH_OWN);
    initialize();
    assert_null(process.stock); /* no method calls it */
    assert_int_equal(played.from_data, 0);
    assert_null(played_want("Good"));
    const struct request *request = settings_request(process.patching.settings);
    const struct inspector_file *own = &request->inspector_files[0];
    for (size_t i = 0; own->stock; i++) {
        own = &request->inspector_files[i];
    }
    char name[64];
    snprintf(name, sizeof name, "%s", own->name.name);
    name[0] = (char)(name[0] ^ 0x20);
    mono_image *image = played_want(name);
    assert_non_null(image);
    assert_string_equal(image->name, ilp_image_name(own->assembly));
    same_bytes(played_bytes(image), own->bytes); /* it is not patched */
    assert_int_equal(played.invoked, 0);
    drop_image(image);
    end_process();
    does_not_say("module\t");
    does_not_say("missing\t");
}

/* Rules choose another one for all that is inspected. */
static void test_stock_is_not_called(void **state)
{
    char rules[256], options[640];
    (void)state;
    tree_begin(&tree);
    struct ilp_bytes own = load_path(OWN_INSPECTOR);
    tree_bytes(&tree, "Own.dll", own.data, own.size);
    snprintf(rules, sizeof rules,
             "<rules><include inspector='%s'><type like='*'/></include></rules>",
             tree_path(&tree, "Own.dll"));
    tree_file(&tree, "rules.xml", rules);
    snprintf(options, sizeof options, "--rules %s", tree_path(&tree, "rules.xml"));
    begin_in_tree(options);
    initialize();
    assert_null(process.stock);
    assert_int_equal(played.from_data, 0);
    mono_image *image = played_want("Watcher");
    assert_string_equal(image->name, tree_path(&tree, "Own.dll"));
    drop_image(image);
    end_process();
    drop(own);
}

static void test_wanted_without_name(void **state)
{
    (void)state;
    begin_process(WITH_OWN);
    initialize();
    assert_null(played_want(NULL));
    end_process();
}

/* A reference of what was patched finds the stock inspector, too. */
static void test_stock_is_wanted(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    played.fails = "assembly_load_from_full";
    initialize();
    assert_null(process.stock);
    drop_image(played.refused);
    played.fails = NULL;
    mono_image *image = played_want("myprofiler");
    assert_ptr_equal(image, process.stock);
    assert_int_equal(played.invoked, 1);
    drop_image(image);
    end_process();
    says("missing\t/opt/MyProfiler.dll\n");
}

static void test_missing(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    played.fails = "image_open_from_data_with_name";
    initialize();
    assert_null(process.stock);
    assert_int_equal(played.invoked, 0);
    played.fails = NULL;
    assert_true(patches("/app/App.exe", app)); /* images are patched after that */
    end_process();
    says("missing\t/opt/MyProfiler.dll\n");
}

static void test_not_started(void **state)
{
    static const char *const fail[] = {"class_from_name", "class_get_method_from_name", NULL};
    (void)state;
    for (size_t i = 0; i < COUNT(fail); i++) {
        begin_process("--inspect-returns");
        played.fails = fail[i];
        played.throws = true;
        initialize();
        assert_non_null(process.stock);
        assert_int_equal(played.invoked, !fail[i]);
        drop_image(process.stock);
        end_process();
        says("message\t/opt/MyProfiler.dll: it could not be started, and writes its lines "
             "itself\n");
        does_not_say("missing\t");
    }
}

static void test_nothing_works(void **state)
{
    (void)state;
    begin_process("--inspect-returns");
    atomic_store(&process.works, false);
    initialize();
    assert_null(played.preload);
    assert_int_equal(played.from_data, 0);
    end_process();
    does_not_say("inspector\t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stock),
                                       cmocka_unit_test(test_domains),
                                       cmocka_unit_test(test_own),
                                       cmocka_unit_test(test_stock_is_not_called),
                                       cmocka_unit_test(test_wanted_without_name),
                                       cmocka_unit_test(test_stock_is_wanted),
                                       cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_not_started),
                                       cmocka_unit_test(test_nothing_works)};
    return cmocka_run_group_tests(tests, make_app, drop_app);
}
