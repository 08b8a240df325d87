/* The profiler in a process of Mono from its first call to its last, as Mono loads it: each test in
 * a copy of this process. */
#include <dlfcn.h>
#include <sys/wait.h>

#include "tests/unit/mono_process.h"

#define ENV_MONO_OPTIONS "MONO_ENV_OPTIONS"
#define ENV_LIBRARIES    "LD_LIBRARY_PATH"

static const char *build_folder(void)
{
    const char *build = getenv("BUILD");
    return build ? build : "build";
}

/* ---- in the copy ---- */

static void init(void)
{
    char path[256];
    void (*begin)(const char *description);
    snprintf(path, sizeof path, "%s/" MONO_PROFILER_FILE, build_folder());
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        fail_msg("%s", dlerror());
    }
    *(void **)&begin = dlsym(library, "mono_profiler_init_" MONO_PROFILER);
    assert_non_null(begin);
    begin(MONO_PROFILER);
}

static void open_app(void)
{
    played.runtime_initialized(played.user);
    assert_true(patches("/app/App.exe", app));
}

static void play_whole(void **state)
{
    (void)state;
    init();
    open_app();
    played.runtime_shutdown_end(played.user);
}

static void play_exit(void **state)
{
    (void)state;
    init();
    open_app();
}

/* A copy of that process ends first, as one of a shell does. */
static void play_fork(void **state)
{
    int status;
    (void)state;
    init();
    open_app();
    pid_t copy = fork();
    if (copy == 0) {
        exit(0);
    }
    assert_int_equal(waitpid(copy, &status, 0), copy);
    assert_int_equal(status, 0);
}

static void play_refused(void **state)
{
    (void)state;
    init();
    assert_null(played.user);
    assert_null(played.image_loading);
    assert_null(played.runtime_initialized);
}

static void play_hidden(void **state)
{
    (void)state;
    init();
    assert_string_equal(getenv(ENV_MONO_OPTIONS), "--debug");
    assert_string_equal(getenv(ENV_LIBRARIES), "/usr/local/lib");
}

static void play_hidden_alone(void **state)
{
    (void)state;
    init();
    assert_null(getenv(ENV_MONO_OPTIONS));
    assert_null(getenv(ENV_LIBRARIES));
}

static void play_not_hidden(void **state)
{
    (void)state;
    init();
    assert_string_equal(getenv(ENV_MONO_OPTIONS), "--profile=ilpatch --debug");
    assert_string_equal(getenv(ENV_LIBRARIES), "/opt:/usr/local/lib");
}

static void play_variables(void **state)
{
    (void)state;
    init();
    assert_string_equal(getenv(ENV_TEXT), "17");
    assert_non_null(strstr(getenv(ENV_REDACT), "Pin"));
    assert_string_equal(getenv(ENV_NO_REDACT), "1");
}

static void play_no_version(void **state)
{
    (void)state;
    played.fails = "get_runtime_build_info";
    init();
}

static void play_not_found(void **state)
{
    (void)state;
    played.place = 0;
    init();
    played.runtime_initialized(played.user);
    assert_null(played_open("/app/App.exe", app));
    played.runtime_shutdown_end(played.user);
}

/* ---- in this process ---- */

static void begin(const char *options)
{
    tree_begin(&tree);
    begin_environment(options);
    setenv(ENV_REPORT, tree_path(&tree, "report.json"), 1);
    unsetenv(ENV_MONO_OPTIONS);
    unsetenv(ENV_LIBRARIES);
}

/* What it said stays; returns its number. */
static long end(void (*play)(void **state))
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(play)};
    int status;
    fflush(NULL);
    pid_t copy = fork();
    if (copy == 0) {
        assert_non_null(freopen("/dev/null", "we", stdout)); /* which has the tests of this one */
        exit(cmocka_run_group_tests_name("copy", tests, NULL, NULL));
    }
    assert_int_equal(waitpid(copy, &status, 0), copy);
    assert_int_equal(status, 0);
    read_files();
    free(process.inspector); /* its own is another */
    tree_end(&tree);
    return copy;
}

/* A line with a number in it, once. */
static void says_once(const char *format, long number)
{
    char line[64];
    snprintf(line, sizeof line, format, number);
    says(line);
    if (strstr(strstr(status_text, line) + 1, line)) {
        fail_msg("'%s' twice: %s", line, status_text);
    }
}

static void says_all(long number)
{
    says_once("loaded\tMono 6.8.0.105 %ld\n", number);
    says_once("inspector\t%ld\n", number);
    says_once("count\tinspected %ld\n", 1);
    says_once("ended\t%ld\n", number);
    does_not_say("failed\t");
    does_not_say("missing\t");
    assert_non_null(strstr(reported, "\"runtime\": \"Mono 6.8.0.105\""));
    assert_non_null(strstr(reported, "\"file\": \"/app/App.exe\""));
    assert_null(strstr(reported, "\"complete\": false"));
}

static void test_whole(void **state)
{
    (void)state;
    begin("--inspect-returns");
    says_all(end(play_whole));
}

/* A process that Mono does not shut down. */
static void test_exit(void **state)
{
    (void)state;
    begin("--inspect-returns");
    says_all(end(play_exit));
}

static void test_fork(void **state)
{
    (void)state;
    begin("--inspect-returns");
    says_all(end(play_fork));
}

static void test_refused(void **state)
{
    (void)state;
    begin("--no-such");
    end(play_refused);
    says("failed\tthe options in ILPATCH_OPTIONS cannot be used\n");
    does_not_say("loaded\t");
    does_not_say("ended\t");
}

/* So that processes which it starts are left alone. */
static void test_hidden(void **state)
{
    char libraries[256];
    (void)state;
    begin("--inspect-returns");
    setenv(ENV_MONO_OPTIONS, "--profile=ilpatch --debug", 1);
    snprintf(libraries, sizeof libraries, "%s:/usr/local/lib", build_folder());
    setenv(ENV_LIBRARIES, libraries, 1);
    end(play_hidden);
    begin("--inspect-returns");
    setenv(ENV_MONO_OPTIONS, "--profile=ilpatch", 1);
    setenv(ENV_LIBRARIES, build_folder(), 1);
    end(play_hidden_alone);
}

static void test_not_hidden(void **state)
{
    (void)state;
    begin("--inspect-returns");
    setenv(ENV_CHILDREN, "1", 1);
    setenv(ENV_MONO_OPTIONS, "--profile=ilpatch --debug", 1);
    setenv(ENV_LIBRARIES, "/opt:/usr/local/lib", 1);
    end(play_not_hidden);
    unsetenv(ENV_MONO_OPTIONS);
    unsetenv(ENV_LIBRARIES);
}

static void test_variables(void **state)
{
    (void)state;
    begin("--inspect-returns --text 17 --redact Pin --no-redact");
    end(play_variables);
}

static void test_no_version(void **state)
{
    (void)state;
    begin("--inspect-returns");
    says_once("loaded\tMono  %ld\n", end(play_no_version));
}

static void test_not_found(void **state)
{
    (void)state;
    begin("--inspect-returns");
    end(play_not_found);
    says("failed\tMono 6.8.0.105 has the bytes of images where they are not found\n");
    does_not_say("ended\t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),     cmocka_unit_test(test_exit),
        cmocka_unit_test(test_fork),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_hidden),    cmocka_unit_test(test_not_hidden),
        cmocka_unit_test(test_variables), cmocka_unit_test(test_no_version),
        cmocka_unit_test(test_not_found)};
    return cmocka_run_group_tests(tests, make_app, drop_app);
}
