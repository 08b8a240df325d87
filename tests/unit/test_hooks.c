/* The hooks of a trace in a runtime that plays given sequences: those of callbacks, as CoreCLR was
 * seen to give them, and what the spool says of them. That real runtimes give such sequences is
 * seen in tests/runtime/hooks.
 *
 *   +a -a ~a   Enter, Leave, Tailcall of method a      ?a .   a is searched for a catcher, and that
 *              ends
 *   [a ]       a is unwound                            (a )   a filter of a runs
 *   <a >       a finally block of a runs               {a     a catches
 *   x          a method without hooks */
#include "tests/unit/profiler_host.h"

#include <unistd.h>

#include "trace/spool_read.h"

#define METHODS     5u /* a to e */
#define SPOOL_LIMIT (1u << 20)

static char spool_path[] = "/tmp/ilpatch-test-hooks-XXXXXX";
static char status_path[] = "/tmp/ilpatch-test-status-XXXXXX";
static char said[SPOOL_LIMIT]; /* what the spool says, one text for each script */
static struct host host;
static uintptr_t ids[METHODS];

static FunctionID function_of(char letter)
{
    return FUNCTION(1, letter == 'x' ? 0x06000FFF : 0x06000001 + (unsigned)(letter - 'a'));
}

static void give(char kind, char letter)
{
    const struct callback_table *table = CALLBACKS(host.callback);
    FunctionIDOrClientID id = {.clientID = letter == 'x' ? 0 : ids[letter - 'a']};
    FunctionID function = function_of(letter);
    switch (kind) {
    case '+': host.enter(id, 0); break;
    case '-': host.leave(id, 0); break;
    case '~': host.tailcall(id, 0); break;
    case '?': table->ExceptionSearchFunctionEnter(host.callback, function); break;
    case '.': table->ExceptionSearchFunctionLeave(host.callback); break;
    case '(': table->ExceptionSearchFilterEnter(host.callback, function); break;
    case ')': table->ExceptionSearchFilterLeave(host.callback); break;
    case '[': table->ExceptionUnwindFunctionEnter(host.callback, function); break;
    case ']': table->ExceptionUnwindFunctionLeave(host.callback); break;
    case '<': table->ExceptionUnwindFinallyEnter(host.callback, function); break;
    case '>': table->ExceptionUnwindFinallyLeave(host.callback); break;
    case '{': table->ExceptionCatcherEnter(host.callback, function, 0); break;
    default: fail_msg("%c", kind);
    }
}

static void replay(const char *script)
{
    for (; *script != '\0'; script += *script == ' ') {
        bool has_letter = !strchr(".)]>", script[0]);
        give(script[0], has_letter ? script[1] : 'x');
        script += has_letter ? 2 : 1;
    }
}

