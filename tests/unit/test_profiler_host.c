/* profiler/: the library as a runtime loads it, with the profiling interfaces of every age from
 * ICorProfilerInfo3 on. That it does its work in real runtimes is seen in tests/runtime. */
#include "tests/unit/profiler_host.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- class and interfaces ---- */

static void test_class(void **state)
{
    struct host host;
    void *out = &host;
    struct guid class = guid_from(CLASS_ID), factory_id = guid_from(FACTORY_ID),
                unknown = guid_from(UNKNOWN_ID);
    (void)state;
    host_begin(&host, 3);
    get_class_object_fn get = host_open(&host);
    assert_int_equal(get(&unknown, &factory_id, &out), CLASS_E_CLASSNOTAVAILABLE);
    assert_null(out);
    out = &host;
    assert_int_equal(get(&class, &unknown, &out), E_NOINTERFACE);
    assert_null(out);
    void *factory = make_factory(&host);
    struct guid two = id_of(ID_ICorProfilerCallback2);
    out = &host;
    assert_int_equal(factory_create(factory, &host, &two, &out), CLASS_E_NOAGGREGATION);
    assert_null(out);
    out = &host;
    assert_int_equal(factory_create(factory, NULL, &unknown, &out), E_NOINTERFACE);
    assert_null(out);
}

static void test_interfaces(void **state)
{
    struct host host;
    struct guid unknown = guid_from(UNKNOWN_ID), info = id_of(ID_ICorProfilerInfo3);
    void *out;
    BOOL only = 1;
    (void)state;
    host_begin(&host, 3);
    load_library(&host);
    const struct callback_table *table = CALLBACKS(host.callback);
    ULONG count = table->AddRef(host.callback);
    for (unsigned id = ID_ICorProfilerCallback; id <= ID_ICorProfilerCallback11; id++) {
        struct guid iid = id_of(id);
        assert_int_equal(table->QueryInterface(host.callback, &iid, &out), S_OK);
        assert_ptr_equal(out, host.callback);
        assert_int_equal(table->AddRef(host.callback), count + 2);
        table->Release(host.callback);
        table->Release(host.callback);
    }
    assert_int_equal(table->QueryInterface(host.callback, &unknown, &out), E_NOINTERFACE);
    assert_int_equal(table->QueryInterface(host.callback, &info, &out), E_NOINTERFACE);
    assert_null(out);
    assert_int_equal(table->Release(host.callback), count - 1);
    assert_int_equal(table->LoadAsNotificationOnly(host.callback, &only), S_OK);
    assert_int_equal(only, 0);
    host_end(&host);
}

/* ---- methods ---- */

static struct file_in_memory {
    uint8_t data[1 << 17];
    size_t size;
} small, stock, own;

#define OWN_INSPECTOR "tests/command/files/good-inspector.dll"

static int read_files(void **state)
{
    static const struct {
        const char *path;
        struct file_in_memory *into;
    } files[] = {{ILP_TEST_FILES "/good-small.dll", &small},
                 {"data/inspector/MyProfiler.dll", &stock},
                 {OWN_INSPECTOR, &own}};
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        FILE *file = fopen(files[i].path, "rbe");
        files[i].into->size = file ? fread(files[i].into->data, 1, sizeof small.data, file) : 0;
        if (files[i].into->size == 0 || fclose(file) != 0) {
            return 1;
        }
    }
    return 0;
}

/* Two modules of one file, as two load contexts have, another inspector than the stock one, and
 * that. */
static void add_modules(struct host *host)
{
    struct ilp_bytes bytes = {small.data, small.size};
    for (unsigned i = 0; i < MAX_MODULES; i++) {
        host->modules[i] = (struct host_module){
            .path = "/app/Small.dll", .image = bytes, .flags = 1 | MODULE_FLAT_LAYOUT};
    }
    host->modules[2].path = "/app/Own.dll";
    host->modules[2].image = (struct ilp_bytes){own.data, own.size};
    host->modules[3].path = "/opt/MyProfiler.dll";
    host->modules[3].image = (struct ilp_bytes){stock.data, stock.size};
}

static void set_environment(const char *options, const char *hooks, const char *children)
{
    const char *const pairs[][2] = {{"ILPATCH_OPTIONS", options},
                                    {"DOTNET_STARTUP_HOOKS", hooks},
                                    {"ILPATCH_CHILDREN", children},
                                    {"ILPATCH_STATUS", NULL},
                                    {"CORECLR_ENABLE_PROFILING", "1"}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (pairs[i][1]) {
            setenv(pairs[i][0], pairs[i][1], 1);
        } else {
            unsetenv(pairs[i][0]);
        }
    }
}

