/* profiler/: whole sessions in a runtime that is played. What becomes of bodies that others have
 * changed, of modules that can be updated, of values that are shown from C, of events of tail
 * calls, and of each of these where the runtime fails. That real runtimes do so is seen in
 * tests/runtime. */
#include "tests/unit/session_app.h"

#include <sys/stat.h>

#include "il/body.h"
#include "il/code.h"
#include "profiler/tail/event.h"

/* ---- what was not requested ---- */

/* All other callbacks are answered, and nothing comes of them. */
static void test_callbacks(void **state)
{
    static const char taken[] =
        " Initialize Shutdown ModuleLoadFinished ModuleUnloadStarted JITCompilationStarted "
        "JITCachedFunctionSearchStarted JITInlining InitializeForAttach ProfilerAttachComplete "
        "ProfilerDetachSucceeded GetReJITParameters ReJITError LoadAsNotificationOnly ";
    struct session session;
    unsigned ignored = 0;
    (void)state;
    session_begin(&session, "--inspect-returns", 14);
    const struct callback_table *table = session_table(&session);
    void *self = session.host.callback;
    assert_int_equal(table->Initialize(self, &session.host.info), S_OK);
#define ARGS0
#define ARGS1(a) , (a){0}
#define ARGS2(a, b) \
    ARGS1(a), (b)   \
    {               \
        0           \
    }
#define ARGS3(a, b, c) \
    ARGS2(a, b), (c)   \
    {                  \
        0              \
    }
#define ARGS4(a, b, c, d) \
    ARGS3(a, b, c), (d)   \
    {                     \
        0                 \
    }
#define ARGS5(a, b, c, d, e) \
    ARGS4(a, b, c, d), (e)   \
    {                        \
        0                    \
    }
#define ARGS12(a, b, c, d, e, f, g, h, i, j, k, l)                            \
    ARGS5(a, b, c, d, e), (f){0}, (g){0}, (h){0}, (i){0}, (j){0}, (k){0}, (l) \
    {                                                                         \
        0                                                                     \
    }
#define CALLBACK(slot, version, name, args)             \
    if (!strstr(taken, " " #name " ")) {                \
        assert_int_equal(table->name(self args), S_OK); \
        ignored++;                                      \
    }
#include "profiler/clr/corprof.def"
    assert_int_equal(ignored, 95 - 13);
    assert_int_equal(session.host.masks, 1);
    session_end(&session);
}

static void test_factory(void **state)
{
    typedef ULONG(STDCALL * count_fn)(void *);
    typedef HRESULT(STDCALL * lock_fn)(void *, BOOL);
    typedef HRESULT(STDCALL * unload_fn)(void);
    struct session session;
    unload_fn can_unload;
    (void)state;
    session_begin(&session, "--inspect-returns", 3);
    void *factory = make_factory(&session.host);
    void (**table)(void) = *(void (***)(void))factory;
    assert_int_equal(((count_fn)table[1])(factory), 1);
    assert_int_equal(((count_fn)table[2])(factory), 1); /* it stays */
    assert_int_equal(((lock_fn)table[4])(factory, 1), S_OK);
    *(void **)&can_unload = dlsym(session.host.library, "DllCanUnloadNow");
    assert_non_null(can_unload);
    assert_int_equal(can_unload(), S_FALSE);
    session_close(&session);
}

/* ---- bodies that are written at the end ---- */

static void read_saved(const struct session *session, const char *name, const char *expected,
                       size_t size)
{
    char path[128], bytes[256];
    snprintf(path, sizeof path, "%s/%s", session->bodies_path, name);
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), size);
    assert_memory_equal(bytes, expected, size);
    fclose(file);
}

/* Modules of one name have numbers. What the runtime has for a method without a new body is not
 * written. */