static const struct {
    const char *name, *script, *said;
    unsigned times; /* 0: once */
} scripts[] = {
    {"calls", "+a +b -b +b +c -c -b -a", "+a +b -b +b +c -c -b -a", 0},
    {"tail calls", "+a ~a +b ~b +c -c", "+a ~a +b ~b +c -c", 0},
    {"tail call of a method without hooks", "+a +b ~b +c -c -a", "+a +b ~b +c -c -a", 0},
    {"caught", "+a +b ?b . ?a . [b ] [a {a -a", "+a +b !b -a", 0},
    {"caught where it was thrown", "+a ?a . [a {a +b -b -a", "+a +b -b -a", 0},
    {"caught by one without hooks", "+a +b [b ] [x {x -a", "+a +b !b -a", 0},
    {"a finally block calls", "+a +b [b <b +c -c > ] [a {a -a", "+a +b +c -c !b -a", 0},
    {"through one without hooks", "+a +b [b ] [x ] [a {a -a", "+a +b !b -a", 0},
    {"recursion", "+a +a +a [a ] [a ] [a {a -a", "+a +a +a !a !a -a", 0},
    {"thrown again", "+a +b [b ] [a {a [a ] +c -c", "+a +b !b !a +c -c", 0},
    {"from a finally block", "+a +b [b <b +c ?c . [c ] [b ] [a {a -a", "+a +b +c !c !b -a", 0},
    {"caught in a finally block", "+a +b [b <b +c +d [d ] [c {c -c > ] [a {a -a",
     "+a +b +c +d !d -c !b -a", 0},
    {"the same without hooks", "+a +b [b <b +d [d ] [x {x > ] [a {a -a", "+a +b +d !d !b -a", 0},
    {"filter", "+a +b ?b . ?a (a +c -c ) . [b ] [a {a -a", "+a +b +c -c !b -a", 0},
    {"caught in a filter", "+a ?a (a +b +c [c ] [b {b -b ) . [a {a -a", "+a +b +c !c -b -a", 0},
    {"from a filter", "+a +b +c ?c . ?b (b +d ?d . ?b ] [d ] [b ) . ?a . [c ] [b ] [a {a -a",
     "+a +b +c +d !d !c !b -a", 0},
    {"from a filter, as .NET 8 reports it",
     "+a +b +c ?c . ?b (b +d ?d . ?b . [d ] [b ] ) . ?a . [c <c +d -d > ] [b ] [a {a -a",
     "+a +b +c +d !d +d -d !c !b -a", 0},
    {"the same, of a method that the filter calls, too",
     "+a +b ?b (b +b ?b . ?b . [b ] [b ] ) . ?a . [b <b +d -d > ] [a {a -a",
     "+a +b +b !b +d -d !b -a", 0},
    {"from a filter in a finally block",
     "+a +b [b <b +c ?c (c +d ?d . ?c ] [d ] [c ) . ?b . [c ] [b ] [a {a -a",
     "+a +b +c +d !d !c !b -a", 0},
    {"from a filter, and caught by the next clause",
     "+a +b [b <b +c ?c (c +d ?d . ?c ] [d ] [c ) . [c {c +d -d -c > ] [a {a -a",
     "+a +b +c +d !d +d -d -c !b -a", 0},
    {"a filter's search without an end", "+a +b ?b (b +d -d ?d ) . ?a . [b ] [a {a -a",
     "+a +b +d -d !b -a", 0},
    {"filters within each other, more than are kept",
     "+a ?a (a (a (a (a (a (a (a (a (a (a (a (a (a (a (a (a (a (a ?b ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) "
     ") ) ) . +b [b ] [a {a -a",
     "+a +b !b -a", 0},
    {"from a filter, often", "+a +b ?b (b +d ?d . ?b ] [d ] [b ) . ?a . [b ] [a {a -a",
     "+a +b +d !d !b -a", 200},
    {"finally blocks that throw, often", "+a +b [b <b +c [c ] [b ] [a {a -a", "+a +b +c !c !b -a",
     200},
    {"into native code", "+a +b +c [c ] [b +d -d -a", "+a +b +c !c !b +d -d -a", 0},
    {"into native code, from a finally block", "+a +b [b <b +c [c ] [b +d -d -a",
     "+a +b +c !c !b +d -d -a", 0},
    {"into native code that keeps it, within a finally block", "+a +b [b <b +d [d > ] [a {a -a",
     "+a +b +d !d !b -a", 0},
    {"the same of what has no hooks", "+a +b [b <b [x > ] [a {a -a", "+a +b !b -a", 0},
    {"the same, and the other goes on into native code", "+a +b [b <b +d [d > +c -c -a",
     "+a +b +d !d !b +c -c -a", 0},
    {"into native code, after a finally block", "+a +b [b <b +c -c > +d -d -a",
     "+a +b +c -c !b +d -d -a", 0},
    {"a Leave is missing", "+a +b +c -a", "+a +b +c !c !b -a", 0},
    {"only the catcher is reported", "+a +b +c {a +b -b -a", "+a +b +c !c !b +b -b -a", 0},
    {"a Leave alone", "-a [b ] ~c", "", 0},
    {"nothing but ends", "] ) . ] ] )", "", 0},
};

/* Frames that went without a hook, and ends without a beginning: where nothing of this kind is
 * meant there is none. */
#define MISSED  "missed 4\n"
#define ORPHANS "orphans 3\n"

/* Where a script ends. */
static void separate(void)
{
    give('+', 'e');
    give('-', 'e');
}

static struct ilp_bytes read_file(const char *path)
{
    static uint8_t bytes[SPOOL_LIMIT];
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return (struct ilp_bytes){bytes, size};
}

/* Ids are given in the order in which methods are requested. */
static void take_record(const struct ilpi_spool_record *record, char *to)
{
    static const char signs[SPOOL_KIND_COUNT] = {
        [SPOOL_ENTER] = '+', [SPOOL_LEAVE] = '-', [SPOOL_TAILCALL] = '~', [SPOOL_UNWIND] = '!'};
    size_t size = strlen(to);
    if (signs[record->kind] != '\0') {
        snprintf(to + size, sizeof said - size, "%c%c ", signs[record->kind],
                 (int)('a' + record->numbers[FIELD_METHOD] - 1));
    }
}

static void read_said(void)
{
    struct ilpi_spool_file file;
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    assert_int_equal(ilpi_spool_open(&file, read_file(spool_path), NULL, NULL), ILP_OK);
    assert_int_equal(file.damaged, 0);
    assert_int_equal(file.processes.count, 1);
    assert_int_equal(file.processes.items[0].methods.count, METHODS);
    assert_int_equal(file.processes.items[0].ended, true);
    const struct ilpi_traced_thread *thread =
        &file.processes.items[0].threads.items[file.processes.items[0].threads.count - 1];
    ilpi_spool_walk_begin(&walk, &file, thread);
    for (char *to = said; ilpi_spool_walk_next(&walk, &record);) {
        take_record(&record, to);
        to += strlen(to);
    }
    ilpi_spool_close(&file);
}

/* The module goes, and a FunctionID of its is given to a method without hooks, whose exceptions are
 * not recorded. */