static void start(struct host *host, unsigned age)
{
    host_begin(host, age);
    host->major = 10;
    add_modules(host);
    load_library(host);
    assert_int_equal(CALLBACKS(host->callback)->Initialize(host->callback, &host->info), S_OK);
}

/* With the inspector loaded, without which no method is changed to call it. */
static void start_with_inspector(struct host *host, unsigned age)
{
    start(host, age);
    assert_int_equal(CALLBACKS(host->callback)->ModuleLoadFinished(host->callback, 4, S_OK), S_OK);
}

/* Of a compilation that fails the runtime reports no end. */
static void fail_to_compile(struct host *host, ModuleID module, ilp_token token)
{
    assert_int_equal(CALLBACKS(host->callback)
                         ->JITCompilationStarted(host->callback, FUNCTION(module, token), 1),
                     S_OK);
}

static void compile(struct host *host, ModuleID module, ilp_token token)
{
    fail_to_compile(host, module, token);
    assert_int_equal(CALLBACKS(host->callback)
                         ->JITCompilationFinished(host->callback, FUNCTION(module, token), S_OK, 1),
                     S_OK);
}

static bool may_inline(struct host *host, ModuleID module, ilp_token token)
{
    BOOL answer = 7;
    assert_int_equal(CALLBACKS(host->callback)
                         ->JITInlining(host->callback, FUNCTION(1, 0x06000003),
                                       FUNCTION(module, token), &answer),
                     S_OK);
    return answer != 0;
}

static bool uses_native(struct host *host, ModuleID module, ilp_token token)
{
    BOOL answer = 7;
    assert_int_equal(
        CALLBACKS(host->callback)
            ->JITCachedFunctionSearchStarted(host->callback, FUNCTION(module, token), &answer),
        S_OK);
    return answer != 0;
}

static void stop(struct host *host)
{
    assert_int_equal(CALLBACKS(host->callback)->Shutdown(host->callback), S_OK);
    host_end(host);
}

static void test_ages(void **state)
{
    (void)state;
    for (unsigned age = 3; age < COUNT(info_ids); age++) {
        struct host host;
        set_environment("--inspect-returns", NULL, NULL);
        start_with_inspector(&host, age);
        assert_int_equal(host.masks, 1);
        assert_int_equal(
            host.mask & (MONITOR_JIT_COMPILATION | MONITOR_CACHE_SEARCHES | MONITOR_MODULE_LOADS),
            host.mask);
        assert_int_equal(host.variables != 0, age >= 11);
        compile(&host, 1, 0x06000001);
        const uint8_t *body = host.modules[0].bodies[1];
        assert_non_null(body);
        compile(&host, 1, 0x06000001); /* the next tier */
        assert_ptr_equal(host.modules[0].bodies[1], body);
        assert_int_equal(host.modules[0].sets[1], 2);
        assert_int_equal(host.maps, 0); /* nothing has moved */
        assert_false(may_inline(&host, 1, 0x06000001));
        assert_false(may_inline(&host, 1, 0x06000002));
        assert_false(uses_native(&host, 1, 0x06000003));
        assert_true(may_inline(&host, 1, 0x06000FFF));
        assert_true(uses_native(&host, 0, 0x06000001));
        stop(&host);
    }
}

/* A map of offsets is given where something has moved. */
static void test_maps(void **state)
{
    enum { TEXT = 0x24C }; /* the body of method 2 */
    /* ldnull; ret, three times */
    static const uint8_t early[] = {0x1A, 0x14, 0x2A, 0x14, 0x2A, 0x14, 0x2A};
    uint8_t kept[sizeof early];
    struct host host;
    (void)state;
    memcpy(kept, small.data + TEXT, sizeof kept);
    assert_int_equal(kept[0], early[0]);
    memcpy(small.data + TEXT, early, sizeof early);
    set_environment("--inspect-returns", NULL, NULL);
    start_with_inspector(&host, 3);
    compile(&host, 1, 0x06000003);
    assert_int_equal(host.maps, 0);
    compile(&host, 1, 0x06000002);
    assert_non_null(host.modules[0].bodies[2]);
    assert_int_equal(host.maps, 1);
    compile(&host, 1, 0x06000002);
    assert_int_equal(host.maps, 2);
    stop(&host);
    memcpy(small.data + TEXT, kept, sizeof kept);
}

