/* A whole profiler in C: what the methods of one assembly return is printed by a function of the
 * profiler itself. README.md says how to build and run it.
 *
 * The runtime reports a method before it compiles it: ilp_inspect_method() makes the new body, and
 * SetILFunctionBody() puts it in place. docs/profiler-authors.md explains what is marked "Trap". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entry.h"
#include "module.h"

/* ---- what is known of the process ---- */

/* Modules stay in their places, so that what inspected code passes, place << 32 | token, needs no
 * lock to be understood. */
enum { MODULES = 64 };
static struct module modules[MODULES]; /* [0] is none: ids begin with 1 */
static unsigned module_count = 1;
/* Trap: callbacks come from all threads at once, and an inspection is for one at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ilp_inspector *inspector;
static void *info;

/* ---- what inspected methods call ---- */

/* With a GC transition, as here, it may take its time and write; but a value that holds objects is
 * not passed, since they would move meanwhile (ILP_REASON_MANAGED_REFERENCE). */
static void returned(const void *value, uint32_t size, int64_t id)
{
    static const char digits[] = "0123456789ABCDEF";
    const struct module *module = &modules[id >> 32];
    const uint8_t *bytes = value;
    char line[512]; /* what does not fit is left out */
    size_t length = (size_t)snprintf(line, sizeof line, "%.200s ->",
                                     module->methods[id & 0xFFFFFF].name);
    for (uint32_t i = 0; i < size && length + 4 <= sizeof line; i++) {
        line[length++] = ' ';
        line[length++] = digits[bytes[i] >> 4];
        line[length++] = digits[bytes[i] & 0xF];
    }
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0) {
        /* one write: lines of several threads do not mix */
        return; /* standard error is closed: there is no place for a report */
    }
}

/* ---- modules ---- */

/* Whether PROFILE is the last part of the path. A module that was loaded from bytes has a name
 * alone. */
static bool is_wanted(const WCHAR *path, uint32_t length)
{
    const char *wanted = getenv("PROFILE");
    uint32_t size = wanted ? (uint32_t)strlen(wanted) : 0;
    bool same = size != 0 && (length == size || (length > size && path[length - size - 1] == '/'));
    for (uint32_t i = 0; same && i < size; i++) {
        same = path[length - size + i] == (uint8_t)wanted[i];
    }
    return same;
}

static HRESULT module_load_finished(void *self, ID id, HRESULT status)
{
    WCHAR path[2048];
    const uint8_t *base;
    uint32_t length, flags;
    ID assembly;
    (void)self;
    if (status < 0 ||
        CALL(info, GetModuleInfo2,
             (void *, ID, const uint8_t **, uint32_t, uint32_t *, WCHAR *, ID *, uint32_t *))(
            info, id, &base, 2048, &length, path, &assembly, &flags) < 0 ||
        !base || length == 0 || length > 2048 || !is_wanted(path, length - 1)) {
        return S_OK;
    }
    pthread_mutex_lock(&lock);
    if (module_count < MODULES) {
        const struct loaded_module loaded = {id, base, (flags & MODULE_FLAT_LAYOUT) != 0};
        module_open(&modules[module_count], info, &loaded, inspector, module_count);
        module_count++;
    } else {
        fprintf(stderr, "example: more than %d modules: one is left alone\n", MODULES - 1);
    }
    pthread_mutex_unlock(&lock);
    return S_OK;
}

/* Trap: a collectible module goes, with its image, and another one may get its ID. */
static HRESULT module_unload_started(void *self, ID id)
{
    (void)self;
    pthread_mutex_lock(&lock);
    for (unsigned i = 1; i < module_count; i++) {
        if (modules[i].id == id) {
            module_close(&modules[i]);
        }
    }
    pthread_mutex_unlock(&lock);
    return S_OK;
}

/* ---- methods ---- */

static void decide(struct module *module, ilp_token token, struct method *method)
{
    struct ilp_method_result result;
    struct ilp_error error;
    struct ilp_bytes body = {NULL, 0};
    uint32_t size = 0;
    method->decided = true;
    if (CALL(info, GetILFunctionBody, (void *, ID, ilp_token, const uint8_t **, uint32_t *))(
            info, module->id, token, &body.data, &size) < 0) {
        return; /* abstract, or without IL */
    }
    body.size = size;
    if (ilp_inspect_method(module->inspection, token, body, &result, &error) != ILP_OK ||
        result.body.size == 0 ||
        ilp_method_name_text(module->image, token, module->names, &method->name, &error) !=
            ILP_OK) {
        return; /* error.message, or ilp_reason_text(result.reason), says why it stays as it is */
    }
    /* Trap: the runtime keeps the pointer. The memory is its own, stays, and is aligned. */
    uint8_t *copy = ALLOCATE(module->allocator, (uint32_t)result.body.size);
    method->body = copy ? memcpy(copy, result.body.data, result.body.size) : NULL;
}

