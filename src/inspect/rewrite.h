/* The rewriter: body bytes + signature + what to call -> new body bytes. Knows no host: tokens come from
 * an emitter.
 *
 *   policy (signature -> decision) -> decode -> stack -> sites (which ret) -> tokens -> patch -> body_write
 */
#ifndef ILPI_REWRITE_H
#define ILPI_REWRITE_H

#include "il/body.h"
#include "il/patch.h"
#include "il/stack.h"
#include "base/budget.h"
#include "inspect/async/async.h"
#include "inspect/inspector.h"
#include "inspect/async/iterator.h"
#include "inspect/policy.h"
#include "inspect/tail/graph.h"
#include "types/call_shape.h"

/* The instructions put before a ret or a call (sequence.c): at most 85 bytes, and a ret in front of them where a tail
 * call keeps its own. */
#define ILPI_MAX_SEQUENCE 86u

struct ilpi_embedding;
struct ilpi_remembered_references;

/* Where the value is, and what lies on the stack besides, in the MoveNext of a state machine (rewrite_machine.c). All zero:
 * the value is on the stack, alone. */
struct ilpi_value_location {
    ilp_token field;         /* of `this`: it holds the value, if the bool on the stack is true. 0: the value is on the stack */
    struct ilp_bytes below;  /* what lies below the value or the bool is of this type; empty: nothing does */
    bool below_by_reference; /* it is a reference to it */
};

/* A guard around the call (guard.c). Offsets are from the start of the sequence, behind a ret that is kept. */
struct ilpi_guard {
    uint32_t local;  /* the new one's number; where something lies below the value, the next one is for that */
    ilp_token caught; /* System.Object */
    uint32_t try_offset;
    uint32_t handler_offset; /* where the try block ends */
    uint32_t end;            /* of the handler */
};

/* Which typed overloads take the type that stands at `type`, by what they take behind it. */
#define ILPI_REMEMBERED_OVERLOADS 1021u
struct ilpi_remembered_overloads {
    const uint8_t *type; /* NULL: free */
    const struct ilpi_overload *overloads[ILP_PASS_COUNT];
};

/* An inspector in use, and the tokens of it that are made once. */
struct ilpi_inspector_binding {
    const struct ilp_inspector *inspector;
    bool stands_in; /* for another one: see struct ilp_request */
    struct ilpi_remembered_overloads *remembered; /* NULL: it has no typed overloads */
    struct ilpi_remembered_references *references; /* of a native one */
    ilp_token then;                                /* and the signature of what is called behind it; 0: none yet */
    ilp_token class_token;
    ilp_token calls[ILPI_OVERLOAD_FORMS][ILP_PASS_COUNT]; /* MemberRefs; not of typed overloads */
    struct ilpi_embedding *embedding;    /* calls lead to MethodDefs that it adds; NULL: not so. Owned */
    ilp_rid embedded;             /* its class in this module, added before; 0: there is none */
    ilp_rid *embedded_methods;    /* with --embed: of that class, per overload; else NULL */
};

struct ilp_rewriter {
    struct ilpi_alloc alloc;
    struct ilp_arena arena; /* lives as long as the rewriter */
    struct ilp_image *image;
    const struct ilp_resolver *resolver; /* may be NULL */
    const struct ilp_emitter *emitter;   /* may be NULL */
    struct ilpi_inspector_binding *bindings;         /* one for each inspector; in the arena */
    size_t binding_count;
    uint32_t module_number;              /* the high half of ids; 0: none are passed */
    struct ilpi_policy policy;
    uint8_t *inspector_calls;            /* a bit per MemberRef, NULL: none */
    struct ilpi_call_shapes call_shapes;

    struct ilpi_state_machines state_machines; /* found when they are first asked for */
    struct ilpi_tail_graph tails; /* the same; image NULL until then */
    struct ilpi_budget budget; /* for bodies and signatures */

    /* The TypeDef of the method before, and the run of its methods: the next one is mostly in it, too. */
    ilp_rid owner;
    ilp_rid owner_first;
    ilp_rid owner_end;
    bool owner_is_embedded; /* it belongs to an inspector that was embedded */
    bool owner_listed;  /* of a core library: some of its methods are never inspected */

