/* profiler/ without memory in a process that is traced, and in one that it is attached to, whose
 * methods are compiled again: the n-th allocation fails, alone or with all that follow. Each
 * process is a copy of this one, since hooks stay for ever, and the test is the command that
 * attaches. A process goes on, prints nothing, and what it could not do is reported. */
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
#include "tests/unit/profiler_host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <poll.h>
#include <unistd.h>

#include "host/control.h"
#include "host/local_socket.h"
#include "host/shared_counters.h"

#define MODULES 2u
#define METHODS 3u
#define FILES   4u

static char folder[] = "/tmp/ilpatch-processes-XXXXXX";
static char status_path[64], printed_path[64], report_path[64], spool_path[64];

/* What is seen of a process, in memory that it shares with this one. */
struct outcome {
    HRESULT started;
    bool is_out;         /* memory has run out */
    bool ended;          /* it was played to its end */
    atomic_bool is_over; /* the command has seen its end */
    bool is_silent;      /* no command got an answer, which reports that */
    unsigned done;       /* bodies that were set, hooks that were given */
    long kept;           /* blocks */
    char status[1 << 14];
    char printed[1 << 12];
};

static struct outcome *seen;

static size_t read_file(const char *path, void *room, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, room, size) : 0;
    if (file >= 0) {
        close(file);
    }
    return got > 0 ? (size_t)got : 0;
}

static void read_text(const char *path, char *text, size_t size)
{
    text[read_file(path, text, size - 1)] = '\0';
}

/* What is said: in the file of that name, or after the counters of the one that the command has
 * made. */
static int counters = -1;

static void read_status(char *text, size_t size)
{
    ssize_t got = 0;
    if (counters < 0) {
        read_text(status_path, text, size);
        return;
    }
    got = pread(counters, text, size - 1, sizeof(struct shared_counters));
    text[got > 0 ? got : 0] = '\0';
}

/* In the copy: a failed check ends it. */
static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        _exit(1);
    }
}

#define REQUIRE(condition) require(condition, #condition)

/* ---- a process ---- */

static void open_host(struct host *host)
{
    static uint8_t small[1 << 16];
    struct ilp_bytes program = {small,
                                read_file(ILP_TEST_FILES "/good-small.dll", small, sizeof small)};
    host_begin(host, 14);
    host->major = 10;
    host->module_count = MODULES;
    for (unsigned i = 0; i < MODULES; i++) {
        host->modules[i] = (struct host_module){.path = i == 0 ? "/app/Small.dll"
                                                               : "/app/Other.dll",
                                                .image = program,
                                                .flags = 1 | MODULE_FLAT_LAYOUT};
    }
    load_library(host);
}

static void close_host(struct host *host)
{
    failing.fails_at = 0;
    REQUIRE(CALLBACKS(host->callback)->Release(host->callback) == 0);
    REQUIRE(host->references == 1);
}

/* ---- a trace ---- */

static void call_method(const struct host *host, FunctionID function)
{
    const struct callback_table *table = CALLBACKS(host->callback);
    BOOL hook = 0, inlined = 0;
    table->JITInlining(host->callback, FUNCTION(1, 0x06000001), function, &inlined);
    FunctionIDOrClientID id = {.clientID = host->mapper2(function, NULL, &hook)};
    if (hook) {
        seen->done++;
        host->enter(id, 0);
        table->ExceptionSearchFunctionEnter(host->callback, function);
        table->ExceptionSearchFunctionLeave(host->callback);
        table->ExceptionCatcherEnter(host->callback, function, 0);
        host->leave(id, 0);
    }
}

static void play_trace(struct host *host)
{
    static const WCHAR name[] = {'W', 'o', 'r', 'k', 'e', 'r', 0};
    const struct callback_table *table = CALLBACKS(host->callback);
    seen->started = table->Initialize(host->callback, &host->info);
    if (seen->started >= 0) {
        table->ThreadNameChanged(host->callback, 7, 6, name);
        for (ModuleID module = 1; module <= MODULES; module++) {
            table->ModuleLoadFinished(host->callback, module, S_OK);
            for (ilp_token token = 0x06000001; token <= 0x06000000 + METHODS; token++) {
                call_method(host, FUNCTION(module, token));
            }
        }
        table->ThreadDestroyed(host->callback, 7);
        table->ModuleUnloadStarted(host->callback, 2);
        table->Shutdown(host->callback);
    }
}

