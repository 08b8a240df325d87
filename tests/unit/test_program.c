/* host/resolve/: a program of .NET by its JSON files: which versions of frameworks are chosen, what
 * the host would refuse, and where the assemblies of packages are. That the host of .NET chooses
 * the same is seen in tests/resolve. */
#include "tests/unit/folder_tree.h"
#include "tests/unit/inspect_image.h"

#include "host/references.h"
#include "host/resolve/path_list.h"
#include "host/resolve/dotnet_root.h"
#include "host/resolve/program.h"

static struct tree tree;
static struct installed *installed;

static int begin(void **state)
{
    static const char *const variables[] = {"DOTNET_ROLL_FORWARD",
                                            "DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX",
                                            "DOTNET_ROLL_FORWARD_TO_PRERELEASE",
                                            "DOTNET_SHARED_STORE",
                                            "NUGET_FALLBACK_PACKAGES",
                                            "DOTNET_ROOT_X64",
                                            "DOTNET_ROOT_ARM64",
                                            "MONO_PATH"};
    (void)state;
    tree_begin(&tree);
    for (size_t i = 0; i < COUNT(variables); i++) {
        unsetenv(variables[i]);
    }
    setenv("DOTNET_ROOT", tree_path(&tree, "dotnet"), 1);
    setenv("NUGET_PACKAGES", tree_path(&tree, "cache"), 1);
    installed = installed_open();
    return installed ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    installed_close(installed);
    tree_end(&tree);
    return 0;
}

#define CORE "Microsoft.NETCore.App"
#define WEB  "Microsoft.AspNetCore.App"

/* "1.0.0 2.0.0": folders of these versions; of CORE, one without its .deps.json is none. */
static void install(const char *name, const char *versions)
{
    char copy[200], path[256];
    snprintf(copy, sizeof copy, "%s", versions);
    for (char *version = strtok(copy, " "); version; version = strtok(NULL, " ")) {
        snprintf(path, sizeof path, "dotnet/shared/%s/%s/%s.deps.json", name, version, name);
        tree_file(&tree, path, "{}");
    }
}

static void write_config(const char *options)
{
    char text[1024];
    snprintf(text, sizeof text, "{ \"runtimeOptions\": { %s } }", options);
    tree_file(&tree, "app/App.runtimeconfig.json", text);
}

/* The version of the first framework, or what is wrong. */
static void check_version(const char *what, const char *expected)
{
    struct program program;
    program_open(&program, tree_path(&tree, "app/App.dll"), installed);
    char *text = program.frameworks.count != 0 && !program.frameworks.wrong
                     ? version_text(&program.frameworks.items[0].version)
                     : NULL;
    const char *found = text ? text : program.frameworks.wrong ? program.frameworks.wrong : "none";
    if (!strstr(found, expected) || program.guessed == (text != NULL)) {
        fail_msg("%s: %s, expected %s", what, found, expected);
    }
    free(text);
    program_close(&program);
}

#define REQUESTS(version) "\"framework\": { \"name\": \"" CORE "\", \"version\": \"" version "\" }"

