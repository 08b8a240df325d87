/* The profiler in a process: its settings, and the modules it has seen.
 *
 *   callback (the runtime calls) -> compile -> module (ModuleID -> image, inspection) -> method
 *   (body, once) -> the runtime
 *
 * One lock protects everything that is not the runtime's: methods are rewritten in microseconds,
 * and images of references are shared (ilp_resolver). */
#ifndef ILPI_PROFILER_H
#define ILPI_PROFILER_H

#include <pthread.h>
#include <stdatomic.h>

#include "profiler/clr/com_emitter.h"
#include "profiler/compilations.h"
#include "profiler/inspectors.h"
#include "profiler/module_report.h"
#include "profiler/clr/runtime.h"
#include "profiler/shapes.h"
#include "profiler/clr/snapshot.h"
#include "profiler/unmanaged.h"
#include "profiler/unmanaged_methods.h"
#include "host/profiler_environment.h"
#include "host/request.h"
#include "inspect/tracer.h"

struct attached;
struct verification;
struct rejit_guard;
struct missed_inlines;

/* A queried method: it is decided once, for all its tiers and instantiations. */
struct method {
    int64_t id;          /* what its inspector gets for it; 0: none */
    bool native_refused; /* its native code was looked up, and was wrong */
    bool is_decided;     /* and `reason` has the outcome; else an error occurred */
    bool is_compiled;    /* the runtime got the new body to compile it */
    uint8_t reason;      /* enum ilp_reason */
    /* the new one, memory of the runtime that stays, or owned (struct module); NULL: not
     * rewritten */
    uint8_t *body;
    ULONG size;
    ULONG map_count;
    struct cor_il_map *map; /* owned; NULL: all old instructions keep their offsets */
    const uint8_t *old;     /* the old one, memory of the runtime */
    /* the runtime did not compile the new one: the method keeps the old one for good */
    bool is_given_up;
};

/* A method queried for a trace. */
struct traced {
    uint8_t answer;                     /* hooks/methods.c */
    uint64_t id;                        /* in the spool; 0: not compiled yet */
    const struct hooked *il;            /* what its IL passes; NULL: it calls nothing */
    const struct hooked_values *values; /* of the last compiled instantiation */
};

/* A queried module, until it is unloaded. It owns what it points to, unless noted. */
struct module {
    struct module *next;
    ModuleID id;
    char *path; /* "" for a module without a file */
    struct module_report report;

    /* its metadata, in the runtime's memory */
    struct ilp_image *image;                    /* NULL: nothing of it is inspected */
    struct ilp_image *types;                    /* NULL, or only opened for reading types */
    struct snapshot snapshot;                   /* for bodies that others changed */
    struct verification *snapshot_verification; /* of its inspection; NULL: none */
    const struct settings *settings;            /* borrowed */
    struct references *references;              /* NULL: none was looked up yet */
    struct inspectors *inspectors; /* references are also searched beside these; borrowed */
    struct ilp_resolver resolver;  /* of both */

    /* what is inspected of it, and how */
    bool is_recompiled; /* ReJIT is used, and can be reverted */
    struct com_emitter emitter;
    struct ilp_request request;
    struct ilp_inspection *inspection;
    struct verification *verification; /* of this inspection */
    bool calls_assemblies;             /* one of its inspectors is managed code */
    /* its shown methods; NULL: none with the unmanaged inspector */
    struct unmanaged *unmanaged;
    void *allocator; /* IMethodMalloc; NULL: the runtime copies its bodies */
    /* per MethodDef row; NULL: not queried yet, as most never are */
    struct method **methods;
    uint32_t method_count;
    struct compilations compilations; /* of new bodies */

    /* what is traced of it; then no value is inspected */
    struct ilp_selector *selector; /* NULL: all of it, or what `inspection` includes */
    struct traced *traced;         /* per MethodDef row */
    struct ilpi_tracer tracer;     /* for `inspection`, which traces by IL */

    /* NULL: not loaded yet */
    struct ilp_inlining *inlining; /* NULL: not requested yet */
    bool refuse_native;            /* reject all of it */

    /* what was reported */
    bool has_added; /* methods were added to it */
    /* used for all methods whose record had no memory: they are not rewritten */
    struct method left_method;
    bool is_left; /* it turned out later that nothing can be inspected */
};

/* Methods that may have changed code since they were requested, or have inlined one of those: of
 * modules that are not collectible, under the lock. */
struct recompiled {
    ModuleID *modules; /* both in the runtime's form; owned */
    ilp_token *methods;
    ULONG count, room;
    bool incomplete; /* some had no memory */
};

/* Lives as long as its callback object. It owns what it points to, unless noted. */
struct profiler {
    void *info; /* ICorProfilerInfo3 */
    /* NULL unless attached: methods are recompiled (rejit.c) */
    void *info10;
    struct runtime runtime;
    struct settings *settings;
    /* for the start-up hook that loads inspector assemblies: until then no module that calls them
     * is rewritten */
    atomic_bool waits;
    bool unmanaged;            /* the unmanaged inspector is available */
    struct ilpi_tracer tracer; /* calls are traced by the IL of methods; enter 0: not */
    /* NULL: not requested, or not reported by this runtime */
    struct tail_calls *tail_calls;

