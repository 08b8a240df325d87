/* What a rewriter knows of its module and of the inspectors called from it.
 *
 * Lifetime: from ilp_rewriter_open() to ilp_rewriter_close(). Lazily found facts and made tokens
 * are kept. */
#ifndef ILPI_MODULE_CONTEXT_H
#define ILPI_MODULE_CONTEXT_H

#include "base/budget.h"
#include "inspect/core_scope.h"
#include "inspect/found.h"
#include "inspect/inspector.h"
#include "inspect/policy.h"
#include "types/call_shape.h"

struct ilpi_embedding;
struct ilpi_remembered_references;

/* The typed overloads for the type stored at `type`, by the parameter after the value. */
#define ILPI_REMEMBERED_OVERLOADS 1021u
struct ilpi_remembered_overloads {
    const uint8_t *type;                                      /* NULL: free */
    const struct ilpi_overload *overloads[2][ILP_PASS_COUNT]; /* [1]: with a state */
};

/* The tokens of one inspector that are made once; 0: not yet. */
struct ilpi_binding_tokens {
    /* of a native one: signatures for calli of the functions called after it, for the thread and at
     * the end; with a type; with the value itself; with an exception */
    ilp_token wants;
    ilp_token thread;
    ilp_token then;
    ilp_token typed;
    ilp_token object;
    ilp_token integer;
    ilp_token exception;
    ilp_token arguments[2]; /* the signatures for arguments (native_arguments.c) */
    ilp_token type_handle;  /* System.RuntimeTypeHandle */
    ilp_token class_token;
    ilp_token calls[ILPI_OVERLOAD_FORMS][ILP_PASS_COUNT]; /* MemberRefs; not of typed overloads */
    ilp_token stateful_calls[ILPI_OVERLOAD_FORMS][ILP_PASS_COUNT]; /* of those with a state */
};

/* All tokens that are made once for a module; 0: not yet. */
struct ilpi_made_tokens {
    ilp_token primitives[ILP_ELEMENT_U + 1];
    ilp_token object;         /* in namespace System */
    ilp_token exception;      /* System.Exception */
    ilp_token threw;          /* the signature of what an exception is passed to (guard.c) */
    ilp_token method_handle;  /* System.RuntimeMethodHandle */
    ilp_token current_thread; /* System.Threading.Thread::get_CurrentThread() */
    bool has_no_thread;       /* it was searched for and not found */
    ilp_token tracer_signature;
    struct ilpi_binding_tokens bindings[]; /* one for each inspector */
};

/* An inspector binding. */
struct ilpi_inspector_binding {
    const struct ilp_inspector *inspector;
    bool stands_in;                                /* for another one: see struct ilp_request */
    struct ilpi_remembered_overloads *remembered;  /* NULL: it has no typed overloads */
    struct ilpi_remembered_references *references; /* of a native one */
    struct ilpi_binding_tokens *made;              /* of ilpi_made_tokens */
    /* calls refer to MethodDefs that it adds; NULL: not embedded now. Owned */
    struct ilpi_embedding *embedding;
    ilp_rid embedded;          /* its class in this module, embedded before; 0: there is none */
    ilp_rid *embedded_methods; /* with --embed: of that class, per overload; else NULL */
};

/* The TypeDef of the previous method, and the run of its methods: the next method is usually in it,
 * too. */
struct ilpi_last_owner {
    ilp_rid type;
    ilp_rid first;
    ilp_rid end;
    bool is_embedded;   /* it belongs to an embedded inspector */
    bool is_denied;     /* of a core library: some of its methods are in the denylist */
    const char *denied; /* why all of them are; else NULL */
};

struct ilpi_tracer;

/* What is known about the module for all of its methods. For one thread: much of it remembers
 * answers. */
struct ilpi_module_context {
    struct ilpi_alloc *alloc; /* the rewriter's */
    struct ilp_arena arena;
    struct ilp_image *image;
    const struct ilp_resolver *resolver;       /* may be NULL */
    const struct ilp_emitter *emitter;         /* may be NULL: methods are only planned */
    const struct ilp_off_switch *off_switches; /* by inspector; NULL: none */
    uint32_t module_number;                    /* the high half of ids; 0: no ids are passed */
    struct ilpi_budget budget;                 /* for bodies and signatures */
    const struct ilpi_tracer *tracer;          /* NULL: values are inspected, not traced */

    struct ilpi_inspector_binding *bindings; /* one for each inspector; in the arena */
    size_t binding_count;
    uint8_t *inspector_calls; /* a bit per MemberRef, NULL: none */

    struct ilpi_policy policy;
    struct ilpi_call_shapes call_shapes;
    struct ilpi_core_scope core;
    struct ilpi_last_owner owner;

    /* Found when a method first needs them. */
    struct ilpi_found *found;                         /* the rewriter's, or one that it shares */
    const struct ilpi_state_machines *state_machines; /* NULL until then; owned by `found` */
    const struct ilpi_tail_graph *tails;              /* the same */

    struct ilpi_made_tokens *made; /* in the arena */
    size_t made_size;              /* in bytes */
};

static inline bool ilpi_is_core_library(const struct ilpi_module_context *module)
{
    return module->core.token == ILPI_OWN_SCOPE;
}

/* The number that identifies a method to an inspector. */
static inline int64_t ilpi_method_id(const struct ilpi_module_context *module, ilp_rid method)
{
    return (int64_t)((uint64_t)module->module_number << 32 | ILP_TOKEN(ILP_MethodDef, method));
}

#endif
