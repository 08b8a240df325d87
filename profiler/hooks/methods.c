/* Selects methods for hooks: the runtime calls the mapper for each compiled method, the rules
 * decide, and the record of a selected one is found by its FunctionID from then on, without a lock.
 *
 *   FunctionID -> bucket -> hooked -> hooked    the newest is found first
 *   module, token -> traced: UNDECIDED -> CHOSEN, NOT_CHOSEN; the id of its record in the spool
 *
 * Records are only added while hooks are on. One with id 0 hides an older one of the same
 * FunctionID. */
#include "profiler/hooks/methods.h"

#include <stdlib.h>

#include "base/error.h"
#include "elt/stubs.h"
#include "metadata/flags.h"
#include "profiler/hooks/spool_method.h"
#include "profiler/hooks/values.h"
#include "profiler/status.h"

enum { UNDECIDED, CHOSEN, NOT_CHOSEN };

static _Atomic(struct hooked *) *bucket_of(FunctionID function)
{
    return &hooks.buckets[function / 8 % HOOKED_BUCKETS];
}

/* NULL: it is not traced, or not mapped yet. */
const struct hooked *hooks_find(FunctionID function)
{
    const struct hooked *method = atomic_load_explicit(bucket_of(function), memory_order_acquire);
    while (method && method->function != function) {
        method = method->next;
    }
    return method && method->id != 0 ? method->passed : NULL;
}

/* ---- under the profiler's lock ---- */

/* Without a selector every method is traced. */
static bool decide(const struct module *module, ilp_token token)
{
    struct ilp_selection selection;
    struct ilp_error error;
    if (!module->selector) {
        return true;
    }
    if (ilp_select(module->selector, token, &selection, &error) != ILP_OK) {
        status_method(module->path, token, &error);
        return false;
    }
    return selection.included == ILP_YES;
}

/* If the runtime's own stub loses a runtime-async method's continuation, hooks of the slow path
 * would crash the program. */
static bool is_harmed(const struct module *module, ilp_token token)
{
    return hooks.slow && !ELT_SLOW_PATH_KEEPS_CONTINUATION &&
           (ilp_cell(module->image, ILP_MethodDef, ILP_TOKEN_RID(token), ILP_MethodDef_ImplFlags) &
            ILPI_METHOD_IMPL_ASYNC) != 0;
}

/* Reported once in the summary, and with --verbose for each. */
static void report_harmed(const struct module *module, ilp_token token)
{
    static bool reported;
    if (!reported) {
        status_line("values", "runtime-async methods are not traced on the slow path to the hooks: "
                              "the runtime's own stub loses their continuations here. --verbose "
                              "names them");
        reported = true;
    }
    status_line("trace", "%08X %s: not traced: a runtime-async method", token, module->path);
}

static bool is_chosen(const struct module *module, ilp_token token)
{
    bool chosen = decide(module, token), harmed = chosen && is_harmed(module, token);
    if (harmed) {
        report_harmed(module, token);
    }
    return chosen && !harmed;
}

/* Decided once for all instances of a generic method. */
static struct traced *traced_find(struct module *module, ilp_token token)
{
    uint32_t rid = ILP_TOKEN_RID(token);
    if (!module->traced || ILP_TOKEN_TABLE(token) != ILP_MethodDef || rid > module->method_count) {
        return NULL;
    }
    struct traced *traced = &module->traced[rid];
    if (hooks_by_il()) {
        return traced->il ? traced : NULL;
    }
    if (traced->answer == UNDECIDED) {
        traced->answer = is_chosen(module, token) ? CHOSEN : NOT_CHOSEN;
    }
    return traced->answer == CHOSEN ? traced : NULL;
}

/* Records the method's names, once; 0: no memory. */
static uint64_t record_method(const struct module *module, ilp_token token)
{
    uint64_t id = hooks.method_count + 1;
    bool described = spool_put_method(&hooks.spool, id, module->image, module->path, token);
    hooks.method_count += described;
    return described ? id : 0;
}

/* Adds a record at the front of its bucket; NULL: no memory. */
static struct hooked *add(struct hooked record)
{
    struct hooked *method = malloc(sizeof *method);
    if (method) {
        _Atomic(struct hooked *) *bucket = bucket_of(record.function);
        record.next = atomic_load_explicit(bucket, memory_order_relaxed);
        *method = record;
        method->passed = record.passed ? record.passed : method;
        atomic_store_explicit(bucket, method, memory_order_release);
    }
    return method;
}