static void test_bodies(void **state)
{
    static const uint8_t body[] = {0x0A, 0x14, 0x2A};
    static const char saved[] = "\x01\0\0\x06\x03\0\0\0\x0A\x14\x2A";
    struct session session;
    (void)state;
    session_begin(&session, "--inspect-returns", 14);
    session.host.modules[CORE - 1] = session.host.modules[APP - 1];
    setenv("ILPATCH_BODIES", session.bodies_path, 1);
    assert_int_equal(mkdir(session.bodies_path, 0700), 0);
    session_start(&session);
    session_compile(&session, APP, INT);
    session_compile(&session, APP, NOTHING);
    session_compile(&session, CORE, INT);
    for (unsigned i = APP; i <= CORE; i += CORE - APP) {
        assert_non_null(session.host.modules[i - 1].bodies[1]);
        assert_null(session.host.modules[i - 1].bodies[ILP_TOKEN_RID(NOTHING)]);
        session.host.modules[i - 1].current[1] = (struct ilp_bytes){body, sizeof body};
        session.host.modules[i - 1].current[ILP_TOKEN_RID(NOTHING)] =
            session.host.modules[i - 1].current[1];
    }
    session.host.metadata = (struct ilp_bytes){(const uint8_t *)"BSJB metadata", 13};
    assert_int_equal(session_table(&session)->Shutdown(session.host.callback), S_OK);
    read_saved(&session, "App.dll.metadata", "BSJB metadata", 13);
    read_saved(&session, "App.dll.bodies", saved, sizeof saved - 1);
    read_saved(&session, "App.dll.2.metadata", "BSJB metadata", 13);
    read_saved(&session, "App.dll.2.bodies", saved, sizeof saved - 1);
    session_close(&session);
    session_does_not_say(&session, "failed");
}

static void test_bodies_fail(void **state)
{
    static const char *const failing[] = {NULL, "GetSaveSize", "SaveToMemory"};
    (void)state;
    for (size_t i = 0; i < COUNT(failing); i++) {
        struct session session;
        session_begin(&session, "--inspect-returns", 14);
        setenv("ILPATCH_BODIES", session.bodies_path, 1); /* without the call there is none */
        if (failing[i]) {
            assert_int_equal(mkdir(session.bodies_path, 0700), 0);
        }
        session_start(&session);
        session_compile(&session, APP, INT);
        session.host.fails = failing[i];
        session_end(&session);
        session_says(&session, "failed\tthe bodies of /app/App.dll cannot be written to ");
    }
}

/* ---- bodies that others have changed ---- */

/* App as another profiler has made it meanwhile: with one more MemberRef, and what it refers to. */
static struct ilp_image *make_now(const struct session *session, struct ilp_bytes *bytes,
                                  ilp_token *added)
{
    struct ilp_image *image = open_image(session->app, ILP_LAYOUT_FILE);
    struct ilp_edit *edit = open_edit(image);
    uint32_t name, blob;
    ilp_rid type, member;
    static const uint8_t signature[] = {0x00, 0x00, 0x08};
    assert_int_equal(ilp_edit_add_string(edit, "Added", &name, NULL), ILP_OK);
    assert_int_equal(
        ilp_edit_add_blob(edit, (struct ilp_bytes){signature, sizeof signature}, &blob, NULL),
        ILP_OK);
    assert_int_equal(ilp_edit_add_row(edit, ILP_TypeRef,
                                      (const uint32_t[]){II_MSCORLIB, name, name}, &type, NULL),
                     ILP_OK);
    assert_int_equal(ilp_edit_add_row(edit, ILP_MemberRef,
                                      (const uint32_t[]){ILP_TOKEN(ILP_TypeRef, type), name, blob},
                                      &member, NULL),
                     ILP_OK);
    *added = ILP_TOKEN(ILP_MemberRef, member);
    assert_int_equal(write_edit(edit, bytes, NULL, NULL), ILP_OK);
    ilp_edit_close(edit);
    ilp_image_close(image);
    return open_image(*bytes, ILP_LAYOUT_FILE);
}

/* call ADDED; ret */
static struct ilp_bytes calling(uint8_t body[7], ilp_token added)
{
    body[0] = 6 << 2 | ILPI_BODY_TINY;
    body[1] = 0x28;
    memcpy(body + 2, &added, 4);
    body[6] = 0x2A;
    return (struct ilp_bytes){body, 7};
}

