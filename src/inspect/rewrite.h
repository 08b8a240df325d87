/* The rewriter: body bytes + signature + what to call -> new body bytes. Knows no host: tokens come from
 * an emitter.
 *
 *   policy (signature -> decision) -> decode -> stack -> sites (which ret) -> tokens -> patch -> body_write
 */
#ifndef ILPI_REWRITE_H
#define ILPI_REWRITE_H

#include "il/body.h"
#include "budget.h"
#include "inspect/inspector.h"
#include "inspect/policy.h"

/* The instructions put before a ret (sequence.c): at most 28 bytes, and a ret in front of them where a tail
 * call keeps its own. */
#define ILPI_MAX_SEQUENCE 29u

struct ilpi_graft;

/* An inspector in use, and what is called, made once: without and with the method's name. */
struct ilpi_target {
    const struct ilp_inspector *inspector;
    ilp_token calls[2];
    struct ilpi_graft *graft; /* the calls are MethodDefs that it adds; NULL: MemberRefs. Owned */
    ilp_rid grafted;          /* its class in this module, embedded before; 0: it is not */
};

/* What calls do to the stack, by token, found once: most methods are called many times. */
struct ilpi_call_shapes {
    const struct ilp_image *image;
    uint32_t *methods; /* per MethodDef row, in the arena; 0: not asked for yet */
    uint32_t *members; /* per MemberRef row */
};
ilp_status ilpi_call_shapes_init(struct ilpi_call_shapes *shapes, const struct ilp_image *image,
                                 struct ilp_arena *arena, struct ilp_error *error);

struct ilp_rewriter {
    struct ilpi_heap heap;
    struct ilp_arena arena; /* lives as long as the rewriter */
    struct ilp_image *image;
    const struct ilp_resolver *resolver; /* may be NULL */
    const struct ilp_emitter *emitter;   /* may be NULL */
    struct ilpi_target *targets;         /* one for each inspector; in the arena */
    size_t target_count;
    struct ilpi_policy policy;
    uint8_t *inspector_calls;            /* a bit per MemberRef, NULL: none */
    struct ilpi_call_shapes call_shapes;

    struct ilpi_budget budget; /* for bodies and signatures */

    /* The TypeDef of the method before, and the run of its methods: the next one is mostly in it, too. */
    ilp_rid owner;
    ilp_rid owner_first;
    ilp_rid owner_end;
    bool owner_grafted; /* it belongs to an inspector that was embedded */

    /* The core library as this module refers to it: an AssemblyRef of it, or the identity of one to
     * add; both empty when neither is known. */
    ilp_token core_scope;
    struct ilp_assembly_name core_name;

    /* how the method in work is treated */
    struct ilp_treatment treatment;
    struct ilpi_target *target;
    bool with_name; /* the inspector gets the method's name, too */

    /* tokens made once */
    ilp_token primitives[ILP_ELEMENT_U + 1];

    /* working memory, kept from one method to the next */
    struct ilp_arena scratch;
    struct ilpi_code code;
    struct ilpi_stack stack;
    struct ilpi_patch patch;
    struct ilpi_insertion *insertions;
    size_t insertion_capacity;
    size_t insertion_count;
    struct ilpi_buf name;  /* "Ns.Type::Method" */
    ilp_rid name_owner;    /* whose "Ns.Type::" the first name_prefix bytes are */
    size_t name_prefix;
    struct ilpi_buf body;
    bool has_map; /* code and patch are those of the last method */
    struct ilp_il_map *map;
    size_t map_capacity;
    uint8_t sequence[ILPI_MAX_SEQUENCE]; /* ret, then what is inserted */
};

/* sites.c: finds the ret instructions to inspect and counts the others in *result. Where the treatment says so,
 * `tail.` prefixes become nops, in a copy of the code in `scratch`. */
ilp_status ilpi_sites_find(struct ilp_rewriter *rewriter, struct ilp_method_result *result,
                           struct ilp_error *error);

/* grafted.c: with request->embed, sees to it that calls lead to classes within the module. Tells before the first change of
 * `edit`, which may be NULL, what is in the way. */
ilp_status ilpi_rewriter_embed(struct ilp_rewriter *rewriter, struct ilp_edit *edit,
                               struct ilp_error *error);

/* core_scope.c: which core library the module means. */
ilp_status ilpi_core_scope_find(struct ilp_rewriter *rewriter, const struct ilp_resolver *resolver,
                                struct ilp_error *error);

/* sequence.c: makes the tokens that a decision needs, and the instructions: *size bytes of `sequence`, of
 * which the first is a ret for where one has to be kept. */
ilp_status ilpi_sequence_build(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                               ilp_rid owner, ilp_rid method, size_t *size,
                               struct ilp_error *error);

/* calls.c: the stack effect of a call token; user is a struct ilpi_call_shapes. */
ilp_status ilpi_call_shape_of(void *user, enum ilpi_op op, ilp_token token,
                              struct ilpi_call_shape *shape, struct ilp_error *error);

#endif
