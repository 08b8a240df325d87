/* Bodies of grafted methods, instruction by instruction (II.25.4, III.1.2), and data of grafted
 * fields (II.22.18). Tokens keep their size, so that nothing in a body moves. See graft.h.
 */
#include "inspect/embed/embed.h"
#include "types/value_size.h"

static ilp_status map_operands(struct ilpi_graft *graft, uint8_t *bytes, struct ilp_error *error)
{
    const struct ilpi_code *code = &graft->code;
    for (size_t i = 0; i < code->count; i++) {
        const struct ilpi_insn *insn = &code->insns[i];
        ilp_token to;
        switch (ilpi_opcodes[insn->op].operand) {
        case ILPI_OPERAND_STRING:
            ILPI_TRY(ilpi_graft_user_string(graft, ilpi_insn_token(code, insn), &to, error));
            break;
        case ILPI_OPERAND_TOKEN:
        case ILPI_OPERAND_METHOD:
        case ILPI_OPERAND_SIG:
            ILPI_TRY(ilpi_graft_token(graft, ilpi_insn_token(code, insn), &to, error));
            break;
        default:
            continue;
        }
        ilpi_store_u32(bytes + insn->offset + insn->size - 4, to);
    }
    return ILP_OK;
}

static ilp_status map_clauses(struct ilpi_graft *graft, struct ilp_body *body,
                              struct ilp_error *error)
{
    for (size_t i = 0; i < body->clause_count; i++) {
        struct ilp_eh_clause *clause = &body->clauses[i];
        if (clause->flags == ILPI_EH_CATCH) {
            ILPI_TRY(
                ilpi_graft_token(graft, clause->token_or_filter, &clause->token_or_filter, error));
        }
    }
    return ILP_OK;
}

static ilp_status map_body(struct ilpi_graft *graft, struct ilp_body *body, struct ilp_error *error)
{
    ILPI_TRY(ilpi_code_decode(&graft->code, body, error));
    uint8_t *bytes = ilpi_arena_copy(&graft->arena, body->code.data, body->code.size);
    if (!bytes) {
        return ilpi_fail_memory(error, body->code.size);
    }
    ILPI_TRY(map_operands(graft, bytes, error));
    ILPI_TRY(map_clauses(graft, body, error));
    ILPI_TRY(ilpi_graft_token(graft, body->locals, &body->locals, error));
    body->code.data = bytes;
    return ILP_OK;
}

static ilp_status graft_body(struct ilpi_graft *graft, ilp_rid method, uint32_t rva,
                             struct ilp_error *error)
{
    struct ilp_body body;
    uint64_t offset = 0;
    struct ilp_bytes bytes = ilp_image_rva(graft->from, rva, &offset);
    ILPI_TRY(ilp_body_read(&body, bytes, offset, &graft->arena, error));
    ILPI_TRY(ilpi_spend(&graft->budget, body.size, error));
    if (body.other.size != 0) {
        return ilpi_graft_refuse(graft, ILP_TOKEN(ILP_MethodDef, method), error,
                                 "%.100s has data behind its code that is not known",
                                 ilp_string(graft->from, ilp_cell(graft->from, ILP_MethodDef,
                                                                  method, ILP_MethodDef_Name)));
    }
    ILPI_TRY(map_body(graft, &body, error));
    if (!graft->committing) {
        return ILP_OK;
    }
    graft->body.size = 0;
    graft->body.status = ILP_OK;
    ILPI_TRY(ilpi_body_write(&graft->body, &body, error));
    return ilp_edit_set_body(graft->edit, graft->first_method + graft->methods[method],
                             ilpi_buf_bytes(&graft->body), error);
}

ilp_status ilpi_graft_bodies(struct ilpi_graft *graft, ilp_rid type, struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(graft->from, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(graft->from, ILP_MethodDef, first);
        uint32_t rva = ilp_cell(graft->from, ILP_MethodDef, method, ILP_MethodDef_RVA);
        if (rva != 0) {
            ILPI_TRY(graft_body(graft, method, rva, error));
        }
    }
    return ILP_OK;
}

/* The bytes are as many as a value of the field's type has. */
static ilp_status size_of_data(struct ilpi_graft *graft, ilp_rid field, uint32_t *size,
                               struct ilp_error *error)
{
    uint32_t blob = ilp_cell(graft->from, ILP_Field, field, ILP_Field_Signature);
    struct ilp_sig *sig;
    ilpi_arena_reset(&graft->scratch);
    ILPI_TRY(ilp_sig_read(&sig, ilp_blob(graft->from, blob), ILP_SIG_FIELD,
                          ilpi_blob_offset(graft->from, blob), &graft->scratch, error));
    return ilpi_value_size(graft->from, sig->ret, graft->resolver, 8, &graft->scratch, size, NULL,
                           error);
}

ilp_status ilpi_graft_data(struct ilpi_graft *graft, ilp_rid field, ilp_token to,
                           struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(graft->from, ILP_FieldRVA, field, &position);
    if (row == 0) {
        return ILP_OK;
    }
    uint32_t rva = ilp_cell(graft->from, ILP_FieldRVA, row, ILP_FieldRVA_RVA);
    struct ilp_bytes data = ilp_image_rva(graft->from, rva, NULL);
    uint32_t size;
    ILPI_TRY(size_of_data(graft, field, &size, error));
    if (size == 0 || size > data.size) {
        return ilpi_graft_refuse(
            graft, ILP_TOKEN(ILP_Field, field), error, "how much data %.100s has is not known",
            ilp_string(graft->from, ilp_cell(graft->from, ILP_Field, field, ILP_Field_Name)));
    }
    data.size = size;
    ILPI_TRY(ilpi_spend(&graft->budget, size, error));
    ilp_rid added;
    uint32_t cells[ILP_FieldRVA_COLUMNS] = {[ILP_FieldRVA_Field] = ILP_TOKEN_RID(to)};
    ILPI_TRY(ilpi_graft_row(graft, ILP_FieldRVA, cells, &added, error));
    return graft->committing ? ilp_edit_set_data(graft->edit, added, data, error) : ILP_OK;
}