/* call ADDED; pop; ldarg.0; ret */
static struct ilp_bytes calling_before(uint8_t body[9], ilp_token added)
{
    calling(body, added);
    body[0] = 8 << 2 | ILPI_BODY_TINY;
    body[6] = 0x26;
    body[7] = 0x02;
    body[8] = 0x2A;
    return (struct ilp_bytes){body, 9};
}

/* Whether the code of a body has these bytes. */
static bool has_code(const uint8_t *bytes, const void *part, size_t size)
{
    struct ilp_body body;
    struct ilp_arena *arena;
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    bool has = bytes &&
               ilp_body_read(&body, (struct ilp_bytes){bytes, 256}, 0, arena, NULL) == ILP_OK &&
               memmem(body.code.data, body.code.size, part, size);
    ilp_arena_close(arena);
    return has;
}

/* Without rows that were added the body says all; with them the runtime has to say those. This one
 * does not say those that the profiler has added itself, so bodies that use both are not verified:
 * with a real one tests/runtime/rows sees that they are inspected. */
static void test_changed_bodies(void **state)
{
    static const uint8_t other[] = {0x0E, 0x1F, 0x63, 0x2A}; /* return 99 */
    struct session session;
    struct ilp_bytes bytes;
    ilp_token added;
    uint8_t body[9];
    (void)state;
    session_begin(&session, "--inspect-returns", 14);
    struct host_module *app = &session.host.modules[APP - 1];
    app->now = make_now(&session, &bytes, &added);
    app->current[1] = (struct ilp_bytes){other, sizeof other};
    app->current[2] = app->current[3] = calling_before(body, added);
    session_start(&session);
    session_compile(&session, APP, INT);
    session_compile(&session, APP, TEXT);
    session_compile(&session, APP, SAME);                /* by what was read for the last one */
    assert_true(has_code(app->bodies[1], other + 1, 2)); /* ldc.i4.s 99 */
    assert_null(app->bodies[2]);
    assert_null(app->bodies[3]);
    ilp_image_close(app->now);
    session_end(&session);
    session_does_not_say(&session, "method\t");
    drop(bytes);
}

/* A method that cannot be understood stays as the other one made it. */
static void test_rows_fail(void **state)
{
    static const char *const failing[] = {"GetModuleMetaData(IMetaDataTables)", "GetTableInfo",
                                          "GetColumn", "GetString", "GetBlob"};
    (void)state;
    for (size_t i = 0; i < COUNT(failing); i++) {
        struct session session;
        struct ilp_bytes bytes;
        ilp_token added;
        uint8_t body[7];
        session_begin(&session, "--inspect-returns", 14);
        struct host_module *app = &session.host.modules[APP - 1];
        app->now = make_now(&session, &bytes, &added);
        app->current[1] = calling(body, added);
        session_start(&session);
        session.host.fails = failing[i];
        session_compile(&session, APP, INT);
        assert_null(app->bodies[1]);
        session.host.fails = NULL;
        session_compile(&session, APP, TEXT);
        assert_non_null(app->bodies[2]);
        ilp_image_close(app->now);
        session_end(&session);
        session_says(&session,
                     "method\t06000001 /app/App.dll: the runtime returns 0x80004005 from ");
        session_says(&session, failing[i]);
        drop(bytes);
    }
}

/* Rows of methods that were added are none of the module's that was loaded. */
static void test_added_method(void **state)
{
    struct session session;
    (void)state;
    session_begin(&session, "--inspect-returns", 14);
    session_start(&session);
    session_compile(&session, APP, LAST + 1);
    session_compile(&session, APP, LAST + 2);
    session_end(&session);
    session_says(&session, "method\t06000008 /app/App.dll: it was added to the module");
    session_does_not_say(&session, "method\t06000009");
}

/* ---- modules that the program may update ---- */

