/* profiler/ without memory: the n-th allocation fails, alone or with all that follow, for every n
 * until a run makes fewer. The process goes on, what was not done is reported, and all memory comes
 * back. */
#include "base/sanitizers.h"

#ifdef HAS_ADDRESS_SANITIZER /* its malloc() is its own */
#include <stdio.h>

int main(void)
{
    puts("AddressSanitizer has a malloc() of its own");
    return 77; /* skipped */
}
#else
#include "tests/unit/failing_malloc.h"
#include "tests/unit/inspect_image.h"
#include "tests/unit/profiler_host.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* ---- one process ---- */

#define OWN_INSPECTOR "tests/command/files/good-inspector.dll"
#define MODULES       2u /* that have methods; inspectors follow */
#define METHODS       3u

static uint8_t small[1 << 17], stock[1 << 17], own[1 << 17];
static char folder[] = "/tmp/ilpatch-memory-XXXXXX";

/* The files in it. */
#define PATHS(F)           \
    F(status, "status")    \
    F(printed, "stderr")   \
    F(report, "report")    \
    F(ids, "ids")          \
    F(rules, "rules.xml")  \
    F(module, "Small.dll") \
    F(other, "Other.dll")  \
    F(core, "mscorlib.dll")

static struct {
#define PATH(name, file) char name[64];
    PATHS(PATH)
#undef PATH
} paths;

static struct ilp_bytes read_file(const char *path, uint8_t *room, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, room, size) : -1;
    assert_true(got >= 0 && close(file) == 0);
    return (struct ilp_bytes){room, (size_t)got};
}

static void write_file(const char *path, struct ilp_bytes bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    write_file(path, (struct ilp_bytes){(const uint8_t *)text, strlen(text)});
}

static bool has_text(struct ilp_bytes bytes, const char *text)
{
    return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

struct outcome {
    HRESULT started;
    unsigned bodies; /* that were set */
    long kept;       /* blocks */
    bool is_out;     /* memory has run out */
    struct ilp_bytes status;
    struct ilp_bytes printed; /* on stderr */
    bool has_report, has_ids;
};

/* The process's stderr goes into a file meanwhile. */
static int begin_printed(void)
{
    int before = dup(STDERR_FILENO);
    int file = open(paths.printed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) == STDERR_FILENO);
    close(file);
    return before;
}

static void end_printed(int before)
{
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) == STDERR_FILENO);
    close(before);
}

static void compile_all(struct host *host, const struct callback_table *table)
{
    for (ModuleID module = 1; module <= MODULES; module++) {
        for (ilp_token token = 0x06000001; token <= 0x06000000 + METHODS; token++) {
            BOOL answer;
            table->JITInlining(host->callback, FUNCTION(1, 0x06000003), FUNCTION(module, token),
                               &answer);
            table->JITCompilationStarted(host->callback, FUNCTION(module, token), 1);
            table->JITCachedFunctionSearchStarted(host->callback, FUNCTION(module, token), &answer);
        }
    }
}

static void open_host(struct host *host)
{
    struct ilp_bytes program = read_file(ILP_TEST_FILES "/good-small.dll", small, sizeof small);
    struct ilp_bytes inspectors[] = {
        read_file("data/inspector/MyProfiler.dll", stock, sizeof stock),
        read_file(OWN_INSPECTOR, own, sizeof own)};
    host_begin(host, 14);
    host->major = 10;
    host->modules[0] = (struct host_module){
        .path = paths.module, .image = program, .flags = 1 | MODULE_FLAT_LAYOUT};
    host->modules[1] = host->modules[0];
    host->modules[1].path = paths.other;
    for (unsigned i = 0; i < 2; i++) {
        host->modules[MODULES + i] = (struct host_module){
            .path = "/opt/Inspector.dll", .image = inspectors[i], .flags = 1 | MODULE_FLAT_LAYOUT};
    }
    load_library(host);
}

