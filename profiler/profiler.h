/* The profiler in a process: what it was asked for, and the modules it has met.
 *
 *   callback (the runtime calls) -> compile -> module (ModuleID -> image, inspection) -> method
 *   (body, once) -> the runtime
 *
 * One lock is around everything that is not the runtime's: methods are rewritten in microseconds,
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

/* A method that was asked about: what it becomes is decided once, whatever tiers and instantiations
 * follow. */
struct method {
    int64_t id;          /* what its inspector gets for it; 0: nothing */
    bool native_refused; /* its native code was looked for, and is not right */
    bool is_decided;     /* and `reason` says how; else something went wrong */
    bool is_compiled;    /* the runtime has taken the new body to compile it */
    uint8_t reason;      /* enum ilp_reason */
    /* the new one, memory of the runtime's that stays, or owned (struct module); NULL: it is left
     * as it is */
    uint8_t *body;
    ULONG size;
    ULONG map_count;
    struct cor_il_map *map; /* owned; NULL: all that was there has its offset still */
    const uint8_t *old;     /* the one that it had, memory of the runtime's */
    /* the runtime has not compiled the new one: the method has the old one again, for ever */
    bool is_given_up;
};

/* A method that a trace was asked about. */
struct traced {
    uint8_t answer;                     /* hooks/methods.c */
    uint64_t id;                        /* in the spool; 0: it has not been compiled yet */
    const struct hooked *il;            /* what its IL passes; NULL: it calls nothing */
    const struct hooked_values *values; /* of the instantiation that was compiled last */
};

/* A module that was asked about, until it is unloaded. What it points to is its own, but where it
 * says otherwise. */
struct module {
    struct module *next;
    ModuleID id;
    char *path; /* "" for one without a file */
    struct module_report report;

    /* its metadata, in the runtime's memory */
    struct ilp_image *image;                    /* NULL: nothing of it is inspected */
    struct ilp_image *types;                    /* NULL, or opened only to tell what types are */
    struct snapshot snapshot;                   /* for bodies that others changed */
    struct verification *snapshot_verification; /* of what is inspected with it; NULL: none is */
    const struct settings *settings;            /* borrowed */
    struct references *references;              /* NULL: none has been looked for yet */
    struct inspectors *inspectors; /* beside which references are found as well; borrowed */
    struct ilp_resolver resolver;  /* of both */

    /* what is inspected of it, and how */
    bool is_recompiled; /* its methods are requested again, and can be taken back */
    struct com_emitter emitter;
    struct ilp_request request;
    struct ilp_inspection *inspection;
    struct verification *verification; /* of what is inspected so */
    bool calls_assemblies;             /* some inspector of it is managed code */
    /* what is shown of it; NULL: nothing by the unmanaged inspector */
    struct unmanaged *unmanaged;
    void *allocator; /* IMethodMalloc; NULL: the runtime copies its bodies */
    /* per MethodDef row; NULL: not asked about yet, as most never are */
    struct method **methods;
    uint32_t method_count;
    struct compilations compilations; /* of new bodies */

    /* what is traced of it; then no value is inspected */
    struct ilp_selector *selector; /* NULL: all of it, or what `inspection` includes */
    struct traced *traced;         /* per MethodDef row */
    struct ilpi_tracer tracer;     /* for `inspection`, which traces by IL */

    /* its native code */
    struct ilp_inlining *inlining; /* NULL: not asked for yet */
    bool refuse_native;            /* none of it is used */

    /* what was reported */
    bool has_added; /* methods were added to it */
    /* stands for all methods for whose record there was no memory: they are left as they are */
    struct method left_method;
    bool is_left; /* it was found out later that nothing can be inspected */
};

/* Methods whose code may be another one than it was, since they were requested, or have one of
 * those inlined: of modules that are not collectible, under the lock. */
struct recompiled {
    ModuleID *modules; /* the two as the runtime wants them; owned */
    ilp_token *methods;
    ULONG count, room;
    bool incomplete; /* there was no memory for some */
};

/* Lives as long as its callback object. What it points to is its own, but where it says
 * otherwise. */
struct profiler {
    void *info; /* ICorProfilerInfo3 */
    /* NULL unless the process was running already: methods are recompiled (rejit.c) */
    void *info10;
    struct runtime runtime;
    struct settings *settings;
    /* for the start-up hook that loads the inspectors that are assemblies: until then no module is
     * rewritten that calls them */
    atomic_bool waits;
    bool unmanaged;            /* the unmanaged inspector can be used */
    struct ilpi_tracer tracer; /* calls are traced by the IL of methods; enter 0: not so */
    /* NULL: nobody asked what becomes of them, or the runtime does not report it */
    struct tail_calls *tail_calls;

    pthread_mutex_t staying; /* no module goes while it is held; taken before the other */
    pthread_mutex_t lock;    /* around all below */
    struct module *modules;  /* the one asked for last is in front */
    struct {                 /* those for whose record there was no memory: they are left alone */
        ModuleID ids[16];
        unsigned count;
        bool is_full; /* of those without a record none is looked at any more */
    } left_modules;
    struct inspectors *inspectors;
    const struct ilp_off_switch *off_switches; /* of them; NULL: none. Borrowed */
    struct shapes *shapes;                     /* of values that are shown from C */
    char *program;                             /* the process's own file; NULL: not asked for yet */
    bool is_bundle;