static void test_updates(void **state)
{
    static const struct {
        const char *variable, *value;
        const char *attribute; /* DebuggableAttribute's */
        bool left;
    } cases[] = {
        {"DOTNET_MODIFIABLE_ASSEMBLIES", "debug", "01 00 07 01 00 00 00 00", true},
        {"DOTNET_MODIFIABLE_ASSEMBLIES", "DEBUG", "01 00 01 01 00 00", true},
        {"DOTNET_MODIFIABLE_ASSEMBLIES", "debug", "01 00 02 00 00 00 00 00", false},
        {"DOTNET_MODIFIABLE_ASSEMBLIES", "debug", "01 00 01 00 00 00", false},
        {"DOTNET_MODIFIABLE_ASSEMBLIES", "debug", NULL, false},
        {"DOTNET_MODIFIABLE_ASSEMBLIES", "none", "01 00 07 01 00 00 00 00", false},
        {"COMPlus_ForceEnc", "1", "01 00 07 01 00 00 00 00", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct session session;
        session_begin(&session, "--inspect-returns", 14);
        setenv(cases[i].variable, cases[i].value, 1);
        drop(session.app);
        session.app = make_app(cases[i].attribute);
        session.host.modules[APP - 1].image = session.app;
        session_start(&session);
        session_compile(&session, APP, INT);
        session_compile(&session, APP, TEXT);
        if ((session.host.modules[APP - 1].bodies[1] == NULL) != cases[i].left) {
            fail_msg("%zu: %s=%s", i, cases[i].variable, cases[i].value);
        }
        unsetenv(cases[i].variable);
        session_end(&session);
        if (cases[i].left) {
            session_says(&session, "lets the program update this module while it runs");
            session_says(&session, cases[i].variable);
        }
    }
}

/* ---- tokens ---- */

/* Values of type parameters, and a guard, whose locals are a signature. */
static void test_emitter(void **state)
{
    static const char *const failing[] = {NULL, "GetTokenFromTypeSpec", "GetTokenFromSig"};
    char rules[64], options[128];
    (void)state;
    snprintf(rules, sizeof rules, "/tmp/ilpatch-rules-%ld.xml", (long)getpid());
    FILE *file = fopen(rules, "wbe");
    assert_true(file && fputs("<rules><include guard='yes'/></rules>", file) >= 0);
    fclose(file);
    snprintf(options, sizeof options, "--rules %s", rules);
    for (size_t i = 0; i < COUNT(failing); i++) {
        struct session session;
        session_begin(&session, options, 14);
        session_start(&session);
        session.host.fails = failing[i];
        session_compile(&session, APP, SAME);
        session_compile(&session, APP, GET);
        const struct host_module *app = &session.host.modules[APP - 1];
        for (ilp_rid rid = ILP_TOKEN_RID(SAME); rid <= ILP_TOKEN_RID(GET);
             rid += ILP_TOKEN_RID(GET) - ILP_TOKEN_RID(SAME)) {
            if ((app->bodies[rid] != NULL) != (failing[i] == NULL)) {
                fail_msg("%s: method %u", failing[i] ? failing[i] : "none fails", rid);
            }
        }
        session_end(&session);
        if (failing[i]) {
            session_says(&session, "the runtime returns 0x80004005 from ");
            session_says(&session, failing[i]);
        }
    }
    unlink(rules);
}

/* ---- which methods, and what they call ---- */

/* Options that cannot be used end the profiler before anything has changed. */
static void test_refused(void **state)
{
    static const struct {
        const char *options, *says;
    } cases[] = {
        {"--inspector /no/such.dll", "message\t/no/such.dll: "},
        {"--inspector tests/command/files/bad-inspector-none.dll", "bad-inspector-none.dll"},
        {"--inspector small", "message\tthe inspector small is for files that are patched"},
        {"--inspector native:libc.so.6", "has to be native:LIBRARY!FUNCTION"},
        {"--inspector native:!f", "has to be native:LIBRARY!FUNCTION"},
        {"--inspector native:no-such!f", "message\tno-such: cannot load it, so f cannot be called"},
        {"--inspector native:libc.so.6!no_such", "libc.so.6 has no function no_such"},
        {"--rules /dev/fd/0", "rules are read again in the process"},
        {"--where </exclude><include/><exclude>", "--where"},
        {"--where <exclude/>", "--where"},
        {"--affected-by nothing", "affected-by"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct session session;
        session_begin(&session, cases[i].options, 14);
        void *callback = session.host.callback;
        assert_int_equal(session_table(&session)->Initialize(callback, &session.host.info),
                         CORPROF_E_PROFILER_CANCEL_ACTIVATION);
        assert_int_equal(session.host.masks, 0);
        session_close(&session);
        session_says(&session, cases[i].says);
        session_says(&session, "failed\tthe options in ILPATCH_OPTIONS cannot be used");
    }
}

static void test_selected(void **state)
{
    static const struct {
        const char *options;
        ilp_token inspected, left;
    } cases[] = {
        {"--where <method\tname='Int'/>", INT, TEXT},
        {"--where <not><return\tkind='struct'/></not>", TEXT, PAIR},
        {"--affected-by x86-struct-return --target x86", PAIR, INT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct session session;
        session_begin(&session, cases[i].options, 14);
        session_start(&session);
        session_compile(&session, APP, cases[i].inspected);
        session_compile(&session, APP, cases[i].left);
        const struct host_module *app = &session.host.modules[APP - 1];
        if (!app->bodies[ILP_TOKEN_RID(cases[i].inspected)] ||
            app->bodies[ILP_TOKEN_RID(cases[i].left)]) {
            fail_msg("%s", cases[i].options);
        }
        session_end(&session);
    }
}

/* The function's address is in the body. */
static void test_native(void **state)
{
    struct session session;
    (void)state;
    session_begin(&session, "--inspector native:libc.so.6!puts", 14);
    session_start(&session);
    session_compile(&session, APP, INT);
    const uint8_t *body = session.host.modules[APP - 1].bodies[1];
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    void *puts_there = dlsym(libc, "puts");
    assert_true(has_code(body, &puts_there, sizeof puts_there));
    dlclose(libc);
    session_end(&session);
}

/* ---- values that are shown from C ---- */

typedef void show_fn(const void *value, uint32_t size, int64_t id);
typedef void act_fn(void);

struct shown_by {
    show_fn *function;
    act_fn *write_out;
    int64_t id;
    bool by_address; /* of a new local; else objects and integers are passed themselves */
};

/* What a body calls: of the numbers in it those that are addresses, and the id. */
static struct shown_by read_calls(const uint8_t *bytes, ilp_token method)
{
    struct shown_by calls = {.id = 0};
    struct ilp_body body;
    struct ilp_arena *arena;
    struct ilpi_insn insn;
    uintptr_t addresses[2] = {0, 0};
    unsigned count = 0;
    assert_non_null(bytes);
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_body_read(&body, (struct ilp_bytes){bytes, 256}, 0, arena, NULL), ILP_OK);
    for (uint32_t at = 0; at < body.code.size; at += insn.size) {
        int64_t number;
        assert_true(ilpi_insn_read(body.code, at, &insn));
        if (body.code.data[at] == 0x21) { /* ldc.i8 */
            memcpy(&number, body.code.data + at + 1, sizeof number);
            if ((uint32_t)number == method) {
                calls.id = number;
            } else if (count < 2) {
                addresses[count++] = (uintptr_t)number;
            }
        }
    }
    ilp_arena_close(arena);
    assert_int_equal(count, 2);
    calls.function = (show_fn *)addresses[0];
    calls.write_out = (act_fn *)addresses[1];
    calls.by_address = body.locals != 0;
    return calls;
}

/* As a body does it, which returns `value` of `size` bytes. */
static void show(const struct shown_by *calls, const void *value, uint32_t size)
{
    uintptr_t itself = 0;
    if (!calls->by_address) {
        assert_true(size <= sizeof itself);
        memcpy(&itself, value, size);
        value = (const void *)itself;
    }
    calls->function(value, size, calls->id);
}

static struct shown_by with_id(struct shown_by calls, int64_t id)
{
    calls.id = id;
    return calls;
}

static void test_unmanaged(void **state)
{
    static const int32_t pair[2] = {1, 2};
    const int32_t number = 42;
    const void *null = NULL;
    struct session session;
    (void)state;
    session_begin(&session, "--inspector unmanaged", 14);
    session_start(&session);
    const uint8_t *_Atomic const *bodies = session.host.modules[APP - 1].bodies;
    session_compile(&session, APP, INT);
    struct shown_by calls = read_calls(bodies[1], INT);
    calls.write_out(); /* nothing has been shown yet */
    show(&calls, &number, sizeof number);
    calls.write_out();
    struct shown_by missing = with_id(calls, calls.id + 0x100000000); /* of no module, */
    show(&missing, &number, sizeof number);
    calls.write_out();
    missing = with_id(calls, calls.id + LAST); /* of no method */
    show(&missing, &number, sizeof number);
    calls.write_out();
    session_compile(&session, APP, PAIR);
    calls = read_calls(bodies[ILP_TOKEN_RID(PAIR)], PAIR);
    show(&calls, pair, sizeof pair);
    calls.write_out();
    session_compile(&session, APP, TEXT);
    calls = read_calls(bodies[ILP_TOKEN_RID(TEXT)], TEXT);
    show(&calls, &null, sizeof null);
    calls.write_out();
    session_table(&session)->ModuleUnloadStarted(session.host.callback, APP);
    show(&calls, &null, sizeof null); /* its module has gone */
    calls.write_out();
    session_end(&session);
    assert_string_equal(session.output, "N.C::Int -> 42 (System.Int32)\n"
                                        "N.C::Pair -> {X=1, Y=2} (N.Pair)\n"
                                        "N.C::Text -> null\n");
}

/* Only the first, second, fourth ... of them has a line. */
static void test_unmanaged_counts(void **state)
{
    const int32_t number = 42;
    struct session session;
    (void)state;
    session_begin(&session, "--inspector unmanaged", 14);
    setenv("ILPATCH_COUNT", "1", 1);
    session_start(&session);
    session_compile(&session, APP, INT);
    struct shown_by calls = read_calls(session.host.modules[APP - 1].bodies[1], INT);
    for (unsigned i = 0; i < 5; i++) {
        show(&calls, &number, sizeof number);
        calls.write_out();
    }
    session_end(&session);
    assert_string_equal(session.output,
                        "ilpatch: 1 values\nilpatch: 2 values\nilpatch: 4 values\n");
}

/* How a runtime lays out strings that reports another layout is not known. */
static void test_unmanaged_unknown(void **state)
{
    struct session session;
    (void)state;
    session_begin(&session, "--inspector unmanaged", 14);
    session.host.fails = "GetStringLayout2";
    void *callback = session.host.callback;
    assert_int_equal(session_table(&session)->Initialize(callback, &session.host.info),
                     CORPROF_E_PROFILER_CANCEL_ACTIVATION);
    assert_int_equal(session.host.masks, 0);
    session_close(&session);
    session_says(&session, "failed\tthe layout of strings in this runtime, ");
}

/* Others work there. */
static void test_others_where_unmanaged_is_unknown(void **state)
{
    struct session session;
    (void)state;
    session_begin(&session, "--framework --inspector native:libc.so.6!getpid", 14);
    session.host.fails = "GetStringLayout2";
    session_start(&session);
    session_end(&session);
    session_says(&session, "values\tthe layout of strings in this runtime, ");
}

/* Assemblies of one name that differ leave the types of that name open; without the other they are
 * known again. */
static void test_shapes_renewed(void **state)
{
    static const int32_t point[2] = {3, 4};
    struct session session;
    struct ib_image b;
    (void)state;
    struct ilp_bytes lib[2];
    for (unsigned i = 0; i < 2; i++) {
        ii_begin(&b, "Lib");
        ilp_token type = ii_type(&b, "L", "Point", II_VALUE_TYPE);
        ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100109);
        IB_ROW(&b, Field, 6, ib_string(&b, i == 0 ? "A" : "C"), ii_blob(&b, "06 08"));
        IB_ROW(&b, Field, 6, ib_string(&b, i == 0 ? "B" : "D"), ii_blob(&b, "06 08"));
        lib[i] = session_file(&b);
    }
    ii_begin(&b, "App");
    ii_type_ref(&b, ii_assembly_ref(&b, "Lib"), "L", "Point"); /* TypeRef 4 */
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "Point", "00 01 11 11 11 11"), "0A 02 2A");
    session_begin(&session, "--inspector unmanaged", 14);
    drop(session.app);
    session.app = session_file(&b);
    session.host.modules[APP - 1].image = session.app;
    session.host.modules[INSPECTOR - 1] = session_module("/app/Lib.dll", lib[0]);
    session.host.modules[3] = session_module("/app/other/Lib.dll", lib[1]);
    session_start(&session);
    session_compile(&session, APP, INT);
    const struct callback_table *table = session_table(&session);
    void *callback = session.host.callback;
    struct shown_by calls = read_calls(session.host.modules[APP - 1].bodies[1], INT);
    for (unsigned round = 0; round < 2; round++) {
        show(&calls, point, sizeof point);
        calls.write_out();
        table->ModuleLoadFinished(callback, 4, S_OK);
        table->ModuleLoadFinished(callback, 4, S_OK);
        show(&calls, point, sizeof point);
        calls.write_out();
        table->ModuleUnloadStarted(callback, 4);
    }
    session_end(&session);
    assert_string_equal(session.output, "N.C::Point -> {A=3, B=4} (L.Point)\n"
                                        "N.C::Point -> bytes 0300000004000000 (L.Point)\n"
                                        "N.C::Point -> {A=3, B=4} (L.Point)\n"
                                        "N.C::Point -> bytes 0300000004000000 (L.Point)\n");
    session_says(&session, "values\tstructs of Lib are shown as bytes: several assemblies");
    drop(lib[0]);
    drop(lib[1]);
}

