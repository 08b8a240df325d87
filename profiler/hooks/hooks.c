/* Chooses the hooks and the event flags for the runtime. See hooks.h.
 *
 * Compiled code has two paths to a hook, and the request decides:
 *
 *   fast   SetEnterLeaveFunctionHooks3: the code calls our stub, which saves the registers (elt/)
 *   slow   SetEnterLeaveFunctionHooks3WithInfo: the code calls the runtime's stub, which saves all
 *          and then calls our function. The runtime uses these hooks if a flag requests
 *          arguments, returned values or frames
 *
 * Hooks must be set when a method is compiled, so they are set from the start; `elt_targets.on`
 * is whether they are active. */
#include "profiler/hooks/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elt/contract.h"
#include "host/deadline.h"
#include "host/process.h"
#include "profiler/hooks/cost.h"
#include "profiler/hooks/events.h"
#include "profiler/hooks/methods.h"
#include "profiler/hooks/passages.h"
#include "profiler/hooks/switch.h"
#include "profiler/hooks/threads.h"
#include "profiler/hooks/unwind.h"
#include "profiler/shapes.h"
#include "profiler/status.h"

/* ---- called by the runtime and the stubs ---- */

static uintptr_t STDCALL map_function2(FunctionID function, void *data, BOOL *hook)
{
    (void)data;
    struct hooked *method = hooks_map(function);
    *hook = method != NULL;
    return method ? (uintptr_t)method : function;
}

static uintptr_t STDCALL map_function(FunctionID function, BOOL *hook)
{
    return map_function2(function, NULL, hook);
}

/* The fast path: the stub has tested whether hooks are on. */
static void enter_fast(uintptr_t method)
{
    hooks_enter((const struct hooked *)method, 0);
}

static void leave_fast(uintptr_t method)
{
    hooks_leave((const struct hooked *)method, 0);
}

static void tailcall_fast(uintptr_t method)
{
    hooks_tailcall((const struct hooked *)method);
}

static void ELT_CALL enter_slow(FunctionIDOrClientID method, COR_PRF_ELT_INFO info)
{
    if (hooks_are_on()) {
        contract_begin("FunctionEnter3WithInfo");
        hooks_enter((const struct hooked *)method.clientID, contract_lend(info));
        contract_end();
    }
}

static void ELT_CALL leave_slow(FunctionIDOrClientID method, COR_PRF_ELT_INFO info)
{
    if (hooks_are_on()) {
        contract_begin("FunctionLeave3WithInfo");
        hooks_leave((const struct hooked *)method.clientID, contract_lend(info));
        contract_end();
    }
    elt_no_continuation();
}

static void ELT_CALL tailcall_slow(FunctionIDOrClientID method, COR_PRF_ELT_INFO info)
{
    (void)info;
    if (hooks_are_on()) {
        contract_begin("FunctionTailcall3WithInfo");
        hooks_tailcall((const struct hooked *)method.clientID);
        contract_end();
    }
}

/* ---- choosing the path ---- */

/* The flags that select the slow path; 0: the fast one. Documentation has a fourth, for stack
 * snapshots: with it alone CoreCLR 10 refuses hooks for the slow path, and those for the fast path
 * work. */
static ULONG slow_flags(void)
{
    if (hooks_by_il()) {
        return 0;
    }
    ULONG values = hooks.settings.values ? ENABLE_FUNCTION_ARGS | ENABLE_FUNCTION_RETVAL : 0;
    return ELT_STUBS_ARE_PROVEN && !hooks.settings.slow ? values : values | ENABLE_FRAME_INFO;
}

/* Checks our environment, which nothing has changed since the runtime copied it. */
static bool environment_is_right(void)
{
#define VARIABLE(name)   name,
#define ASSIGNMENT(name) " " name "=0"
    static const char *const variables[] = {SLOW_PATH_VARIABLES(VARIABLE)};
    static const char assignments[] = SLOW_PATH_VARIABLES(ASSIGNMENT);
#undef ASSIGNMENT
#undef VARIABLE
    bool right = true;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        right = right && value && strcmp(value, "0") == 0;
    }
    if (!right) {
        status_line("failed",
                    "on the slow path to the hooks the runtime damages vectors at tail calls. "
                    "Set%s in the environment, as ilpatch trace --print-env does",
                    assignments);
    }
    return right;
}

/* Whether an attached profiler may set this, and pass it to the runtime. */
static bool can_be_attached(void)
{
    const struct trace_settings *settings = &hooks.settings;
    bool can = hooks_by_il() && !settings->disable_optimizations && !settings->paused;
    if (!can) {
        status_line("failed",
                    "in a process that was running already calls are traced by the IL of methods: "
                    "hooks, and code without optimizations, have to be there from the start");
    } else if (hooks.is_stuck) {
        status_line("failed", "threads of the process may still be in calls of an earlier trace, "
                              "for the runtime could not stop them");
    }
    return can && !hooks.is_stuck;
}

