/* A profiler for a process that runs already: it gives the methods of one assembly a new body by
 * ReJIT, prints what they return, and after some seconds gives them their old code back. README.md
 * says how to build and run it.
 *
 * What an attached profiler cannot do decides how it works: it comes too late for
 * JITCompilationStarted of most methods, and cannot refuse native code (MONITOR_CACHE_SEARCHES). So
 * each method is requested, and the runtime calls GetReJITParameters before it compiles it again. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../profiler-c/entry.h"
#include "../profiler-c/module.h"

/* "SECONDS FILE-NAME", from the process that attaches. */
static char wanted[256];
static unsigned seconds;

enum { MODULES = 64 };
static struct module modules[MODULES]; /* [0] is none: ids begin with 1 */
static unsigned module_count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ilp_inspector *inspector;
static void *info;

/* Called by inspected methods, with a GC transition, so that it may wait. Only the first bytes are
 * printed, as a number: profiler-c prints all. */
static void returned(const void *value, uint32_t size, int64_t id)
{
    int32_t number = 0;
    char line[512];
    memcpy(&number, value, size < sizeof number ? size : sizeof number);
    int length = snprintf(line, sizeof line, "%.200s -> %d\n",
                          modules[id >> 32].methods[id & 0xFFFFFF].name, number);
    if (write(STDERR_FILENO, line, (size_t)length) < 0) {
        return;
    }
}

/* ---- which methods ---- */

/* Whether a method gets a new body. It is made again in GetReJITParameters: the runtime copies it
 * there, so nothing has to stay. */
static ilp_status inspect(struct module *module, ilp_token token, struct ilp_method_result *result)
{
    struct ilp_error error;
    struct ilp_bytes body = {NULL, 0};
    uint32_t size = 0;
    if (CALL(info, GetILFunctionBody, (void *, ID, ilp_token, const uint8_t **, uint32_t *))(
            info, module->id, token, &body.data, &size) < 0) {
        return ILP_E_CALLBACK; /* abstract, or without IL */
    }
    body.size = size;
    return ilp_inspect_method(module->inspection, token, body, result, &error);
}

/* Fills `ids` and `tokens` with the module's methods that get a new body. */
static uint32_t choose(struct module *module, ID *ids, ilp_token *tokens)
{
    uint32_t count = 0, rows = ilp_row_count(module->image, ILP_MethodDef);
    for (uint32_t rid = 1; rid <= rows; rid++) {
        struct ilp_method_result result;
        struct ilp_error error;
        struct method *method = &module->methods[rid];
        ilp_token token = ILP_TOKEN(ILP_MethodDef, rid);
        method->decided = inspect(module, token, &result) == ILP_OK && result.body.size != 0 &&
                          ilp_method_name_text(module->image, token, module->names, &method->name,
                                               &error) == ILP_OK;
        if (method->decided) {
            ids[count] = module->id;
            tokens[count++] = token;
        }
    }
    return count;
}

/* Trap: RequestReJIT takes other locks of the runtime, whose callbacks wait for ours. So it is
 * called without it. */
static void request(struct module *module, bool revert)
{
    uint32_t rows = ilp_row_count(module->image, ILP_MethodDef), count = 0;
    ID *ids = calloc(rows + 1, sizeof *ids);
    ilp_token *tokens = calloc(rows + 1, sizeof *tokens);
    HRESULT *results = calloc(rows + 1, sizeof *results), result = E_FAIL;
    if (ids && tokens && results) {
        pthread_mutex_lock(&lock);
        count = choose(module, ids, tokens);
        pthread_mutex_unlock(&lock);
        /* Trap: a copy of the old body may be inlined in other methods. The runtime finds these and
         * compiles them again, too; and it inlines no new ones. */
        result =
            revert ? CALL(info, RequestRevert, (void *, uint32_t, ID *, ilp_token *, HRESULT *))(
                         info, count, ids, tokens, results)
                   : CALL(info, RequestReJITWithInliners,
                          (void *, uint32_t, uint32_t, ID *, ilp_token *))(
                         info, REJIT_BLOCK_INLINING | REJIT_INLINING_CALLBACKS, count, ids, tokens);
    }
    fprintf(stderr, "example: %u methods %s (0x%08X)\n", count, revert ? "reverted" : "requested",
            (unsigned)result);
    free(ids), free(tokens), free(results);
}

/* ---- modules ---- */