/* What the stock inspector is given: its lines, and its counts, are written here. */
static void test_stock_lines(void **state)
{
    typedef int switch_fn(int on);
    typedef void text_fn(const char *bytes, size_t size);
    uintptr_t at[4];
    struct session session;
    (void)state;
    session_begin(&session, "--inspect-returns", 14);
    session_start(&session);
    assert_int_equal(
        sscanf(session.host.profiler, "%lx %lx %lx %lx", &at[0], &at[1], &at[2], &at[3]), 4);
    switch_fn *be_quiet = (switch_fn *)at[0];
    text_fn *take_line = (text_fn *)at[1], *take_message = (text_fn *)at[3];
    act_fn *take_count = (act_fn *)at[2];
    assert_int_equal(be_quiet(1), 1);
    take_line("N.C::Int -> 42\n", 15);
    take_message("the inspector says so", 21);
    assert_int_equal(be_quiet(0), 1);
    take_count();
    session_end(&session);
    assert_true(strncmp(session.output, "N.C::Int -> 42\n", 15) == 0);
    session_says(&session, "message\tthe inspector says so");
}

/* ---- tail calls ---- */

static size_t put_event(uint8_t *to, uint32_t prefixed, uint32_t type)
{
    static const char *const texts[] = {"N.C",    "Tail",  "int32  ()", "<null>",  "<null>",
                                        "<null>", "N.\tD", "Callee",    "int32 ()"};
    size_t size = 0;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t j = 0; j <= strlen(texts[i]); j++) {
            to[size++] = (uint8_t)texts[i][j];
            to[size++] = 0;
        }
    }
    const uint32_t numbers[] = {prefixed, type};
    memcpy(to + size, numbers, sizeof numbers);
    return size + sizeof numbers + 2;
}

