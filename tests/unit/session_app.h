/* A program for a played runtime (profiler_host.h): the modules App, MyProfiler and a core library,
 * and a folder for what the profiler writes.
 *
 *   struct session session;
 *   session_begin(&session, "--inspect-returns", 14);       Initialize() has not been called yet
 *   session_start(&session);                                it has, and the inspector is loaded
 *   ...
 *   session_end(&session);                                  Shutdown()
 *   session_says(&session, "method\t06000001");             a line of the status file */
#ifndef SESSION_APP_H
#define SESSION_APP_H

#include <dirent.h>
#include <unistd.h>

#include "tests/unit/inspect_image.h"
#include "tests/unit/profiler_host.h"

/* ModuleIDs. */
enum { APP = 1, INSPECTOR, CORE };

/* Methods of App, as the runtime names them. */
enum {
    INT = 0x06000001, /* static int Int() => 42; */
    TEXT,             /* static string Text(string text) => text; */
    SAME,             /* static T Same<T>(T value) => value; */
    PAIR,             /* static Pair Pair(int n, Pair) */
    NOTHING,          /* static void Nothing() */
    TAIL,             /* static int Tail() { tail. return Int(); } */
    GET,              /* T Box<T>.Get(T value): an instance method of Box`1 */
    LAST = GET
};

/* TypeDefs of App, and of the core library. */
enum { APP_PAIR = 3, APP_BOX = 4, CORE_OBJECT = 2, CORE_STRING = 4, CORE_INT32 = 5 };

struct session {
    struct host host;
    char folder[32];
    char status_path[64], output_path[64], spool_path[64], bodies_path[64];
    struct ilp_bytes app, inspector, core;
    char status[1 << 14];
    char output[1 << 12];
};

static inline struct ilp_bytes session_file(struct ib_image *b)
{
    struct ilp_bytes bytes = taken_file(ib_pe_file(b, (struct ib_pe){0}));
    ib_end(b);
    return bytes;
}

/* Fields and parameters are those of the type or method that is added next. */
static inline struct ilp_bytes make_app(const char *debuggable)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token core_attribute = ii_type_ref(&b, II_MSCORLIB, "System.Diagnostics",
                                           "DebuggableAttribute");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "Int", "00 00 08"), "0E 1F 2A 2A");
    ilp_token text = ii_method(&b, "Text", "00 01 0E 0E");
    ii_body(&b, text, "0A 02 2A");
    ilp_token same = ii_method(&b, "Same", "10 01 01 1E 00 1E 00");
    ii_body(&b, same, "0A 02 2A");
    IB_ROW(&b, GenericParam, 0, 0, same, ib_string(&b, "T"));
    ii_body(&b, ii_method(&b, "Pair", "00 02 11 0C 08 11 0C"), "0A 03 2A");
    ii_body(&b, ii_method(&b, "Nothing", "00 00 01"), "06 2A");
    ii_body(&b, ii_method(&b, "Tail", "00 00 08"), "22 FE 14 28 01 00 00 06 2A");
    ilp_token pair = ii_type(&b, "N", "Pair", II_VALUE_TYPE);
    assert_int_equal(ILP_TOKEN_RID(pair), APP_PAIR);
    ib_set(&b, ILP_TypeDef, APP_PAIR, ILP_TypeDef_Flags, 0x00100109);
    IB_ROW(&b, Field, 6, ib_string(&b, "X"), ii_blob(&b, "06 08"));
    IB_ROW(&b, Field, 6, ib_string(&b, "Y"), ii_blob(&b, "06 08"));
    ilp_token box = ii_type(&b, "N", "Box`1", II_OBJECT);
    assert_int_equal(ILP_TOKEN_RID(box), APP_BOX);
    IB_ROW(&b, GenericParam, 0, 0, box, ib_string(&b, "T"));
    ilp_token get = ii_method(&b, "Get", "20 01 13 00 13 00");
    assert_int_equal(get, GET);
    ib_set(&b, ILP_MethodDef, ILP_TOKEN_RID(get), ILP_MethodDef_Flags, 0x6);
    ii_body(&b, get, "0A 03 2A");
    for (ilp_rid rid = 1; rid <= ILP_TOKEN_RID(LAST); rid++) {
        ib_set(&b, ILP_MethodDef, rid, ILP_MethodDef_ParamList, rid <= ILP_TOKEN_RID(TEXT) ? 1 : 2);
    }
    IB_ROW(&b, Param, 0, 1, ib_string(&b, "text"));
    if (debuggable) {
        ilp_rid constructor = IB_ROW(&b, MemberRef, core_attribute, ib_string(&b, ".ctor"),
                                     ii_blob(&b, "20 01 01 08"));
        IB_ROW(&b, CustomAttribute, ILP_TOKEN(ILP_Assembly, 1),
               ILP_TOKEN(ILP_MemberRef, constructor), ii_blob(&b, debuggable));
    }
    return session_file(&b);
}