/* What has been compiled once, and begins again, has not failed. */
static void test_failed_compilations(void **state)
{
    struct host host;
    (void)state;
    set_environment("--inspect-returns", NULL, NULL);
    start_with_inspector(&host, 3);
    struct host_module *module = &host.modules[0];
    compile(&host, 1, 0x06000002);
    fail_to_compile(&host, 1, 0x06000002);
    fail_to_compile(&host, 1, 0x06000002);
    const uint8_t *new_body = module->bodies[2];
    fail_to_compile(&host, 1, 0x06000003);
    const uint8_t *broken = module->bodies[3];
    assert_false(may_inline(&host, 1, 0x06000003));
    fail_to_compile(&host, 1, 0x06000003);
    const uint8_t *old = module->bodies[3];
    assert_true(new_body && broken && old && old != broken);
    assert_true(old >= module->image.data && old < module->image.data + module->image.size);
    assert_true(may_inline(&host, 1, 0x06000003));
    fail_to_compile(&host, 1, 0x06000003);
    assert_ptr_equal(module->bodies[3], old);
    assert_ptr_equal(module->bodies[2], new_body);
    stop(&host);
}

static void test_too_old(void **state)
{
    struct host host;
    (void)state;
    set_environment("--inspect-returns", NULL, NULL);
    host_begin(&host, 2);
    load_library(&host);
    assert_int_equal(CALLBACKS(host.callback)->Initialize(host.callback, &host.info), E_FAIL);
    assert_int_equal(host.masks, 0);
    host_end(&host);
}

/* Standard error is the application's: what is wrong is a line of the status file. */
static void test_bad_options(void **state)
{
    struct host host;
    (void)state;
    static const char *const options[] = {"--no-such-option",
                                          "--rules /no/such/file.xml",
                                          "--where <nothing/>",
                                          "--command-version 0.0.1 --inspect-returns",
                                          "--command-version",
                                          "command-version=0.0.1;inspect-returns=1",
                                          "command-version=" ILP_VERSION ";no-such=1",
                                          "command-version=" ILP_VERSION ";framework=yes",
                                          "command-version=" ILP_VERSION ";target=z80",
                                          "--check-stacks many"};
    for (size_t i = 0; i < COUNT(options); i++) {
        char status[] = "/tmp/ilpatch-status-XXXXXX", text[1024] = "";
        int file = mkstemp(status);
        assert_true(file >= 0);
        set_environment(options[i], NULL, NULL);
        setenv("ILPATCH_STATUS", status, 1);
        host_begin(&host, 11);
        load_library(&host);
        assert_int_equal(CALLBACKS(host.callback)->Initialize(host.callback, &host.info),
                         CORPROF_E_PROFILER_CANCEL_ACTIVATION);
        assert_int_equal(host.masks, 0);
        host_end(&host);
        assert_true(read(file, text, sizeof text - 1) > 0);
        assert_non_null(strstr(text, "message\t"));
        assert_non_null(strstr(text, "failed\tthe options in ILPATCH_OPTIONS cannot be used"));
        close(file);
        unlink(status);
    }
}

/* What the command of this version sets is taken. */
static void test_command_version(void **state)
{
    static const char *const options[] = {"--command-version " ILP_VERSION " --inspect-returns",
                                          "command-version=" ILP_VERSION ";inspect-returns=1"};
    (void)state;
    for (size_t i = 0; i < COUNT(options); i++) {
        struct host host;
        set_environment(options[i], NULL, NULL);
        start_with_inspector(&host, 14);
        compile(&host, 1, 0x06000001);
        assert_non_null(host.modules[0].bodies[1]);
        stop(&host);
    }
}

/* Nothing of the one is the other's: neither bodies nor the end. */
static void test_same_name(void **state)
{
    struct host host;
    (void)state;
    set_environment("--inspect-returns", NULL, NULL);
    start_with_inspector(&host, 14);
    compile(&host, 1, 0x06000001);
    compile(&host, 2, 0x06000001);
    assert_non_null(host.modules[1].bodies[1]);
    assert_ptr_not_equal(host.modules[0].bodies[1], host.modules[1].bodies[1]);
    assert_int_equal(CALLBACKS(host.callback)->ModuleUnloadStarted(host.callback, 1), S_OK);
    compile(&host, 2, 0x06000001);
    compile(&host, 2, 0x06000002);
    assert_int_equal(host.modules[1].sets[1], 2);
    assert_non_null(host.modules[1].bodies[2]);
    compile(&host, 1, 0x06000001); /* a new module may get the number of one that is gone */
    assert_int_equal(host.modules[0].sets[1], 2);
    stop(&host);
}

