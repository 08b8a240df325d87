/* The method that is being rewritten: facts and plan.
 *
 * Lifetime: one call of ilp_rewrite_method(), which starts with an empty job.
 *
 * Its members are filled in this order, each step by the files named there:
 *
 *   facts (rewrite.c) -> decision, overload (plan.c) -> body, stack (plan.c)
 *                     -> sites, arguments, guard, exceptions -> tokens, new body (emit.c)
 *
 * Each step may refuse the method, up to the first token. */
#ifndef ILPI_METHOD_JOB_H
#define ILPI_METHOD_JOB_H

#include "inspect/async/kept_arguments.h"
#include "inspect/module_context.h"
#include "inspect/scratch.h"

/* In MoveNext of a state machine: where the value is, and what else is on the stack
 * (async/rewrite_machine.c). All zero: the value is alone on the stack. */
struct ilpi_value_location {
    /* of `this`: it holds the value, if the bool on the stack is true. 0: the value is on the
     * stack */
    ilp_token field;
    /* type of what is below the value or the bool; empty: nothing is */
    struct ilp_bytes below;
    bool below_by_reference; /* it is a managed pointer to that type */
};

/* A guard around the call (guard.c). Offsets are from the start of the sequence, after a ret that
 * is kept:
 *
 *   stloc N  .try { check; brtrue OFF; ldloc N; call; OFF: leave } catch { pop; leave }  ldloc N
 *   |               |                  |                                   |             |
 *   0               try_offset         skip                                handler_offset end
 *
 * `check` and the branch are only there if the inspector can be switched off. */
struct ilpi_guard {
    /* the number of the new local; the next one is for what is below the value */
    uint32_t local;
    ilp_token caught; /* System.Object */
    uint32_t try_offset;
    /* offset of arguments that are passed at a site: the start of the try block, or where an
     * iterator has a value */
    uint32_t arguments;
    uint32_t skip; /* the end of the branch over the call, if the inspector can be switched off */
    uint32_t handler_offset; /* the end of the try block */
    uint32_t end;            /* of the handler */
    /* offset of the sequence, if there is only one, at the new end (exceptions.c); 0: there is
     * none */
    uint32_t at_end;
};

/* An argument of the method, and how it is passed to the inspector. */
struct ilpi_argument {
    struct ilpi_decision decision;
    const char *name;     /* "": no name that can be written */
    const char *withheld; /* the word for why it cannot be passed; NULL: it is passed */
    uint32_t number;      /* of ldarg; in the kickoff method, if fields hold the arguments */
    ilp_token field;      /* the field of `this` that holds it, once its token is made; 0: none */
    bool out;
    bool unknown; /* withheld because no field of the state machine holds it */
    bool self;    /* it is `this` */
};

/* The call's arguments, passed at entry, or, from the fields of a state machine, before each site
 * (arguments.c). */
struct ilpi_arguments {
    struct ilpi_kept_arguments kept; /* fields NULL: passed at entry */
    struct ilpi_argument *items;     /* in the scratch arena */
    uint32_t count;
    uint32_t room;           /* upper bound of the instructions' size */
    uint32_t height;         /* maximum stack depth */
    uint32_t state;          /* the number of the new local for the inspector's result */
    struct ilp_bytes bytes;  /* the instructions; in the scratch arena */
    struct ilpi_guard guard; /* around them, if there is one: offsets only */
};

/* Maximum bytes of a filter and its handler: those of a native function that gets the thread
 * (native/native_call.c). In this order: ldloca, conv.u, ldc.i8, the calli of `exception` and of
 * `wants`, brfalse.s, call, the calli of `thread` and of `then`; ldc.i4.0, endfilter, throw. A
 * calli with its ldc.i8 and conv.i has 15 bytes. */
#define ILPI_MAX_FILTER (4u + 1u + 9u + 15u + 15u + 2u + 5u + 15u + 15u + 4u)

/* Maximum bytes of a guard's test of the switch, and of its handler with the leave.s (guard.c). */
#define ILPI_MAX_GUARD_OFF (16u + 31u)

/* Maximum bytes of a guarded call before one of SetException: the exception and what is below it
 * are put into locals, stloc twice; in the try block ldloc, ldc.i8, ldloc of the arguments, call
 * and leave.s; after the handler ldloc twice. */
#define ILPI_MAX_BEFORE_SET (2u * 4u + 4u + 9u + 4u + 5u + 2u + ILPI_MAX_GUARD_OFF + 2u * 4u)

