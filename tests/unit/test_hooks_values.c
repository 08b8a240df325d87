/* profiler/hooks/: traces in a runtime that is played, each in a copy of this process, since hooks
 * stay as long as it does. Arguments and returned values, by the types that instances have; names
 * of threads; the shadow stack beside the runtime's; and what keeps a trace from beginning. Which
 * calls there are is in test_hooks.c. */
#include "tests/unit/session_app.h"

#include <sys/wait.h>

#include "host/trace_options.h"
#include "tests/unit/compiled_code.h"
#include "trace/spool_read.h"

/* ---- a copy ---- */

/* It ends by exit(), so that what it has executed is counted (make coverage). */
static void in_copy(void (*play)(struct session *session))
{
    static struct session session;
    int code;
    fflush(NULL);
    pid_t copy = fork();
    assert_true(copy >= 0);
    if (copy == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* or it would go on with the next test */
        play(&session);
        exit(0);
    }
    assert_int_equal(waitpid(copy, &code, 0), copy);
    assert_int_equal(code, 0);
}

/* "--trace SPOOL" and these options. */
static void begin_trace(struct session *session, const char *options, unsigned age)
{
    char text[256];
    session_begin(session, "", age);
    snprintf(text, sizeof text, "--trace %s %s", session->spool_path, options);
    setenv("ILPATCH_OPTIONS", text, 1);
}

static FunctionIDOrClientID hook_of(struct session *session, ilp_token token)
{
    BOOL hook = 0;
    FunctionIDOrClientID id = {
        .clientID = session->host.mapper2(FUNCTION(APP, token), NULL, &hook)};
    assert_int_equal(hook, 1);
    return id;
}

/* ---- what the spool says ---- */

static struct ilp_bytes text_of_method(const struct ilpi_traced_process *process, uint64_t id)
{
    uint32_t index = ilpi_traced_method_index(process, id);
    assert_true(index < process->methods.count);
    return process->methods.items[index].name;
}

static void add_record(const struct ilpi_traced_process *process,
                       const struct ilpi_spool_record *record, char *text, size_t size)
{
    struct ilp_bytes name = {NULL, 0}, value = {NULL, 0};
    const char *form = "";
    switch ((int)record->kind) {
    case SPOOL_ENTER:
    case SPOOL_ENTER_WITH: form = "+%.*s(%.*s) "; break;
    case SPOOL_LEAVE: form = "-%.*s%.*s "; break;
    case SPOOL_LEAVE_WITH: form = "-%.*s=%.*s "; break;
    case SPOOL_TAILCALL: form = "~%.*s%.*s "; break;
    case SPOOL_THREAD_NAME: form = "name%.*s:%.*s "; break;
    default: return;
    }
    if (record->kind != SPOOL_THREAD_NAME) {
        name = text_of_method(process, record->numbers[FIELD_METHOD]);
    }
    if (record->kind == SPOOL_ENTER_WITH || record->kind == SPOOL_LEAVE_WITH ||
        record->kind == SPOOL_THREAD_NAME) {
        value = record->texts[FIELD_TEXT];
    }
    snprintf(text + strlen(text), size - strlen(text), form, (int)name.size, name.data,
             (int)value.size, value.data);
}

/* All threads' records, those of each in its order. */
static void check_spool(const struct session *session, const char *expected)
{
    static uint8_t bytes[1 << 20];
    static char text[1 << 12];
    struct ilpi_spool_file file;
    FILE *spool = fopen(session->spool_path, "rbe");
    assert_non_null(spool);
    size_t size = fread(bytes, 1, sizeof bytes, spool);
    fclose(spool);
    text[0] = '\0';
    assert_int_equal(ilpi_spool_open(&file, (struct ilp_bytes){bytes, size}, NULL, NULL), ILP_OK);
    assert_int_equal(file.damaged, 0);
    assert_int_equal(file.processes.count, 1);
    const struct ilpi_traced_process *process = &file.processes.items[0];
    for (size_t i = 0; i < process->threads.count; i++) {
        struct ilpi_spool_walk walk;
        struct ilpi_spool_record record;
        ilpi_spool_walk_begin(&walk, &file, &process->threads.items[i]);
        while (ilpi_spool_walk_next(&walk, &record)) {
            add_record(process, &record, text, sizeof text);
        }
    }
    assert_string_equal(text, expected);
    ilpi_spool_close(&file);
}