/* Opens the module if it is the wanted one. NULL: it is not, or is there already. */
static struct module *open_module(ID id)
{
    WCHAR path[2048];
    struct loaded_module loaded = {.id = id};
    uint32_t length, flags, size = (uint32_t)strlen(wanted);
    ID assembly;
    struct module *module = NULL;
    if (CALL(info, GetModuleInfo2,
             (void *, ID, const uint8_t **, uint32_t, uint32_t *, WCHAR *, ID *, uint32_t *))(
            info, id, &loaded.base, 2048, &length, path, &assembly, &flags) < 0 ||
        !loaded.base || length > 2048 || length < size + 2 || path[length - size - 2] != '/') {
        return NULL;
    }
    for (uint32_t i = 0; i < size; i++) {
        if (path[length - 1 - size + i] != (uint8_t)wanted[i]) {
            return NULL;
        }
    }
    loaded.flat = (flags & MODULE_FLAT_LAYOUT) != 0;
    pthread_mutex_lock(&lock);
    bool known = module_count == MODULES;
    for (unsigned i = 1; i < module_count; i++) {
        known = known || modules[i].id == id;
    }
    if (!known) {
        module = &modules[module_count];
        module_open(module, info, &loaded, inspector, module_count);
        module_count++;
    }
    pthread_mutex_unlock(&lock);
    return module && module->inspection ? module : NULL;
}

/* A module that is loaded later. */
static HRESULT module_load_finished(void *self, ID id, HRESULT status)
{
    struct module *module = status < 0 ? NULL : open_module(id);
    (void)self;
    if (module) {
        request(module, false);
    }
    return S_OK;
}

/* Everything that takes time happens on a thread of the profiler's own: the one that attaches
 * belongs to the runtime, and the next command waits for it. */
static void *work(void *nothing)
{
    void *modules_now;
    ID id;
    uint32_t got;
    if (CALL(info, EnumModules, (void *, void **))(info, &modules_now) >= 0) {
        while (CALL(modules_now, Next, (void *, uint32_t, ID *, uint32_t *))(modules_now, 1, &id,
                                                                             &got) == S_OK &&
               got == 1) {
            module_load_finished(NULL, id, S_OK);
        }
        CALL(modules_now, Release, (void *))(modules_now);
    }
    sleep(seconds);
    /* Trap: a profiler that has used ReJIT cannot be detached. Reverted, it costs nothing. */
    for (unsigned i = 1; i < module_count; i++) {
        if (modules[i].inspection) {
            request(&modules[i], true);
        }
    }
    return nothing;
}

static HRESULT attach_complete(void *self)
{
    pthread_t thread;
    (void)self;
    if (pthread_create(&thread, NULL, work, NULL) == 0) {
        pthread_detach(thread);
    }
    return S_OK;
}

/* ---- methods ---- */

static struct module *find(ID id)
{
    for (unsigned i = 1; i < module_count; i++) {
        if (modules[i].id == id && modules[i].inspection) {
            return &modules[i];
        }
    }
    return NULL;
}

/* The runtime is about to compile a requested method again, or one that has it inlined. `control`
 * lives until this returns. */
static HRESULT rejit_parameters(void *self, ID id, ilp_token token, void *control)
{
    struct ilp_method_result result;
    HRESULT answer = S_OK;
    (void)self;
    pthread_mutex_lock(&lock);
    struct module *module = find(id);
    if (module && module->methods[ILP_TOKEN_RID(token)].decided &&
        inspect(module, token, &result) == ILP_OK) {
        answer = CALL(control, SetRejittedBody, (void *, uint32_t, const uint8_t *))(
            control, (uint32_t)result.body.size, result.body.data);
    }
    pthread_mutex_unlock(&lock);
    return answer;
}

/* ---- start ---- */

static HRESULT initialize_for_attach(void *self, void *unknown, const char *data, uint32_t size)
{
    const struct ilp_native native = {.call = ILP_NATIVE_CALLI,
                                      .address = (uint64_t)(uintptr_t)returned};
    struct ilp_error error = {.message = "the runtime has no ICorProfilerInfo10"};
    char text[sizeof wanted + 16];
    (void)self;
    snprintf(text, sizeof text, "%.*s", (int)size, data);
    if (sscanf(text, "%u %255s", &seconds, wanted) != 2) {
        fprintf(stderr, "example: expected SECONDS FILE-NAME, not '%s'\n", text);
        return E_FAIL;
    }
    if (CALL(unknown, QueryInterface,
             (void *, const struct guid *, void **))(unknown, &profiler_info10, &info) < 0 ||
        ilp_inspector_open_native(&inspector, &native, NULL, &error) != ILP_OK) {
        fprintf(stderr, "example: %s\n", error.message);
        return E_FAIL;
    }
    return CALL(info, SetEventMask, (void *, uint32_t))(info, MONITOR_MODULE_LOADS | ENABLE_REJIT);
}

static void set_callbacks(slot *callbacks)
{
    callbacks[InitializeForAttach] = (slot)initialize_for_attach;
    callbacks[ProfilerAttachComplete] = (slot)attach_complete;
    callbacks[ModuleLoadFinished] = (slot)module_load_finished;
    callbacks[GetReJITParameters] = (slot)rejit_parameters;
}

const struct profiler the_profiler = {
    {0xC3D7A1F8, 0x6E24, 0x4B59, {0x8F, 0x03, 0x95, 0x2A, 0xD1, 0x7C, 0x46, 0xEB}},
    {&profiler_callback2, &profiler_callback3, &profiler_callback4},
    set_callbacks};