static void deliver(struct session *session, ULONG id, const uint8_t *payload, size_t size)
{
    assert_int_equal(session_table(session)->EventPipeEventDelivered(
                         session->host.callback, 1, id, 0, 0, NULL, (ULONG)size, payload, NULL,
                         NULL, 0, 0, NULL),
                     S_OK);
}

static void test_tail_calls(void **state)
{
    static const uint8_t tail_body[] = {0x22, 0xFE, 0x14, 0x28, 1, 0, 0, 6, 0x2A};
    uint8_t payload[1024] = {0};
    struct session session;
    (void)state;
    session_begin(&session, "--explain-tail", 14);
    const struct callback_table *table = session_table(&session);
    void *callback = session.host.callback;
    session.host.provider = "Microsoft-Windows-DotNETRuntime";
    session.host.modules[APP - 1].current[ILP_TOKEN_RID(TAIL)] =
        (struct ilp_bytes){tail_body, sizeof tail_body};
    session_start(&session);
    assert_int_equal(session.host.high_mask, HIGH_MONITOR_EVENT_PIPE);
    assert_int_equal(session.host.sessions, 1);
    table->JITCompilationStarted(callback, FUNCTION(APP, TAIL), 1);
    table->DynamicMethodJITCompilationStarted(callback, 77, 1, NULL, 0); /* within it */
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload, put_event(payload, 1, 0));
    table->DynamicMethodJITCompilationFinished(callback, 77, S_OK, 1);
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload, put_event(payload, 1, 1));
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload, put_event(payload, 0, 0));
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload, 7);
    deliver(&session, 1, payload, 7); /* another event */
    table->JITCompilationFinished(callback, FUNCTION(APP, TAIL), S_OK, 1);
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload,
            put_event(payload, 1, 0)); /* of no method */
    table->JITCompilationFinished(callback, 78, S_OK, 1);
    table->JITCachedFunctionSearchFinished(callback, FUNCTION(APP, TAIL), CACHED_FUNCTION_FOUND);
    table->JITCachedFunctionSearchFinished(callback, FUNCTION(APP, TAIL), 1);
    assert_null(session.host.modules[APP - 1].bodies[ILP_TOKEN_RID(TAIL)]);
    session_end(&session);
    assert_int_equal(session.host.sessions, 0);
    session_says(&session, "tail-method\t06000006\t/app/App.dll");
    session_says(&session, "tail-call\t06000006\t/app/App.dll\t");
    session_says(&session, "N.?D\tCallee");
    session_says(&session, "tail-call\t00000000\t\t");
    session_says(&session, "tail-native\t06000006\t/app/App.dll");
    session_says(&session, "tail-failed\t1 events of this runtime cannot be read");
    session_says(&session, "tail-implicit\t");
}