/* ---- arguments and values ---- */

/* As .NET has strings. */
static const struct host_class string_class = {
    .base_size = 22, .module = CORE, .token = ILP_TOKEN(ILP_TypeDef, CORE_STRING)};
static const struct {
    const struct host_class *type;
    int32_t length;
    uint16_t chars[3];
} abc = {&string_class, 3, {'a', 'b', 'c'}};

static void set_argument(struct host *host, unsigned i, const void *start, size_t size)
{
    host->arguments[i] = (struct host_argument){start, (ULONG)size};
    host->argument_count = i + 1;
}

static void call(struct session *session, ilp_token token, const void *value, size_t size)
{
    FunctionIDOrClientID id = hook_of(session, token);
    session->host.enter(id, 0);
    session->host.returned = (struct host_argument){value, (ULONG)size};
    session->host.leave(id, 0);
}

/* Their types are in the signature. */
static void play_values(struct session *session)
{
    static const int32_t number = 42, pair[2] = {1, 2};
    static const void *text = &abc;
    struct host *host = &session->host;
    begin_trace(session, "--values", 14);
    host->modules[APP - 1].current[1] = (struct ilp_bytes){(const uint8_t *)"\x0E\x1F\x2A\x2A", 4};
    for (ilp_rid rid = 2; rid <= ILP_TOKEN_RID(LAST); rid++) {
        host->modules[APP - 1].current[rid] = (struct ilp_bytes){(const uint8_t *)"\x0A\x02\x2A",
                                                                 3};
    }
    session_start(session);
    assert_int_equal(host->mask & (ENABLE_FUNCTION_ARGS | ENABLE_FUNCTION_RETVAL),
                     ENABLE_FUNCTION_ARGS | ENABLE_FUNCTION_RETVAL);
    call(session, INT, &number, sizeof number);
    set_argument(host, 0, &text, sizeof text);
    call(session, TEXT, &text, sizeof text);
    set_argument(host, 0, &number, sizeof number);
    set_argument(host, 1, pair, sizeof pair);
    call(session, PAIR, pair, sizeof pair);
    host->argument_count = 1; /* fewer than the method has */
    call(session, PAIR, NULL, 0);
    host->argument_count = 0;
    call(session, NOTHING, &number, sizeof number);
    host->fails = "GetFunctionEnter3Info";
    call(session, TEXT, &text, sizeof text);
    host->fails = "GetFunctionLeave3Info";
    call(session, INT, &number, sizeof number);
    host->fails = NULL;
    assert_int_equal(session_table(session)->Shutdown(host->callback), S_OK);
    check_spool(session, "+Int() -Int=42 +Text(text=\"abc\") -Text=\"abc\" "
                         "+Pair(1=42 2={X=1, Y=2}) -Pair={X=1, Y=2} +Pair(1=42) -Pair "
                         "+Nothing() -Nothing +Text() -Text=\"abc\" +Int() -Int ");
    session_close(session);
}

static void test_values(void **state)
{
    (void)state;
    in_copy(play_values);
}

/* A method with explicit tail calls may leave before it has a value; so may one that is not
 * known. */
static void play_unknown_values(struct session *session)
{
    static const uint8_t tail[] = {0x22, 0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A}, bad[] = {0x06, 0xA6},
                         cut[] = {0x03};
    static const int32_t number = 42;
    struct host_module *app = &session->host.modules[APP - 1];
    begin_trace(session, "--values", 14);
    app->current[ILP_TOKEN_RID(TAIL)] = (struct ilp_bytes){tail, sizeof tail};
    app->current[ILP_TOKEN_RID(TEXT)] = (struct ilp_bytes){bad, sizeof bad};
    app->current[ILP_TOKEN_RID(PAIR)] = (struct ilp_bytes){cut, sizeof cut};
    session_start(session);
    call(session, TAIL, &number, sizeof number);
    call(session, INT, &number, sizeof number); /* GetILFunctionBody() fails */
    call(session, TEXT, &number, sizeof number);
    call(session, PAIR, &number, sizeof number);
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    check_spool(session, "+Tail() -Tail=unknown (explicit tail calls) "
                         "+Int() -Int=unknown (explicit tail calls) "
                         "+Text() -Text=unknown (explicit tail calls) "
                         "+Pair() -Pair=unknown (explicit tail calls) ");
    session_close(session);
    session_says(session, "values\twhat methods with explicit tail calls return is not shown");
    session_says(session, "trace\t06000006 /app/App.dll: what it returns is not shown");
}

