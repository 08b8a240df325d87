/* A runtime for the profiler to be loaded into: it has as much of ICorProfilerInfo as one of a
 * certain age, and notices when more is called. Modules are files; what is written to them is
 * counted and kept. What it answers may be called from several threads at a time.
 *
 *   struct host host;
 *   host_begin(&host, 11);                     ICorProfilerInfo to ICorProfilerInfo11
 *   host_open(&host)                           DllGetClassObject(), from which host.callback comes
 *   ...
 *   host_end(&host);                           nothing may hold a reference any more */
#ifndef PROFILER_HOST_H
#define PROFILER_HOST_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "profiler/clr/corprof.h"
#include "metadata/image.h"
#include "metadata/schema.h"
#include "tests/unit/metadata_test.h"

#define FUNCTION(module, token) ((FunctionID)(module) << 32 | (token))
#define E_NOTIMPL               ((HRESULT)0x80004001)
#define MAX_SLOTS               120u
#define MAX_MODULES             4u
#define MAX_METHODS             16u
#define MAX_ARGUMENTS           8u
#define MAX_FRAMES              16u
#define MAX_CLASSES             8u
#define MAX_CLASS_ARGUMENTS     4u

/* An interface is a pointer to its table; after it, where it belongs to. */
struct object {
    void (*const *table)(void);
    struct host *host;
};

struct host_module {
    const char *path;
    struct ilp_bytes image;
    ULONG flags;
    const uint8_t *_Atomic bodies[MAX_METHODS]; /* by row: what SetILFunctionBody() was given */
    atomic_uint sets[MAX_METHODS];
    struct ilp_bytes
        current[MAX_METHODS]; /* by row: what GetILFunctionBody() gives, if not empty */
    struct ilp_image *now;    /* what IMetaDataTables reads */
};

/* Memory of the allocator. */
struct host_block {
    struct host_block *next;
    _Alignas(max_align_t) uint8_t bytes[];
};

/* A ClassID is the index of one of these in the host, from 1 on, or its address: an object begins
 * with that. */
struct host_class {
    uint32_t flags, base_size; /* as a method table begins */
    ModuleID module;
    ilp_token token;
    ClassID parent;
    ULONG count; /* of type arguments */
    ClassID arguments[MAX_CLASS_ARGUMENTS];
    HRESULT result;               /* of GetClassIDInfo2() */
    struct class_field fields[4]; /* until one without a token */
    ULONG size;
    ULONG rank, element; /* of an array; of its elements arguments[0] */
};

struct host_argument {
    const void *start;
    ULONG size;
};

struct host {
    struct object info, emit, assembly_emit, allocator, module_enum, control, tables;
    void (*info_table[MAX_SLOTS])(void);
    void (*emit_table[MAX_SLOTS])(void);
    void (*assembly_table[MAX_SLOTS])(void);
    void (*allocator_table[MAX_SLOTS])(void);
    void (*enum_table[MAX_SLOTS])(void);
    void (*control_table[MAX_SLOTS])(void);
    void (*tables_table[MAX_SLOTS])(void);
    unsigned age;
    uint16_t major;        /* of the runtime's version; 0: it is 3.1.32 */
    atomic_int references; /* to any of the objects */
    _Atomic ULONG mask;
    ULONG high_mask;
    atomic_uint masks, variables, maps, tokens;
    char profiler[128];        /* the value of ILPATCH_PROFILER */
    ModuleID tables_module;    /* whose tables are read */
    struct ilp_bytes metadata; /* that SaveToMemory() gives */
    ThreadID thread;           /* that runs */
    const char *fails;         /* the function that answers E_FAIL */
    const char *nil;           /* the one that answers the token of no row */
    FunctionIDMapper *mapper;
    FunctionIDMapper2 *mapper2;
    FunctionEnter3WithInfo *enter;
    FunctionLeave3WithInfo *leave;
    FunctionTailcall3WithInfo *tailcall;
    FunctionEnter3 *fast_enter;
    FunctionLeave3 *fast_leave;
    FunctionTailcall3 *fast_tailcall;
    struct host_argument arguments[MAX_ARGUMENTS]; /* that hooks see */
    ULONG argument_count;
    struct host_argument returned;
    FunctionID frames[MAX_FRAMES]; /* of the stack, the youngest first; 0 ends them */
    struct host_class classes[MAX_CLASSES];
    ClassID function_class; /* of every function */
    ClassID method_arguments[MAX_CLASS_ARGUMENTS];
    ULONG method_argument_count;
    unsigned sessions; /* of EventPipe, that are open */
    const char *provider;
    struct host_module modules[MAX_MODULES]; /* ModuleID 1 is the first */
    unsigned module_count;                   /* that EnumModules() lists */
    atomic_bool detached;                    /* that is requested */
    pthread_rwlock_t running; /* held by who runs code, and alone by who has stopped the runtime */
    atomic_uint reverted;     /* methods */
    _Atomic(struct host_block *) blocks;
    void *static_field; /* where any is */
    HRESULT static_result;
    pthread_t program; /* without a context: it comes from compiled code */
    atomic_uint statics;
    uintptr_t code; /* of a method that is compiled */
    FunctionID code_of;
    void *library;
    void *callback;
};