static void test_tail_calls_of_others(void **state)
{
    uint8_t payload[1024] = {0};
    struct session session;
    (void)state;
    session_begin(&session, "--explain-tail", 14);
    session.host.provider = "Somebody-Else";
    session_start(&session);
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload, put_event(payload, 1, 0));
    session.host.fails = "EventPipeGetProviderInfo";
    session.host.provider = "Microsoft-Windows-DotNETRuntime";
    deliver(&session, EVENT_TAIL_CALL_SUCCEEDED, payload, put_event(payload, 1, 0));
    session_end(&session);
    session_does_not_say(&session, "tail-call");
}

/* A runtime without events says so, and all else goes on. */
static void test_no_events(void **state)
{
    (void)state;
    for (unsigned old = 0; old < 2; old++) {
        struct session session;
        session_begin(&session, "--explain-tail --inspect-returns", old ? 11 : 12);
        session.host.fails = "EventPipeStartSession";
        session_start(&session);
        session_compile(&session, APP, INT);
        assert_non_null(session.host.modules[APP - 1].bodies[1]);
        session_end(&session);
        session_says(&session, old ? "tail-failed\tthe runtime is older than .NET 5"
                                   : "tail-failed\tthe runtime delivers no events (80004005");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_factory),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_bodies_fail),
        cmocka_unit_test(test_changed_bodies),
        cmocka_unit_test(test_rows_fail),
        cmocka_unit_test(test_added_method),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_emitter),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_selected),
        cmocka_unit_test(test_native),
        cmocka_unit_test(test_unmanaged),
        cmocka_unit_test(test_unmanaged_counts),
        cmocka_unit_test(test_unmanaged_unknown),
        cmocka_unit_test(test_others_where_unmanaged_is_unknown),
        cmocka_unit_test(test_shapes_renewed),
        cmocka_unit_test(test_stock_lines),
        cmocka_unit_test(test_tail_calls),
        cmocka_unit_test(test_tail_calls_of_others),
        cmocka_unit_test(test_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