/* Nothing calls the inspector before it is there, whether a start-up hook loads it or nothing
 * does. */
static void test_waits(void **state)
{
    struct host host;
    (void)state;
    set_environment("--inspector full", "/opt/MyProfiler.dll:/app/Own.dll", NULL);
    start(&host, 14);
    assert_string_equal(getenv("DOTNET_STARTUP_HOOKS"), "/app/Own.dll");
    assert_null(getenv("CORECLR_ENABLE_PROFILING"));
    const struct callback_table *table = CALLBACKS(host.callback);
    compile(&host, 1, 0x06000001);
    assert_true(may_inline(&host, 1, 0x06000001));
    assert_true(uses_native(&host, 1, 0x06000001));
    table->ModuleLoadFinished(host.callback, 3, S_OK);
    table->ModuleLoadFinished(host.callback, 4, E_FAIL);
    compile(&host, 1, 0x06000001);
    assert_null(host.modules[0].bodies[1]);
    table->ModuleLoadFinished(host.callback, 4, S_OK);
    compile(&host, 1, 0x06000001);
    assert_non_null(host.modules[0].bodies[1]);
    stop(&host);
    set_environment("--inspector full", NULL, NULL);
    start(&host, 14);
    compile(&host, 1, 0x06000001);
    assert_null(host.modules[0].bodies[1]);
    stop(&host);
    set_environment("--inspector full", "/opt/MyProfiler.dll", "1");
    start(&host, 14);
    assert_string_equal(getenv("DOTNET_STARTUP_HOOKS"), "/opt/MyProfiler.dll");
    assert_string_equal(getenv("CORECLR_ENABLE_PROFILING"), "1");
    assert_int_equal(host.variables, 1); /* ENV_PROFILER */
    stop(&host);
}

/* The hook loads other inspectors, and is rewritten as little as they are. */
static void test_own_inspector(void **state)
{
    struct host host;
    (void)state;
    set_environment("--inspector " OWN_INSPECTOR, NULL, NULL);
    start_with_inspector(&host, 14);
    const struct callback_table *table = CALLBACKS(host.callback);
    compile(&host, 1, 0x06000001);
    assert_null(host.modules[0].bodies[1]);
    table->ModuleLoadFinished(host.callback, 3, S_OK);
    compile(&host, 1, 0x06000001);
    assert_non_null(host.modules[0].bodies[1]);
    for (ilp_token token = 0x06000001; token < 0x06000001 + MAX_METHODS - 1; token++) {
        compile(&host, 3, token);
        compile(&host, 4, token);
    }
    for (unsigned i = 0; i < MAX_METHODS; i++) {
        assert_null(host.modules[2].bodies[i]);
        assert_null(host.modules[3].bodies[i]);
    }
    stop(&host);
}

/* A method whose body cannot be made or set stays as it is, and nothing else changes. */
static void test_failures(void **state)
{
    static const char *const functions[] = {"GetFunctionInfo",
                                            "GetModuleInfo2",
                                            "GetModuleMetaData",
                                            "DefineAssemblyRef",
                                            "DefineTypeRefByName",
                                            "DefineMemberRef",
                                            "DefineUserString",
                                            "Alloc",
                                            "GetILFunctionBodyAllocator",
                                            "SetILFunctionBody"};
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct host host;
        set_environment("--inspector full", NULL, NULL);
        start_with_inspector(&host, 11);
        host.fails = functions[i];
        compile(&host, 1, 0x06000001);
        assert_null(host.modules[0].bodies[1]);
        assert_int_equal(host.maps, 0);
        host.fails = NULL;
        compile(&host, 2, 0x06000002);
        assert_non_null(host.modules[1].bodies[2]);
        stop(&host);
    }
}

/* Tokens of no row, which a runtime has given for damaged metadata: a body with one would not
 * compile. */
static void test_nil_tokens(void **state)
{
    static const char *const functions[] = {"DefineAssemblyRef", "DefineTypeRefByName",
                                            "DefineMemberRef", "DefineUserString"};
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        struct host host;
        set_environment("--inspector full", NULL, NULL);
        start_with_inspector(&host, 11);
        host.nil = functions[i];
        compile(&host, 1, 0x06000001);
        assert_null(host.modules[0].bodies[1]);
        assert_true(may_inline(&host, 1, 0x06000001));
        host.nil = NULL;
        compile(&host, 2, 0x06000002);
        assert_non_null(host.modules[1].bodies[2]);
        stop(&host);
    }
}