    uint32_t *by_reason;           /* status_slot()'s */
    struct ids *ids;               /* NULL: nobody wants to know what they mean */
    struct process_report *report; /* NULL: none is requested */
    bool ended;                    /* what is known has been reported */
    bool is_idle; /* nothing is watched: no method is rewritten, and what is above is not there */

    /* in a process that was running already */
    struct attached *attached; /* NULL: it was started with the profiler */
    struct recompiled recompiled;
    struct missed_inlines *missed; /* NULL: nothing was watched yet, or no memory */
    struct rejit_guard *guard;     /* NULL: nothing was compiled again yet, or there is no thread */
};

static inline bool profiler_traces_il(const struct profiler *profiler)
{
    return profiler->tracer.enter != 0;
}

/* session.c: a watch, from the options to the report; in a process that is attached to there may be
 * one after the other. `report` may be "". False: why has been reported, and session_end_watch() is
 * due. */
bool session_begin_watch(struct profiler *profiler, struct settings *settings, const char *report);

/* Ends it, so that all code is what it was before: nothing is shown any more, methods that were
 * compiled again have their old code, what is known has been reported, and nothing of it is left in
 * memory. Threads may be in methods that call the profiler, which answers nothing then. */
void session_end_watch(struct profiler *profiler);

/* How lines look, when it is known where they go. */
void session_paint_lines(const struct profiler *profiler);

/* session.c: which events the runtime reports; `high` is left out where the runtime is too old for
 * it. */
HRESULT session_set_mask(struct profiler *profiler, ULONG mask, ULONG high);

/* session.c: counts, reports, and that this is all. Under the lock. */
void session_tell_end(struct profiler *profiler);

/* compile.c: puts in what the runtime reports of methods. */
void compile_answer(struct callback_table *functions);

/* module.c: the module's record, made at the first question; NULL: there was no memory for it when
 * that was asked, which has been reported, and it is left alone. */
struct module *module_find(struct profiler *profiler, ModuleID id);

/* A module of the process has been loaded, or was there before; true if it was the last inspector
 * that had to be. */
bool module_completes_inspectors(struct profiler *profiler, ModuleID id);

/* A module of the process has been loaded, or was there before: values of its types may be
 * shown. */
void module_comes(struct profiler *profiler, ModuleID id);

/* Whether it may be unloaded: none of its methods is compiled again then. */
bool module_is_collectible(struct profiler *profiler, ModuleID id);

/* What changes methods of its image, or of one with rows that others have added. */
ilp_status module_open_inspection(struct module *module, struct ilp_image *image,
                                  struct ilp_inspection **out, struct ilp_error *error);

/* Its metadata, of a module that is left alone, too; NULL: there is none. */
struct ilp_image *module_types(struct profiler *profiler, struct module *module);
void module_forget(struct profiler *profiler, ModuleID id);

/* method.c: what becomes of a method, which is rewritten at the first question; NULL when nothing
 * of its module is inspected. */
struct method *method_find(struct profiler *profiler, struct module *module, ilp_token token);

/* A method has its old body from now on, for this reason, which is in the report. Under the lock;
 * its code is another matter (rejit_take_back()). */
void method_leave(struct profiler *profiler, struct module *module, ilp_token token,
                  const struct ilp_error *error);

/* A method whose new body was not compiled: it has its old one from now on, and that is reported.
 * Under the lock. */
void method_give_up(struct profiler *profiler, struct module *module, ilp_token token);

/* rejit.c: has what runs already compiled again. Not to be called under the lock. */
void rejit_modules(struct profiler *profiler);
void rejit_module(struct profiler *profiler, ModuleID id);

/* A method is compiled again: so it can be taken back. Under the lock. */
void rejit_note(struct profiler *profiler, ModuleID id, ilp_token method);

/* Gives methods their old code back, which their next call finds: some, and all that was noted. Not
 * under the lock. */
void rejit_take_back(struct profiler *profiler, ULONG count, ModuleID *modules, ilp_token *methods);
void rejit_take_all_back(struct profiler *profiler);

/* After that: methods that the JIT compiled with calls of what was watched, though it inlines these
 * else, are requested again (missed_inlines.h). Not under the lock. */
void rejit_request_missed(struct profiler *profiler);

/* Returns when no thread is in a function of the profiler that compiled code calls by the managed
 * convention, but for those that came later, and found output_is_over(). False: the runtime does
 * not stop. */
bool rejit_wait_for_threads(struct profiler *profiler);

/* Whether the inspector is there if one is called that is an assembly. If not, it is reported
 * (status.h). */
bool rejit_is_possible(struct profiler *profiler);

/* environment.c: takes away what would load the profiler into processes that are started from this
 * one. `unknown` is what Initialize() gets. */
void environment_hide(void *unknown);

/* Sets variables for managed code in this process. */
void environment_set(void *unknown, const struct variables *variables);

/* native.c: whether native code for a method does what its IL does now. */
bool native_code_is_right(struct profiler *profiler, struct module *module, ilp_token token);

#endif