/* Trap: a method is reported again for each tier and instantiation, and has its new body then: it
 * is decided once. */
static const uint8_t *body_of(struct module *module, uint32_t rid)
{
    struct method *method = &module->methods[rid];
    if (!method->decided) {
        decide(module, ILP_TOKEN(ILP_MethodDef, rid), method);
    }
    return method->body;
}

struct answer {
    ID module;
    ilp_token token;
    const uint8_t *body;     /* the new one, or NULL */
    bool native_code_is_old; /* it does what the IL did before */
};

static struct answer look_up(ID function, bool about_native)
{
    struct answer found = {0};
    ID class;
    if (CALL(info, GetFunctionInfo, (void *, ID, ID *, ID *, ilp_token *))(
            info, function, &class, &found.module, &found.token) < 0) {
        return found;
    }
    pthread_mutex_lock(&lock);
    for (struct module *module = modules; module < modules + module_count; module++) {
        if (module->id == found.module && module->inspection) {
            size_t count = 0;
            found.body = body_of(module, ILP_TOKEN_RID(found.token));
            found.native_code_is_old = found.body != NULL;
            const ilp_rid *copies = about_native ? ilp_inlined(module->inlining,
                                                               ILP_TOKEN_RID(found.token), &count)
                                                 : NULL;
            for (size_t i = 0; i < count && !found.native_code_is_old; i++) {
                found.native_code_is_old = body_of(module, copies[i]) != NULL;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static HRESULT jit_compilation_started(void *self, ID function, int32_t safe_to_block)
{
    struct answer found = look_up(function, false);
    (void)self, (void)safe_to_block;
    return !found.body ? S_OK
                       : CALL(info, SetILFunctionBody, (void *, ID, ilp_token, const uint8_t *))(
                             info, found.module, found.token, found.body);
}

/* Trap: ReadyToRun. A method with native code is not compiled, unless that is refused here; and
 * native code of others may hold a copy of it, which the image's own table lists. */
static HRESULT cache_search_started(void *self, ID function, int32_t *use_native_code)
{
    (void)self;
    *use_native_code = !look_up(function, true).native_code_is_old;
    return S_OK;
}

/* Trap: what is inlined before it was compiled by itself is the old body. */
static HRESULT jit_inlining(void *self, ID caller, ID callee, int32_t *inline_it)
{
    (void)self, (void)caller;
    *inline_it = !look_up(callee, false).body;
    return S_OK;
}

/* ---- start ---- */

static HRESULT initialize(void *self, void *unknown)
{
    const struct ilp_native native = {.call = ILP_NATIVE_CALLI,
                                      .address = (uint64_t)(uintptr_t)returned};
    struct ilp_error error = {.message = "the runtime has no ICorProfilerInfo3"};
    (void)self;
    if (CALL(unknown, QueryInterface,
             (void *, const struct guid *, void **))(unknown, &profiler_info3, &info) < 0 ||
        ilp_inspector_open_native(&inspector, &native, NULL, &error) != ILP_OK) {
        fprintf(stderr, "example: %s\n", error.message);
        return E_FAIL; /* the program runs without the profiler */
    }
    if (!getenv("PROFILE")) {
        fprintf(stderr,
                "example: set PROFILE to the file name of an assembly: nothing is inspected\n");
    }
    return CALL(info, SetEventMask, (void *, uint32_t))(
        info, MONITOR_MODULE_LOADS | MONITOR_JIT_COMPILATION | MONITOR_CACHE_SEARCHES);
}

static void set_callbacks(slot *callbacks)
{
    callbacks[Initialize] = (slot)initialize;
    callbacks[ModuleLoadFinished] = (slot)module_load_finished;
    callbacks[ModuleUnloadStarted] = (slot)module_unload_started;
    callbacks[JITCompilationStarted] = (slot)jit_compilation_started;
    callbacks[JITCachedFunctionSearchStarted] = (slot)cache_search_started;
    callbacks[JITInlining] = (slot)jit_inlining;
}

const struct profiler the_profiler = {
    {0xB28F2D51, 0x6E0C, 0x4C5B, {0x9A, 0x3F, 0x0C, 0x7E, 0x64, 0xB1, 0xD5, 0xA2}},
    {&profiler_callback2},
    set_callbacks};