static inline struct ilp_bytes make_core(void)
{
    struct ib_image b;
    ii_begin_bare(&b, "mscorlib");
    ilp_token object = ii_type(&b, "System", "Object", 0);
    ilp_token value = ii_type(&b, "System", "ValueType", object);
    ii_type(&b, "System", "String", object);
    ilp_token number = ii_type(&b, "System", "Int32", value);
    ib_set(&b, ILP_TypeDef, ILP_TOKEN_RID(number), ILP_TypeDef_Flags, 0x00100109);
    IB_ROW(&b, Field, 1, ib_string(&b, "m_value"), ii_blob(&b, "06 08"));
    return session_file(&b);
}

static inline struct host_module session_module(const char *path, struct ilp_bytes image)
{
    return (struct host_module){.path = path, .image = image, .flags = 1 | MODULE_FLAT_LAYOUT};
}

/* No variable of another test stays. */
static inline void session_environment(const struct session *session, const char *options)
{
    const char *const pairs[][2] = {{"ILPATCH_OPTIONS", options},
                                    {"ILPATCH_STATUS", session->status_path},
                                    {"ILPATCH_OUTPUT", session->output_path},
                                    {"ILPATCH_BODIES", NULL},
                                    {"ILPATCH_REPORT", NULL},
                                    {"ILPATCH_COUNT", NULL},
                                    {"ILPATCH_CHILDREN", NULL},
                                    {"DOTNET_STARTUP_HOOKS", NULL},
                                    {"DOTNET_MODIFIABLE_ASSEMBLIES", NULL},
                                    {"DOTNET_TailCallOpt", "0"},
                                    {"DOTNET_FastTailCalls", "0"}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (pairs[i][1]) {
            setenv(pairs[i][0], pairs[i][1], 1);
        } else {
            unsetenv(pairs[i][0]);
        }
    }
}

static inline void session_begin(struct session *session, const char *options, unsigned age)
{
    memset(session, 0, sizeof *session);
    strcpy(session->folder, "/tmp/ilpatch-session-XXXXXX");
    assert_non_null(mkdtemp(session->folder));
    snprintf(session->status_path, sizeof session->status_path, "%s/status", session->folder);
    snprintf(session->output_path, sizeof session->output_path, "%s/output", session->folder);
    snprintf(session->spool_path, sizeof session->spool_path, "%s/spool", session->folder);
    snprintf(session->bodies_path, sizeof session->bodies_path, "%s/bodies", session->folder);
    FILE *status = fopen(session->status_path, "wbxe");
    assert_true(status && fclose(status) == 0);
    session_environment(session, options);
    host_begin(&session->host, age);
    session->host.major = 10;
    session->app = make_app(NULL);
    session->inspector = load("../../data/inspector/MyProfiler.dll");
    session->core = make_core();
    session->host.module_count = CORE;
    session->host.modules[APP - 1] = session_module("/app/App.dll", session->app);
    session->host.modules[INSPECTOR - 1] = session_module("/opt/MyProfiler.dll",
                                                          session->inspector);
    session->host.modules[CORE - 1] = session_module("/usr/mscorlib.dll", session->core);
    load_library(&session->host);
}

static inline const struct callback_table *session_table(const struct session *session)
{
    return CALLBACKS(session->host.callback);
}

static inline void session_start(struct session *session)
{
    void *callback = session->host.callback;
    assert_int_equal(session_table(session)->Initialize(callback, &session->host.info), S_OK);
    for (ModuleID id = CORE; id >= APP; id--) {
        assert_int_equal(session_table(session)->ModuleLoadFinished(callback, id, S_OK), S_OK);
    }
}

static inline void session_compile(struct session *session, ModuleID module, ilp_token token)
{
    void *callback = session->host.callback;
    assert_int_equal(
        session_table(session)->JITCompilationStarted(callback, FUNCTION(module, token), 1), S_OK);
    assert_int_equal(
        session_table(session)->JITCompilationFinished(callback, FUNCTION(module, token), S_OK, 1),
        S_OK);
}

static inline void session_read(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rbe");
    size_t got = file ? fread(text, 1, size - 1, file) : 0;
    text[got] = '\0';
    if (file) {
        fclose(file);
    }
}

static inline void session_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries) {
        closedir(entries);
    }
    rmdir(folder);
}

/* What was written stays in `session`. */
static inline void session_close(struct session *session)
{
    host_end(&session->host);
    session_read(session->status_path, session->status, sizeof session->status);
    session_read(session->output_path, session->output, sizeof session->output);
    session_remove(session->bodies_path);
    session_remove(session->folder);
    drop(session->app);
    drop(session->inspector);
    drop(session->core);
}

static inline void session_end(struct session *session)
{
    assert_int_equal(session_table(session)->Shutdown(session->host.callback), S_OK);
    session_close(session);
}

static inline void session_says(const struct session *session, const char *text)
{
    if (!strstr(session->status, text)) {
        fail_msg("no '%s': %s", text, session->status);
    }
}

static inline void session_does_not_say(const struct session *session, const char *text)
{
    if (strstr(session->status, text)) {
        fail_msg("'%s': %s", text, session->status);
    }
}

#endif