static inline struct guid guid_from(const char *text)
{
    struct guid guid;
    unsigned a, b, c, d[8];
    assert_int_equal(sscanf(text, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x", &a, &b, &c, &d[0], &d[1],
                            &d[2], &d[3], &d[4], &d[5], &d[6], &d[7]),
                     11);
    guid = (struct guid){.a = a, .b = (uint16_t)b, .c = (uint16_t)c};
    for (unsigned i = 0; i < 8; i++) {
        guid.d[i] = (uint8_t)d[i];
    }
    return guid;
}

/* Version 1 is the first. */
static const char *const info_ids[] = {NULL,
                                       "28B5557D-3F3F-48B4-90B2-5F9EEA2F6C48",
                                       "CC0935CD-A518-487D-B0BB-A93214E65478",
                                       "B555ED4F-452A-4E54-8B39-B5360BAD32A0",
                                       "0D8FDCAA-6257-47BF-B1BF-94DAC88466EE",
                                       "07602928-CE38-4B83-81E7-74ADAF781214",
                                       "F30A070D-BFFB-46A7-B1D8-8781EF7B698A",
                                       "9AEECC0D-63E0-4187-8C00-E312F503F663",
                                       "C5AC80A6-782E-4716-8044-39598C60CFBF",
                                       "008170DB-F8CC-4796-9A51-DC8AA0B47012",
                                       "2F1B5152-C869-40C9-AA5F-3ABE026BD720",
                                       "06398876-8987-4154-B621-40A00D6E4D04",
                                       "27B24CCD-1CB1-47C5-96EE-98190DC30959",
                                       "6E6C7EE2-0701-4EC2-9D29-2E8733B66934",
                                       "F460E352-D76D-4FE9-835F-F6AF9D6E862D"};

/* How many slots the tables of these versions have. */
static const unsigned info_slots[] = {0,  36, 57, 71,  81,  83,  84, 87,
                                      90, 93, 99, 101, 108, 111, 114};

static inline bool host_fails(const struct host *host, const char *function)
{
    return host->fails && strcmp(host->fails, function) == 0;
}

static inline struct host *host_of(void *self)
{
    return ((struct object *)self)->host;
}

/* ---- what the profiler calls ---- */

static inline void host_newer(void)
{
    fail_msg("a slot was called that the interface does not have");
}

static inline HRESULT STDCALL host_none(void)
{
    return E_NOTIMPL;
}

static inline ULONG STDCALL host_add_ref(void *self)
{
    return (ULONG)++host_of(self)->references;
}

static inline ULONG STDCALL host_release(void *self)
{
    assert_true(host_of(self)->references > 0);
    return (ULONG)--host_of(self)->references;
}

static inline bool guid_equals(const struct guid *id, const char *text)
{
    struct guid other = guid_from(text);
    return memcmp(id, &other, sizeof other) == 0;
}

static inline HRESULT STDCALL host_query(void *self, const struct guid *id, void **out)
{
    struct host *host = host_of(self);
    *out = NULL;
    for (unsigned i = 1; i <= host->age && self == &host->info; i++) {
        *out = guid_equals(id, info_ids[i]) ? self : *out;
    }
    if (self == &host->emit && guid_equals(id, "211EF15B-5317-4438-B196-DEC87B887693")) {
        *out = &host->assembly_emit;
    }
    if (*out) {
        host->references++;
    }
    return *out ? S_OK : E_NOINTERFACE;
}

static inline HRESULT STDCALL host_runtime(void *self, uint16_t *instance, int *kind,
                                           uint16_t *major, uint16_t *minor, uint16_t *build,
                                           uint16_t *fix, ULONG room, ULONG *length, WCHAR *text)
{
    (void)room, (void)length, (void)text;
    uint16_t newer = host_of(self)->major;
    *instance = 0, *kind = 2, *fix = 0;
    *major = newer ? newer : 3, *minor = newer ? 0 : 1, *build = newer ? 1 : 32;
    return S_OK;
}

static inline HRESULT STDCALL host_set_mask(void *self, ULONG mask)
{
    host_of(self)->mask = mask;
    host_of(self)->masks++;
    return S_OK;
}