    /* The core library as this module refers to it: an AssemblyRef of it, or the identity of one to
     * add; both empty when neither is known. ILPI_OWN_SCOPE in the core library itself. */
    ilp_token core_scope;
    struct ilp_assembly_name core_name;

    /* how the method in work is treated */
    ilp_rid method;
    struct ilp_treatment treatment;
    struct ilpi_inspector_binding *binding;
    const struct ilpi_overload *overload; /* of the binding's: what takes the value */
    const struct ilpi_overload *fallback; /* the same with an id, where #US has no room for the name; NULL: none */
    struct ilpi_value_location location;
    struct ilpi_guard guard;
    uint32_t copy; /* the new local for a native inspector */

    /* tokens made once */
    ilp_token primitives[ILP_ELEMENT_U + 1];
    ilp_token object;        /* System.Object */
    ilp_token method_handle; /* System.RuntimeMethodHandle */

    /* working memory, kept from one method to the next */
    struct ilp_arena scratch;
    struct ilpi_code code;
    struct ilpi_stack stack;
    struct ilpi_patch patch;
    struct ilpi_insertion *insertions;
    size_t insertion_capacity;
    size_t insertion_count;
    struct ilp_tail_site *tail_sites;
    size_t tail_site_capacity;
    size_t tail_site_count;
    struct ilpi_buf name;  /* "Ns.Type::Method" */
    ilp_rid name_owner;    /* whose "Ns.Type::" the first name_prefix bytes are */
    size_t name_prefix;
    struct ilpi_buf body;
    bool has_map; /* code and patch are those of the last method */
    uint8_t sequence[ILPI_MAX_SEQUENCE]; /* ret, then what is inserted */
};

/* rewriter.c: whether the inspector has a form that the treatment asks for; and whether a guard would help: nothing that
 * native code does is an exception that could be caught. */
bool ilpi_has_form(const struct ilp_inspector *inspector, const struct ilp_treatment *treatment);
bool ilpi_is_guardable(const struct ilp_inspector *inspector, const struct ilp_treatment *treatment);

/* sites.c: finds the ret instructions to inspect and counts the others in *result. Where the treatment says so,
 * `tail.` prefixes become nops, in a copy of the code in `scratch`. */
ilp_status ilpi_sites_find(struct ilp_rewriter *rewriter, struct ilp_method_result *result,
                           struct ilp_error *error);

/* embedding/embedded.c: with request->embed, sees to it that calls lead to classes within the module. Tells before the first
 * change of `edit`, which may be NULL, what is in the way. */
ilp_status ilpi_rewriter_embed(struct ilp_rewriter *rewriter, struct ilp_edit *edit,
                               struct ilp_error *error);
/* sites.c: finds the calls that set the result of state machine `machine`, and the type of what they set: bytes of the
 * image, empty when there is none. */
ilp_status ilpi_results_find(struct ilp_rewriter *rewriter, ilp_rid kickoff, ilp_rid machine,
                             struct ilp_bytes *type, struct ilp_method_result *result,
                             struct ilp_error *error);

/* sites.c: finds the calls that tell the promise of an async iterator whether there is a value. */
ilp_status ilpi_promises_find(struct ilp_rewriter *rewriter, const struct ilpi_iterator *iterator,
                              struct ilp_method_result *result, struct ilp_error *error);

/* rewrite_machine.c: whether a treatment asks for what the state machine of `kickoff` gives. Machines have been looked
 * for. */
bool ilpi_wants_state_machine(const struct ilp_rewriter *rewriter, ilp_rid kickoff,
                           const struct ilp_treatment *treatment);

/* rewrite_machine.c: if the treatment asks for what a state machine gives, and the method belongs to one, it is done. */
ilp_status ilpi_rewrite_state_machine(struct ilp_rewriter *rewriter, ilp_rid method, ilp_rid owner,
                                struct ilp_bytes body, uint64_t offset, struct ilp_method_result *result,
                                bool *done, struct ilp_error *error);