static void test_rolls_forward(void **state)
{
    static const struct {
        const char *options, *expected;
    } cases[] = {
        {REQUESTS("3.1.0"), "3.1.10"},
        {REQUESTS("3.0.0"), "3.1.10"},
        {REQUESTS("3.1.11"), "3.2.5"},
        {REQUESTS("2.0.0"), "2.0.0 is not installed, nor a version that would do"},
        {REQUESTS("5.0.0"), "5.1.0-preview.1"}, /* no release will do */
        {REQUESTS("6.0.0"), "6.0.0 is not installed"},
        {REQUESTS("3.0.0") ", \"rollForward\": \"LatestMinor\"", "3.2.5"},
        {REQUESTS("2.0.0") ", \"rollForward\": \"Major\"", "3.1.10"},
        {REQUESTS("2.0.0") ", \"rollForward\": \"latestMajor\"", "4.0.1"},
        {REQUESTS("3.1.0") ", \"rollForward\": \"LatestPatch\"", "3.1.10"},
        {REQUESTS("3.0.0") ", \"rollForward\": \"LatestPatch\"", "3.0.0 is not installed"},
        {REQUESTS("3.1.2") ", \"rollForward\": \"Disable\"", "3.1.2"},
        {REQUESTS("3.1.3") ", \"rollForward\": \"Disable\"", "3.1.3 is not installed"},
        {REQUESTS("3.1.0") ", \"applyPatches\": false", "3.1.2"},
        {REQUESTS("3.1.0") ", \"rollForwardOnNoCandidateFx\": 0", "3.1.10"},
        {REQUESTS("3.0.0") ", \"rollForwardOnNoCandidateFx\": 0", "3.0.0 is not installed"},
        {REQUESTS("2.0.0") ", \"rollForwardOnNoCandidateFx\": 2", "3.1.10"},
        {REQUESTS("3.1.0") ", \"rollForwardOnNoCandidateFx\": 3", "is 0, 1 or 2"},
        {REQUESTS("3.1.0") ", \"rollForward\": \"Sideways\"", "no such policy of rolling forward"},
        {REQUESTS("3.1.0") ", \"rollForward\": \"Minor\", \"applyPatches\": true",
         "rollForward excludes rollForwardOnNoCandidateFx and applyPatches"},
        {"\"framework\": { \"name\": \"" CORE "\" }", "a framework needs a name and a version"},
        {"\"framework\": { \"name\": \"../x\", \"version\": \"1.0.0\" }", "needs a name"},
        {"\"framework\": { \"name\": \"" CORE "\", \"version\": \"new\" }", "needs a name"},
        {"\"frameworks\": [ { \"name\": \"" CORE "\", \"version\": \"3.1.0\", \"rollForward\": "
         "\"LatestMajor\" } ]",
         "4.0.1"},
        {"\"frameworks\": [ { \"name\": \"" CORE "\", \"version\": \"3.1.0\" }, { \"name\": \"" CORE
         "\", \"version\": \"3.2.0\" } ]",
         "3.2.5"},
        {"\"frameworks\": [ { \"name\": \"" CORE "\", \"version\": \"3.1.0\" }, { \"name\": \"" CORE
         "\", \"version\": \"4.0.0\" } ]",
         "3.1.0 excludes a version that is also requested"},
    };
    (void)state;
    install(CORE, "3.1.2 3.1.10 3.2.5 4.0.1 5.1.0-preview.1");
    tree_file(&tree, "dotnet/shared/" CORE "/9.0.0/other", ""); /* is not whole */
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_config(cases[i].options);
        check_version(cases[i].options, cases[i].expected);
    }
}

/* The environment has the last word. */
static void test_environment(void **state)
{
    (void)state;
    install(CORE, "3.1.2 3.1.10 3.2.5 4.0.1 5.0.0-preview.2");
    write_config(REQUESTS("3.1.0"));
    setenv("DOTNET_ROLL_FORWARD", "LatestMinor", 1);
    check_version("DOTNET_ROLL_FORWARD", "3.2.5");
    setenv("DOTNET_ROLL_FORWARD", "LatestMajor", 1);
    setenv("DOTNET_ROLL_FORWARD_TO_PRERELEASE", "1", 1);
    check_version("DOTNET_ROLL_FORWARD_TO_PRERELEASE", "5.0.0-preview.2");
    unsetenv("DOTNET_ROLL_FORWARD");
    unsetenv("DOTNET_ROLL_FORWARD_TO_PRERELEASE");
    write_config(REQUESTS("3.0.0"));
    setenv("DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX", "0", 1);
    check_version("DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX", "3.0.0 is not installed");
}

