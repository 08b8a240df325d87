/* profiler/ called from several threads at a time, as a runtime calls it: modules are loaded and
 * unloaded, methods compiled, inlined and compiled again, hooks called, threads begun and ended,
 * values shown and reports written, until it is shut down while all that goes on. What is known at
 * the end is whole, and `make check-threads` looks for data races besides (ThreadSanitizer).
 *
 * Each process is a copy of this one, since hooks stay for ever. What the runtime promises is kept:
 * no code of a module runs, and none is compiled, while it is unloaded. */
#include "tests/unit/profiler_host.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/control.h"
#include "host/line_ring.h"
#include "host/profiler_environment.h"
#include "host/shared_counters.h"
#include "il/code.h"
#include "trace/spool_read.h"

#define THREADS 4u
#define ROUNDS  300u
#define FILES   5u

/* What the modules are: two of one file, another one, and the stock inspector. The runtime names
 * what is in a single-file program without a folder, as two of these. */
enum { SHOP_METHODS = 9, SMALL_METHODS = 3, INSPECTOR = 4 };
static const struct {
    const char *path, *file;
    ilp_rid methods;
} sources[MAX_MODULES] = {{"/app/Shop.exe", "samples/Shop.exe", SHOP_METHODS},
                          {"Shop.exe", "samples/Shop.exe", SHOP_METHODS},
                          {"Small.dll", ILP_TEST_FILES "/good-small.dll", SMALL_METHODS},
                          {"/opt/MyProfiler.dll", "data/inspector/MyProfiler.dll", 0}};

static char folder[] = "/tmp/ilpatch-threads-XXXXXX";
static char status_path[64], report_path[64], ids_path[64], output_path[64], spool_path[64];

/* ---- in a copy: a failed check ends it ---- */

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        _exit(1);
    }
}

#define REQUIRE(condition) require(condition, #condition)

/* ---- the process that all threads share ---- */

static struct process {
    struct host host;
    pthread_rwlock_t loaded[MAX_MODULES]; /* held by who runs or compiles its code; by who unloads
                                             it alone */
    pthread_barrier_t begin;
    void (*step)(struct process *process, uint64_t *random);
    atomic_uint numbers;  /* of threads */
    atomic_uint started;  /* rounds */
    atomic_uint hooked;   /* calls with hooks */
    atomic_uint compiled; /* methods that got a new body */
    atomic_uint shown;    /* values, */
    atomic_uint written;  /* and calls that write their lines */
} process;

/* In no order with anything else: the profiler has to have one of its own. */
static void count(atomic_uint *number)
{
    atomic_fetch_add_explicit(number, 1, memory_order_relaxed);
}