/* Everything that a process calls, with the n-th allocation failing. */
static struct outcome run(unsigned long fails_at, bool for_good)
{
    static uint8_t text[1 << 16], printed[1 << 12];
    struct host host;
    struct outcome outcome = {.bodies = 0};
    close(open(paths.status, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    unlink(paths.report);
    unlink(paths.ids);
    setenv("DOTNET_STARTUP_HOOKS", "/opt/MyProfiler.dll:/app/Own.dll", 1);
    setenv("CORECLR_ENABLE_PROFILING", "1", 1);
    open_host(&host);
    int before = begin_printed();
    const struct callback_table *table = CALLBACKS(host.callback);
    failing_begin(fails_at, for_good);
    outcome.started = table->Initialize(host.callback, &host.info);
    if (outcome.started >= 0) {
        table->ModuleLoadFinished(host.callback, MODULES + 1, S_OK);
        table->ModuleLoadFinished(host.callback, MODULES + 2, S_OK);
        compile_all(&host, table);
        table->ModuleUnloadStarted(host.callback, 2);
        table->Shutdown(host.callback);
    }
    unsigned long calls = failing.calls;
    failing.fails_at = 0;
    for (unsigned i = 0; i < MODULES; i++) {
        for (unsigned rid = 1; rid <= METHODS; rid++) {
            outcome.bodies += host.modules[i].bodies[rid] != NULL;
        }
    }
    host_end(&host);
    failing.counts = false;
    end_printed(before);
    outcome.kept = failing.blocks;
    outcome.is_out = fails_at != 0 && calls >= fails_at;
    outcome.status = read_file(paths.status, text, sizeof text);
    outcome.printed = read_file(paths.printed, printed, sizeof printed);
    outcome.has_report = access(paths.report, F_OK) == 0;
    outcome.has_ids = access(paths.ids, F_OK) == 0;
    return outcome;
}

/* Whether what is left alone for want of memory was reported more than once. */
static bool repeats_itself(struct ilp_bytes status)
{
    static const char *const words[] = {"module\t", "method\t"};
    const char *text = (const char *)status.data, *end = text + status.size, *next;
    for (; text != end; text = next) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        next = stop ? stop + 1 : end;
        size_t size = (size_t)(next - text);
        for (size_t i = 0; i < COUNT(words); i++) {
            if (strncmp(text, words[i], strlen(words[i])) == 0 &&
                memmem(next, (size_t)(end - next), text, size)) {
                return true;
            }
        }
    }
    return false;
}

static void fail_each(const char *options, bool for_good)
{
    struct outcome outcome = {.is_out = true};
    unsigned long n = 1;
    setenv("ILPATCH_OPTIONS", options, 1);
    run(0, false); /* what is opened once for all */
    const struct outcome whole = run(0, false);
    assert_int_equal(whole.started, S_OK);
    assert_true(whole.bodies > 1 && whole.has_report);
    for (; outcome.is_out; n++) {
        outcome = run(n, for_good);
        bool same = outcome.started == S_OK && outcome.bodies == whole.bodies &&
                    outcome.has_report && outcome.has_ids == whole.has_ids;
        if ((!same && !has_text(outcome.status, "memory")) || outcome.kept > whole.kept ||
            outcome.printed.size != 0 || repeats_itself(outcome.status)) {
            fail_msg("%s: allocation %lu%s: 0x%08X, %u bodies, %ld blocks kept after %ld: "
                     "%.*sprinted: %.*s",
                     options, n, for_good ? " and all that follow" : "", (unsigned)outcome.started,
                     outcome.bodies, outcome.kept, whole.kept, (int)outcome.status.size,
                     (const char *)outcome.status.data, (int)outcome.printed.size,
                     (const char *)outcome.printed.data);
        }
    }
    assert_true(n > 100);
}

/* A core library without interfaces, which references lead to. */
static void write_core(void)
{
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ii_type(&b, "System", "Object", 0);
    struct ilp_bytes bytes = taken_file(ib_pe_file(&b, (struct ib_pe){0}));
    ib_end(&b);
    write_file(paths.core, bytes);
    drop(bytes);
}

/* Every method shows its id, so that there is a file that says what ids mean; which methods are
 * meant depends on a type of another assembly. */
static void ids_options(char *options, size_t size)
{
    write_core();
    write_text(paths.rules, "<rules>\n"
                            "  <exclude><implements name='System.IDisposable'/></exclude>\n"
                            "  <include pass='id'><type like='N.*'/></include>\n"
                            "</rules>\n");
    snprintf(options, size, "--rules %s --id-map %s --reference-path %s", paths.rules, paths.ids,
             folder);
}

static void test_memory_runs_out(void **state)
{
    char ids[256];
    const char *const options[] = {
        "--inspect-returns",
        "command-version=" ILP_VERSION ";inspect-returns=1;inspector=" OWN_INSPECTOR, ids};
    (void)state;
    ids_options(ids, sizeof ids);
    for (size_t i = 0; i < COUNT(options); i++) {
        fail_each(options[i], false);
        fail_each(options[i], true);
    }
}

/* What the files of a process are written by leaves its signals alone. */
static void test_signals_are_the_applications(void **state)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    struct sigaction before[COUNT(numbers)], after;
    char options[256];
    (void)state;
    ids_options(options, sizeof options);
    setenv("ILPATCH_OPTIONS", options, 1);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        signal(numbers[i], SIG_DFL);
        sigaction(numbers[i], NULL, &before[i]);
    }
    const struct outcome outcome = run(0, false);
    assert_true(outcome.has_report && outcome.has_ids);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        sigaction(numbers[i], NULL, &after);
        assert_ptr_equal(after.sa_handler, before[i].sa_handler);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
#define PATH(name, file) snprintf(paths.name, sizeof paths.name, "%s/%s", folder, file);
    PATHS(PATH)
#undef PATH
    setenv("ILPATCH_STATUS", paths.status, 1);
    setenv("ILPATCH_REPORT", paths.report, 1);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
#define PATH(name, file) unlink(paths.name);
    PATHS(PATH)
#undef PATH
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_runs_out),
                                       cmocka_unit_test(test_signals_are_the_applications)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
#endif