/* ---- an attachment ---- */

static char path[512]; /* which the command sends with the profiler */

/* Until the thread that serves the command has done its work. */
static void wait_for_end(const struct host *host)
{
    for (unsigned i = 0; i < 20000 && !atomic_load(&host->detached); i++) {
        if (atomic_load(&seen->is_over)) {
            return;
        }
        usleep(500);
    }
}

static void play_attachment(struct host *host)
{
    const struct callback_table *table = CALLBACKS(host->callback);
    seen->started = table->InitializeForAttach(host->callback, &host->info, path,
                                               (ULONG)strlen(path) + 1);
    if (seen->started < 0) {
        return;
    }
    table->ProfilerAttachComplete(host->callback);
    wait_for_end(host);
    if (atomic_load(&host->detached)) {
        table->ProfilerDetachSucceeded(host->callback);
    }
    for (unsigned i = 0; i < MODULES; i++) {
        for (unsigned rid = 1; rid <= METHODS; rid++) {
            seen->done += host->modules[i].sets[rid] != 0; /* none has it any more */
        }
    }
}

struct way {
    const char *name;
    const char *options;
    void (*play)(struct host *host);
    bool attaches;
};

/* One command is served after the other: when this one has its reply, the watch has ended, and not
 * only the connection of the command before. */
static void wait_for_reply(pid_t process)
{
    const struct control_hello hello = {.wish = CONTROL_DETACH,
                                        .options = "",
                                        .report = "",
                                        .status = counters,
                                        .values = -1,
                                        .lines = -1};
    int control = control_connect(path, process, geteuid());
    if (control >= 0) {
        free(control_request(control, &hello).text);
        close(control);
    }
}

/* The command's part, until the process ends, if it listens before. */
static void attach(const struct way *way, pid_t process, int ends)
{
    const struct control_hello hello = {.wish = CONTROL_ATTACH,
                                        .options = (char *)(uintptr_t)way->options,
                                        .report = report_path,
                                        .status = counters,
                                        .values = -1,
                                        .lines = -1,
                                        .follows = true};
    struct pollfd ended = {.fd = ends, .events = POLLIN};
    int control;
    while ((control = control_connect(path, process, geteuid())) < 0 && poll(&ended, 1, 1) == 0) {
    }
    seen->is_silent = control < 0;
    if (control >= 0) {
        struct control_reply reply = control_request(control, &hello);
        seen->is_silent = reply.answer == CONTROL_GONE;
        if (reply.answer == CONTROL_GREETED) {
            control_start(control);
            local_socket_end_sending(control);
            while (control_read(control, DEADLINE_NONE) >= 0) {
            }
        }
        free(reply.text);
        close(control);
        wait_for_reply(process);
    }
    atomic_store(&seen->is_over, true);
}

/* ---- one after the other ---- */

#define UNKNOWN (-1L)

/* The thread that served the command stays, and frees its last blocks when it gets to it, on a busy
 * machine late. So a copy waits until it keeps no more than it may; the first one, of which that is
 * not known, for a moment: blocks that it keeps too many only make the check less strict. */
static void wait_for_blocks(long may_keep)
{
    enum { PAUSE_US = 5000, PAUSES = 2000 };
    for (unsigned i = 0; i < (may_keep == UNKNOWN ? 10 : PAUSES); i++) {
        if (atomic_load(&failing.blocks) <= may_keep) {
            return;
        }
        usleep(PAUSE_US);
    }
}