    /* no module is unloaded while it is held, if the runtime reports them (MONITOR_MODULE_LOADS);
     * locked before the other */
    pthread_mutex_t staying;
    pthread_mutex_t lock;   /* protects everything below */
    struct module *modules; /* the last queried one is first */
    struct {                /* modules whose record had no memory: they are left alone */
        ModuleID ids[16];
        unsigned count;
        bool is_full; /* modules without a record are not processed any more */
    } left_modules;
    struct inspectors *inspectors;
    const struct ilp_off_switch *off_switches; /* of them; NULL: none. Borrowed */
    struct shapes *shapes;                     /* of values shown from C */
    char *program;                             /* the process's own file; NULL: not queried yet */
    bool is_bundle;

    uint32_t *by_reason;           /* status_slot()'s */
    struct ids *ids;               /* NULL: not requested */
    struct process_report *report; /* NULL: not requested */
    bool ended;                    /* the results have been reported */
    bool is_idle;   /* no watch: no method is rewritten, and the members above are not set */
    bool is_ending; /* idle, but they are still set: the results have not been reported */

    /* in a process that was running already */
    struct attached *attached; /* NULL: the process was started with the profiler */
    struct recompiled recompiled;
    struct missed_inlines *missed; /* NULL: no watch yet, or no memory */
    struct rejit_guard *guard;     /* NULL: no ReJIT yet, or no thread */
    atomic_uint requests;          /* for modules, in progress: compilations wait for them */
};

static inline bool profiler_traces_il(const struct profiler *profiler)
{
    return profiler->tracer.enter != 0;
}

/* session.c: begins a watch, from the options to the report; an attached process may have several,
 * one after another. `report` may be "". False: the reason was reported, and session_end_watch() is
 * due. */
bool session_begin_watch(struct profiler *profiler, struct settings *settings, const char *report);

/* Ends it, so that all code is as before: nothing is shown any more, methods with ReJIT are
 * reverted, results are reported, and its memory is freed. Threads may be in methods that call the
 * profiler, which then ignores the calls. */
void session_end_watch(struct profiler *profiler);

/* Sets the format of lines, once their output is known. */
void session_paint_lines(const struct profiler *profiler);

/* session.c: sets the event mask; `high` is ignored if the runtime is too old for it. */
HRESULT session_set_mask(struct profiler *profiler, ULONG mask, ULONG high);

/* session.c: reports counts and results, and the end. Under the lock. */
void session_report_end(struct profiler *profiler);

/* compile.c: installs the callbacks about methods. */
void compile_answer(struct callback_table *functions);

/* module.c: the module's record, made at the first query; NULL: it had no memory then, which was
 * reported, and is left alone. */
struct module *module_find(struct profiler *profiler, ModuleID id);

/* A module was loaded, or was found loaded; true if it was the last required inspector. */
bool module_completes_inspectors(struct profiler *profiler, ModuleID id);

/* A module was loaded, or was found loaded: values of its types may be shown. */
void module_comes(struct profiler *profiler, ModuleID id);

/* Whether it may be unloaded: then its methods are not recompiled. */
bool module_is_collectible(struct profiler *profiler, ModuleID id);

/* Opens the inspection for its image, or for one with rows that others have added. */
ilp_status module_open_inspection(struct module *module, struct ilp_image *image,
                                  struct ilp_inspection **out, struct ilp_error *error);

/* Its metadata, even if it is left alone; NULL: none. */
struct ilp_image *module_types(struct profiler *profiler, struct module *module);
void module_forget(struct profiler *profiler, ModuleID id);

/* method.c: the record of a method, which is rewritten at the first query; NULL if nothing of its
 * module is inspected. */
struct method *method_find(struct profiler *profiler, struct module *module, ilp_token token);

/* Sets a method back to its old body, for this reason, which is in the report. Under the lock; its
 * code is reverted separately (rejit_take_back()). */
void method_leave(struct profiler *profiler, struct module *module, ilp_token token,
                  const struct ilp_error *error);

/* Sets a method whose new body was not compiled back to its old one, and reports it. Under the
 * lock. */
void method_give_up(struct profiler *profiler, struct module *module, ilp_token token);

/* rejit.c: recompiles what runs already. Not under the lock. */
void rejit_modules(struct profiler *profiler);
void rejit_module(struct profiler *profiler, ModuleID id);

/* Records a recompiled method, so that it can be reverted. Under the lock. */
void rejit_note(struct profiler *profiler, ModuleID id, ilp_token method);

/* Reverts methods, at their next call: some, and all recorded ones. Not under the lock. */
void rejit_take_back(struct profiler *profiler, ULONG count, ModuleID *modules, ilp_token *methods);
void rejit_take_all_back(struct profiler *profiler);

/* After that: requests methods again that the JIT compiled with calls of watched methods instead of
 * inlining them (missed_inlines.h). Not under the lock. */
void rejit_request_missed(struct profiler *profiler);

/* Returns when no thread is in a profiler function that compiled code calls by the managed
 * convention, except those entered after output_is_over(). False: the runtime cannot be
 * suspended. */
bool rejit_wait_for_threads(struct profiler *profiler);

/* Whether the inspector is loaded, if an assembly is called. If not, it is reported (status.h).
 * Under `staying`, while the runtime reports modules. */
bool rejit_is_possible(struct profiler *profiler);

/* environment.c: removes what would load the profiler into child processes. `unknown` is
 * Initialize()'s parameter. */
void environment_hide(void *unknown);

/* Sets variables for managed code in this process. */
void environment_set(void *unknown, const struct variables *variables);

/* native.c: whether native code of a method does what its IL does now. */
bool native_code_is_right(struct profiler *profiler, struct module *module, ilp_token token);

#endif