static void test_unknown_values(void **state)
{
    (void)state;
    in_copy(play_unknown_values);
}

/* Where a runtime reports another layout of strings, nothing is known of structs either. */
static void play_unknown_layouts(struct session *session)
{
    static const int32_t number = 42, pair[2] = {1, 2};
    begin_trace(session, "--values", 14);
    session->host.fails = "GetStringLayout2";
    session->host.modules[APP - 1].current[ILP_TOKEN_RID(PAIR)] =
        (struct ilp_bytes){(const uint8_t *)"\x0A\x02\x2A", 3};
    session_start(session);
    set_argument(&session->host, 0, &number, sizeof number);
    set_argument(&session->host, 1, pair, sizeof pair);
    call(session, PAIR, pair, sizeof pair);
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    check_spool(session, "+Pair(1=42 2=bytes 0100000002000000) -Pair=bytes 0100000002000000 ");
    session_close(session);
    session_says(session, "values\tstructs are shown as bytes, and objects by their types: ");
}

/* Before .NET 7 structs lie where the runtime reports it: the second one here, of a class that has
 * been loaded meanwhile, has its fields the other way round. */
static void play_reported_layouts(struct session *session)
{
    static const int32_t number = 42, pair[2] = {1, 2};
    static const struct host_class class = {
        .module = APP,
        .token = ILP_TOKEN(ILP_TypeDef, APP_PAIR),
        .fields = {{ILP_TOKEN(ILP_Field, 1), 4}, {ILP_TOKEN(ILP_Field, 2), 0}},
        .size = sizeof pair};
    begin_trace(session, "--values", 14);
    session->host.major = 6;
    session->host.modules[APP - 1].current[ILP_TOKEN_RID(PAIR)] =
        (struct ilp_bytes){(const uint8_t *)"\x0A\x02\x2A", 3};
    session_start(session);
    assert_int_equal(session->host.mask & MONITOR_CLASS_LOADS, MONITOR_CLASS_LOADS);
    set_argument(&session->host, 0, &number, sizeof number);
    set_argument(&session->host, 1, pair, sizeof pair);
    call(session, PAIR, pair, sizeof pair);
    assert_int_equal(session_table(session)->ClassLoadFinished(session->host.callback,
                                                               (ClassID)(uintptr_t) & class, S_OK),
                     S_OK);
    call(session, PAIR, pair, sizeof pair);
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    check_spool(session, "+Pair(1=42 2=bytes 0100000002000000) -Pair=bytes 0100000002000000 "
                         "+Pair(1=42 2={X=2, Y=1}) -Pair={X=2, Y=1} ");
    session_close(session);
}

static void test_reported_layouts(void **state)
{
    (void)state;
    in_copy(play_reported_layouts);
}

static void test_unknown_layouts(void **state)
{
    (void)state;
    in_copy(play_unknown_layouts);
}

/* ---- type parameters ---- */

enum { CLASS_PAIR = 1, CLASS_INT, CLASS_STRING, CLASS_ARRAY, CLASS_BOX, CLASS_GONE };

static void set_classes(struct host *host)
{
    host->classes[CLASS_PAIR - 1] = (struct host_class){.module = APP,
                                                        .token = ILP_TOKEN(ILP_TypeDef, APP_PAIR)};
    host->classes[CLASS_INT - 1] = (struct host_class){.module = CORE,
                                                       .token = ILP_TOKEN(ILP_TypeDef, CORE_INT32)};
    host->classes[CLASS_STRING - 1] =
        (struct host_class){.module = CORE, .token = ILP_TOKEN(ILP_TypeDef, CORE_STRING)};
    host->classes[CLASS_ARRAY - 1] = (struct host_class){.result = (HRESULT)0x80131365};
    host->classes[CLASS_BOX - 1] = (struct host_class){.module = APP,
                                                       .token = ILP_TOKEN(ILP_TypeDef, APP_BOX),
                                                       .count = 1,
                                                       .arguments = {CLASS_PAIR}};
    host->classes[CLASS_GONE - 1] = (struct host_class){.result = E_FAIL};
}