/* Whether managed code can call the functions: its convention equals C's where arguments are in
 * registers. */
static bool il_can_call(void)
{
    if (sizeof(void *) != 8) {
        status_line("failed", "--by il is for 64-bit processes only");
        return false;
    }
    if (hooks.settings.values) {
        status_line("failed", "--by il passes no values");
        return false;
    }
    return true;
}

/* Whether the requested kind of hooks is harmless here. */
static bool can_trace(void)
{
    if (hooks_are_attached() && !can_be_attached()) {
        return false;
    }
    if (hooks_by_il()) {
        return il_can_call();
    }
    return !hooks.slow || environment_is_right();
}

static const char *reason_of(ULONG flags)
{
    if (hooks_are_attached()) {
        return "the process was running already";
    }
    if (hooks_by_il()) {
        return "it was requested";
    }
    if (flags == 0) {
        return "no values are requested";
    }
    if (flags & ENABLE_FUNCTION_RETVAL) {
        return "arguments and returned values are requested";
    }
    return hooks.settings.slow ? "it was requested"
                               : "the stubs for this processor were not tried with CoreCLR";
}

static HRESULT set_mapper(void)
{
    HRESULT result = CALL(ICorProfilerInfo3, SetFunctionIDMapper2, hooks.info)(hooks.info,
                                                                               map_function2, NULL);
    return result >= 0
               ? result
               : CALL(ICorProfilerInfo, SetFunctionIDMapper, hooks.info)(hooks.info, map_function);
}

static HRESULT set_hooks(void)
{
    if (hooks_by_il()) {
        return S_OK;
    }
    HRESULT result = set_mapper();
    if (result < 0) {
        return result;
    }
    if (hooks.slow) {
        return CALL(ICorProfilerInfo3, SetEnterLeaveFunctionHooks3WithInfo,
                    hooks.info)(hooks.info, enter_slow, leave_slow, tailcall_slow);
    }
    elt_targets.enter3 = enter_fast;
    elt_targets.leave3 = leave_fast;
    elt_targets.tailcall3 = tailcall_fast;
    contract_watch();
    return CALL(ICorProfilerInfo3, SetEnterLeaveFunctionHooks3,
                hooks.info)(hooks.info, elt_enter3, elt_leave3, elt_tailcall3);
}

/* ---- the spool ---- */

static bool open_spool(void)
{
    char command[ILPI_SPOOL_TEXT];
    enum spool_origin origin = settings_has_command(hooks.profiler->settings) ? SPOOL_MADE
                                                                              : SPOOL_NAMED;
    int error = spool_file_open(&hooks.file, hooks.settings.spool,
                                hooks.settings.own_spool ? SPOOL_OWN : origin);
    if (error != 0) {
        spool_file_report(hooks.settings.spool, error);
        return false;
    }
    ilpi_spool_init(&hooks.spool, spool_file_sink(&hooks.file), spool_file_rooms(&hooks.file),
                    (uint32_t)process_own());
    process_command_line(command, sizeof command);
    ilpi_spool_head(&hooks.spool, hooks_now(), hooks_clock_wall(), command,
                    hooks.profiler->runtime.version_text);
    return true;
}

/* ---- opening and closing ---- */

/* In a checking build: events that show that the runtime works for a hook. */
#ifdef ELT_CHECKED
#define CHECKED_EVENTS                                                           \
    (MONITOR_CLASS_LOADS | MONITOR_OBJECT_ALLOCATED | MONITOR_CODE_TRANSITIONS | \
     MONITOR_SUSPENDS | ENABLE_OBJECT_ALLOCATED)
#else
#define CHECKED_EVENTS 0
#endif

/* Event flags can only be set before the runtime has started its first method, so everything that
 * options may need later is requested now. */
ULONG hooks_prepare(struct profiler *profiler)
{
    const struct trace_settings *settings = settings_trace(profiler->settings);
    if (!settings || hooks.is_stuck) {
        return 0;
    }
    hooks.settings = *settings;
    hooks.profiler = profiler;
    hooks.info = profiler->info;
    if (hooks_by_il()) {
        profiler->tracer = hooks_tracer();
    }
    hooks.slow = slow_flags() != 0;
    return MONITOR_MODULE_LOADS | MONITOR_JIT_COMPILATION |
           (hooks_by_il() ? MONITOR_CACHE_SEARCHES : MONITOR_ENTERLEAVE) | MONITOR_EXCEPTIONS |
           MONITOR_THREADS | CHECKED_EVENTS | slow_flags() |
           (hooks.settings.check_stacks != 0 ? ENABLE_STACK_SNAPSHOT : 0) |
           (hooks.settings.disable_optimizations ? DISABLE_OPTIMIZATIONS : 0);
}