/* A framework requests another one: what both want is looked up again. */
static void test_frameworks_of_frameworks(void **state)
{
    static const char web[] = "{ \"runtimeOptions\": { \"framework\": { \"name\": \"" CORE
                              "\", \"version\": \"3.1.10\", \"rollForward\": \"%s\" } } }";
    struct program program;
    char text[256];
    (void)state;
    install(CORE, "3.1.2 3.1.10 3.2.5");
    install(WEB, "3.1.10");
    snprintf(text, sizeof text, web, "Disable");
    tree_file(&tree, "dotnet/shared/" WEB "/3.1.10/" WEB ".runtimeconfig.json", text);
    write_config("\"frameworks\": [ { \"name\": \"" CORE "\", \"version\": \"3.1.0\", "
                 "\"applyPatches\": false }, { \"name\": \"" WEB "\", \"version\": \"3.1.0\" } ]");
    program_open(&program, tree_path(&tree, "app/App.dll"), installed);
    assert_null(program.frameworks.wrong);
    assert_int_equal(program.frameworks.count, 2);
    assert_string_equal(program.frameworks.items[0].directory,
                        tree_path(&tree, "dotnet/shared/" CORE "/3.1.10"));
    assert_string_equal(program.frameworks.items[1].directory,
                        tree_path(&tree, "dotnet/shared/" WEB "/3.1.10"));
    program_close(&program);
    write_config("\"frameworks\": [ { \"name\": \"" CORE "\", \"version\": \"3.2.0\" }, "
                 "{ \"name\": \"" WEB "\", \"version\": \"3.1.0\" } ]");
    check_version("a framework that wants no other version",
                  "3.1.10 excludes a version that is also requested");
}

/* Without a .runtimeconfig.json, or with one that cannot be read, the newest there are. */
static void test_newest(void **state)
{
    struct program program;
    (void)state;
    install(CORE, "3.1.2 4.0.1 5.0.0-preview.2");
    install(WEB, "3.1.10");
    for (unsigned broken = 0; broken < 2; broken++) {
        if (broken) {
            tree_file(&tree, "app/App.runtimeconfig.json", "{ not JSON");
        }
        program_open(&program, tree_path(&tree, "app/App.dll"), installed);
        assert_true(program.guessed);
        assert_int_equal(program.configured, broken);
        assert_int_equal(program.frameworks.count, 2);
        assert_string_equal(program.frameworks.items[0].request.name, WEB);
        assert_string_equal(program.frameworks.items[1].directory,
                            tree_path(&tree, "dotnet/shared/" CORE "/4.0.1"));
        assert_int_equal(program.frameworks.wrong != NULL, broken);
        if (broken) {
            assert_non_null(strstr(program.frameworks.wrong, "App.runtimeconfig.json: line 1"));
        }
        program_close(&program);
    }
}

static void check_root(const char *expected)
{
    const struct path_list *roots = installed_roots(installed);
    assert_int_equal(roots->count, 1);
    assert_string_equal(roots->items[0], tree_path(&tree, expected));
}

/* Installations are looked for once, and again only when they are forgotten. */
static void test_installed(void **state)
{
    (void)state;
    install(CORE, "3.1.2");
    tree_file(&tree, "other/shared/file", "");
    check_root("dotnet");
    setenv("DOTNET_ROOT", tree_path(&tree, "other"), 1);
    check_root("dotnet");
    installed_forget(installed);
    check_root("other");
}

/* ---- hooks, and other options ---- */

