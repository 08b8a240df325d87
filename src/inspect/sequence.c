/* The instructions that show a value, and the tokens they need (III.1.8.1.1, III.4.1, III.4.16, III.3.19):
 *
 *   25          dup
 *   8C <type>   box T          value types and type parameters only
 *   72 <name>   ldstr          when the inspector gets the name
 *   28 <method> call           Inspector
 *
 * Of a reference it is what it leads to that is shown, and null for a null reference (III.4.13, III.3.43):
 *
 *   25          dup
 *   25          dup
 *   2D 04       brtrue.s L
 *   26 14       pop; ldnull
 *   2B nn       br.s M
 *   71 <type>   L: ldobj T     ldind.ref for objects, ldind.i for pointers
 *   8C <type>   box T
 *               M: ldstr, call
 *
 * Of a pointer the address (III.3.27), for which T is UIntPtr:
 *
 *   E0          conv.u         before the box
 *
 * Tokens are asked for here and nowhere else, when nothing can go wrong with the method any more but the
 * asking itself.
 */
#include "inspect/graft.h"
#include "types/names.h"
#include "inspect/rewrite.h"

/* The core library's name of each primitive (II.23.1.16). */
static const char *primitive_name(unsigned element)
{
    static const char *const names[] = {
        [ILP_ELEMENT_BOOLEAN] = "Boolean", [ILP_ELEMENT_CHAR] = "Char",
        [ILP_ELEMENT_I1] = "SByte",        [ILP_ELEMENT_U1] = "Byte",
        [ILP_ELEMENT_I2] = "Int16",        [ILP_ELEMENT_U2] = "UInt16",
        [ILP_ELEMENT_I4] = "Int32",        [ILP_ELEMENT_U4] = "UInt32",
        [ILP_ELEMENT_I8] = "Int64",        [ILP_ELEMENT_U8] = "UInt64",
        [ILP_ELEMENT_R4] = "Single",       [ILP_ELEMENT_R8] = "Double",
        [ILP_ELEMENT_I] = "IntPtr",        [ILP_ELEMENT_U] = "UIntPtr",
    };
    return names[element];
}

static ilp_status primitive_token(struct ilp_rewriter *rewriter, unsigned element, ilp_token *token,
                                  struct ilp_error *error)
{
    const struct ilp_emitter *emitter = rewriter->emitter;
    if (rewriter->primitives[element] == 0) {
        if (rewriter->core_scope == 0) {
            ILPI_TRY(emitter->assembly_ref(emitter->user, &rewriter->core_name,
                                           &rewriter->core_scope, error));
        }
        ILPI_TRY(emitter->type_ref(emitter->user, rewriter->core_scope, "System",
                                   primitive_name(element), &rewriter->primitives[element], error));
    }
    *token = rewriter->primitives[element];
    return ILP_OK;
}

static ilp_status inspector_token(struct ilp_rewriter *rewriter, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = rewriter->emitter;
    const struct ilp_inspector *inspector = rewriter->target->inspector;
    ilp_token *call = &rewriter->target->calls[rewriter->with_name];
    if (*call != 0) {
        return ILP_OK;
    }
    if (rewriter->target->graft) {
        return ilpi_graft_call(rewriter->target->graft, rewriter->with_name, call, error);
    }
    ilp_token token;
    ILPI_TRY(emitter->assembly_ref(emitter->user, &inspector->identity, &token, error));
    ILPI_TRY(emitter->type_ref(emitter->user, token, inspector->name_space, inspector->type_name,
                               &token, error));
    ILPI_TRY(emitter->member_ref(emitter->user, token, ilpi_inspector_method,
                                 ilpi_inspector_signature(rewriter->with_name), &token, error));
    *call = token;
    return ILP_OK;
}