static void call_same(struct session *session, ClassID argument, const void *value, size_t size)
{
    BOOL hook = 0;
    struct host *host = &session->host;
    host->method_arguments[0] = argument;
    host->method_argument_count = argument != 0;
    FunctionIDOrClientID id = {.clientID = host->mapper2(FUNCTION(APP, SAME), NULL, &hook)};
    assert_int_equal(hook, 1);
    set_argument(host, 0, value, size);
    host->enter(id, 0);
    host->returned = host->arguments[0];
    host->leave(id, 0);
}

static void play_instances(struct session *session, ClassID argument, const void *value,
                           size_t size, const char *expected)
{
    static const uint8_t same[] = {0x0A, 0x02, 0x2A};
    begin_trace(session, "--values", 14);
    session->host.modules[APP - 1].current[ILP_TOKEN_RID(SAME)] = (struct ilp_bytes){same,
                                                                                     sizeof same};
    set_classes(&session->host);
    session_start(session);
    call_same(session, argument, value, size);
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    check_spool(session, expected);
    session_close(session);
}

static const int32_t point[2] = {5, 6};
static const void *const string = &abc;

static void play_pair(struct session *session)
{
    play_instances(session, CLASS_PAIR, point, sizeof point,
                   "+Same(1={X=5, Y=6}) -Same={X=5, Y=6} ");
}

static void play_int(struct session *session)
{
    play_instances(session, CLASS_INT, point, 4, "+Same(1=5) -Same=5 ");
}

static void play_string(struct session *session)
{
    play_instances(session, CLASS_STRING, &string, sizeof string,
                   "+Same(1=\"abc\") -Same=\"abc\" ");
}

static void play_array(struct session *session)
{
    play_instances(session, CLASS_ARRAY, &string, sizeof string, "+Same(1=object) -Same=object ");
}

static void play_box(struct session *session)
{
    play_instances(session, CLASS_BOX, &string, sizeof string, "+Same(1=object) -Same=object ");
}

static void play_gone(struct session *session)
{
    play_instances(session, CLASS_GONE, point, 2, "+Same(1=bytes 0500) -Same=bytes 0500 ");
}

static void play_nameless(struct session *session)
{
    play_instances(session, 0, point, 2, "+Same(1=bytes 0500) -Same=bytes 0500 ");
}

/* Of a method's own class: this is the first of the ranges. */
static void play_get(struct session *session)
{
    static const uint8_t get[] = {0x0A, 0x03, 0x2A};
    const void *this = session;
    struct host *host = &session->host;
    begin_trace(session, "--values", 14);
    host->modules[APP - 1].current[ILP_TOKEN_RID(GET)] = (struct ilp_bytes){get, sizeof get};
    set_classes(host);
    host->function_class = CLASS_BOX;
    session_start(session);
    set_argument(host, 0, &this, sizeof this);
    set_argument(host, 1, point, sizeof point);
    call(session, GET, point, sizeof point);
    host->fails = "GetClassIDInfo2"; /* the class is looked up again */
    call(session, GET, point, sizeof point);
    assert_int_equal(session_table(session)->Shutdown(host->callback), S_OK);
    check_spool(session, "+Get(1={X=5, Y=6}) -Get={X=5, Y=6} +Get(1={X=5, Y=6}) -Get={X=5, Y=6} ");
    session_close(session);
}

static void test_instances(void **state)
{
    static void (*const plays[])(struct session *) = {
        play_pair, play_int, play_string, play_array, play_box, play_gone, play_nameless, play_get};
    (void)state;
    for (size_t i = 0; i < COUNT(plays); i++) {
        in_copy(plays[i]);
    }
}

