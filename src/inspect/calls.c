/* What a call does to the stack, from its token's signature (III.3.19, III.3.20, III.4.2, III.4.21). */
#include "inspect/rewrite.h"

/* The blob of the method that a call's token means. */
static uint32_t signature_of(const struct ilp_image *image, ilp_token token)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    switch (ILP_TOKEN_TABLE(token)) {
    case ILP_MethodDef:
        return ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature);
    case ILP_MemberRef:
        return ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature);
    case ILP_StandAloneSig:
        return ilp_cell(image, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature);
    default:
        return 0;
    }
}

ilp_status ilpi_call_shape_of(void *user, enum ilpi_op op, ilp_token token,
                              struct ilpi_call_shape *shape, struct ilp_error *error)
{
    const struct ilp_image *image = user;
    if (ILP_TOKEN_TABLE(token) == ILP_MethodSpec) { /* says nothing about parameters: the method does */
        token = ilp_cell(image, ILP_MethodSpec, ILP_TOKEN_RID(token), ILP_MethodSpec_Method);
    }
    uint32_t blob = signature_of(image, token);
    uint8_t convention;
    uint32_t params;
    bool returns;
    ILPI_TRY(ilpi_sig_call_shape(ilp_blob(image, blob), ilpi_blob_offset(image, blob), &convention,
                                 &params, &returns, error));
    bool takes_this = (convention & ILP_CALL_HASTHIS) != 0 &&
                      (convention & ILP_CALL_EXPLICITTHIS) == 0 && op != ILPI_OP_NEWOBJ;
    shape->pops = params + takes_this + (op == ILPI_OP_CALLI);
    shape->pushes = op == ILPI_OP_NEWOBJ || returns;
    return ILP_OK;
}