static void run_copy(const struct way *way, unsigned long fails_at, bool for_good, long may_keep)
{
    struct host host;
    int printed = open(printed_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(printed >= 0 && dup2(printed, STDERR_FILENO) == STDERR_FILENO);
    close(printed);
    open_host(&host);
    failing_begin(fails_at, for_good);
    way->play(&host);
    seen->is_out = fails_at != 0 && failing.calls >= fails_at;
    close_host(&host);
    wait_for_blocks(may_keep);
    failing.counts = false;
    seen->kept = failing.blocks;
    seen->ended = true;
    exit(0); /* and not _exit(), which counts nothing of what was executed (make coverage) */
}

static void run(const struct way *way, unsigned long fails_at, bool for_good, long may_keep)
{
    int ends[2], code;
    memset(seen, 0, sizeof *seen);
    close(open(status_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    unlink(spool_path);
    assert_int_equal(pipe(ends), 0);
    if (way->attaches) {
        snprintf(path, sizeof path, "%s/control", folder);
        unlink(path);
        counters = shared_counters_make();
        assert_true(counters >= 0);
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        run_copy(way, fails_at, for_good, may_keep);
    }
    close(ends[1]);
    if (way->attaches) {
        attach(way, process, ends[0]);
    }
    assert_int_equal(waitpid(process, &code, 0), process);
    close(ends[0]);
    read_status(seen->status, sizeof seen->status);
    if (counters >= 0) {
        close(counters);
        counters = -1;
    }
    read_text(printed_path, seen->printed, sizeof seen->printed);
    if (code != 0 || !seen->ended) {
        fail_msg("%s: allocation %lu%s: the process ended with 0x%X: %s%s", way->name, fails_at,
                 for_good ? " and all that follow" : "", (unsigned)code, seen->status,
                 seen->printed);
    }
}

static void fail_each(const struct way *way, bool for_good)
{
    unsigned long n = 1;
    setenv("ILPATCH_OPTIONS", way->options, 1);
    run(way, 0, false, UNKNOWN);
    const struct outcome whole = *seen;
    if (whole.started != S_OK || whole.done != MODULES * METHODS || whole.printed[0] != '\0') {
        fail_msg("%s: 0x%08X, %u done: %s%s", way->name, (unsigned)whole.started, whole.done,
                 whole.status, whole.printed);
    }
    do {
        run(way, n, for_good, whole.kept);
        bool same = seen->started == S_OK && seen->done == whole.done;
        bool reported = strstr(seen->status, "memory") || seen->is_silent ||
                        (way->attaches && seen->started < 0);
        if ((seen->is_out && !same && !reported) || seen->kept > whole.kept ||
            seen->printed[0] != '\0') {
            fail_msg("%s: allocation %lu%s: 0x%08X, %u done, %ld blocks kept after %ld: %s"
                     "printed: %s",
                     way->name, n, for_good ? " and all that follow" : "", (unsigned)seen->started,
                     seen->done, seen->kept, whole.kept, seen->status, seen->printed);
        }
        n++;
    } while (seen->is_out);
    assert_true(n > 50);
}

static void test_trace(void **state)
{
    static const char *const kinds[] = {"--slow", "--values",
                                        "--slow --where <namespace\tname='N'/>"};
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char options[160];
        snprintf(options, sizeof options, "--trace %s %s", spool_path, kinds[i]);
        const struct way way = {options, options, play_trace, false};
        fail_each(&way, false);
        fail_each(&way, true);
    }
}

static void test_attach(void **state)
{
    const struct way way = {"attach", "--inspect-returns --inspector unmanaged", play_attachment,
                            true};
    (void)state;
    fail_each(&way, false);
    fail_each(&way, true);
}

/* libxml2 is there before memory runs out: glibc 2.36 ends the process where its loader has none
 * for the symbols of libstdc++, which comes with it. */
static void load_libxml(void)
{
    static const char text[] = "<rules/>";
    struct ilp_bytes xml = {(const uint8_t *)text, sizeof text - 1};
    struct ilp_rules *rules;
    assert_int_equal(ilp_rules_open(&rules, NULL, NULL), ILP_OK);
    ilp_rules_add(rules, xml, "rules.xml", NULL);
    ilp_rules_close(rules);
}

static int begin(void **state)
{
    static const struct {
        char *path;
        const char *name;
    } files[FILES] = {{status_path, "status"},
                      {printed_path, "stderr"},
                      {report_path, "report"},
                      {spool_path, "spool"}};
    (void)state;
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED || !mkdtemp(folder)) {
        return 1;
    }
    for (size_t i = 0; i < FILES; i++) {
        snprintf(files[i].path, sizeof status_path, "%s/%s", folder, files[i].name);
    }
    load_libxml();
    setenv("ILPATCH_STATUS", status_path, 1);
    setenv("DOTNET_TailCallOpt", "0", 1); /* the slow path needs both */
    setenv("DOTNET_FastTailCalls", "0", 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(status_path);
    unlink(printed_path);
    unlink(report_path);
    unlink(spool_path);
    munmap(seen, sizeof *seen);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trace), cmocka_unit_test(test_attach)};
    return cmocka_run_group_tests(tests, begin, end);
}
#endif