/* ---- threads ---- */

/* A name is given before a thread runs, or by itself; one whose thread ends is forgotten. */
static void play_threads(struct session *session)
{
    static const WCHAR first[] = {'A', 0}, second[] = {'B', 0};
    struct host *host = &session->host;
    begin_trace(session, "--slow", 14);
    const struct callback_table *table = session_table(session);
    session_start(session);
    host->thread = 7;
    table->ThreadNameChanged(host->callback, 8, 1, second);
    table->ThreadDestroyed(host->callback, 8);
    table->ThreadDestroyed(host->callback, 9);
    table->ThreadNameChanged(host->callback, 7, 1, first);
    table->ThreadAssignedToOSThread(host->callback, 8, 1); /* another thread */
    table->ThreadAssignedToOSThread(host->callback, 7, 1);
    call(session, INT, NULL, 0);
    table->ThreadNameChanged(host->callback, 7, 1, second);
    table->ThreadNameChanged(host->callback, 7, 0, NULL);
    FunctionIDOrClientID id = hook_of(session, TAIL);
    host->enter(id, 0);
    host->tailcall(id, 0);
    assert_int_equal(table->Shutdown(host->callback), S_OK);
    check_spool(session, "name:A +Int() -Int name:B name: +Tail() ~Tail ");
    session_close(session);
}

static void test_threads(void **state)
{
    (void)state;
    in_copy(play_threads);
}

/* Until the signal comes, nothing is written. */
static void play_paused(struct session *session)
{
    begin_trace(session, "--slow --paused", 14);
    session_start(session);
    call(session, INT, NULL, 0);
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    check_spool(session, "");
    session_close(session);
    session_says(session, "trace\t0 calls");
}

static void test_paused(void **state)
{
    (void)state;
    in_copy(play_paused);
}

/* ---- the shadow stack beside the runtime's ---- */

#ifdef HAS_COMPILED_CODE
/* Int calls Text, which calls Nothing; Same has no hooks, as far as the runtime's stack goes. */
static void play_stacks(struct session *session)
{
    struct host *host = &session->host;
    begin_trace(session, "--slow --check-stacks 1", 14);
    session_start(session);
    assert_int_equal(host->mask & ENABLE_STACK_SNAPSHOT, ENABLE_STACK_SNAPSHOT);
    FunctionEnter3WithInfo *enter = compiled_call(host->enter);
    assert_non_null(enter);
    FunctionIDOrClientID first = hook_of(session, INT), second = hook_of(session, TEXT),
                         third = hook_of(session, NOTHING);
    host->frames[0] = FUNCTION(APP, INT);
    enter(first, 0); /* the same */
    host->frames[0] = FUNCTION(APP, TEXT), host->frames[1] = FUNCTION(APP, SAME);
    host->frames[2] = FUNCTION(APP, INT);
    enter(second, 0); /* the same, with a method without hooks between */
    host->frames[0] = FUNCTION(APP, NOTHING), host->frames[1] = FUNCTION(APP, INT);
    host->frames[2] = 0;
    enter(third, 0); /* one is missing */
    host->leave(third, 0);
    host->frames[1] = FUNCTION(APP, TEXT), host->frames[2] = FUNCTION(APP, INT);
    host->frames[3] = FUNCTION(APP, INT);
    enter(third, 0); /* one too many */
    host->leave(third, 0);
    host->frames[2] = 0;
    enter(third, 0); /* the first is not there */
    host->leave(third, 0);
    host->fails = "DoStackSnapshot";
    enter(third, 0);
    host->fails = NULL;
    assert_int_equal(session_table(session)->Shutdown(host->callback), S_OK);
    session_close(session);
    session_says(session, "trace\t5 stacks compared with the runtime's, 3 different, 1 that it did "
                          "not walk");
    session_says(session, "trace\tstacks differ: frame 1 of 3: the shadow stack has 06000002, the "
                          "runtime 06000001");
    session_says(session, "trace\tstacks differ: frame 3 of 3: the shadow stack has 00000000, the "
                          "runtime 06000001");
    session_says(session, "trace\tstacks differ: frame 2 of 3: the shadow stack has 06000001, the "
                          "runtime 00000000");
}

