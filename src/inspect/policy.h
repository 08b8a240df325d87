/* Which values may be inspected: from a method's signature to a decision (docs/INSPECTION.md has
 * the table). */
#ifndef ILPI_POLICY_H
#define ILPI_POLICY_H

#include "types/value_type.h"
#include "sig/sig.h"

/* How a value becomes an object (III.4.1): which token the box instruction needs. */
enum ilpi_box {
    ILPI_BOX_NONE,      /* already an object */
    ILPI_BOX_PRIMITIVE, /* a TypeRef to the core library: System.Int32 */
    ILPI_BOX_NAMED,     /* the TypeDef or TypeRef of the signature */
    ILPI_BOX_SPEC       /* a TypeSpec: generic instances, VAR, MVAR */
};

/* What follows from a type alone: whether its values are inspected, and how they are boxed. */
struct ilpi_decision {
    enum ilp_reason reason; /* ILP_REASON_INSPECTED, or why not by default */
    /* ILP_REASON_BYREF: the reason for the T of T&; the members below then describe T */
    enum ilp_reason pointee;
    enum ilpi_box box;     /* ILP_REASON_POINTER: of the address */
    uint8_t element;       /* ILPI_BOX_PRIMITIVE: which one */
    ilp_token type;        /* ILPI_BOX_NAMED */
    struct ilp_bytes spec; /* ILPI_BOX_SPEC: the signature; borrowed from the image */
    /* the type on the stack, without modifiers; borrowed from the image */
    struct ilp_bytes returned;
    struct ilp_bytes value; /* the type of the value: the same, or T of T& */
    ilp_token unresolved;   /* ILP_REASON_UNRESOLVED: the type that was not found */
    bool by_reference;      /* set by the rewriter: a managed pointer to the value is on the
                               stack */
    /* set by the rewriter: the value is an address, shown as a number */
    bool address;
};

/* Methods with one signature share its blob, and usually the outcome: recent ones are kept, by
 * blob, in no more slots than there are methods. */
#define ILPI_REMEMBERED_DECISIONS 2048u
struct ilpi_remembered_decision {
    uint32_t blob;
    struct ilpi_decision decision;
};

/* What policy.c remembers about one image. */
struct ilpi_policy {
    struct ilp_image *image;
    struct ilpi_value_types value_types;
    /* NULL: free; both in the arena. Slots are allocated when used, since few methods of most
     * modules are decided. */
    struct ilpi_remembered_decision **decisions;
    uint32_t decision_slots;
    struct ilp_arena *arena;
    struct ilp_arena scratch; /* signatures, one method at a time */
};

ilp_status ilpi_policy_init(struct ilpi_policy *policy, struct ilp_image *image,
                            const struct ilp_resolver *resolver, struct ilpi_alloc *alloc,
                            struct ilp_arena *arena, struct ilp_error *error);
void ilpi_policy_free(struct ilpi_policy *policy);

/* Decides by the signature of a MethodDef of TypeDef `owner`. A broken signature is a decision as
 * well; only memory can fail. */
ilp_status ilpi_policy_decide(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                              struct ilpi_decision *decision, struct ilp_error *error);

/* The same for a value whose type is elsewhere in the image, in TypeDef `owner`. */
ilp_status ilpi_policy_decide_type(struct ilpi_policy *policy, ilp_rid owner, struct ilp_bytes type,
                                   struct ilpi_decision *decision, struct ilp_error *error);

/* The same for the type of a parameter, as in the method's signature. */
void ilpi_policy_decide_parameter(struct ilpi_policy *policy, ilp_rid owner, ilp_rid method,
                                  const struct ilp_type *type, struct ilpi_decision *decision);

#endif