static unsigned counted(const atomic_uint *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

/* As the runtime knows threads. */
static _Thread_local ThreadID own_number;

static uint64_t next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static const struct callback_table *callbacks(void)
{
    return CALLBACKS(process.host.callback);
}

static HRESULT STDCALL current_thread(void *self, ThreadID *thread)
{
    (void)self;
    *thread = own_number;
    return S_OK;
}

/* Every value is zero, or null. */
static uint8_t zeros[256];

static void open_process(void)
{
    static uint8_t bytes[MAX_MODULES][1 << 17];
    struct host *host = &process.host;
    host_begin(host, 14);
    host->major = 10;
    host->module_count = MAX_MODULES;
    host->arguments[0] = host->arguments[1] = host->returned = (struct host_argument){zeros, 8};
    host->argument_count = 2;
    for (unsigned i = 0; i < MAX_MODULES; i++) {
        FILE *file = fopen(sources[i].file, "rbe");
        REQUIRE(file);
        struct ilp_bytes image = {bytes[i], fread(bytes[i], 1, sizeof bytes[i], file)};
        fclose(file);
        host->modules[i] = (struct host_module){
            .path = sources[i].path, .image = image, .flags = 1 | MODULE_FLAT_LAYOUT};
        pthread_rwlock_init(&process.loaded[i], NULL);
    }
    host->info_table[ICorProfilerInfo_GetCurrentThreadID_slot] = (void (*)(void))current_thread;
    load_library(host);
}

/* ---- what threads do ---- */

static FunctionID any_method(uint64_t *random, unsigned module)
{
    return FUNCTION(module + 1,
                    ILP_TOKEN(ILP_MethodDef, next(random) % sources[module].methods + 1));
}

static unsigned any_module(uint64_t *random)
{
    return (unsigned)(next(random) % (INSPECTOR - 1));
}

static void reload(unsigned module)
{
    pthread_rwlock_wrlock(&process.loaded[module]);
    callbacks()->ModuleUnloadStarted(process.host.callback, module + 1);
    for (unsigned i = 0; i < MAX_METHODS; i++) {
        process.host.modules[module].bodies[i] = NULL; /* its code goes */
    }
    callbacks()->ModuleLoadFinished(process.host.callback, module + 1, S_OK);
    pthread_rwlock_unlock(&process.loaded[module]);
}

/* Start-up hooks load it after other modules. */
static void load_inspector(uint64_t *random)
{
    if (next(random) % 16 == 0) {
        callbacks()->ModuleLoadFinished(process.host.callback, INSPECTOR, S_OK);
    }
}

static void rename_thread(uint64_t *random)
{
    static const WCHAR name[] = {'W', 'o', 'r', 'k', 'e', 'r', 0};
    ThreadID thread = next(random) % 2 ? own_number : own_number + THREADS;
    callbacks()->ThreadCreated(process.host.callback, thread);
    callbacks()->ThreadAssignedToOSThread(process.host.callback, thread, 1);
    callbacks()->ThreadNameChanged(process.host.callback, thread, 6, name);
    callbacks()->ThreadDestroyed(process.host.callback, thread);
}

/* Calls what a body calls by address: ldc.i8 ID; ldc.i8 ADDRESS; conv.i; calli, and the same
 * without ID for what writes the line. */
static void call_native(const struct ilp_body *body)
{
    uint64_t numbers[2] = {0, 0};
    struct ilpi_insn insn;
    unsigned given = 0; /* numbers, since the last call */
    bool is_shown = false;
    for (size_t at = 0; at < body->code.size; at += insn.size) {
        REQUIRE(ilpi_insn_read(body->code, (uint32_t)at, &insn));
        if (insn.op == ILPI_OP_LDC_I8) {
            given++;
            numbers[0] = numbers[1];
            memcpy(&numbers[1], body->code.data + at + 1, sizeof numbers[1]);
        } else if (insn.op == ILPI_OP_CALLI && given > 1 && !is_shown) {
            /* without a local the value itself is passed: null or 0; the fourth is for what takes
             * the type, of which the test has none */
            ((void (*)(const void *, uint32_t, int64_t, const void *))numbers[1])(
                body->locals != 0 ? zeros : NULL, 8, (int64_t)numbers[0], NULL);
            count(&process.shown);
            is_shown = true;
            given = 0;
        } else if (insn.op == ILPI_OP_CALLI) {
            if (given == 1) {
                ((void (*)(void))numbers[1])();
                count(&process.written);
            }
            return;
        }
    }
}

static void run_body(const uint8_t *bytes)
{
    struct ilp_arena *arena = NULL;
    struct ilp_body body;
    REQUIRE(ilp_arena_open(&arena, NULL, NULL) == ILP_OK);
    REQUIRE(ilp_body_read(&body, (struct ilp_bytes){bytes, 4096}, 0, arena, NULL) == ILP_OK);
    pthread_rwlock_rdlock(&process.host.running);
    call_native(&body);
    pthread_rwlock_unlock(&process.host.running);
    ilp_arena_close(arena);
}

static void compile(uint64_t *random, unsigned module)
{
    struct host *host = &process.host;
    FunctionID function = any_method(random, module);
    BOOL answer;
    callbacks()->JITInlining(host->callback, function, any_method(random, module), &answer);
    callbacks()->JITCachedFunctionSearchStarted(host->callback, function, &answer);
    callbacks()->JITCompilationStarted(host->callback, function, 1);
    callbacks()->JITCompilationFinished(host->callback, function, S_OK, 1);
    const uint8_t *body = host->modules[module].bodies[ILP_TOKEN_RID((ilp_token)function)];
    if (body) {
        count(&process.compiled);
        run_body(body);
    }
}

static void compile_again(uint64_t *random, unsigned module)
{
    ilp_token token = (ilp_token)any_method(random, module);
    host_request_rejit(&process.host, module + 1, token);
    callbacks()->ReJITError(process.host.callback, module + 1, token, FUNCTION(module + 1, token),
                            E_FAIL);
}

static void step_inspected(struct process *all, uint64_t *random)
{
    unsigned module = any_module(random);
    (void)all;
    switch (next(random) % 8) {
    case 0: reload(module); break;
    case 1: load_inspector(random); break;
    case 2: rename_thread(random); break;
    default:
        pthread_rwlock_rdlock(&process.loaded[module]);
        if (next(random) % 4 == 0) {
            compile_again(random, module);
        } else {
            compile(random, module);
        }
        pthread_rwlock_unlock(&process.loaded[module]);
        break;
    }
}

/* A call, and the calls in it; an exception ends some. */
static void call_hooked(uint64_t *random, unsigned module, unsigned depth)
{
    const struct host *host = &process.host;
    FunctionID function = any_method(random, module);
    BOOL hook = 0, inlined = 0;
    callbacks()->JITInlining(host->callback, function, function, &inlined);
    FunctionIDOrClientID id = {.clientID = host->mapper2(function, NULL, &hook)};
    REQUIRE(hook);
    count(&process.hooked);
    host->enter(id, 0);
    for (uint64_t calls = next(random) % 3; calls > 0 && depth < 4; calls--) {
        call_hooked(random, module, depth + 1);
    }
    if (next(random) % 4 == 0) {
        callbacks()->ExceptionSearchFunctionEnter(host->callback, function);
        callbacks()->ExceptionSearchFunctionLeave(host->callback);
        callbacks()->ExceptionUnwindFunctionEnter(host->callback, function);
        callbacks()->ExceptionUnwindFunctionLeave(host->callback);
    } else if (next(random) % 4 == 0) {
        host->tailcall(id, 0);
    } else {
        host->leave(id, 0);
    }
}

static void step_traced(struct process *all, uint64_t *random)
{
    unsigned module = any_module(random);
    (void)all;
    switch (next(random) % 8) {
    case 0: reload(module); break;
    case 1: rename_thread(random); break;
    case 2:
        if (next(random) % 8 == 0) {
            kill(getpid(), TRACE_SIGNAL);
        }
        break;
    default:
        pthread_rwlock_rdlock(&process.loaded[module]);
        call_hooked(random, module, 0);
        pthread_rwlock_unlock(&process.loaded[module]);
        break;
    }
}

/* ---- threads ---- */

static void *work(void *unused)
{
    (void)unused;
    own_number = ++process.numbers;
    uint64_t random = own_number * 0x9E3779B97F4A7C15u;
    pthread_barrier_wait(&process.begin);
    if (own_number < INSPECTOR) { /* modules are loaded at once, too */
        callbacks()->ModuleLoadFinished(process.host.callback, own_number, S_OK);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        process.step(&process, &random);
        count(&process.started);
    }
    return NULL;
}

/* A second generation of threads takes over what those of the first have left; in the midst of it
 * the process is shut down. */
static void run_threads(void (*step)(struct process *process, uint64_t *random))
{
    pthread_t threads[THREADS];
    process.step = step;
    pthread_barrier_init(&process.begin, NULL, THREADS);
    for (unsigned generation = 0; generation < 2; generation++) {
        for (unsigned i = 0; i < THREADS; i++) {
            REQUIRE(pthread_create(&threads[i], NULL, work, NULL) == 0);
        }
        while (generation == 1 && counted(&process.started) < THREADS * ROUNDS * 3 / 2) {
            usleep(100);
        }
        if (generation == 1) {
            REQUIRE(callbacks()->Shutdown(process.host.callback) == S_OK);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
}

/* ---- processes ---- */

static void close_process(void)
{
    host_end(&process.host);
}

static void play_inspected(void)
{
    open_process();
    REQUIRE(callbacks()->Initialize(process.host.callback, &process.host.info) == S_OK);
    run_threads(step_inspected);
    REQUIRE(counted(&process.compiled) != 0);
    close_process();
}

/* And those whose inspector compiled code calls by address. */
static void play_shown(void)
{
    play_inspected();
    REQUIRE(counted(&process.shown) != 0 && counted(&process.written) != 0);
}

static void play_traced(void)
{
    open_process();
    REQUIRE(callbacks()->Initialize(process.host.callback, &process.host.info) == S_OK);
    run_threads(step_traced);
    REQUIRE(counted(&process.hooked) != 0);
    close_process();
}

/* What the command that is attached reads. */
struct reader {
    struct line_ring *lines;
    int woken; /* its end of the pipe */
    FILE *output;
};

static size_t read_lines(const struct reader *reader, enum line_ring_state state)
{
    static char bytes[LINE_RING_LONGEST];
    uint64_t position = atomic_load(&reader->lines->taken);
    size_t size = line_ring_read(reader->lines, &position, bytes, sizeof bytes, state);
    line_ring_take(reader->lines, position);
    REQUIRE(fwrite(bytes, 1, size, reader->output) == size);
    return size;
}

/* Until the profiler closes its end, which says that no more come. */
static void *read_all_lines(void *argument)
{
    const struct reader *reader = argument;
    char woken;
    do {
        while (read_lines(reader, LINE_RING_LIVE) != 0 || !line_ring_wait(reader->lines)) {
        }
    } while (read(reader->woken, &woken, 1) == 1);
    read_lines(reader, LINE_RING_LEFT);
    REQUIRE(fclose(reader->output) == 0);
    return NULL;
}

static char control_path_of_test[256];
static char *attached_options;
static atomic_bool is_attached;
static bool ends_in_between;

/* A watch ends in steps, and the process may end before the last ones: with `ends_in_between` after
 * those that compile methods again, which take the longest. Once modules are not reported any more
 * they may be gone before the profiler is called. */
static HRESULT STDCALL set_mask_of_watch(void *self, ULONG mask)
{
    bool reports = (process.host.mask & MONITOR_MODULE_LOADS) != 0;
    bool will_report = (mask & MONITOR_MODULE_LOADS) != 0;
    bool ends = (process.host.mask & MONITOR_JIT_COMPILATION) != 0 &&
                (mask & MONITOR_JIT_COMPILATION) == 0;
    while (ends && ends_in_between) {
        pause();
    }
    REQUIRE(!reports || will_report || access(report_path, F_OK) == 0);
    return host_set_mask(self, mask);
}

/* The command that attaches: here, a thread of the same process. */
static void *attach(void *argument)
{
    int ends[2];
    pthread_t reading;
    (void)argument;
    REQUIRE(pipe(ends) == 0);
    struct control_hello hello = {.wish = CONTROL_ATTACH,
                                  .options = attached_options,
                                  .report = report_path,
                                  .status = shared_counters_make(),
                                  .values = ends[1],
                                  .lines = line_rings_make(1),
                                  .follows = true};
    REQUIRE(hello.status >= 0 && hello.lines >= 0);
    struct reader reader = {line_ring_map(hello.lines, 0), ends[0], fopen(output_path, "we")};
    REQUIRE(reader.lines && reader.output);
    REQUIRE(pthread_create(&reading, NULL, read_all_lines, &reader) == 0);
    int control = control_connect(control_path_of_test, getpid(), geteuid());
    struct control_reply reply = control_request(control, &hello);
    REQUIRE(reply.answer == CONTROL_GREETED && reply.lines < 0);
    close(ends[1]);
    REQUIRE(control_start(control));
    atomic_store(&is_attached, true);
    while (counted(&process.started) < THREADS * ROUNDS) {
        usleep(100);
    }
    close(control); /* the attachment ends, while all goes on */
    pthread_join(reading, NULL);
    return NULL;
}

/* The runtime never gives back the callback object of a profiler that has changed code. */
static void play_attached(void)
{
    pthread_t command;
    struct stat before, after;
    REQUIRE(fstat(STDIN_FILENO, &before) == 0);
    open_process();
    process.host.info_table[ICorProfilerInfo_SetEventMask_slot] = (void (*)(void))set_mask_of_watch;
    int size = snprintf(control_path_of_test, sizeof control_path_of_test, "%s/control", folder);
    REQUIRE(callbacks()->InitializeForAttach(process.host.callback, &process.host.info,
                                             control_path_of_test, (ULONG)size + 1) == S_OK);
    callbacks()->ProfilerAttachComplete(process.host.callback);
    REQUIRE(pthread_create(&command, NULL, attach, NULL) == 0);
    while (!atomic_load(&is_attached)) {
        usleep(100);
    }
    run_threads(step_inspected);
    pthread_join(command, NULL);
    REQUIRE(fstat(STDIN_FILENO, &after) == 0 && after.st_ino == before.st_ino);
    REQUIRE(counted(&process.compiled) != 0);
    REQUIRE(counted(&process.written) == 0); /* lines are in the ring at once */
}

static void play_attached_unmanaged(void)
{
    attached_options = "--inspect-returns --inspector unmanaged";
    play_attached();
    REQUIRE(counted(&process.shown) != 0);
}

/* The inspector is searched for in the modules that are loaded. */
static void play_attached_loading(void)
{
    ends_in_between = true;
    attached_options = "--inspect-returns --inspector full";
    play_attached();
    REQUIRE(counted(&process.shown) == 0);
}

/* ---- what is known at the end ---- */

static char text[1 << 20];

static const char *read_text(const char *path)
{
    FILE *file = fopen(path, "rbe");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (!file || fclose(file) != 0) {
        fail_msg("%s is not there", path);
    }
    text[size] = '\0';
    return text;
}

static unsigned count_of(const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        count++;
    }
    return count;
}

/* Every method whose body was replaced has been counted, and the document is whole. */
static void check_report(void)
{
    read_text(report_path);
    assert_int_equal(text[0], '{');
    assert_non_null(strstr(text, "\"rules\": ["));
    assert_null(strstr(text, "\"complete\": false"));
    assert_string_equal(text + strlen(text) - 2, "}\n");
}

/* Each line is whole: none has another one in it. */
static void check_values(void)
{
    unsigned lines = 0;
    read_text(output_path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        bool known = strncmp(line, "Shop.", 5) == 0 || strncmp(line, "N.C::", 5) == 0;
        if (!known || !strstr(line, " -> ") || strstr(strstr(line, " -> ") + 4, " -> ")) {
            fail_msg("%s", line);
        }
        lines++;
    }
    assert_true(lines != 0);
}

static void check_spool(void)
{
    struct ilpi_spool_file spool = {.damaged = 0};
    FILE *file = fopen(spool_path, "rbe");
    static uint8_t bytes[1 << 24];
    assert_non_null(file);
    struct ilp_bytes all = {bytes, fread(bytes, 1, sizeof bytes, file)};
    fclose(file);
    assert_true(all.size < sizeof bytes);
    assert_int_equal(ilpi_spool_open(&spool, all, NULL, NULL), ILP_OK);
    assert_int_equal(spool.processes.count, 1);
    const struct ilpi_traced_process *traced = &spool.processes.items[0];
    assert_true(traced->ended && traced->has_head);
    assert_true(traced->methods.count >= 2 * SHOP_METHODS + SMALL_METHODS);
    uint64_t records = 0;
    for (size_t i = 0; i < traced->threads.count; i++) {
        struct ilpi_spool_walk walk;
        struct ilpi_spool_record record;
        ilpi_spool_walk_begin(&walk, &spool, &traced->threads.items[i]);
        while (ilpi_spool_walk_next(&walk, &record)) {
            records++;
        }
    }
    assert_true(records != 0);
    assert_int_equal(spool.damaged, 0);
    ilpi_spool_close(&spool);
}

/* ---- one after the other ---- */

static void run(const char *options, void (*play)(void))
{
    int code;
    setenv(ENV_OPTIONS, options, 1);
    pid_t copy = fork();
    if (copy == 0) {
        alarm(600); /* a lock that two wait for */
        play();
        _exit(0);
    }
    assert_true(copy > 0);
    assert_int_equal(waitpid(copy, &code, 0), copy);
    if (code != 0) {
        fail_msg("%s: the process ended with 0x%X", options, (unsigned)code);
    }
}

static void test_inspected(void **state)
{
    static const char *const kinds[] = {"--inspect-returns", "--where <method\tlike='*'/>",
                                        "--inspect-returns --inspector full",
                                        "--inspect-returns --inspector unmanaged",
                                        "--inspect-returns --inspector unmanaged --id-map %s"};
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char options[256];
        snprintf(options, sizeof options, kinds[i], ids_path);
        unlink(status_path);
        unlink(output_path);
        run(options, strstr(options, "unmanaged") ? play_shown : play_inspected);
        read_text(status_path);
        assert_int_equal(count_of("\nended\t"), 1);
        /* it is waited for where it is called */
        assert_int_equal(count_of("\ninspector\t"), strstr(options, "full") ? 1 : 0);
        assert_int_equal(count_of("failed\t"), 0);
        check_report();
        if (strstr(options, "unmanaged")) {
            check_values();
        }
    }
    assert_non_null(strstr(read_text(ids_path), "Shop.Program"));
}

static void test_attached(void **state)
{
    (void)state;
    unlink(output_path);
    unlink(report_path);
    run("", play_attached_unmanaged);
    check_report();
    check_values();
    unlink(report_path);
    run("", play_attached_loading);
    check_report();
}

static void test_traced(void **state)
{
    char options[160];
    (void)state;
    snprintf(options, sizeof options, "--trace %s --values", spool_path);
    unlink(status_path);
    run(options, play_traced);
    read_text(status_path);
    assert_int_equal(count_of("\nended\t"), 1);
    assert_int_equal(count_of("failed\t"), 0);
    check_spool();
}

static int begin(void **state)
{
    static const struct {
        char *path;
        const char *name;
    } files[FILES] = {{status_path, "status"},
                      {report_path, "report"},
                      {ids_path, "ids"},
                      {output_path, "output"},
                      {spool_path, "spool"}};
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
    for (size_t i = 0; i < FILES; i++) {
        snprintf(files[i].path, sizeof status_path, "%s/%s", folder, files[i].name);
    }
    setenv(ENV_STATUS, status_path, 1);
    setenv(ENV_REPORT, report_path, 1);
    setenv(ENV_OUTPUT, output_path, 1);
    int rings = line_rings_make(LINE_RINGS); /* as a command has it, for as long as it runs */
    char *name = shared_counters_name(rings);
    setenv(ENV_LINES, name, 1);
    free(name);
    setenv("DOTNET_TailCallOpt", "0", 1); /* the slow path needs both */
    setenv("DOTNET_FastTailCalls", "0", 1);
    return 0;
}

static int end(void **state)
{
    const char *const paths[FILES] = {status_path, report_path, ids_path, output_path, spool_path};
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        unlink(paths[i]);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inspected),
                                       cmocka_unit_test(test_attached),
                                       cmocka_unit_test(test_traced)};
    return cmocka_run_group_tests(tests, begin, end);
}