static void test_options(void **state)
{
    static const struct {
        const char *options;
        bool no_hooks;
    } cases[] = {
        {"\"configProperties\": { \"System.StartupHookProvider.IsSupported\": false }", true},
        {"\"configProperties\": { \"System.StartupHookProvider.IsSupported\": \"False\" }", true},
        {"\"configProperties\": { \"System.StartupHookProvider.IsSupported\": true }", false},
        {"\"configProperties\": { }", false},
        {"\"tfm\": \"net10.0\"", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct runtime_config config;
        write_config(cases[i].options);
        assert_true(runtime_config_read(&config, tree_path(&tree, "app/App.runtimeconfig.json")));
        assert_int_equal(config.no_hooks, cases[i].no_hooks);
        assert_string_equal(config.tfm, i == COUNT(cases) - 1 ? "net10.0" : "");
        runtime_config_free(&config);
    }
    struct runtime_config config;
    assert_false(runtime_config_read(&config, tree_path(&tree, "app/None.runtimeconfig.json")));
    assert_false(runtime_config_read(&config, NULL));
}

/* Which runtime it will be at the oldest, as far as the file says it. */
static void test_older_runtimes(void **state)
{
    static const struct {
        const char *options;
        uint32_t before[2];
    } cases[] = {
        {"\"framework\": { \"name\": \"" CORE "\", \"version\": \"6.0.1\" }", {6, 0}},
        {"\"framework\": { \"name\": \"" CORE "\", \"version\": \"7.0.0\" }", {0, 0}},
        {"\"framework\": { \"name\": \"" CORE "\", \"version\": \"6.0.1\" },"
         "\"rollForward\": \"Major\"",
         {0, 0}},
        {"\"framework\": { \"name\": \"" WEB "\", \"version\": \"3.1.2\" }", {3, 1}},
        {"\"framework\": { \"name\": \"Other\", \"version\": \"1.0.0\" }", {0, 0}},
        /* self-contained */
        {"\"tfm\": \"net6.0\"", {6, 0}},
        {"\"tfm\": \"netcoreapp3.1\"", {3, 1}},
        {"\"tfm\": \"net10.0\"", {0, 0}},
        {"\"tfm\": \"net48\"", {0, 0}},
        {"\"configProperties\": { }", {0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct runtime_config config;
        struct version requested;
        write_config(cases[i].options);
        assert_true(runtime_config_read(&config, tree_path(&tree, "app/App.runtimeconfig.json")));
        assert_int_equal(runtime_config_is_before(&config, 7, 0, &requested),
                         cases[i].before[0] != 0);
        if (cases[i].before[0] != 0) {
            assert_int_equal(requested.part[0], cases[i].before[0]);
            assert_int_equal(requested.part[1], cases[i].before[1]);
            assert_false(runtime_config_is_before(&config, requested.part[0], requested.part[1],
                                                  &requested));
        }
        runtime_config_free(&config);
    }
}

/* ---- assemblies ---- */

static void put_assembly(const char *path, const char *name, uint32_t major)
{
    struct ib_image b;
    ii_begin(&b, name);
    ib_set(&b, ILP_Assembly, 1, ILP_Assembly_MajorVersion, major);
    struct ilp_bytes bytes = taken_file(ib_pe_file(&b, (struct ib_pe){0}));
    ib_end(&b);
    tree_bytes(&tree, path, bytes.data, bytes.size);
    drop(bytes);
}

/* Where Lib is found, for a target in app/; NULL: nowhere. */
static void check_place(const char *path, enum place place)
{
    struct ilp_assembly_name name = {.name = "Lib", .culture = "", .version = {1, 0, 0, 0}};
    struct references *references = references_open(NULL, 0);
    assert_non_null(references);
    assert_true(references_set_target(references, tree_path(&tree, "app/App.dll")));
    const struct reference *found = references_find(references, &name);
    assert_non_null(found);
    if (!path) {
        assert_null(found->image);
    } else if (!found->image || strcmp(found->image->name, tree_path(&tree, path)) != 0 ||
               found->place != place) {
        fail_msg("%s (%s), expected %s", found->image ? found->image->name : "nowhere",
                 place_word(found->place), path);
    }
    assert_ptr_equal(references_find(references, &name), found); /* queried again */
    references_close(references);
}

#define TARGET "\"runtimeTarget\": { \"name\": \"net10\" }, "
#define LIBRARY \
    "\"libraries\": { \"Lib/1.0.0\": { \"type\": \"package\", \"path\": \"lib/1.0.0\" } }"
#define RUNTIME                                                                   \
    "\"runtime\": { \"lib/net6.0/Lib.dll\": { \"assemblyVersion\": \"1.0.0.0\", " \
    "\"fileVersion\": \"1.0.0.0\" } }"

static void write_deps(const char *path, const char *of_library)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{ " TARGET "\"targets\": { \"net10\": { \"Lib/1.0.0\": { %s } } }, " LIBRARY " }",
             of_library);
    tree_file(&tree, path, text);
}

/* A package is in a cache, by the folder that the file names. */
static void test_packages(void **state)
{
    (void)state;
    install(CORE, "3.1.2");
    put_assembly("app/App.dll", "App", 1);
    write_config(REQUESTS("3.1.0"));
    write_deps("app/App.deps.json", RUNTIME);
    check_place(NULL, PLACE_PACKAGE);
    put_assembly("cache/lib/1.0.0/lib/net6.0/Lib.dll", "Lib", 1);
    check_place("cache/lib/1.0.0/lib/net6.0/Lib.dll", PLACE_PACKAGE);
    write_deps("app/App.deps.json", "\"runtime\": { \"../Lib.dll\": { } }"); /* leads elsewhere */
    check_place(NULL, PLACE_PACKAGE);
}

/* NuGet's own folder is not the only one. */
static void test_caches(void **state)
{
    char store[512];
    (void)state;
    install(CORE, "3.1.2");
    put_assembly("app/App.dll", "App", 1);
    write_deps("app/App.deps.json", RUNTIME);
    write_config(REQUESTS("3.1.0") ", \"tfm\": \"net10.0\", \"additionalProbingPaths\": [ 1, "
                                   "\"/no/such|arch|/|tfm|\" ]");
    put_assembly("fallback/lib/1.0.0/lib/net6.0/Lib.dll", "Lib", 1);
    setenv("NUGET_FALLBACK_PACKAGES", tree_path(&tree, "fallback"), 1);
    check_place("fallback/lib/1.0.0/lib/net6.0/Lib.dll", PLACE_PACKAGE);
    snprintf(store, sizeof store, "store/%s/net10.0/lib/1.0.0/lib/net6.0/Lib.dll",
             dotnet_architecture());
    put_assembly(store, "Lib", 1);
    setenv("DOTNET_SHARED_STORE", tree_path(&tree, "store"), 1);
    check_place(store, PLACE_PACKAGE);
    unsetenv("DOTNET_SHARED_STORE");
    unsetenv("NUGET_FALLBACK_PACKAGES");
    put_assembly("home/.nuget/packages/lib/1.0.0/lib/net6.0/Lib.dll", "Lib", 1);
    unsetenv("NUGET_PACKAGES");
    setenv("HOME", tree_path(&tree, "home"), 1);
    check_place("home/.nuget/packages/lib/1.0.0/lib/net6.0/Lib.dll", PLACE_PACKAGE);
    put_assembly("probed/net10.0/lib/1.0.0/lib/net6.0/Lib.dll", "Lib", 1);
    char dev[600];
    snprintf(dev, sizeof dev,
             "{ \"runtimeOptions\": { \"additionalProbingPaths\": \"%s/|tfm|\" } }",
             tree_path(&tree, "probed"));
    tree_file(&tree, "app/App.runtimeconfig.dev.json", dev);
    check_place("probed/net10.0/lib/1.0.0/lib/net6.0/Lib.dll", PLACE_PACKAGE);
}

/* What a package has for this machine is taken before what it has for all. */
static void test_variants(void **state)
{
    char text[600], path[256];
    (void)state;
    install(CORE, "3.1.2");
    put_assembly("app/App.dll", "App", 1);
    put_assembly("app/Lib.dll", "Lib", 1);
    snprintf(path, sizeof path, "runtimes/linux-%s/lib/net6.0/Lib.dll", dotnet_architecture());
    snprintf(text, sizeof text,
             RUNTIME ", \"runtimeTargets\": { \"%s\": { \"rid\": \"linux-%s\", \"assetType\": "
                     "\"runtime\" }, \"runtimes/win/lib/net6.0/Lib.dll\": { \"rid\": \"win\", "
                     "\"assetType\": \"runtime\" } }",
             path, dotnet_architecture());
    write_config(REQUESTS("3.1.0"));
    write_deps("app/App.deps.json", text);
    check_place("app/Lib.dll", PLACE_BESIDE); /* it is not there */
    char whole[300];
    snprintf(whole, sizeof whole, "app/%s", path);
    put_assembly(whole, "Lib", 1);
    check_place(whole, PLACE_PACKAGE);
}

/* The host prefers a framework's copy whose versions are not lower. */
static void test_preferred(void **state)
{
    static const struct {
        const char *assembly, *file;
        bool preferred;
    } versions[] = {{"1.0.0.0", "1.0.0.0", true},  {"1.0.0.0", "0.9.0.0", false},
                    {"1.0.0.1", "0.9.0.0", true},  {"0.9.0.0", "2.0.0.0", false},
                    {"1.0.0.0", "1.0.0.10", true}, {NULL, NULL, false}};
    (void)state;
    install(CORE, "3.1.2");
    put_assembly("app/App.dll", "App", 1);
    put_assembly("app/Lib.dll", "Lib", 1);
    put_assembly("dotnet/shared/" CORE "/3.1.2/Lib.dll", "Lib", 1);
    write_config(REQUESTS("3.1.0"));
    write_deps("app/App.deps.json", RUNTIME);
    for (size_t i = 0; i < COUNT(versions); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "\"runtime\": { \"lib/%s.dll\": { \"assemblyVersion\": \"%s\", \"fileVersion\": "
                 "\"%s\" } }",
                 versions[i].file ? "Lib" : "Other",
                 versions[i].assembly ? versions[i].assembly : "",
                 versions[i].file ? versions[i].file : "");
        write_deps("dotnet/shared/" CORE "/3.1.2/" CORE ".deps.json", text);
        check_place(versions[i].preferred ? "dotnet/shared/" CORE "/3.1.2/Lib.dll" : "app/Lib.dll",
                    versions[i].preferred ? PLACE_FRAMEWORK : PLACE_BESIDE);
    }
}

/* What the host would stop at, as it would be said. */
static void test_bad_deps(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {{"{}", NULL},
                 {"\xEF\xBB\xBF{ /* a comment */ } bytes that the host does not read", NULL},
                 {"{ // a comment\n \"targets\": {} }", NULL},
                 {"{ \"a\": 1, \"a\": 2 }", "App.deps.json: line 1, column "},
                 {"", "App.deps.json: the file is empty"},
                 {"nothing", "App.deps.json: line 1, column "},
                 {"{ \"text /* no comment */\\\" // none\": 1 ", "App.deps.json: line 1, column "},
                 {"{ /* without an end", "App.deps.json: line 1, column "}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct program program;
        tree_file(&tree, "app/App.deps.json", cases[i].text);
        program_open(&program, tree_path(&tree, "app/App.dll"), installed);
        const char *error = program_deps_error(&program);
        if ((error != NULL) != (cases[i].error != NULL) ||
            (error && !strstr(error, cases[i].error))) {
            fail_msg("%s: %s", cases[i].text, error ? error : "none");
        }
        program_close(&program);
    }
}

/* They become a part of a path. */
static void names_of_assemblies_lead_nowhere_else(void **state)
{
    static const char *const others[] = {"", ".", "..", ".hidden", "../App", "a/b", "/etc/passwd"};
    char longest[257];
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[256] = '\0';
    assert_false(is_plain_name(longest));
    longest[255] = '\0';
    assert_true(is_plain_name(longest));
    assert_true(is_plain_name("System.Runtime"));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(is_plain_name(others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rolls_forward, begin, end),
        cmocka_unit_test_setup_teardown(test_environment, begin, end),
        cmocka_unit_test_setup_teardown(test_frameworks_of_frameworks, begin, end),
        cmocka_unit_test_setup_teardown(test_newest, begin, end),
        cmocka_unit_test_setup_teardown(test_installed, begin, end),
        cmocka_unit_test_setup_teardown(test_options, begin, end),
        cmocka_unit_test_setup_teardown(test_older_runtimes, begin, end),
        cmocka_unit_test_setup_teardown(test_packages, begin, end),
        cmocka_unit_test_setup_teardown(test_caches, begin, end),
        cmocka_unit_test_setup_teardown(test_variants, begin, end),
        cmocka_unit_test_setup_teardown(test_preferred, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_deps, begin, end),
        cmocka_unit_test(names_of_assemblies_lead_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
