/* A guard around the inspector's call: what it throws is caught, and the value is returned all the same.
 *
 *        stloc N               the evaluation stack has to be empty where a try block begins (III.1.8.1.3)
 *   .try { ldloc N; ...; call; leave END }
 *   catch System.Object { pop; leave END }
 *   END: ldloc N
 *
 * N is a new local behind all others, of the type that the method returns. Where the value is the argument of a call,
 * what that is called on lies below it, and waits in N + 1. The new clauses have nothing in them that was there before, so
 * they may lie in others, but no other in them: they come first (I.12.4.2.7).
 */
#include "inspect/rewrite.h"

/* Locals have 16 bits, and FFFF is none (III.1.7.3). */
#define MAX_LOCALS 0xFFFEu

/* LocalVarSig (II.23.2.6): 07, the count, the types. */
#define LOCALS_SIGNATURE 0x07u

/* The types in a locals signature, and how many they are. */
static ilp_status read_locals(const struct ilp_rewriter *rewriter, const struct ilp_body *body,
                              struct ilp_bytes *types, uint32_t *count, struct ilp_error *error)
{
    const struct ilp_image *image = rewriter->image;
    *types = (struct ilp_bytes){NULL, 0};
    *count = 0;
    if (body->locals == 0) {
        return ILP_OK;
    }
    uint32_t blob = ILP_TOKEN_TABLE(body->locals) == ILP_StandAloneSig
                        ? ilp_cell(image, ILP_StandAloneSig, ILP_TOKEN_RID(body->locals),
                                   ILP_StandAloneSig_Signature)
                        : 0;
    struct ilp_bytes bytes = ilp_blob(image, blob);
    struct ilpi_cursor cursor = ilpi_cursor_over(bytes, ilpi_blob_offset(image, blob), "locals", error);
    bool locals = ilpi_read_u8(&cursor) == LOCALS_SIGNATURE;
    *count = ilpi_read_packed(&cursor);
    if (!locals || cursor.status != ILP_OK) {
        return ilpi_fail(error, ILP_E_BAD_BODY, body->code_offset, body->locals,
                         "0x%08X is no signature of locals", body->locals);
    }
    size_t used = bytes.size - ilpi_cursor_left(&cursor);
    *types = (struct ilp_bytes){bytes.data + used, bytes.size - used};
    return ILP_OK;
}

/* How many values lie on the stack, and wait in locals. */
static uint32_t spilled(const struct ilp_rewriter *rewriter)
{
    return rewriter->spot.below.size != 0 ? 2 : 1;
}

/* Whether an instruction stands in a filter, where no try block may stand (I.12.4.2.8.2.2). */
static bool in_filter(const struct ilp_body *body, uint32_t offset)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        const struct ilp_eh_clause *clause = &body->clauses[i];
        if (clause->flags == ILPI_EH_FILTER && offset >= clause->token_or_filter && offset < clause->handler_offset) {
            return true;
        }
    }
    return false;
}

/* A ret has the value alone on the stack, and never stands in a filter; of a call, compilers do the same. */
static ilp_status check_sites(const struct ilp_rewriter *rewriter, const struct ilp_body *body, struct ilp_error *error)
{
    for (size_t i = 0; i < rewriter->insertion_count && rewriter->spot.below.size != 0; i++) {
        uint32_t insn = rewriter->insertions[i].insn;
        uint32_t offset = rewriter->code.insns[insn].offset;
        if (rewriter->stack.depth[insn] != spilled(rewriter) || in_filter(body, offset)) {
            return ilpi_fail(error, ILP_E_TOO_LARGE, body->code_offset + offset, 0,
                             "IL_%04x: there is no room for a try block: other values lie on the stack, or it is a filter",
                             offset);
        }
    }
    return ILP_OK;
}

ilp_status ilpi_guard_check(struct ilp_rewriter *rewriter, const struct ilp_body *body,
                            struct ilp_error *error)
{
    struct ilp_bytes types;
    uint32_t count;
    if (rewriter->emitter && !rewriter->emitter->standalone_sig) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "the emitter makes no StandAloneSig, which a guard needs");
    }
    ILPI_TRY(read_locals(rewriter, body, &types, &count, error));
    if (count > MAX_LOCALS - spilled(rewriter)) {
        return ilpi_fail(error, ILP_E_TOO_MANY, body->code_offset, body->locals,
                         "there is no room for one more local");
    }
    rewriter->guard.local = count;
    return check_sites(rewriter, body, error);
}

ilp_status ilpi_guard_locals(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                             struct ilp_body *body, struct ilp_error *error)
{
    static const uint8_t truth[] = {ILP_ELEMENT_BOOLEAN};
    const struct ilp_emitter *emitter = rewriter->emitter;
    const struct ilpi_spot *spot = &rewriter->spot;
    struct ilp_bytes value = spot->field != 0 ? (struct ilp_bytes){truth, sizeof truth} : decision->returned;
    struct ilpi_buf signature = {.heap = &rewriter->heap};
    struct ilp_bytes types;
    uint32_t count;
    ILPI_TRY(read_locals(rewriter, body, &types, &count, error));
    ilpi_buf_u8(&signature, LOCALS_SIGNATURE);
    ilpi_buf_packed(&signature, count + spilled(rewriter));
    ilpi_buf_bytes_add(&signature, types.data, types.size);
    ilpi_buf_bytes_add(&signature, value.data, value.size);
    if (spot->below_by_reference) {
        ilpi_buf_u8(&signature, ILP_ELEMENT_BYREF);
    }
    ilpi_buf_bytes_add(&signature, spot->below.data, spot->below.size);
    body->init_locals = body->init_locals || body->locals == 0;
    ilp_status status = signature.status == ILP_OK
                            ? emitter->standalone_sig(emitter->user, ilpi_buf_bytes(&signature),
                                                      &body->locals, error)
                            : ilpi_fail_memory(error, signature.size);
    ilpi_buf_free(&signature);
    return status;
}

ilp_status ilpi_guard_clauses(struct ilp_rewriter *rewriter, struct ilp_body *body,
                              struct ilp_error *error)
{
    const struct ilpi_guard *guard = &rewriter->guard;
    struct ilpi_patch *patch = &rewriter->patch;
    void *clauses = patch->clauses;
    ILPI_TRY(ilpi_grow(&rewriter->heap, &clauses, &patch->clause_capacity,
                       body->clause_count + rewriter->insertion_count, sizeof *patch->clauses, error));
    patch->clauses = clauses;
    memmove(patch->clauses + rewriter->insertion_count, patch->clauses, body->clause_count * sizeof *patch->clauses);
    for (size_t i = 0; i < rewriter->insertion_count; i++) {
        /* labels lead to where the sequence begins, behind a ret that is kept */
        uint32_t start = patch->new_offset[rewriter->insertions[i].insn];
        patch->clauses[i] = (struct ilp_eh_clause){.flags = ILPI_EH_CATCH,
                                                   .try_offset = start + guard->try_offset,
                                                   .try_length = guard->handler_offset - guard->try_offset,
                                                   .handler_offset = start + guard->handler_offset,
                                                   .handler_length = guard->end - guard->handler_offset,
                                                   .token_or_filter = guard->caught};
    }
    body->clause_count += rewriter->insertion_count;
    body->clauses = patch->clauses;
    return ILP_OK;
}
