/* Embedding: an inspector's class, and what it needs of its assembly, copied into the patched
 * module.
 *
 *   inspector image --plan--> types, tokens checked, references found --commit--> rows, bodies,
 *                                                                                data of an edit
 *
 * Plan and commit are the same walk over the same rows. The plan adds nothing, so that every
 * refusal happens before the first change (ILP_E_CANNOT_EMBED); a commit can only fail for memory
 * and limits of the format.
 *
 * An embedded class is in the namespace "<ilpatch:ASSEMBLY>.NAMESPACE" (embedded.h), which no
 * compiler emits, and is not public.
 *
 *   embed      which types, in which order
 *   rows       a type and what belongs to it < members < body, attribute
 *   token      tokens and signatures < scope, member: what the module's own core library has
 *   embedding  what they share */
#ifndef ILPI_EMBED_H
#define ILPI_EMBED_H

#include "inspect/inspector.h"
#include "metadata/edit.h"

struct ilpi_embedding;

/* The inputs of an embedding; borrowed as long as it is open. */
struct ilpi_embed_request {
    struct ilpi_alloc *alloc;
    const struct ilp_inspector *inspector;
    struct ilp_image *to;
    struct ilp_edit *edit;             /* may be NULL: plan only */
    const struct ilp_emitter *emitter; /* of the edit */
    const struct ilp_resolver *resolver;
    ilp_token core_scope;
    struct ilp_assembly_name core_name;
};

/* Plans. ILP_E_CANNOT_EMBED says why it is not possible. */
ilp_status ilpi_embed_open(struct ilpi_embedding **out, const struct ilpi_embed_request *request,
                           struct ilp_error *error);
void ilpi_embed_close(struct ilpi_embedding *embedding); /* NULL is allowed */

/* The MethodDef that a method of the inspector becomes. The first call commits; its failure is
 * final, since the edit is then incomplete. */
ilp_status ilpi_embed_call(struct ilpi_embedding *embedding, ilp_rid method, ilp_token *token,
                           struct ilp_error *error);

/* The failure of a commit, or ILP_OK. */
ilp_status ilpi_embed_failure(const struct ilpi_embedding *embedding, struct ilp_error *error);

#endif
