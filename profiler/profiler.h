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
#include "profiler/inspectors.h"
#include "profiler/module_report.h"
#include "profiler/clr/runtime.h"
#include "profiler/shapes.h"
#include "profiler/clr/snapshot.h"
#include "profiler/unmanaged.h"
#include "profiler/unmanaged_methods.h"
#include "host/request.h"

/* A method that was asked about: what it becomes is decided once, whatever tiers and instantiations
 * follow. */
struct method {
    int64_t id;          /* what its inspector gets for it; 0: nothing */
    bool native_refused; /* its native code was looked for, and is not right */
    /* the new one, memory of the runtime's that stays; NULL: it is left as it is */
    const uint8_t *body;
    ULONG size;
    ULONG map_count;
    struct cor_il_map *map; /* owned; NULL: all that was there has its offset still */
};

/* A method that a trace was asked about. */
struct traced {
    uint8_t answer;                     /* hooks/methods.c */
    uint64_t id;                        /* in the spool; 0: it has not been compiled yet */
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
    struct ilp_image *image;         /* NULL: nothing of it is inspected */
    struct ilp_image *types;         /* NULL, or opened only to tell what types are */
    struct snapshot snapshot;        /* for bodies that others changed */
    const struct settings *settings; /* borrowed */
    struct references *references;   /* NULL: none has been looked for yet */
    struct inspectors *inspectors;   /* beside which references are found as well; borrowed */
    struct ilp_resolver resolver;    /* of both */

    /* what is inspected of it, and how */
    struct com_emitter emitter;
    struct ilp_request request;
    struct ilp_inspection *inspection;
    bool calls_assemblies; /* some inspector of it is managed code */
    /* what is shown of it; NULL: nothing by the unmanaged inspector */
    struct unmanaged *unmanaged;
    void *allocator; /* IMethodMalloc */
    /* per MethodDef row; NULL: not asked about yet, as most never are */
    struct method **methods;
    uint32_t method_count;

    /* what is traced of it; then nothing is inspected */
    struct ilp_selector *selector; /* NULL: all of it */
    struct traced *traced;         /* per MethodDef row */

    /* its native code */
    struct ilp_inlining *inlining; /* NULL: not asked for yet */
    bool refuse_native;            /* none of it is used */

    /* what was reported */
    bool has_added; /* methods were added to it */
    /* stands for all methods for whose record there was no memory: they are left as they are */
    struct method left_method;
    bool is_left; /* it was found out later that nothing can be inspected */
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
    bool unmanaged; /* the unmanaged inspector can be used */
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
    struct shapes *shapes; /* of values that are shown from C */
    char *program;         /* the process's own file; NULL: not asked for yet */
    bool is_bundle;

    uint32_t *by_reason;           /* status_slot()'s */
    struct ids *ids;               /* NULL: nobody wants to know what they mean */
    struct process_report *report; /* NULL: none is asked for */
    bool ended;                    /* what is known has been reported */
    bool is_idle;                  /* nobody wants to see any more: no other method is rewritten */

    /* in a process that was running already (attached.h) */
    int control;      /* the connection to the command; -1: it has ended, or there was none */
    bool follows;     /* values end with the command */
    bool has_server;  /* a thread that reads from it, */
    pthread_t server; /* this one */
};

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

/* Its metadata, of a module that is left alone, too; NULL: there is none. */
struct ilp_image *module_types(struct profiler *profiler, struct module *module);
void module_forget(struct profiler *profiler, ModuleID id);

/* method.c: what becomes of a method, which is rewritten at the first question; NULL when nothing
 * of its module is inspected. */
struct method *method_find(struct profiler *profiler, struct module *module, ilp_token token);

/* rejit.c: has what runs already compiled again. Not to be called under the lock. */
void rejit_modules(struct profiler *profiler);
void rejit_module(struct profiler *profiler, ModuleID id);

/* Whether the inspector is there if one is called that is an assembly. If not, it is reported
 * (status.h). */
bool rejit_is_possible(struct profiler *profiler);

/* environment.c: takes away what would load the profiler into processes that are started from this
 * one. `unknown` is what Initialize() gets. */
void environment_hide(void *unknown);

/* Sets a variable for managed code in this process; `value` is taken over. */
void environment_tell(void *unknown, const char *name, char *value);

/* native.c: whether native code for a method does what its IL does now. */
bool native_code_is_right(struct profiler *profiler, struct module *module, ilp_token token);

#endif
