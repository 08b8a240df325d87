/* Reads the stack effect of call tokens, and remembers it per token. See call_shape.h. */
#include "types/call_shape.h"

#include "sig/sig.h"

/* The signature's blob, by what a call instruction may name except MethodSpec (III.3.19,
 * III.3.20). */
uint32_t ilpi_call_signature(const struct ilp_image *image, ilp_token token)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    switch (ILP_TOKEN_TABLE(token)) {
    case ILP_MethodDef: return ilpi_method_cell(image, rid, ILP_MethodDef_Signature);
    case ILP_MemberRef: return ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature);
    case ILP_StandAloneSig:
        return ilp_cell(image, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature);
    default: return 0;
    }
}

ilp_status ilpi_call_shapes_init(struct ilpi_call_shapes *shapes, const struct ilp_image *image,
                                 struct ilp_arena *arena, struct ilp_error *error)
{
    size_t methods = (size_t)image->tables[ILP_MethodDef].count + 1;
    size_t members = (size_t)image->tables[ILP_MemberRef].count + 1;
    *shapes = (struct ilpi_call_shapes){image, ilpi_arena_array(arena, methods, sizeof(uint32_t)),
                                        ilpi_arena_array(arena, members, sizeof(uint32_t))};
    return shapes->methods && shapes->members
               ? ILP_OK
               : ilpi_fail_memory(error, (methods + members) * sizeof(uint32_t));
}

/* A shape in 32 bits: known, takes `this`, returns a value; then the number of parameters, a
 * compressed integer of at most 29 bits (II.23.2). 0 in memory means that the signature was not
 * read yet, so KNOWN is always set. */
enum { SHAPE_KNOWN = 1, SHAPE_THIS = 2, SHAPE_RETURNS = 4, SHAPE_PARAMS_SHIFT = 3 };

/* The memory for a token's shape; NULL for tokens that have none. */
static uint32_t *memory_of(const struct ilpi_call_shapes *shapes, ilp_token token)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    const struct ilpi_table *tables = shapes->image->tables;
    switch (ILP_TOKEN_TABLE(token)) {
    case ILP_MethodDef: return rid <= tables[ILP_MethodDef].count ? &shapes->methods[rid] : NULL;
    case ILP_MemberRef: return rid <= tables[ILP_MemberRef].count ? &shapes->members[rid] : NULL;
    default: return NULL;
    }
}

/* `this` counts as a parameter on the stack unless the signature lists it (EXPLICITTHIS,
 * II.15.3). */
static ilp_status read_shape(const struct ilp_image *image, ilp_token token, uint32_t *packed,
                             struct ilp_error *error)
{
    uint32_t blob = ilpi_call_signature(image, token);
    struct ilpi_sig_call call;
    ILPI_TRY(
        ilpi_sig_call_shape(ilp_blob(image, blob), ilpi_blob_offset(image, blob), &call, error));
    bool takes_this = (call.convention & (ILP_CALL_HASTHIS | ILP_CALL_EXPLICITTHIS)) ==
                      ILP_CALL_HASTHIS;
    *packed = SHAPE_KNOWN | (takes_this ? SHAPE_THIS : 0u) | (call.returns ? SHAPE_RETURNS : 0u) |
              call.params << SHAPE_PARAMS_SHIFT;
    return ILP_OK;
}

/* A MethodSpec has no parameters: use its method's. */
static ilp_token method_of(const struct ilp_image *image, ilp_token token)
{
    return ILP_TOKEN_TABLE(token) == ILP_MethodSpec
               ? ilp_cell(image, ILP_MethodSpec, ILP_TOKEN_RID(token), ILP_MethodSpec_Method)
               : token;
}

/* newobj passes no `this`, and pushes the object although its constructor returns nothing
 * (III.4.21); calli pops the function pointer as well (III.3.20). */
static struct ilpi_call_shape unpack(uint32_t packed, enum ilpi_op op)
{
    bool creates = op == ILPI_OP_NEWOBJ;
    bool takes_this = (packed & SHAPE_THIS) != 0 && !creates;
    return (struct ilpi_call_shape){.pops = (packed >> SHAPE_PARAMS_SHIFT) + takes_this +
                                            (op == ILPI_OP_CALLI),
                                    .pushes = creates || (packed & SHAPE_RETURNS) != 0,
                                    .takes_this = takes_this};
}

ilp_status ilpi_call_shape_read(const struct ilp_image *image, enum ilpi_op op, ilp_token token,
                                struct ilpi_call_shape *shape, struct ilp_error *error)
{
    uint32_t packed;
    ILPI_TRY(read_shape(image, method_of(image, token), &packed, error));
    *shape = unpack(packed, op);
    return ILP_OK;
}

/* A MethodSpec has the memory of its method: instances have the same number of parameters. */
ilp_status ilpi_call_shape_of(void *user, enum ilpi_op op, ilp_token token,
                              struct ilpi_call_shape *shape, struct ilp_error *error)
{
    const struct ilpi_call_shapes *shapes = user;
    token = method_of(shapes->image, token);
    uint32_t *memory = memory_of(shapes, token);
    uint32_t packed = memory ? *memory : 0;
    if (packed == 0) {
        ILPI_TRY(read_shape(shapes->image, token, &packed, error));
        if (memory) {
            *memory = packed;
        }
    }
    *shape = unpack(packed, op);
    return ILP_OK;
}