static bool give_hooks(void)
{
    HRESULT result = set_hooks();
    if (result < 0) {
        status_line("failed", "the runtime accepts no hooks: 0x%08X", (unsigned)result);
    }
    return result >= 0;
}

void hooks_answer(struct callback_table *table)
{
    hooks_threads_answer(table);
    hooks_unwind_answer(table);
}

/* Drops the state of an earlier watch. */
static void begin_watch(void)
{
    hooks.watch++;
    hooks.is_held = true;
    hooks_threads_open();
    atomic_store(&hooks.closed, false);
}

/* In this order: the spool, before anything is recorded; the hooks; the records that describe how
 * times are to be read; then the switch, with which calls count. */
bool hooks_open(struct callback_table *table)
{
    const char *path = hooks.slow ? "slow" : "fast";
    path = hooks_by_il() ? ILPI_PATH_OF_IL : path;
    const char *reason = reason_of(slow_flags());
    if (hooks_by_il()) { /* the rest later, so that the program starts at once */
        hooks_clock_begin();
    } else if (!hooks_only_count()) {
        hooks_clock_open();
    }
    bool has_spool = can_trace() && open_spool();
    if (!has_spool || !give_hooks()) {
        if (has_spool) {
            spool_file_forget(&hooks.file);
        }
        atomic_store(&hooks.closed, true); /* a forked copy has nothing to forget */
        return false;
    }
    begin_watch();
    if (hooks_by_il()) {
        status_line("trace", "calls inserted into the IL, without hooks: %s", reason);
    } else {
        hooks_inlining_open(table);
        status_line("trace", "the %s path to the hooks: %s", path, reason);
    }
    if (hooks.settings.values && !shapes_know_layouts(hooks.profiler->shapes)) {
        status_line(
            "values",
            "structs are shown as bytes, and objects by their types: the layout of strings in "
            "this runtime, %s, is not known",
            hooks.profiler->runtime.version_text);
    }
    ilpi_spool_path(&hooks.spool, hooks_now(), path, reason);
    if (hooks_only_count()) {
        ilpi_spool_untimed(&hooks.spool, hooks_now());
    } else if (!hooks_by_il()) {
        contract_excuse(); /* code that runs for the first time is read from disk */
        hooks_measure();
        contract_excused();
    }
    hooks_switch_open(!hooks.settings.paused, hooks_are_attached());
    return true;
}

#define ULL(number) ((unsigned long long)(number))

static void report_counts(const struct hook_counts *counts)
{
    uint64_t lost = atomic_load(&hooks.spool.lost);
#define COUNT(name) status_line("hooks", #name " %llu", ULL(counts->name));
    HOOK_COUNTS(COUNT)
#undef COUNT
    status_line("trace", "%llu calls: %llu left by tail calls, %llu by exceptions",
                ULL(counts->enters), ULL(counts->tailcalls), ULL(counts->unwound + counts->missed));
    if (hooks.settings.check_stacks != 0) {
        status_line("trace",
                    "%llu stacks compared with the runtime's, %llu different, %llu that it did not "
                    "walk",
                    ULL(counts->snapshots), ULL(counts->different), ULL(counts->unwalked));
    }
    if (lost != 0) {
        status_line("unwritten", "%llu records could not be written to %s", ULL(lost),
                    hooks.settings.spool);
    }
}

/* Once, by whichever comes first: Shutdown, the end of the watch, or exit(). */
void hooks_close(void)
{
    if (!hooks.profiler || atomic_exchange(&hooks.closed, true)) {
        return;
    }
    hooks_listen(false);
    struct hook_counts counts = hooks_threads_close();
    report_counts(&counts);
    ilpi_spool_end(&hooks.spool, hooks_now());
}

/* For threads in callbacks of exceptions, for a limited time. */
static bool wait_for_callbacks(void)
{
    enum { CALLBACK_PATIENCE = 1000 /* ms */ };
    return deadline_await(hooks_unwind_is_quiet, CALLBACK_PATIENCE);
}

/* If a thread may still be in a hook all stays, and no later trace is possible (is_stuck). */
void hooks_release(bool quiet)
{
    if (!hooks.is_held) {
        return;
    }
    hooks_switch_close();
    hooks.is_held = false;
    hooks.is_stuck = !quiet || !wait_for_callbacks();
    if (!hooks.is_stuck) {
        hooks_methods_retire();
        hooks_threads_release();
        spool_file_close(&hooks.file);
    }
}

void hooks_forget(void)
{
    if (hooks.profiler && !atomic_exchange(&hooks.closed, true)) {
        hooks_listen(false);
        hooks_current = NULL; /* its chunk is the process's */
        spool_file_forget(&hooks.file);
    }
}