static void test_stacks(void **state)
{
    (void)state;
    in_copy(play_stacks);
}

/* The stubs of the fast path are called as compiled code calls them (elt/). */
static void call_fast(const struct session *session, FunctionIDOrClientID method)
{
    call_fast_enter(session->host.fast_enter, method.clientID);
    call_fast_leave(session->host.fast_leave, method.clientID);
}

static void play_fast(struct session *session)
{
    begin_trace(session, "", 14);
    session_start(session);
    assert_null(session->host.enter);
    assert_non_null(session->host.fast_tailcall);
    call_fast(session, hook_of(session, INT));
    call_fast(session, hook_of(session, NOTHING));
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    check_spool(session, "+Int() -Int +Nothing() -Nothing ");
    session_close(session);
    session_says(session, "trace\tthe fast path to the hooks: no values are requested");
    session_says(session, "trace\t2 calls: 0 left by tail calls, 0 by exceptions");
}

static void test_fast(void **state)
{
    (void)state;
    in_copy(play_fast);
}
#else
static void test_stacks(void **state)
{
    (void)state;
    skip(); /* it unwinds the stack of compiled code */
}

static void test_fast(void **state)
{
    (void)state;
    skip();
}
#endif

/* ---- no trace ---- */

/* The application runs on without the profiler, which has said why. */
static void refuse(struct session *session, const char *says)
{
    void *callback = session->host.callback;
    assert_int_equal(session_table(session)->Initialize(callback, &session->host.info),
                     CORPROF_E_PROFILER_CANCEL_ACTIVATION);
    session_end(session);
    session_says(session, says);
    session_does_not_say(session, "hooks\t");
}

static void play_no_hooks(struct session *session)
{
    begin_trace(session, "--slow", 14);
    session->host.fails = "SetEnterLeaveFunctionHooks3WithInfo";
    refuse(session, "failed\tthe runtime accepts no hooks: 0x80004005");
}

static void play_no_fast_hooks(struct session *session)
{
    begin_trace(session, trace_is_slow(&(struct trace_settings){.slow = false}) ? "--slow" : "",
                14);
    session->host.fails = trace_is_slow(&(struct trace_settings){.slow = false})
                              ? "SetEnterLeaveFunctionHooks3WithInfo"
                              : "SetEnterLeaveFunctionHooks3";
    refuse(session, "failed\tthe runtime accepts no hooks: 0x80004005");
}

static void play_wrong_environment(struct session *session)
{
    begin_trace(session, "--slow", 14);
    setenv("DOTNET_TailCallOpt", "1", 1);
    refuse(session, "failed\ton the slow path to the hooks the runtime damages vectors at tail "
                    "calls. Set DOTNET_TailCallOpt=0 DOTNET_FastTailCalls=0 in the environment");
}

static void play_no_spool(struct session *session)
{
    session_begin(session, "--trace /no/such/folder/spool --slow", 14);
    refuse(session, "unwritable\t/no/such/folder/spool: cannot write: No such file or directory");
}

static void play_other_spool(struct session *session)
{
    begin_trace(session, "--slow", 14);
    FILE *file = fopen(session->spool_path, "wbe");
    assert_true(file && fputs("a letter that must stay as it is, and is no spool\n", file) >= 0);
    fclose(file);
    void *callback = session->host.callback;
    assert_int_equal(session_table(session)->Initialize(callback, &session->host.info),
                     CORPROF_E_PROFILER_CANCEL_ACTIVATION);
    char text[64];
    session_read(session->spool_path, text, sizeof text);
    assert_string_equal(text, "a letter that must stay as it is, and is no spool\n");
    session_end(session);
    session_says(session, "there is something else in it than a spool of this version");
}

static void test_refused(void **state)
{
    static void (*const plays[])(struct session *) = {
        play_no_hooks, play_no_fast_hooks, play_wrong_environment, play_no_spool, play_other_spool};
    (void)state;
    for (size_t i = 0; i < COUNT(plays); i++) {
        in_copy(plays[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_unknown_values),
        cmocka_unit_test(test_unknown_layouts),
        cmocka_unit_test(test_reported_layouts),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_fast),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