/* rewrite.c, its steps. Reads, decodes and walks the body: */
ilp_status ilpi_analyse(struct ilp_rewriter *rewriter, struct ilp_bytes bytes, uint64_t offset,
                        bool returns, struct ilp_body *body, struct ilp_method_result *result,
                        struct ilp_error *error);
/* What becomes of a decision: the user's word on it, and who takes the value. `method`: 0 when it does not return it. */
ilp_status ilpi_take_decision(struct ilp_rewriter *rewriter, ilp_rid method,
                              struct ilpi_decision *decision, struct ilp_method_result *result,
                              struct ilp_error *error);
/* What to say of a method none of whose rets is to be inspected. */
enum ilp_reason ilpi_reason_for_none(const struct ilp_method_result *result);
/* Puts the sequence in front of the sites that were found; the name is that of `method`, of TypeDef `owner`. */
ilp_status ilpi_insert(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                       const struct ilpi_decision *decision, ilp_rid owner, ilp_rid method,
                       struct ilp_method_result *result, struct ilp_error *error);
/* Turns a failure that concerns this method alone into an answer; others end the work. */
ilp_status ilpi_refuse_method(struct ilp_method_result *result, enum ilp_reason reason, ilp_status status,
                       const struct ilp_error *why, struct ilp_error *error);

/* locals.c: whether a body has room for more locals, of which *first is the first; the locals with them, whose types are
 * the bytes `added`. */
ilp_status ilpi_locals_room(const struct ilp_rewriter *rewriter, const struct ilp_body *body,
                            uint32_t more, uint32_t *first, struct ilp_error *error);
ilp_status ilpi_locals_add(struct ilp_rewriter *rewriter, struct ilp_bytes added, uint32_t more,
                           struct ilp_body *body, struct ilp_error *error);

/* guard.c: whether a body has room for the new locals, whose numbers are in rewriter->guard; the locals with them; and the
 * clauses in front of the patched ones. */
ilp_status ilpi_guard_check(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                            struct ilp_error *error);
ilp_status ilpi_guard_locals(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                             struct ilp_body *body, struct ilp_error *error);
ilp_status ilpi_guard_clauses(struct ilp_rewriter *rewriter, struct ilp_body *body,
                              struct ilp_error *error);

/* core_scope.c: which core library the module means. */
ilp_status ilpi_core_scope_find(struct ilp_rewriter *rewriter, const struct ilp_resolver *resolver,
                                struct ilp_error *error);

static inline bool ilpi_is_core_library(const struct ilp_rewriter *rewriter)
{
    return rewriter->core_scope == ILPI_OWN_SCOPE;
}

/* never.c: why a method of a core library's type is never inspected, or, with NULL, any of its methods; NULL: it may be. */
const char *ilpi_denylist_reason(const struct ilp_image *image, ilp_rid type, const char *method);

/* overload.c: what takes the value of a decision, in rewriter->overload; where nothing does, the decision's reason says so. */
ilp_status ilpi_overload_choose(struct ilp_rewriter *rewriter, struct ilpi_decision *decision,
                             struct ilp_error *error);

/* sequence.c: makes the tokens that a decision needs, and the instructions: *size bytes of `sequence`, of
 * which the first is a ret for where one has to be kept. */
ilp_status ilpi_sequence_build(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                               ilp_rid owner, ilp_rid method, size_t *size,
                               struct ilp_error *error);

/* core_scope.c: a type of the core library, made once. sequence.c: the type that a value is boxed as. */
ilp_status ilpi_core_token(struct ilp_rewriter *rewriter, const char *name_space, const char *name,
                           ilp_token *token, struct ilp_error *error);
ilp_status ilpi_box_token(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                          ilp_token *token, struct ilp_error *error);

/* What a method is called by where a number has to do. */
static inline int64_t ilpi_method_id(const struct ilp_rewriter *rewriter, ilp_rid method)
{
    return (int64_t)((uint64_t)rewriter->module_number << 32 | ILP_TOKEN(ILP_MethodDef, method));
}

#endif