static void replay_reused(void)
{
    const struct callback_table *table = CALLBACKS(host.callback);
    BOOL hook = 7;
    table->ModuleUnloadStarted(host.callback, 1);
    host.modules[0].image = (struct ilp_bytes){NULL, 0};
    assert_true(host.mapper(function_of('a'), &hook) == function_of('a'));
    assert_int_equal(hook, 0);
    replay("[a ]");
    separate();
}

/* ---- one process, all scripts ---- */

static int run_scripts(void **state)
{
    char options[256];
    static uint8_t image[1 << 17];
    (void)state;
    int spool = mkstemp(spool_path), status = mkstemp(status_path);
    FILE *file = fopen("data/inspector/MyProfiler.dll", "rbe");
    if (spool < 0 || close(spool) != 0 || status < 0 || close(status) != 0 || !file) {
        return 1;
    }
    host_begin(&host, 14);
    host.modules[0] = (struct host_module){.path = "/app/Methods.dll",
                                           .flags = 1 | MODULE_FLAT_LAYOUT};
    host.modules[0].image = (struct ilp_bytes){image, fread(image, 1, sizeof image, file)};
    fclose(file);
    snprintf(options, sizeof options, "--trace %s --slow", spool_path);
    setenv("ILPATCH_OPTIONS", options, 1);
    setenv("DOTNET_TailCallOpt", "0", 1); /* the slow path needs both */
    setenv("DOTNET_FastTailCalls", "0", 1);
    setenv("ILPATCH_STATUS", status_path, 1);
    /* a runtime that lacks it; those that have it are real ones */
    host.fails = "SetFunctionIDMapper2";
    load_library(&host);
    if (CALLBACKS(host.callback)->Initialize(host.callback, &host.info) != S_OK || !host.mapper) {
        return 1;
    }
    for (unsigned i = 0; i < METHODS; i++) {
        BOOL hook = 0;
        ids[i] = host.mapper(function_of((char)('a' + i)), &hook);
        if (!hook) {
            return 1;
        }
    }
    for (size_t i = 0; i < COUNT(scripts); i++) {
        for (unsigned times = 0; times == 0 || times < scripts[i].times; times++) {
            replay(scripts[i].script);
        }
        separate();
    }
    return 0;
}

static int end_scripts(void **state)
{
    (void)state;
    unlink(spool_path);
    unlink(status_path);
    host_end(&host);
    return 0;
}

static void test_start(void **state)
{
    (void)state;
    assert_null(host.mapper2);
    assert_int_equal(host.mask, MONITOR_MODULE_LOADS | MONITOR_JIT_COMPILATION |
                                    MONITOR_ENTERLEAVE | MONITOR_EXCEPTIONS | MONITOR_THREADS |
                                    ENABLE_FRAME_INFO);
}

static void test_mapper(void **state)
{
    BOOL hook = 7;
    (void)state;
    assert_true(host.mapper(function_of('x'), &hook) == function_of('x'));
    assert_int_equal(hook, 0);
    assert_true(host.mapper(function_of('b'), &hook) == ids[1]);
    assert_int_equal(hook, 1);
}

static void test_inlining(void **state)
{
    BOOL answer = 7;
    (void)state;
    const struct callback_table *table = CALLBACKS(host.callback);
    assert_int_equal(table->JITInlining(host.callback, function_of('x'), function_of('a'), &answer),
                     S_OK);
    assert_int_equal(answer, 0);
    assert_int_equal(table->JITInlining(host.callback, function_of('a'), function_of('x'), &answer),
                     S_OK);
    assert_int_equal(answer, 1);
}

static void test_scripts(void **state)
{
    (void)state;
    replay_reused();
    assert_int_equal(CALLBACKS(host.callback)->Shutdown(host.callback), S_OK);
    read_said();
    const char *at = said;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        const char *end = strstr(at, "+e -e ");
        assert_non_null(end);
        size_t size = strlen(scripts[i].said);
        for (unsigned times = 0; size != 0 && (times == 0 || times < scripts[i].times); times++) {
            if ((size_t)(end - at) < size + 1 || strncmp(at, scripts[i].said, size) != 0) {
                fail_msg("%s: %.*s", scripts[i].name, (int)(end - at), at);
            }
            at += size + 1;
        }
        if (at != end) {
            fail_msg("%s: left over %.*s", scripts[i].name, (int)(end - at), at);
        }
        at = end + strlen("+e -e ");
    }
    assert_string_equal(at, "+e -e "); /* of the method whose id is another's now, nothing */
}

static void test_counts(void **state)
{
    (void)state;
    struct ilp_bytes status = read_file(status_path);
    assert_non_null(memmem(status.data, status.size, "hooks\t" MISSED, strlen("hooks\t" MISSED)));
    assert_non_null(memmem(status.data, status.size, "hooks\t" ORPHANS, strlen("hooks\t" ORPHANS)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_start), cmocka_unit_test(test_mapper),
                                       cmocka_unit_test(test_inlining),
                                       cmocka_unit_test(test_scripts),
                                       cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, run_scripts, end_scripts);
}
