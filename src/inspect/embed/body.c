/* Bodies of embedded methods, instruction by instruction (II.25.4, III.1.2), and data of embedded
 * fields (II.22.18). Tokens keep their size, so that offsets in a body do not change: a copy is
 * made, and tokens in it are replaced where they are. */
#include "inspect/embed/body.h"

#include "inspect/body_at.h"
#include "inspect/embed/token.h"
#include "types/value_size.h"

/* A token is the last four bytes of its instruction, whether the opcode has one byte or two. */
static ilp_status map_operands(struct ilpi_embedding *embedding, uint8_t *bytes,
                               struct ilp_error *error)
{
    const struct ilpi_code *code = &embedding->code;
    for (size_t i = 0; i < code->count; i++) {
        const struct ilpi_insn *insn = &code->insns[i];
        ilp_token to;
        switch (ilpi_opcodes[insn->op].operand) {
        case ILPI_OPERAND_STRING:
            ILPI_TRY(ilpi_embed_user_string(embedding, ilpi_insn_token(code, insn), &to, error));
            break;
        case ILPI_OPERAND_TOKEN:
        case ILPI_OPERAND_METHOD:
        case ILPI_OPERAND_SIG:
            ILPI_TRY(ilpi_embed_token(embedding, ilpi_insn_token(code, insn), &to, error));
            break;
        default: continue;
        }
        ilpi_store_u32(bytes + insn->offset + insn->size - 4, to);
    }
    return ILP_OK;
}

/* Only catch clauses have a token; that field of a filter is an offset, which does not change. */
static ilp_status map_clauses(struct ilpi_embedding *embedding, struct ilp_body *body,
                              struct ilp_error *error)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        struct ilp_eh_clause *clause = &body->clauses[i];
        if (clause->flags == ILPI_EH_CATCH) {
            ILPI_TRY(ilpi_embed_token(embedding, clause->token_or_filter, &clause->token_or_filter,
                                      error));
        }
    }
    return ILP_OK;
}

static ilp_status map_body(struct ilpi_embedding *embedding, struct ilp_body *body,
                           struct ilp_error *error)
{
    ILPI_TRY(ilpi_code_decode(&embedding->code, body, error));
    uint8_t *bytes = ilpi_arena_copy(&embedding->arena, body->code.data, body->code.size);
    if (!bytes) {
        return ilpi_fail_memory(error, body->code.size);
    }
    ILPI_TRY(map_operands(embedding, bytes, error));
    ILPI_TRY(map_clauses(embedding, body, error));
    ILPI_TRY(ilpi_embed_token(embedding, body->locals, &body->locals, error));
    body->code.data = bytes;
    return ILP_OK;
}

/* Also planned, since only the tokens in a body show which types the inspector needs. Unknown
 * sections after the code cannot be copied: they could hold tokens. */
static ilp_status embed_body(struct ilpi_embedding *embedding, ilp_rid method, uint32_t rva,
                             struct ilp_error *error)
{
    struct ilp_body body;
    ILPI_TRY(
        ilpi_body_at(embedding->from, rva, &embedding->arena, &embedding->budget, &body, error));
    if (body.other.size != 0) {
        return ilpi_embed_refuse(
            embedding, ILP_TOKEN(ILP_MethodDef, method), error,
            "%.100s has unknown data after its code",
            ilp_string(embedding->from,
                       ilp_cell(embedding->from, ILP_MethodDef, method, ILP_MethodDef_Name)));
    }
    ILPI_TRY(map_body(embedding, &body, error));
    if (!embedding->committing) {
        return ILP_OK;
    }
    embedding->body.size = 0;
    embedding->body.status = ILP_OK;
    ILPI_TRY(ilpi_body_write(&embedding->body, &body, error));
    return ilp_edit_set_body(embedding->edit, embedding->first_method + embedding->methods[method],
                             ilpi_buf_bytes(&embedding->body), error);
}

/* A method without a body has RVA 0: abstract, P/Invoke, or provided by the runtime as those of
 * delegates. */
ilp_status ilpi_embed_bodies(struct ilpi_embedding *embedding, ilp_rid type,
                             struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(embedding->from, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(embedding->from, ILP_MethodDef, first);
        uint32_t rva = ilp_cell(embedding->from, ILP_MethodDef, method, ILP_MethodDef_RVA);
        if (rva != 0) {
            ILPI_TRY(embed_body(embedding, method, rva, error));
        }
    }
    return ILP_OK;
}

/* The data is as long as a value of the field's type. */
static ilp_status size_of_data(struct ilpi_embedding *embedding, ilp_rid field, uint32_t *size,
                               struct ilp_error *error)
{
    uint32_t blob = ilp_cell(embedding->from, ILP_Field, field, ILP_Field_Signature);
    struct ilp_sig *sig;
    ilpi_arena_reset(&embedding->scratch);
    ILPI_TRY(ilp_sig_read(&sig, ilp_blob(embedding->from, blob), ILP_SIG_FIELD,
                          ilpi_blob_offset(embedding->from, blob), &embedding->scratch, error));
    struct ilpi_value_query query = {embedding->from, sig->ret, embedding->resolver,
                                     &embedding->scratch, NULL};
    return ilpi_value_size(&query, 8, size, NULL, error);
}

/* A FieldRVA row has no size (II.22.18). Constant arrays have a struct of that size as their type
 * (<PrivateImplementationDetails>). */
ilp_status ilpi_embed_data(struct ilpi_embedding *embedding, ilp_rid field, ilp_token to,
                           struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(embedding->from, ILP_FieldRVA, field, &position);
    if (row == 0) {
        return ILP_OK;
    }
    uint32_t rva = ilp_cell(embedding->from, ILP_FieldRVA, row, ILP_FieldRVA_RVA);
    struct ilp_bytes data = ilp_image_rva(embedding->from, rva, NULL);
    uint32_t size;
    ILPI_TRY(size_of_data(embedding, field, &size, error));
    if (size == 0 || size > data.size) {
        return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_Field, field), error,
                                 "how much data %.100s has is not known",
                                 ilp_string(embedding->from, ilp_cell(embedding->from, ILP_Field,
                                                                      field, ILP_Field_Name)));
    }
    data.size = size;
    ILPI_TRY(ilpi_spend(&embedding->budget, size, error));
    ilp_rid added;
    uint32_t cells[ILP_FieldRVA_COLUMNS] = {[ILP_FieldRVA_Field] = ILP_TOKEN_RID(to)};
    ILPI_TRY(ilpi_embed_row(embedding, ILP_FieldRVA, cells, &added, error));
    return embedding->committing ? ilp_edit_set_data(embedding->edit, added, data, error) : ILP_OK;
}