static ilp_status box_token(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                            ilp_token *token, struct ilp_error *error)
{
    switch (decision->box) {
    case ILPI_BOX_PRIMITIVE:
        return primitive_token(rewriter, decision->element, token, error);
    case ILPI_BOX_NAMED:
        *token = decision->type;
        return ILP_OK;
    case ILPI_BOX_SPEC:
        return rewriter->emitter->type_spec(rewriter->emitter->user, decision->spec, token, error);
    case ILPI_BOX_NONE:
        break;
    }
    *token = 0;
    return ILP_OK;
}

/* "Ns.Type::" stays in the buffer while methods of one type follow each other. */
static void put_method_name(struct ilp_rewriter *rewriter, ilp_rid owner, ilp_rid method)
{
    struct ilpi_buf *name = &rewriter->name;
    if (rewriter->name_owner != owner || name->status != ILP_OK) {
        *name = (struct ilpi_buf){name->heap, name->data, 0, name->capacity, ILP_OK};
        ilpi_name_owner(rewriter->image, name, owner);
        rewriter->name_owner = owner;
        rewriter->name_prefix = name->size;
    }
    name->size = rewriter->name_prefix;
    ilpi_name_put(name, ilp_string(rewriter->image, ilp_cell(rewriter->image, ILP_MethodDef, method,
                                                             ILP_MethodDef_Name)));
}

/* All of these opcodes are one byte. */
static uint8_t *put(uint8_t *to, enum ilpi_op op)
{
    *to = (uint8_t)ilpi_opcodes[op].value;
    return to + 1;
}

static uint8_t *put_with_token(uint8_t *to, enum ilpi_op op, ilp_token token)
{
    to = put(to, op);
    ilpi_store_u32(to, token);
    return to + 4;
}

/* Makes an object of a value on the stack. */
static uint8_t *put_object(uint8_t *to, const struct ilpi_decision *decision, ilp_token box)
{
    to = decision->address ? put(to, ILPI_OP_CONV_U) : to;
    return box != 0 ? put_with_token(to, ILPI_OP_BOX, box) : to;
}

/* Makes an object of what the reference on the stack leads to. */
static uint8_t *put_referent(uint8_t *to, const struct ilpi_decision *decision, ilp_token box)
{
    to = put(to, ILPI_OP_DUP);
    to = put(to, ILPI_OP_BRTRUE_S);
    *to++ = 4; /* over pop, ldnull, br.s */
    to = put(to, ILPI_OP_POP);
    to = put(to, ILPI_OP_LDNULL);
    to = put(to, ILPI_OP_BR_S);
    uint8_t *distance = to++;
    to = decision->address ? put(to, ILPI_OP_LDIND_I)
         : box != 0        ? put_with_token(to, ILPI_OP_LDOBJ, box)
                           : put(to, ILPI_OP_LDIND_REF);
    to = put_object(to, decision, box);
    *distance = (uint8_t)(to - distance - 1);
    return to;
}

ilp_status ilpi_sequence_build(struct ilp_rewriter *rewriter, const struct ilpi_decision *decision,
                               ilp_rid owner, ilp_rid method, size_t *size, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = rewriter->emitter;
    ilp_token box;
    ilp_token name = 0;
    if (rewriter->with_name) { /* first, since it is what a full heap refuses */
        put_method_name(rewriter, owner, method);
        if (rewriter->name.status != ILP_OK) {
            return ilpi_fail_memory(error, rewriter->name.size);
        }
        ILPI_TRY(emitter->user_string(emitter->user, ilpi_buf_bytes(&rewriter->name), &name, error));
    }
    ILPI_TRY(box_token(rewriter, decision, &box, error));
    ILPI_TRY(inspector_token(rewriter, error));

    uint8_t *to = rewriter->sequence;
    to = put(to, ILPI_OP_RET); /* used only where a tail call keeps its own ret */
    to = put(to, ILPI_OP_DUP);
    to = decision->by_reference ? put_referent(to, decision, box) : put_object(to, decision, box);
    to = name != 0 ? put_with_token(to, ILPI_OP_LDSTR, name) : to;
    to = put_with_token(to, ILPI_OP_CALL, rewriter->target->calls[rewriter->with_name]);
    *size = (size_t)(to - rewriter->sequence);
    return ILP_OK;
}
