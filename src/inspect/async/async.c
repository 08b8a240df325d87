/* Finds the calls that set the results of async methods. See async.h.
 *
 *   the kickoff method:    ... ldflda builder; ldloca machine; call Start
 *   <M>d__0.MoveNext():  ... ldarg.0; ldflda builder; ldloc result; call SetResult
 *
 * The builder is the field that the kickoff method calls Start on, so builders of all kinds are
 * known, those of Task, ValueTask and pooled ones, and the program's own. A call in MoveNext counts
 * if it is to SetResult with one parameter, on the type of that field: a TaskCompletionSource has a
 * SetResult, too, and locals of an async method become fields.
 */
#include "inspect/async/async.h"

#include "base/bytes.h"
#include "il/body.h"
#include "sig/sig.h"

/* Whether a method's token leads to one called Start: it is generic, so that the token is a
 * MethodSpec. */
static bool is_start(const struct ilp_image *image, ilp_token token)
{
    if (ILP_TOKEN_TABLE(token) != ILP_MethodSpec) {
        return false;
    }
    token = ilp_cell(image, ILP_MethodSpec, ILP_TOKEN_RID(token), ILP_MethodSpec_Method);
    ilp_rid rid = ILP_TOKEN_RID(token);
    uint32_t name = ILP_TOKEN_TABLE(token) == ILP_MethodDef
                        ? ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name)
                        : ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name);
    return ilpi_string_is(image, name, "Start");
}

/* The field that is loaded last before the first Start; its copy in a local may be what Start is
 * called on. */
static ilp_status builder_in(const struct ilpi_machine_type *machine, struct ilp_bytes code,
                             ilp_rid *builder, struct ilp_error *error)
{
    struct ilpi_insn insn;
    ilp_token loaded = 0;
    *builder = 0;
    for (uint32_t at = 0; at < code.size && ilpi_insn_read(code, at, &insn); at += insn.size) {
        unsigned operand = ilpi_opcodes[insn.op].operand;
        if (operand != ILPI_OPERAND_TOKEN && operand != ILPI_OPERAND_METHOD) {
            continue;
        }
        ilp_token token = ilpi_load_u32(code.data + at + insn.size - 4);
        if (insn.op == ILPI_OP_LDFLD || insn.op == ILPI_OP_LDFLDA) {
            loaded = token;
        } else if (is_start(machine->image, token)) {
            return ilpi_state_machine_field(machine, loaded, builder, error);
        }
    }
    return ILP_OK;
}

ilp_status ilpi_async_builder(const struct ilpi_machine_type *machine, ilp_rid kickoff,
                              ilp_rid *builder, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    uint64_t offset;
    struct ilp_body body;
    struct ilp_bytes bytes =
        ilp_image_rva(image, ilp_cell(image, ILP_MethodDef, kickoff, ILP_MethodDef_RVA), &offset);
    *builder = 0;
    ILPI_TRY(ilp_body_read(&body, bytes, offset, machine->arena, error));
    ILPI_TRY(ilpi_spend(machine->budget, body.size, error));
    return builder_in(machine, body.code, builder, error);
}

/* The n-th argument of an instance. */
static struct ilp_bytes argument(const struct ilp_type *instance, uint32_t number)
{
    const struct ilp_type *at = instance->inner->next;
    for (; at && number != 0; number--) {
        at = at->next;
    }
    return at ? at->raw : (struct ilp_bytes){NULL, 0};
}

/* The only parameter of a SetResult on type `parent`, with the builder's own type arguments put in.
 * The builder's type is a class or struct, named as in `parent` if it is not generic. */
static struct ilp_bytes parameter_type(const struct ilp_image *image, const struct ilp_type *type,
                                       ilp_token parent, const struct ilp_type *parameter)
{
    struct ilp_bytes none = {NULL, 0};
    bool plain = parameter->element != ILP_ELEMENT_VAR && parameter->element != ILP_ELEMENT_MVAR;
    if (type->element == ILP_ELEMENT_VALUETYPE || type->element == ILP_ELEMENT_CLASS) {
        return plain && type->token == parent ? parameter->raw : none;
    }
    struct ilp_bytes spec = {NULL, 0};
    if (ILP_TOKEN_TABLE(parent) == ILP_TypeSpec) {
        spec = ilp_blob(
            image, ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(parent), ILP_TypeSpec_Signature));
    }
    bool same = spec.size != 0 && ilpi_bytes_equal(spec, type->raw);
    return same && type->element == ILP_ELEMENT_GENERICINST && parameter->element == ILP_ELEMENT_VAR
               ? argument(type, parameter->number)
               : none;
}

ilp_status ilpi_async_result_type(const struct ilpi_machine_type *machine,
                                  const struct ilpi_code *code, const struct ilpi_insn *insn,
                                  ilp_rid builder, struct ilp_bytes *type, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    *type = (struct ilp_bytes){NULL, 0};
    if (insn->op != ILPI_OP_CALL && insn->op != ILPI_OP_CALLVIRT) {
        return ILP_OK;
    }
    ilp_token token = ilpi_insn_token(code, insn);
    ilp_rid rid = ILP_TOKEN_RID(token);
    bool member = ILP_TOKEN_TABLE(token) == ILP_MemberRef;
    if (!member && ILP_TOKEN_TABLE(token) != ILP_MethodDef) {
        return ILP_OK;
    }
    uint32_t name = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name)
                           : ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    uint32_t blob = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature)
                           : ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature);
    ilp_token parent = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class)
                              : ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid));
    struct ilp_sig *sig;
    const struct ilp_type *builder_type;
    if (!ilpi_string_is(image, name, "SetResult")) {
        return ILP_OK;
    }
    ILPI_TRY(
        ilpi_sig_read_valid(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, machine->arena, error));
    if (!sig || sig->param_count != 1 || (sig->convention & ILP_CALL_HASTHIS) == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_field_type(image, builder, machine->arena, &builder_type, error));
    if (builder_type) {
        *type = parameter_type(image, builder_type, parent, sig->params);
    }
    return ILP_OK;
}