/* NULL: no memory. */
static struct hooked *make(struct module *module, FunctionID function, ilp_token token,
                           struct traced *traced)
{
    if (traced->id == 0) {
        traced->id = record_method(module, token);
    }
    if (traced->id == 0) {
        return NULL;
    }
    if (hooks.settings.values && (!traced->values || hooks_values_are_generic(traced->values))) {
        traced->values = hooks_values_build(module, token, function);
    }
    return add((struct hooked){.function = function,
                               .module = module->id,
                               .token = token,
                               .passed = traced->il,
                               .values = traced->values,
                               .short_id = ilpi_short_id(traced->id),
                               .id = traced->id});
}

/* Once for a method: its id is in its code. `passed` lets the IL's hooks use the same record as the
 * others. */
const struct hooked *hooks_map_il(struct module *module, ilp_token token)
{
    struct traced *traced = &module->traced[ILP_TOKEN_RID(token)];
    if (!traced->il) {
        struct hooked *method = new_items(1, sizeof *method);
        traced->id = method ? record_method(module, token) : 0;
        if (traced->id == 0) {
            free(method);
            return NULL;
        }
        *method = (struct hooked){.module = module->id,
                                  .token = token,
                                  .short_id = ilpi_short_id(traced->id),
                                  .id = traced->id};
        method->passed = method;
        method->next = hooks.il_methods;
        hooks.il_methods = method;
        traced->il = method;
    }
    return traced->il;
}

/* ---- callbacks ---- */

static bool identify(FunctionID function, ModuleID *module, ilp_token *token)
{
    ClassID class;
    return CALL(ICorProfilerInfo, GetFunctionInfo, hooks.info)(hooks.info, function, &class, module,
                                                               token) >= 0;
}

/* Inlined methods have no hooks. */
static HRESULT STDCALL jit_inlining(void *self, FunctionID caller, FunctionID callee,
                                    BOOL *should_inline)
{
    ModuleID id;
    ilp_token token;
    (void)self, (void)caller;
    if (identify(callee, &id, &token)) {
        pthread_mutex_lock(&hooks.profiler->lock);
        struct module *module = module_find(hooks.profiler, id);
        *should_inline = !module || !traced_find(module, token);
        pthread_mutex_unlock(&hooks.profiler->lock);
    }
    return S_OK;
}

void hooks_inlining_open(struct callback_table *table)
{
    table->JITInlining = jit_inlining;
}

/* An id may be reused after a collectible module was unloaded: it is then another method's. */
struct hooked *hooks_map(FunctionID function)
{
    ModuleID id;
    ilp_token token;
    if (!identify(function, &id, &token)) {
        return NULL;
    }
    pthread_mutex_lock(&hooks.profiler->lock);
    struct module *module = hooks.profiler->is_idle ? NULL : module_find(hooks.profiler, id);
    struct traced *traced = module ? traced_find(module, token) : NULL;
    struct hooked *method = (struct hooked *)(uintptr_t)hooks_find(function);
    if (!traced) {
        if (method && !add((struct hooked){.function = function})) {
            memory_failed();
        }
        method = NULL;
    } else if (!method || method->id != traced->id) {
        method = make(module, function, token, traced);
        if (!method) {
            struct ilp_error error;
            memory_failed();
            ilpi_fail_memory(&error, sizeof *method);
            status_method(module->path, token, &error);
        }
    }
    pthread_mutex_unlock(&hooks.profiler->lock);
    return method;
}

/* IL of the watch contains the addresses of its records for as long as the process lives, so they
 * stay. Others belong to look-ups by FunctionID. */
void hooks_methods_retire(void)
{
    while (hooks.il_methods) {
        struct hooked *method = hooks.il_methods;
        hooks.il_methods = method->next;
        method->next = NULL;
        method->short_id.size = 0;
        method->id = 0;
    }
    for (size_t i = 0; i < HOOKED_BUCKETS; i++) {
        struct hooked *method = atomic_exchange(&hooks.buckets[i], NULL);
        while (method) {
            struct hooked *next = method->next;
            free(method);
            method = next;
        }
    }
    hooks.method_count = 0;
}
