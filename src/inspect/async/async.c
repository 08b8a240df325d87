/* Finds the calls that set the results and exceptions of async methods. See async.h.
 *
 *   the kickoff method:    ... ldflda builder; ldloca machine; call Start
 *   <M>d__0.MoveNext():  ... ldarg.0; ldflda builder; ldloc result; call SetResult
 *                        ... ldarg.0; ldflda builder; ldloc e; call SetException
 *
 * The builder is the field that the kickoff method calls Start on, so that all builders are found:
 * those of Task and ValueTask, pooled ones, and the program's own. A call in MoveNext counts if it
 * calls SetResult with one parameter on the type of that field: TaskCompletionSource has a
 * SetResult as well, and locals of an async method become fields. */
#include "inspect/async/async.h"

#include "base/bytes.h"
#include "inspect/body_at.h"
#include "sig/sig.h"
#include "types/core_type.h"

/* Whether a method token is called Start: it is generic, so the token is a MethodSpec. */
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

/* The last field loaded before the first Start; Start may be called on its copy in a local. */
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
    uint32_t rva = ilp_cell(machine->image, ILP_MethodDef, kickoff, ILP_MethodDef_RVA);
    struct ilp_body body;
    *builder = 0;
    ILPI_TRY(ilpi_body_at(machine->image, rva, machine->arena, machine->budget, &body, error));
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

/* Whether the parent of a call's method is the field's type: a class or struct, or an instance of a
 * generic one with the same arguments. Instances are compared as bytes: compilers encode one type
 * in one form. */
static bool is_parent(const struct ilp_image *image, const struct ilp_type *type, ilp_token parent)
{
    if (type->element == ILP_ELEMENT_VALUETYPE || type->element == ILP_ELEMENT_CLASS) {
        return type->token == parent;
    }
    if (type->element != ILP_ELEMENT_GENERICINST || ILP_TOKEN_TABLE(parent) != ILP_TypeSpec) {
        return false;
    }
    struct ilp_bytes spec = ilp_blob(
        image, ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(parent), ILP_TypeSpec_Signature));
    return spec.size != 0 && ilpi_bytes_equal(spec, type->raw);
}

/* The parameter of a call on field `field` to an instance method called `name`, with one parameter,
 * of the field's type. *type is that type; both are NULL when `insn` is not such a call. */
static ilp_status find_parameter(const struct ilpi_machine_type *machine,
                                 const struct ilpi_code *code, const struct ilpi_insn *insn,
                                 ilp_rid field, const char *name, const struct ilp_type **type,
                                 const struct ilp_type **parameter, struct ilp_error *error)
{
    const struct ilp_image *image = machine->image;
    const struct ilp_type *field_type;
    *type = NULL;
    *parameter = NULL;
    if (insn->op != ILPI_OP_CALL && insn->op != ILPI_OP_CALLVIRT) {
        return ILP_OK;
    }
    /* SetResult and SetException are not generic themselves, so a MethodSpec is another method */
    ilp_token token = ilpi_insn_token(code, insn);
    ilp_rid rid = ILP_TOKEN_RID(token);
    bool member = ILP_TOKEN_TABLE(token) == ILP_MemberRef;
    if (!member && ILP_TOKEN_TABLE(token) != ILP_MethodDef) {
        return ILP_OK;
    }
    uint32_t called = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name)
                             : ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    uint32_t blob = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature)
                           : ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature);
    ilp_token parent = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class)
                              : ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid));
    struct ilp_sig *sig;
    if (!ilpi_string_is(image, called, name)) {
        return ILP_OK;
    }
    ILPI_TRY(
        ilpi_sig_read_valid(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, machine->arena, error));
    if (!sig || sig->param_count != 1 || (sig->convention & ILP_CALL_HASTHIS) == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_field_type(image, field, machine->arena, &field_type, error));
    if (field_type && is_parent(image, field_type, parent)) {
        *type = field_type;
        *parameter = sig->params;
    }
    return ILP_OK;
}

/* The result's type as SetResult declares it: the builder's argument for AsyncTaskMethodBuilder<T>,
 * the parameter itself for a builder that is not generic. */
ilp_status ilpi_async_result_type(const struct ilpi_machine_type *machine,
                                  const struct ilpi_code *code, const struct ilpi_insn *insn,
                                  ilp_rid builder, struct ilp_bytes *type, struct ilp_error *error)
{
    const struct ilp_type *generic;
    const struct ilp_type *parameter;
    *type = (struct ilp_bytes){NULL, 0};
    ILPI_TRY(
        find_parameter(machine, code, insn, builder, "SetResult", &generic, &parameter, error));
    if (!parameter) {
        return ILP_OK;
    }
    if (generic->element != ILP_ELEMENT_GENERICINST) {
        bool plain = parameter->element != ILP_ELEMENT_VAR &&
                     parameter->element != ILP_ELEMENT_MVAR;
        *type = plain ? parameter->raw : *type;
    } else if (parameter->element == ILP_ELEMENT_VAR) {
        *type = argument(generic, parameter->number);
    }
    return ILP_OK;
}

ilp_status ilpi_async_exception_type(const struct ilpi_machine_type *machine,
                                     const struct ilpi_code *code, const struct ilpi_insn *insn,
                                     ilp_rid field, struct ilp_bytes *type, struct ilp_error *error)
{
    const struct ilp_type *on;
    const struct ilp_type *parameter;
    *type = (struct ilp_bytes){NULL, 0};
    ILPI_TRY(find_parameter(machine, code, insn, field, "SetException", &on, &parameter, error));
    if (parameter && parameter->element == ILP_ELEMENT_CLASS &&
        ilpi_type_is_named(machine->image, parameter->token, "System", "Exception")) {
        *type = parameter->raw;
    }
    return ILP_OK;
}

/* Whether the call at `i` is on the field: `ldflda field; load of the argument; call`, in straight
 * line. Anything more complicated is not recognised. A branch to the load or the call could come
 * with another object below the argument. */
ilp_status ilpi_async_is_on_field(const struct ilpi_machine_type *machine,
                                  const struct ilpi_code *code, uint32_t i, ilp_rid field, bool *on,
                                  struct ilp_error *error)
{
    const struct ilpi_insn *insns = code->insns;
    ilp_rid loaded;
    *on = false;
    if (i < 2 || (insns[i - 2].op != ILPI_OP_LDFLDA && insns[i - 2].op != ILPI_OP_LDFLD) ||
        ilpi_opcodes[insns[i - 1].op].pops != 0 || ilpi_opcodes[insns[i - 1].op].pushes != 1 ||
        ((insns[i - 1].marks | insns[i].marks) & ILPI_INSN_TARGET) != 0) {
        return ILP_OK;
    }
    ILPI_TRY(
        ilpi_state_machine_field(machine, ilpi_insn_token(code, &insns[i - 2]), &loaded, error));
    *on = loaded != 0 && loaded == field;
    return ILP_OK;
}
