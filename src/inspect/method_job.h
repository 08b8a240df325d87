/* The method that is being rewritten: what is known of it, and what was decided.
 *
 * Lifetime: one call of ilp_rewrite_method(), from which it starts empty.
 */
#ifndef ILPI_METHOD_JOB_H
#define ILPI_METHOD_JOB_H

#include "inspect/async/kept_arguments.h"
#include "inspect/module_context.h"
#include "inspect/scratch.h"

/* Where the value is, and what is on the stack besides, in the MoveNext of a state machine
 * (async/rewrite_machine.c). All zero: the value is on the stack, alone. */
struct ilpi_value_location {
    /* of `this`: it holds the value, if the bool on the stack is true. 0: the value is on the
     * stack */
    ilp_token field;
    /* what is below the value or the bool is of this type; empty: there is nothing */
    struct ilp_bytes below;
    bool below_by_reference; /* it is a reference to it */
};

/* A guard around the call (guard.c). Offsets are from the start of the sequence, after a ret that
 * is kept. */
struct ilpi_guard {
    /* the new one's number; where something is below the value, the next one is for that */
    uint32_t local;
    ilp_token caught; /* System.Object */
    uint32_t try_offset;
    /* where arguments come in that are passed at a site: the begin of the try block, or where an
     * iterator has a value */
    uint32_t arguments;
    uint32_t skip; /* where the branch over the call ends, if the inspector can be switched off */
    uint32_t handler_offset; /* where the try block ends */
    uint32_t end;            /* of the handler */
    /* where the sequence is, if there is but one at the new end (exceptions.c); 0: there is none */
    uint32_t at_end;
};

struct ilpi_argument {
    struct ilpi_decision decision;
    const char *name;     /* "": it has none that can be written */
    const char *withheld; /* the word for what cannot be passed; NULL: it is passed */
    uint32_t number;      /* of ldarg; in the kickoff method, where fields hold them */
    ilp_token field;      /* the field of `this` that holds it, once its token is made; 0: none */
    bool out;
    bool unknown; /* withheld since no field of the state machine holds it */
    bool self;    /* it is `this` */
};

/* The call's arguments as they are passed at entry, or, from the fields of a state machine, before
 * each site (arguments.c). */
struct ilpi_arguments {
    struct ilpi_kept_arguments kept; /* fields NULL: they are passed at entry */
    struct ilpi_argument *items;     /* in the scratch arena */
    uint32_t count;
    uint32_t room;           /* bytes that the instructions take at most */
    uint32_t height;         /* of the stack */
    uint32_t state;          /* the new local's number, for what the inspector returns */
    struct ilp_bytes bytes;  /* the instructions; in the scratch arena */
    struct ilpi_guard guard; /* around them, if there is one: the offsets alone */
};

/* Bytes of a filter and its handler at most: those of a native function that gets the thread
 * (native/native_call.c). */
#define ILPI_MAX_FILTER (4u + 1u + 9u + 15u + 15u + 2u + 5u + 15u + 15u + 4u)

/* Exceptions that leave the method (exceptions.c): they are passed, */
struct ilpi_exceptions {
    bool taken;   /* by a filter; or */
    bool set;     /* where a state machine's builder gets them; */
    bool alone;   /* and the value is not, so that job->overload is NULL; */
    bool returns; /* but there is one: it waits in */
    uint32_t local;
    const struct ilpi_overload *overload;
    uint8_t store[4];              /* stloc */
    uint8_t code[ILPI_MAX_FILTER]; /* the filter and the handler: their instructions, */
    size_t handler;                /* which begins here; or what is before the builder's call */
    size_t size;
    /* of a state machine (async/rewrite_machine.c): */
    uint32_t calls;          /* of SetException, to be inspected */
    bool already;            /* one is inspected already */
    struct ilp_bytes type;   /* that they take; borrowed from the image */
    struct ilpi_guard guard; /* around the inspector's call: the offsets alone */
    /* what is inserted, the arguments in it; NULL: `code` is */
    const uint8_t *with_arguments;
};

struct ilpi_method_job {
    struct ilpi_module_context *module;
    struct ilpi_scratch *scratch;
    struct ilp_method_result *result;

    ilp_rid method;
    ilp_rid owner; /* its TypeDef */
    /* the method by whose name and id the value is shown: the kickoff method for its MoveNext */
    ilp_rid reported;
    struct ilp_bytes bytes; /* the body; at `offset` of the file, 0 for one that was passed in */
    uint64_t offset;
    struct ilp_body body; /* the same, read by ilpi_plan_body() */

    /* the plan */
    struct ilp_treatment treatment;
    struct ilpi_inspector_binding *binding;
    struct ilpi_decision decision;
    /* of the inspector's: what takes the value; NULL: none does */
    const struct ilpi_overload *overload;
    /* the same with an id, where #US has no room for the name; NULL: none */
    const struct ilpi_overload *fallback;
    struct ilpi_value_location location;
    bool passes_state; /* the arguments are passed, and what came of that with the value */
    bool returns_last; /* at its last instruction and nowhere else, which is all that is looked at:
                          it is the site, and the code is not decoded (sites.c) */
    bool ends;         /* to a native function: nothing is returned, and it gets the call's end */

    /* what is emitted */
    struct ilpi_guard guard;
    uint32_t copy; /* the new local for a native inspector */
    struct ilpi_arguments arguments;
    struct ilpi_exceptions exceptions;
};

/* Whether an exception is passed there, and not the value: its bytes are those of exceptions from
 * the start (sites.c). */
static inline bool ilpi_is_exception_site(const struct ilpi_method_job *job,
                                          const struct ilpi_insertion *site)
{
    const struct ilpi_exceptions *exceptions = &job->exceptions;
    return site->bytes.data == exceptions->code ||
           (exceptions->with_arguments && site->bytes.data == exceptions->with_arguments);
}

/* Whether the arguments are passed before each site, and not at entry. */
static inline bool ilpi_passes_at_sites(const struct ilpi_method_job *job)
{
    return job->passes_state && job->arguments.kept.fields;
}

/* How the inspector is switched off when it has thrown; NULL: it is not. */
static inline const struct ilp_off_switch *ilpi_off_switch(const struct ilpi_method_job *job)
{
    return job->treatment.on_throw == 1 + ILP_ON_THROW_OFF
               ? &job->module->off_switches[job->treatment.inspector]
               : NULL;
}

static inline bool ilpi_is_named(const struct ilpi_method_job *job, const char *name)
{
    const struct ilp_image *image = job->module->image;
    uint32_t own = ilp_cell(image, ILP_MethodDef, job->method, ILP_MethodDef_Name);
    return strcmp(ilp_string(image, own), name) == 0;
}

/* Of instances: where it begins there is no object yet. */
static inline bool ilpi_is_constructor(const struct ilpi_method_job *job)
{
    return ilpi_is_named(job, ".ctor");
}

#endif