#define ILPI_MAX_EXCEPTION_CODE \
    (ILPI_MAX_FILTER > ILPI_MAX_BEFORE_SET ? ILPI_MAX_FILTER : ILPI_MAX_BEFORE_SET)

/* Exceptions that leave the method (exceptions.c): */
struct ilpi_exceptions {
    bool taken;   /* passed by a filter */
    bool set;     /* passed where a state machine's builder gets them */
    bool alone;   /* passed without the value, so that job->overload is NULL */
    bool returns; /* a value exists: it is kept in a local by */
    uint32_t local;
    const struct ilpi_overload *overload;
    uint8_t store[4];                      /* stloc */
    uint8_t code[ILPI_MAX_EXCEPTION_CODE]; /* the filter and the handler: their instructions, */
    size_t handler;                        /* its offset in `code`; or the size of what precedes
                                              the builder's call */
    size_t size;
    /* Of a state machine (async/rewrite_machine.c). */
    uint32_t calls;          /* of SetException, to be inspected */
    bool already;            /* one is inspected already */
    struct ilp_bytes type;   /* their parameter; borrowed from the image */
    struct ilpi_guard guard; /* around the inspector's call: offsets only */
    /* what is inserted, including the arguments; NULL: `code` is */
    const uint8_t *with_arguments;
};

/* One method from its rows to its new body. Stages fill it from top to bottom: identity, plan, what
 * is emitted. */
struct ilpi_method_job {
    struct ilpi_module_context *module;
    struct ilpi_scratch *scratch;
    struct ilp_method_result *result;

    ilp_rid method;
    ilp_rid owner; /* its TypeDef */
    /* the method whose name and id the value is shown with: for MoveNext, its kickoff method */
    ilp_rid reported;
    struct ilp_bytes bytes; /* the body; at `offset` of the file, 0 for one that was passed in */
    uint64_t offset;
    struct ilp_body body; /* the same, read by ilpi_plan_body() */

    /* the plan */
    struct ilp_rule_action action;
    struct ilpi_inspector_binding *binding;
    struct ilpi_decision decision;
    /* of the inspector: takes the value; NULL: none does */
    const struct ilpi_overload *overload;
    /* the overload with an id, if #US has no room for the name; NULL: none */
    const struct ilpi_overload *fallback;
    /* zero for a method that returns its value by ret: only async/rewrite_machine.c sets it */
    struct ilpi_value_location location;
    bool passes_state; /* the arguments are passed, and their state with the value */
    bool returns_last; /* the last instruction is the only ret: it is the site, and the code is not
                          decoded (sites.c) */
    bool ends;         /* for a native function: the method returns void, and the function gets the
                          call's end */

    /* what is emitted */
    struct ilpi_guard guard;
    uint32_t copy; /* the new local for a native inspector */
    struct ilpi_arguments arguments;
    struct ilpi_exceptions exceptions;
};

/* Whether a site passes an exception instead of the value: its bytes are then those of exceptions
 * from the start (sites.c). */
static inline bool ilpi_is_exception_site(const struct ilpi_method_job *job,
                                          const struct ilpi_insertion *site)
{
    const struct ilpi_exceptions *exceptions = &job->exceptions;
    return site->bytes.data == exceptions->code ||
           (exceptions->with_arguments && site->bytes.data == exceptions->with_arguments);
}

/* Whether the arguments are passed before each site instead of at entry. */
static inline bool ilpi_passes_at_sites(const struct ilpi_method_job *job)
{
    return job->passes_state && job->arguments.kept.fields;
}

/* How the inspector is switched off after an exception; NULL: it is not. */
static inline const struct ilp_off_switch *ilpi_off_switch(const struct ilpi_method_job *job)
{
    return job->action.on_throw == 1 + ILP_ON_THROW_OFF
               ? &job->module->off_switches[job->action.inspector]
               : NULL;
}

static inline bool ilpi_is_named(const struct ilpi_method_job *job, const char *name)
{
    const struct ilp_image *image = job->module->image;
    uint32_t own = ilp_cell(image, ILP_MethodDef, job->method, ILP_MethodDef_Name);
    return strcmp(ilp_string(image, own), name) == 0;
}

/* An instance constructor: at its entry there is no initialized object. */
static inline bool ilpi_is_constructor(const struct ilpi_method_job *job)
{
    return ilpi_is_named(job, ".ctor");
}

#endif