static inline HRESULT STDCALL host_function(void *self, FunctionID function, ClassID *class,
                                            ModuleID *module, ilp_token *token)
{
    *class = 0, *module = function >> 32, *token = (ilp_token)function;
    return host_fails(host_of(self), "GetFunctionInfo") || *module == 0 ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_function_at(void *self, const uint8_t *code, FunctionID *out)
{
    const struct host *host = host_of(self);
    bool known = host->code != 0 && (uintptr_t)code == host->code;
    *out = known ? host->code_of : 0;
    return known ? S_OK : E_FAIL;
}

static inline HRESULT STDCALL host_module_info(void *self, ModuleID id, const uint8_t **base,
                                               ULONG room, ULONG *length, WCHAR *name,
                                               AssemblyID *assembly, ULONG *flags)
{
    const struct host_module *module = &host_of(self)->modules[id - 1];
    size_t size = strlen(module->path) + 1;
    assert_true(id >= 1 && id <= MAX_MODULES && (room == 0 || size <= room));
    for (size_t i = 0; i < size && room != 0; i++) {
        name[i] = (WCHAR)module->path[i];
    }
    *length = (ULONG)size, *assembly = id, *flags = module->flags, *base = module->image.data;
    return host_fails(host_of(self), "GetModuleInfo2") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_metadata(void *self, ModuleID id, ULONG flags,
                                            const struct guid *iid, void **out)
{
    struct host *host = host_of(self);
    bool tables = guid_equals(iid, "D8F579AB-402D-4B8E-82D9-5D63B1065C68");
    assert_true(id != 0 && flags == (tables ? OF_READ : OF_READ | OF_WRITE));
    assert_true(tables || guid_equals(iid, "F5DD9950-F693-42E6-830E-7B833E8146A9"));
    if (host_fails(host, tables ? "GetModuleMetaData(IMetaDataTables)" : "GetModuleMetaData")) {
        return E_FAIL;
    }
    host->tables_module = tables ? id : host->tables_module;
    *out = tables ? &host->tables : &host->emit;
    host->references++;
    return S_OK;
}

/* Where none has edited it, the profiler has to be content with the file's. */
static inline HRESULT STDCALL host_body(void *self, ModuleID id, ilp_token token,
                                        const uint8_t **body, ULONG *size)
{
    const struct host_module *module = &host_of(self)->modules[id - 1];
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (rid >= MAX_METHODS || module->current[rid].size == 0) {
        return E_FAIL;
    }
    *body = module->current[rid].data;
    *size = (ULONG)module->current[rid].size;
    return S_OK;
}

static inline HRESULT STDCALL host_allocator(void *self, ModuleID id, void **out)
{
    struct host *host = host_of(self);
    (void)id;
    if (host_fails(host, "GetILFunctionBodyAllocator")) {
        return E_FAIL;
    }
    *out = &host->allocator;
    host->references++;
    return S_OK;
}

static inline void *STDCALL host_alloc(void *self, ULONG size)
{
    struct host *host = host_of(self);
    if (host_fails(host, "Alloc")) {
        return NULL;
    }
    struct host_block *block = malloc(sizeof *block + size);
    if (!block) {
        return NULL;
    }
    block->next = atomic_load(&host->blocks);
    while (!atomic_compare_exchange_weak(&host->blocks, &block->next, block)) {
    }
    return block->bytes;
}

static inline HRESULT STDCALL host_set_body(void *self, ModuleID id, ilp_token token,
                                            const uint8_t *body)
{
    struct host *host = host_of(self);
    if (host_fails(host, "SetILFunctionBody")) {
        return E_FAIL;
    }
    host->modules[id - 1].bodies[ILP_TOKEN_RID(token)] = body;
    host->modules[id - 1].sets[ILP_TOKEN_RID(token)]++;
    return S_OK;
}

/* It is the runtime's to free. */
static inline HRESULT STDCALL host_set_map(void *self, FunctionID function, BOOL first, ULONG count,
                                           struct cor_il_map *map)
{
    assert_true(function != 0 && first && !map == (count == 0));
    host_of(self)->maps += map != NULL;
    free(map);
    return S_OK;
}

static inline HRESULT STDCALL host_set_variable(void *self, const WCHAR *name, const WCHAR *value)
{
    static const char kept[] = "ILPATCH_PROFILER";
    struct host *host = host_of(self);
    size_t i = 0;
    assert_true(host->age >= 11 && name[0] != 0);
    while (i < sizeof kept && name[i] == (WCHAR)kept[i]) {
        i++;
    }
    for (size_t at = 0; value && i == sizeof kept && at < sizeof host->profiler; at++) {
        host->profiler[at] = (char)value[at];
        i = value[at] == 0 ? 0 : i;
    }
    host->variables++;
    return S_OK;
}

/* As .NET has strings: a method table, the length, the characters. */
static inline HRESULT STDCALL host_string_layout(void *self, ULONG *length, ULONG *chars)
{
    *length = sizeof(void *), *chars = sizeof(void *) + 4;
    return host_fails(host_of(self), "GetStringLayout2") ? E_FAIL : S_OK;
}

/* ---- compiled again ---- */

/* What is listed may be unloaded at any moment if the profiler is not called before that. */
static inline HRESULT STDCALL host_enum_modules(void *self, void **out)
{
    struct host *host = host_of(self);
    assert_true((host->mask & MONITOR_MODULE_LOADS) != 0);
    *out = &host->module_enum;
    host->references++;
    return host_fails(host, "EnumModules") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_enum_count(void *self, ULONG *count)
{
    *count = host_of(self)->module_count;
    return S_OK;
}

static inline HRESULT STDCALL host_enum_next(void *self, ULONG room, ModuleID *ids, ULONG *count)
{
    *count = room < host_of(self)->module_count ? room : host_of(self)->module_count;
    for (ULONG i = 0; i < *count; i++) {
        ids[i] = i + 1;
    }
    return S_OK;
}

#define CALLBACKS(object) (*(const struct callback_table **)(object))

/* The method that this thread compiles again. */
static _Thread_local struct {
    ModuleID module;
    ilp_token token;
} host_rejitted;

static inline HRESULT host_request_rejit(struct host *host, ModuleID module, ilp_token token)
{
    host_rejitted.module = module;
    host_rejitted.token = token;
    return CALLBACKS(host->callback)
        ->GetReJITParameters(host->callback, module, token, &host->control);
}

/* A runtime queries when a method is called next; this one at once. */
static inline HRESULT STDCALL host_rejit(void *self, ULONG flags, ULONG count, ModuleID *modules,
                                         ilp_token *methods)
{
    struct host *host = host_of(self);
    (void)flags;
    for (ULONG i = 0; i < count; i++) {
        host_request_rejit(host, modules[i], methods[i]);
    }
    return S_OK;
}

static inline HRESULT STDCALL host_control_body(void *self, ULONG size, const uint8_t *body)
{
    struct host_module *module = &host_of(self)->modules[host_rejitted.module - 1];
    ilp_rid rid = ILP_TOKEN_RID(host_rejitted.token);
    uint8_t *copy = host_alloc(self, size);
    assert_true(size != 0);
    if (copy) {
        memcpy(copy, body, size);
    }
    module->bodies[rid] = copy;
    module->sets[rid]++;
    return S_OK;
}

static inline HRESULT STDCALL host_revert(void *self, ULONG count, ModuleID *modules,
                                          ilp_token *methods, HRESULT *answers)
{
    struct host *host = host_of(self);
    for (ULONG i = 0; i < count; i++) {
        host->modules[modules[i] - 1].bodies[ILP_TOKEN_RID(methods[i])] = NULL;
        answers[i] = S_OK;
        host->reverted++;
    }
    return S_OK;
}

static inline HRESULT STDCALL host_suspend(void *self)
{
    pthread_rwlock_wrlock(&host_of(self)->running);
    return S_OK;
}

static inline HRESULT STDCALL host_resume(void *self)
{
    pthread_rwlock_unlock(&host_of(self)->running);
    return S_OK;
}

static inline HRESULT STDCALL host_control_map(void *self, ULONG count,
                                               const struct cor_il_map *map)
{
    assert_true(count != 0 && map);
    host_of(self)->maps++;
    return S_OK;
}

static inline HRESULT STDCALL host_detach(void *self, ULONG milliseconds)
{
    (void)milliseconds;
    atomic_store(&host_of(self)->detached, true);
    return S_OK;
}

static inline HRESULT next_token(void *self, const char *function, enum ilp_table table,
                                 ilp_token *token)
{
    struct host *host = host_of(self);
    *token = ILP_TOKEN(table,
                       host->nil && strcmp(host->nil, function) == 0 ? 0 : 0x1000 + ++host->tokens);
    return host_fails(host, function) ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_type_ref(void *self, ilp_token scope, const WCHAR *name,
                                            ilp_token *token)
{
    assert_true(scope != 0 && name[0] != 0);
    return next_token(self, "DefineTypeRefByName", ILP_TypeRef, token);
}

static inline HRESULT STDCALL host_member_ref(void *self, ilp_token parent, const WCHAR *name,
                                              const uint8_t *signature, ULONG size,
                                              ilp_token *token)
{
    assert_true(parent != 0 && name[0] != 0 && signature && size != 0);
    return next_token(self, "DefineMemberRef", ILP_MemberRef, token);
}

static inline HRESULT STDCALL host_type_spec(void *self, const uint8_t *signature, ULONG size,
                                             ilp_token *token)
{
    assert_true(signature && size != 0);
    return next_token(self, "GetTokenFromTypeSpec", ILP_TypeSpec, token);
}

static inline HRESULT STDCALL host_signature(void *self, const uint8_t *signature, ULONG size,
                                             ilp_token *token)
{
    assert_true(signature && size != 0);
    return next_token(self, "GetTokenFromSig", ILP_StandAloneSig, token);
}

static inline HRESULT STDCALL host_user_string(void *self, const WCHAR *text, ULONG units,
                                               ilp_token *token)
{
    assert_true(text && units != 0);
    return next_token(self, "DefineUserString", (enum ilp_table)0x70, token);
}

static inline HRESULT STDCALL host_assembly_ref(void *self, const uint8_t *key, ULONG key_size,
                                                const WCHAR *name,
                                                const struct assembly_metadata *metadata,
                                                const uint8_t *hash, ULONG hash_size, ULONG flags,
                                                ilp_token *token)
{
    (void)key, (void)key_size, (void)metadata, (void)hash, (void)hash_size, (void)flags;
    assert_true(name[0] != 0);
    return next_token(self, "DefineAssemblyRef", ILP_AssemblyRef, token);
}

/* ---- hooks ---- */

static inline HRESULT STDCALL host_set_mapper(void *self, FunctionIDMapper *mapper)
{
    host_of(self)->mapper = mapper;
    return S_OK;
}

static inline HRESULT STDCALL host_set_mapper2(void *self, FunctionIDMapper2 *mapper, void *data)
{
    (void)data;
    if (host_fails(host_of(self), "SetFunctionIDMapper2")) {
        return E_FAIL;
    }
    host_of(self)->mapper2 = mapper;
    return S_OK;
}

static inline HRESULT STDCALL host_set_hooks(void *self, FunctionEnter3WithInfo *enter,
                                             FunctionLeave3WithInfo *leave,
                                             FunctionTailcall3WithInfo *tailcall)
{
    struct host *host = host_of(self);
    assert_true(
        (host->mask & (ENABLE_FUNCTION_ARGS | ENABLE_FUNCTION_RETVAL | ENABLE_FRAME_INFO)) != 0);
    host->enter = enter, host->leave = leave, host->tailcall = tailcall;
    return host_fails(host, "SetEnterLeaveFunctionHooks3WithInfo") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_set_fast_hooks(void *self, FunctionEnter3 *enter,
                                                  FunctionLeave3 *leave,
                                                  FunctionTailcall3 *tailcall)
{
    struct host *host = host_of(self);
    assert_true(
        (host->mask & (ENABLE_FUNCTION_ARGS | ENABLE_FUNCTION_RETVAL | ENABLE_FRAME_INFO)) == 0);
    host->fast_enter = enter, host->fast_leave = leave, host->fast_tailcall = tailcall;
    return host_fails(host, "SetEnterLeaveFunctionHooks3") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_enter_info(void *self, FunctionID function,
                                              COR_PRF_ELT_INFO info, COR_PRF_FRAME_INFO *frame,
                                              ULONG *size,
                                              COR_PRF_FUNCTION_ARGUMENT_INFO *arguments)
{
    const struct host *host = host_of(self);
    assert_true(function != 0 && *size >= sizeof *arguments);
    (void)info;
    *frame = 0;
    *arguments = (COR_PRF_FUNCTION_ARGUMENT_INFO){.numRanges = host->argument_count};
    for (ULONG i = 0; i < host->argument_count; i++) {
        arguments->ranges[i] = (COR_PRF_FUNCTION_ARGUMENT_RANGE){
            (uintptr_t)host->arguments[i].start, host->arguments[i].size};
    }
    return host_fails(host, "GetFunctionEnter3Info") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_leave_info(void *self, FunctionID function,
                                              COR_PRF_ELT_INFO info, COR_PRF_FRAME_INFO *frame,
                                              COR_PRF_FUNCTION_ARGUMENT_RANGE *returned)
{
    const struct host *host = host_of(self);
    assert_true(function != 0);
    (void)info;
    *frame = 0;
    *returned = (COR_PRF_FUNCTION_ARGUMENT_RANGE){(uintptr_t)host->returned.start,
                                                  host->returned.size};
    return host_fails(host, "GetFunctionLeave3Info") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_walk_stack(void *self, ThreadID thread,
                                              StackSnapshotCallback *take, ULONG info, void *data,
                                              uint8_t *context, ULONG context_size)
{
    const struct host *host = host_of(self);
    (void)context, (void)context_size;
    assert_true(thread == 0 && info == 0);
    if (host_fails(host, "DoStackSnapshot")) {
        return E_FAIL;
    }
    take(0, 0, 0, 0, NULL, data); /* native code */
    for (unsigned i = 0; i < MAX_FRAMES && host->frames[i] != 0; i++) {
        take(host->frames[i], 0, 0, 0, NULL, data);
    }
    return S_OK;
}

static inline HRESULT STDCALL host_current_thread(void *self, ThreadID *thread)
{
    *thread = host_of(self)->thread;
    return *thread != 0 ? S_OK : E_FAIL;
}

/* ---- generic types ---- */

static inline void host_put_classes(ClassID *to, ULONG room, const ClassID *from, ULONG count)
{
    for (ULONG i = 0; i < count && i < room && i < MAX_CLASS_ARGUMENTS; i++) {
        to[i] = from[i];
    }
}

static inline HRESULT STDCALL host_function2(void *self, FunctionID function,
                                             COR_PRF_FRAME_INFO frame, ClassID *class,
                                             ModuleID *module, ilp_token *token, ULONG room,
                                             ULONG *count, ClassID *arguments)
{
    const struct host *host = host_of(self);
    (void)frame;
    *class = host->function_class, *module = function >> 32, *token = (ilp_token)function;
    *count = host->method_argument_count;
    host_put_classes(arguments, room, host->method_arguments, *count);
    return host_fails(host, "GetFunctionInfo2") ? E_FAIL : S_OK;
}

static inline const struct host_class *host_class_of(const struct host *host, ClassID id)
{
    assert_true(id >= 1);
    return id <= MAX_CLASSES ? &host->classes[id - 1] : (const struct host_class *)id;
}

static inline HRESULT STDCALL host_class_layout(void *self, ClassID id, struct class_field *fields,
                                                ULONG room, ULONG *count, ULONG *size)
{
    const struct host_class *class = host_class_of(host_of(self), id);
    for (*count = 0; *count < 4 && class->fields[*count].token != 0; ++*count) {
        if (fields && *count < room) {
            fields[*count] = class->fields[*count];
        }
    }
    *size = class->size;
    return host_fails(host_of(self), fields ? "GetClassLayout(fields)" : "GetClassLayout") ? E_FAIL
                                                                                           : S_OK;
}

/* Only value types have a size here. */
static inline HRESULT STDCALL host_box_layout(void *self, ClassID id, ULONG *offset)
{
    *offset = host_fails(host_of(self), "GetBoxClassLayout(offset)") ? 4 : sizeof(void *);
    if (host_fails(host_of(self), "GetBoxClassLayout")) {
        return E_FAIL;
    }
    return host_class_of(host_of(self), id)->size != 0 ? S_OK : E_INVALIDARG;
}

static inline HRESULT STDCALL host_array_class(void *self, ClassID id, ULONG *element,
                                               ClassID *class, ULONG *rank)
{
    const struct host_class *own = host_class_of(host_of(self), id);
    *element = own->element, *class = own->arguments[0], *rank = own->rank;
    return own->rank != 0 ? S_OK : S_FALSE;
}

static inline HRESULT STDCALL host_class_info(void *self, ClassID id, ModuleID *module,
                                              ilp_token *token, ClassID *parent, ULONG room,
                                              ULONG *count, ClassID *arguments)
{
    const struct host *host = host_of(self);
    const struct host_class *class = host_class_of(host, id);
    *module = class->module, *token = class->token, *count = class->count;
    if (parent) {
        *parent = class->parent;
    }
    host_put_classes(arguments, room, class->arguments, *count);
    return host_fails(host, "GetClassIDInfo2") ? E_FAIL : class->result;
}

static inline HRESULT STDCALL host_assembly_info(void *self, AssemblyID assembly, ULONG room,
                                                 ULONG *length, WCHAR *name, AppDomainID *domain,
                                                 ModuleID *module)
{
    (void)name;
    assert_true(room == 0 && !module);
    *length = 1, *domain = assembly + MAX_MODULES;
    return host_fails(host_of(self), "GetAssemblyInfo") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_static_address(void *self, ClassID class, ilp_token field,
                                                  AppDomainID domain, void **address)
{
    struct host *host = host_of(self);
    host->statics++;
    assert_int_equal(domain, host_class_of(host, class)->module + MAX_MODULES);
    assert_int_equal(ILP_TOKEN_TABLE(field), ILP_Field);
    if (pthread_equal(pthread_self(), host->program)) {
        return E_FAIL; /* CORPROF_E_UNSUPPORTED_CALL_SEQUENCE */
    }
    *address = host->static_field;
    return host_fails(host, "GetAppDomainStaticAddress") ? E_FAIL : host->static_result;
}

/* ---- metadata as it is now ---- */

static inline struct ilp_image *host_now(void *self)
{
    const struct host *host = host_of(self);
    return host->modules[host->tables_module - 1].now;
}

static inline HRESULT STDCALL host_table_info(void *self, ULONG table, ULONG *row_size, ULONG *rows,
                                              ULONG *columns, ULONG *key, const char **name)
{
    *rows = ilp_row_count(host_now(self), table);
    *columns = ilpi_tables[table].columns;
    *row_size = 0, *key = 0, *name = ilpi_tables[table].name;
    return host_fails(host_of(self), "GetTableInfo") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_column(void *self, ULONG table, ULONG column, ULONG rid,
                                          ULONG *cell)
{
    *cell = ilp_cell(host_now(self), table, rid, column);
    return host_fails(host_of(self), "GetColumn") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_string(void *self, ULONG offset, const char **text)
{
    *text = ilp_string(host_now(self), offset);
    return host_fails(host_of(self), "GetString") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_blob(void *self, ULONG offset, ULONG *size, const uint8_t **data)
{
    struct ilp_bytes blob = ilp_blob(host_now(self), offset);
    *size = (ULONG)blob.size, *data = blob.data;
    return host_fails(host_of(self), "GetBlob") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_save_size(void *self, ULONG kind, ULONG *size)
{
    assert_int_equal(kind, SAVE_ACCURATE);
    *size = (ULONG)host_of(self)->metadata.size;
    return host_fails(host_of(self), "GetSaveSize") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_save(void *self, void *to, ULONG size)
{
    assert_int_equal(size, host_of(self)->metadata.size);
    if (size != 0) {
        memcpy(to, host_of(self)->metadata.data, size);
    }
    return host_fails(host_of(self), "SaveToMemory") ? E_FAIL : S_OK;
}

static inline HRESULT STDCALL host_method_spec(void *self, ilp_token method,
                                               const uint8_t *instantiation, ULONG size,
                                               ilp_token *token)
{
    assert_true(method != 0 && instantiation && size != 0);
    return next_token(self, "DefineMethodSpec", ILP_MethodSpec, token);
}

/* ---- events ---- */

static inline HRESULT STDCALL host_set_mask2(void *self, ULONG mask, ULONG high)
{
    host_of(self)->high_mask = high;
    return host_set_mask(self, mask);
}

static inline HRESULT STDCALL host_start_session(void *self, ULONG count,
                                                 const struct event_provider *providers,
                                                 BOOL rundown, uint64_t *session)
{
    struct host *host = host_of(self);
    (void)rundown;
    assert_true(count == 1 && providers[0].name[0] != 0);
    if (host_fails(host, "EventPipeStartSession")) {
        return E_FAIL;
    }
    *session = ++host->sessions;
    return S_OK;
}

static inline HRESULT STDCALL host_stop_session(void *self, uint64_t session)
{
    assert_int_equal(session, host_of(self)->sessions);
    host_of(self)->sessions--;
    return S_OK;
}

static inline HRESULT STDCALL host_provider(void *self, uintptr_t provider, ULONG room,
                                            ULONG *length, WCHAR *name)
{
    const char *text = host_of(self)->provider;
    (void)provider;
    *length = (ULONG)strlen(text) + 1;
    assert_true(*length <= room);
    for (ULONG i = 0; i < *length; i++) {
        name[i] = (WCHAR)text[i];
    }
    return host_fails(host_of(self), "EventPipeGetProviderInfo") ? E_FAIL : S_OK;
}

/* ---- from start to end ---- */

static inline void host_table(struct object *object, struct host *host, void (**table)(void),
                              unsigned slots)
{
    for (unsigned i = 0; i < MAX_SLOTS; i++) {
        table[i] = i < slots ? (void (*)(void))host_none : host_newer;
    }
    table[0] = (void (*)(void))host_query;
    table[1] = (void (*)(void))host_add_ref;
    table[2] = (void (*)(void))host_release;
    *object = (struct object){table, host};
}

static inline void host_begin(struct host *host, unsigned age)
{
#define SET(table, interface, name, function) \
    host->table[interface##_##name##_slot] = (void (*)(void))function
    *host = (struct host){.age = age, .references = 1};
    pthread_rwlock_init(&host->running, NULL);
    host_table(&host->emit, host, host->emit_table, 54);
    host_table(&host->assembly_emit, host, host->assembly_table, 10);
    host_table(&host->allocator, host, host->allocator_table, 4);
    host_table(&host->module_enum, host, host->enum_table, 8);
    host_table(&host->control, host, host->control_table, 6);
    host_table(&host->tables, host, host->tables_table, 26);
    host_table(&host->info, host, host->info_table, info_slots[age]);
    SET(info_table, ICorProfilerInfo, GetFunctionFromIP, host_function_at);
    SET(info_table, ICorProfilerInfo, GetFunctionInfo, host_function);
    SET(info_table, ICorProfilerInfo, IsArrayClass, host_array_class);
    SET(info_table, ICorProfilerInfo, GetAssemblyInfo, host_assembly_info);
    SET(info_table, ICorProfilerInfo, SetEventMask, host_set_mask);
    SET(info_table, ICorProfilerInfo, GetModuleMetaData, host_metadata);
    SET(info_table, ICorProfilerInfo, GetILFunctionBody, host_body);
    SET(info_table, ICorProfilerInfo, GetILFunctionBodyAllocator, host_allocator);
    SET(info_table, ICorProfilerInfo, SetILFunctionBody, host_set_body);
    SET(info_table, ICorProfilerInfo, SetILInstrumentedCodeMap, host_set_map);
    SET(info_table, ICorProfilerInfo, SetFunctionIDMapper, host_set_mapper);
    SET(info_table, ICorProfilerInfo, GetCurrentThreadID, host_current_thread);
    if (age >= 2) {
        SET(info_table, ICorProfilerInfo2, DoStackSnapshot, host_walk_stack);
        SET(info_table, ICorProfilerInfo2, GetFunctionInfo2, host_function2);
        SET(info_table, ICorProfilerInfo2, GetClassIDInfo2, host_class_info);
        SET(info_table, ICorProfilerInfo2, GetClassLayout, host_class_layout);
        SET(info_table, ICorProfilerInfo2, GetBoxClassLayout, host_box_layout);
        SET(info_table, ICorProfilerInfo2, GetAppDomainStaticAddress, host_static_address);
    }
    if (age >= 3) {
        SET(info_table, ICorProfilerInfo3, SetEnterLeaveFunctionHooks3, host_set_fast_hooks);
        SET(info_table, ICorProfilerInfo3, GetFunctionEnter3Info, host_enter_info);
        SET(info_table, ICorProfilerInfo3, GetFunctionLeave3Info, host_leave_info);
        SET(info_table, ICorProfilerInfo3, SetFunctionIDMapper2, host_set_mapper2);
        SET(info_table, ICorProfilerInfo3, SetEnterLeaveFunctionHooks3WithInfo, host_set_hooks);
        SET(info_table, ICorProfilerInfo3, GetRuntimeInformation, host_runtime);
        SET(info_table, ICorProfilerInfo3, GetModuleInfo2, host_module_info);
        SET(info_table, ICorProfilerInfo3, EnumModules, host_enum_modules);
        SET(info_table, ICorProfilerInfo3, GetStringLayout2, host_string_layout);
        SET(info_table, ICorProfilerInfo3, RequestProfilerDetach, host_detach);
    }
    if (age >= 5) {
        SET(info_table, ICorProfilerInfo5, SetEventMask2, host_set_mask2);
    }
    if (age >= 10) {
        SET(info_table, ICorProfilerInfo10, RequestReJITWithInliners, host_rejit);
        SET(info_table, ICorProfilerInfo10, SuspendRuntime, host_suspend);
        SET(info_table, ICorProfilerInfo10, ResumeRuntime, host_resume);
        SET(info_table, ICorProfilerInfo4, RequestRevert, host_revert);
    }
    if (age >= 11) {
        SET(info_table, ICorProfilerInfo11, SetEnvironmentVariable, host_set_variable);
    }
    if (age >= 12) {
        SET(info_table, ICorProfilerInfo12, EventPipeStartSession, host_start_session);
        SET(info_table, ICorProfilerInfo12, EventPipeStopSession, host_stop_session);
        SET(info_table, ICorProfilerInfo12, EventPipeGetProviderInfo, host_provider);
    }
    SET(tables_table, IMetaDataTables, GetTableInfo, host_table_info);
    SET(tables_table, IMetaDataTables, GetColumn, host_column);
    SET(tables_table, IMetaDataTables, GetString, host_string);
    SET(tables_table, IMetaDataTables, GetBlob, host_blob);
    SET(allocator_table, IMethodMalloc, Alloc, host_alloc);
    SET(enum_table, ICorProfilerModuleEnum, GetCount, host_enum_count);
    SET(enum_table, ICorProfilerModuleEnum, Next, host_enum_next);
    SET(control_table, ICorProfilerFunctionControl, SetILFunctionBody, host_control_body);
    SET(control_table, ICorProfilerFunctionControl, SetILInstrumentedCodeMap, host_control_map);
    SET(emit_table, IMetaDataEmit, DefineTypeRefByName, host_type_ref);
    SET(emit_table, IMetaDataEmit, DefineMemberRef, host_member_ref);
    SET(emit_table, IMetaDataEmit, GetTokenFromTypeSpec, host_type_spec);
    SET(emit_table, IMetaDataEmit, DefineUserString, host_user_string);
    SET(emit_table, IMetaDataEmit, GetSaveSize, host_save_size);
    SET(emit_table, IMetaDataEmit, SaveToMemory, host_save);
    SET(emit_table, IMetaDataEmit2, DefineMethodSpec, host_method_spec);
    SET(emit_table, IMetaDataEmit, GetTokenFromSig, host_signature);
    SET(assembly_table, IMetaDataAssemblyEmit, DefineAssemblyRef, host_assembly_ref);
#undef SET
}

typedef HRESULT(STDCALL *get_class_object_fn)(const struct guid *, const struct guid *, void **);

/* Opens the library; the tests are run from the project's root. */
static inline get_class_object_fn host_open(struct host *host)
{
    const char *build = getenv("BUILD");
    char path[256];
    snprintf(path, sizeof path, "%s/libilpatch_profiler.so", build ? build : "build");
    host->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!host->library) {
        fail_msg("%s", dlerror());
    }
    get_class_object_fn get;
    *(void **)&get = dlsym(host->library, "DllGetClassObject");
    assert_non_null(get);
    return get;
}

/* IClassFactory::CreateInstance is in slot 3. */
static inline HRESULT factory_create(void *factory, void *outer, const struct guid *id, void **out)
{
    typedef HRESULT(STDCALL * create_fn)(void *, void *, const struct guid *, void **);
    return ((create_fn)(*(void (***)(void))factory)[3])(factory, outer, id, out);
}

static const char *const callback_ids[] = {
#define GUID(name, text) [ID_##name] = text,
#include "profiler/clr/corprof.def"
};

#define CLASS_ID   "0AF01076-FED6-4561-9947-3525B8E2435D"
#define FACTORY_ID "00000001-0000-0000-C000-000000000046"
#define UNKNOWN_ID "12345678-1234-1234-1234-123456789012"

static inline struct guid id_of(enum guid_id id)
{
    return guid_from(callback_ids[id]);
}

static inline void *make_factory(struct host *host)
{
    struct guid class = guid_from(CLASS_ID), id = guid_from(FACTORY_ID);
    void *factory = NULL;
    assert_int_equal(host_open(host)(&class, &id, &factory), S_OK);
    return factory;
}

/* As CoreCLR does it: Callback2 from the factory, Callback2 again, then the newest that there is,
 * down to 3. */
static inline void load_library(struct host *host)
{
    void *callback = NULL, *second = NULL, *newest = NULL;
    struct guid two = id_of(ID_ICorProfilerCallback2), newer = id_of(ID_ICorProfilerCallback11);
    assert_int_equal(factory_create(make_factory(host), NULL, &two, &callback), S_OK);
    assert_int_equal(CALLBACKS(callback)->QueryInterface(callback, &two, &second), S_OK);
    assert_int_equal(CALLBACKS(callback)->QueryInterface(callback, &newer, &newest), S_OK);
    assert_ptr_equal(callback, newest);
    CALLBACKS(callback)->Release(newest);
    CALLBACKS(callback)->Release(second);
    host->callback = callback;
}

static inline void host_end(struct host *host)
{
    if (host->callback) {
        assert_int_equal(CALLBACKS(host->callback)->Release(host->callback), 0);
    }
    assert_int_equal(host->references, 1);
    for (struct host_block *block = host->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
}

#endif