/* What is made at run time has no image that could be read. */
static void test_dynamic(void **state)
{
    struct host host;
    (void)state;
    set_environment("--inspect-returns", NULL, NULL);
    start_with_inspector(&host, 11);
    host.modules[0].flags |= MODULE_DYNAMIC;
    host.modules[1].image.data = NULL;
    compile(&host, 1, 0x06000001);
    compile(&host, 2, 0x06000001);
    assert_null(host.modules[0].bodies[1]);
    assert_null(host.modules[1].bodies[1]);
    assert_true(may_inline(&host, 1, 0x06000001));
    stop(&host);
}

/* ---- failures of its own ---- */

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        count++;
    }
    return count;
}

/* What goes wrong with each method is reported for the first of them. */
static void test_reported_once(void **state)
{
    static const char *const functions[] = {"Alloc", "DefineMemberRef"};
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        char status[] = "/tmp/ilpatch-status-XXXXXX", text[4096] = "";
        struct host host;
        int file = mkstemp(status);
        assert_true(file >= 0);
        set_environment("--inspector full", NULL, NULL);
        setenv("ILPATCH_STATUS", status, 1);
        start_with_inspector(&host, 11);
        host.fails = functions[i];
        for (ilp_token token = 0x06000001; token <= 0x06000003; token++) {
            compile(&host, 1, token);
            compile(&host, 2, token);
        }
        stop(&host);
        assert_true(read(file, text, sizeof text - 1) > 0);
        if (count_of(text, "method\t") != 1) {
            fail_msg("%s: %s", functions[i], text);
        }
        if (count_of(text, " left as before") != 1) {
            fail_msg("%s: %s", functions[i], text);
        }
        close(file);
        unlink(status);
    }
}

/* The signal of a pipe without a reader is the application's, whose end it would be. */
static void test_closed_pipe(void **state)
{
    char folder[] = "/tmp/ilpatch-pipe-XXXXXX", path[64];
    struct host host;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    set_environment("--inspect-returns", NULL, NULL);
    setenv("ILPATCH_STATUS", path, 1);
    signal(SIGPIPE, SIG_DFL);
    start(&host, 11);
    close(reader);
    assert_int_equal(CALLBACKS(host.callback)->ModuleLoadFinished(host.callback, 4, S_OK), S_OK);
    compile(&host, 1, 0x06000001);
    assert_non_null(host.modules[0].bodies[1]);
    stop(&host);
    assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_DFL);
    unlink(path);
    rmdir(folder);
}

/* ---- more rights ---- */

enum { NOT_SECURE = 77 };

/* In a process with more rights than the one that started it. */
static int offer_class(void)
{
    struct host host;
    void *out = &host;
    struct guid class = guid_from(CLASS_ID), factory = guid_from(FACTORY_ID);
    host_begin(&host, 11);
    HRESULT result = host_open(&host)(&class, &factory, &out);
    return getauxval(AT_SECURE) == 0 ? NOT_SECURE
                                     : result != CLASS_E_CLASSNOTAVAILABLE || out != NULL;
}

static void test_privileged(void **state)
{
    enum { OTHER_GROUP = 65534 };
    const char *build = getenv("BUILD");
    char copy[256], command[1200];
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    snprintf(copy, sizeof copy, "%s/tests/privileged-%ld", build ? build : "build", (long)getpid());
    snprintf(command, sizeof command,
             "cp /proc/%ld/exe %s && chgrp %d %s && chmod 2755 %s && %s privileged", (long)getpid(),
             copy, OTHER_GROUP, copy, copy, copy);
    int code = system(command);
    unlink(copy);
    if (WIFEXITED(code) && WEXITSTATUS(code) == NOT_SECURE) {
        skip(); /* the file system gives no rights */
    }
    assert_int_equal(code, 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "privileged") == 0) {
        return offer_class();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_class),
        cmocka_unit_test(test_interfaces),
        cmocka_unit_test(test_ages),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_failed_compilations),
        cmocka_unit_test(test_too_old),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_command_version),
        cmocka_unit_test(test_same_name),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_own_inspector),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_nil_tokens),
        cmocka_unit_test(test_dynamic),
        cmocka_unit_test(test_reported_once),
        cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_privileged),
    };
    return cmocka_run_group_tests(tests, read_files, NULL);
}
