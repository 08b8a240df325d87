/* New locals after a method's own (II.23.2.6, II.25.4.3). */
#include "inspect/locals.h"

/* Local numbers have 16 bits, and FFFF is invalid (III.1.7.3). */
#define MAX_LOCALS 0xFFFEu

/* LocalVarSig: 07, the count, the types. */
#define LOCALS_SIGNATURE 0x07u

/* The types in a locals signature, and their number. */
static ilp_status read_locals(const struct ilpi_module_context *module, const struct ilp_body *body,
                              struct ilp_bytes *types, uint32_t *count, struct ilp_error *error)
{
    const struct ilp_image *image = module->image;
    *types = (struct ilp_bytes){NULL, 0};
    *count = 0;
    if (body->locals == 0) {
        return ILP_OK;
    }
    /* blob 0 is empty, and so no LocalVarSig: a token of another table fails below */
    uint32_t blob = ILP_TOKEN_TABLE(body->locals) == ILP_StandAloneSig
                        ? ilp_cell(image, ILP_StandAloneSig, ILP_TOKEN_RID(body->locals),
                                   ILP_StandAloneSig_Signature)
                        : 0;
    return ilpi_sig_locals(ilp_blob(image, blob), types, count)
               ? ILP_OK
               : ilpi_fail(error, ILP_E_BAD_BODY, body->code_offset, body->locals,
                           "0x%08X is not a LocalVarSig", body->locals);
}

/* MAX_LOCALS is for the old and the new ones together. */
ilp_status ilpi_locals_room(const struct ilpi_module_context *module, const struct ilp_body *body,
                            uint32_t more, uint32_t *first, struct ilp_error *error)
{
    struct ilp_bytes types;
    if (module->emitter && !module->emitter->standalone_sig) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "the emitter makes no StandAloneSig, which new locals need");
    }
    ILPI_TRY(read_locals(module, body, &types, first, error));
    if (*first > MAX_LOCALS - more) {
        return ilpi_fail(error, ILP_E_TOO_MANY, body->code_offset, body->locals,
                         "no room for one more local");
    }
    return ILP_OK;
}

/* Without locals before, InitLocals is set: the new locals need it to be verifiable, and no old
 * code relies on its absence (II.25.4.4). */
ilp_status ilpi_locals_add(struct ilpi_module_context *module, struct ilp_bytes added,
                           uint32_t more, struct ilp_body *body, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = module->emitter;
    struct ilpi_buf signature = {.alloc = module->alloc};
    struct ilp_bytes types;
    uint32_t count;
    ILPI_TRY(read_locals(module, body, &types, &count, error));
    ilpi_buf_u8(&signature, LOCALS_SIGNATURE);
    ilpi_buf_packed(&signature, count + more);
    ilpi_buf_bytes_add(&signature, types.data, types.size);
    ilpi_buf_bytes_add(&signature, added.data, added.size);
    body->init_locals = body->init_locals || body->locals == 0;
    ilp_status status = signature.status == ILP_OK
                            ? emitter->standalone_sig(emitter->user, ilpi_buf_bytes(&signature),
                                                      &body->locals, error)
                            : ilpi_fail_memory(error, signature.size);
    ilpi_buf_free(&signature);
    return status;
}
