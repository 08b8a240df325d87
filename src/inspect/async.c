/* Finds state machines and the calls that set their results. See async.h.
 *
 *   [AsyncStateMachine(typeof(<M>d__0))] Task<int> M()          the kickoff method
 *       ... ldflda builder; ldloca machine; call Start
 *   <M>d__0.MoveNext():  ... ldarg.0; ldflda builder; ldloc result; call SetResult
 *
 * The builder is the field that the kickoff method calls Start on, so builders of all kinds are
 * known, those of Task, ValueTask and pooled ones, and the program's own. A call in MoveNext counts
 * if it is to SetResult with one parameter, on the type of that field: a TaskCompletionSource has a
 * SetResult, too, and locals of an async method become fields.
 */
#include "inspect/async.h"

#include "il/body.h"
#include "sig/sig.h"

static const char attribute_space[] = "System.Runtime.CompilerServices";
static const char attribute_name[] = "AsyncStateMachineAttribute";

/* Types nest no deeper in anything a compiler made, and their names are no longer. */
#define MAX_NAME 2048u

/* ---- kickoff methods ---- */

/* A name up to its end, a `+` or a `,`, without the backslashes that mark what else would end it or
 * have a meaning (II.23.3). `dot`: the last one that is not marked, 0 for none. */
struct name_part {
    char text[MAX_NAME + 1];
    size_t size;
    size_t dot;
};

/* Reads one part; false if it is too long. *end: what stands behind it, 0 at the end. */
static bool read_part(struct ilp_bytes name, size_t *at, struct name_part *part, char *end)
{
    part->size = 0;
    part->dot = 0;
    *end = '\0';
    for (; *at < name.size; ++*at) {
        char c = (char)name.data[*at];
        bool marked = c == '\\' && *at + 1 < name.size;
        if (!marked && (c == '+' || c == ',')) {
            *end = c;
            break;
        }
        if (part->size == MAX_NAME) {
            return false;
        }
        if (c == '.') {
            part->dot = part->size;
        }
        part->text[part->size++] = marked ? (char)name.data[++*at] : c;
    }
    part->text[part->size] = '\0';
    return true;
}

/* The type that an attribute's only argument names (II.23.3): "Ns.Outer+Inner", with nothing behind
 * it, since the state machine is in the same assembly; with ", Assembly" behind it, it could be in
 * another. */
static ilp_status find_type(struct ilp_image *image, struct ilp_bytes name, ilp_rid *type,
                            struct ilp_error *error)
{
    struct name_part part;
    char end = '+';
    *type = 0;
    for (size_t at = 0; end == '+'; at++) {
        if (!read_part(name, &at, &part, &end)) {
            *type = 0;
            return ILP_OK;
        }
        const char *space = "";
        const char *simple = part.text;
        if (*type == 0 && part.dot != 0) {
            part.text[part.dot] = '\0';
            space = part.text;
            simple = part.text + part.dot + 1;
        }
        ILPI_TRY(ilpi_find_type(image, *type, space, simple, type, error));
        if (*type == 0) {
            return ILP_OK;
        }
    }
    return ILP_OK;
}

static ilp_rid find_move_next(const struct ilp_image *image, ilp_rid type)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        const char *name =
            ilp_string(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name));
        size_t size = strlen(name);
        /* Visual Basic's and C#'s own; an explicit implementation ends with the interface's */
        if (strcmp(name, "MoveNext") == 0 ||
            (size > 9 && strcmp(name + size - 9, ".MoveNext") == 0)) {
            return method;
        }
    }
    return 0;
}

/* One attribute: 01 00, a SerString, and no named arguments. */
static ilp_status take_attribute(struct ilp_image *image, ilp_rid row, struct ilpi_async *async,
                                 struct ilp_error *error)
{
    ilp_token parent = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Parent);
    uint32_t blob = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Value);
    const char *name_space;
    const char *name;
    ilpi_type_name(image, ilpi_attribute_type(image, row), &name_space, &name);
    if (ILP_TOKEN_TABLE(parent) != ILP_MethodDef || strcmp(name, attribute_name) != 0 ||
        strcmp(name_space, attribute_space) != 0) {
        return ILP_OK;
    }
    struct ilpi_cursor cursor = ilpi_cursor_over(ilp_blob(image, blob), 0, "attribute", NULL);
    ilp_rid type;
    bool prolog = ilpi_read_u16(&cursor) == 1;
    uint32_t size = ilpi_read_packed(&cursor);
    struct ilp_bytes text = ilpi_read_bytes(&cursor, size);
    if (!prolog || cursor.status != ILP_OK) {
        return ILP_OK;
    }
    ILPI_TRY(find_type(image, text, &type, error));
    ilp_rid kickoff = ILP_TOKEN_RID(parent);
    ilp_rid move_next = type != 0 ? find_move_next(image, type) : 0;
    uint32_t methods = image->tables[ILP_MethodDef].count;
    if (move_next != 0 && move_next <= methods && kickoff - 1 < methods) {
        async->kickoff_of[move_next] = kickoff;
        async->move_next_of[kickoff] = move_next;
    }
    return ILP_OK;
}

ilp_status ilpi_async_find(struct ilp_image *image, struct ilp_arena *arena,
                           struct ilpi_async *async, struct ilp_error *error)
{
    size_t methods = (size_t)image->tables[ILP_MethodDef].count + 1;
    struct ilpi_async found = {ilpi_arena_array(arena, methods, sizeof(ilp_rid)),
                               ilpi_arena_array(arena, methods, sizeof(ilp_rid))};
    if (!found.kickoff_of || !found.move_next_of) {
        return ilpi_fail_memory(error, 2 * methods * sizeof(ilp_rid));
    }
    for (ilp_rid row = 1; row <= image->tables[ILP_CustomAttribute].count; row++) {
        ILPI_TRY(take_attribute(image, row, &found, error));
    }
    *async = found;
    return ILP_OK;
}

/* ---- results ---- */

static bool has_field(const struct ilp_image *image, ilp_rid type, ilp_rid field)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_FieldList, &first, &end);
    for (; first < end; first++) {
        if (ilpi_list_row(image, ILP_Field, first) == field) {
            return true;
        }
    }
    return false;
}

/* Whether a token is a TypeSpec that is an instance of a generic TypeDef. */
static bool is_instance_of(const struct ilp_image *image, ilp_token token, ilp_rid type,
                           struct ilp_arena *scratch)
{
    struct ilp_sig *sig;
    if (ILP_TOKEN_TABLE(token) != ILP_TypeSpec) {
        return false;
    }
    uint32_t blob = ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(token), ILP_TypeSpec_Signature);
    return ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_TYPE_SPEC, 0, scratch, NULL) ==
               ILP_OK &&
           sig->ret->element == ILP_ELEMENT_GENERICINST &&
           sig->ret->inner->token == ILP_TOKEN(ILP_TypeDef, type);
}

/* The field of the state machine that a token means; 0: it is of another type. Fields of a generic
 * type are named by MemberRefs. */
static ilp_rid field_of(const struct ilp_image *image, ilp_rid machine, ilp_token token,
                        struct ilp_arena *scratch)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (ILP_TOKEN_TABLE(token) == ILP_Field) {
        return has_field(image, machine, rid) ? rid : 0;
    }
    if (ILP_TOKEN_TABLE(token) != ILP_MemberRef) {
        return 0;
    }
    ilp_token parent = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
    if (!is_instance_of(image, parent, machine, scratch)) {
        return 0;
    }
    const char *name = ilp_string(image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name));
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, machine, ILP_TypeDef_FieldList, &first, &end);
    for (; first < end; first++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, first);
        if (ilpi_string_is(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name), name)) {
            return field;
        }
    }
    return 0;
}

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
static ilp_rid builder_in(const struct ilp_image *image, struct ilp_bytes code, ilp_rid machine,
                          struct ilp_arena *scratch)
{
    struct ilpi_insn insn;
    ilp_token loaded = 0;
    for (uint32_t at = 0; at < code.size && ilpi_insn_read(code, at, &insn); at += insn.size) {
        unsigned operand = ilpi_opcodes[insn.op].operand;
        if (operand != ILPI_OPERAND_TOKEN && operand != ILPI_OPERAND_METHOD) {
            continue;
        }
        ilp_token token = ilpi_load_u32(code.data + at + insn.size - 4);
        if (insn.op == ILPI_OP_LDFLD || insn.op == ILPI_OP_LDFLDA) {
            loaded = token;
        } else if (is_start(image, token)) {
            return field_of(image, machine, loaded, scratch);
        }
    }
    return 0;
}

ilp_status ilpi_async_builder(const struct ilp_image *image, ilp_rid kickoff, ilp_rid machine,
                              struct ilp_arena *scratch, struct ilpi_budget *budget,
                              ilp_rid *builder, struct ilp_error *error)
{
    uint64_t offset;
    struct ilp_body body;
    struct ilp_bytes bytes =
        ilp_image_rva(image, ilp_cell(image, ILP_MethodDef, kickoff, ILP_MethodDef_RVA), &offset);
    *builder = 0;
    ILPI_TRY(ilp_body_read(&body, bytes, offset, scratch, error));
    ILPI_TRY(ilpi_spend(budget, body.size, error));
    *builder = builder_in(image, body.code, machine, scratch);
    return ILP_OK;
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
static struct ilp_bytes parameter_type(const struct ilp_image *image, ilp_rid builder,
                                       ilp_token parent, const struct ilp_type *parameter,
                                       struct ilp_arena *scratch)
{
    struct ilp_bytes none = {NULL, 0};
    struct ilp_sig *sig;
    struct ilp_bytes blob =
        ilp_blob(image, ilp_cell(image, ILP_Field, builder, ILP_Field_Signature));
    if (ilp_sig_read(&sig, blob, ILP_SIG_FIELD, 0, scratch, NULL) != ILP_OK) {
        return none;
    }
    const struct ilp_type *type = sig->ret;
    bool plain = parameter->element != ILP_ELEMENT_VAR && parameter->element != ILP_ELEMENT_MVAR;
    if (type->element == ILP_ELEMENT_VALUETYPE || type->element == ILP_ELEMENT_CLASS) {
        return plain && type->token == parent ? parameter->raw : none;
    }
    struct ilp_bytes spec = {NULL, 0};
    if (ILP_TOKEN_TABLE(parent) == ILP_TypeSpec) {
        spec = ilp_blob(
            image, ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(parent), ILP_TypeSpec_Signature));
    }
    bool same = spec.size != 0 && spec.size == type->raw.size &&
                memcmp(spec.data, type->raw.data, spec.size) == 0;
    return same && type->element == ILP_ELEMENT_GENERICINST && parameter->element == ILP_ELEMENT_VAR
               ? argument(type, parameter->number)
               : none;
}

struct ilp_bytes ilpi_async_result_type(struct ilp_image *image, const struct ilpi_code *code,
                                        const struct ilpi_insn *insn, ilp_rid builder,
                                        struct ilp_arena *scratch)
{
    struct ilp_bytes none = {NULL, 0};
    if (insn->op != ILPI_OP_CALL && insn->op != ILPI_OP_CALLVIRT) {
        return none;
    }
    ilp_token token = ilpi_insn_token(code, insn);
    ilp_rid rid = ILP_TOKEN_RID(token);
    bool member = ILP_TOKEN_TABLE(token) == ILP_MemberRef;
    if (!member && ILP_TOKEN_TABLE(token) != ILP_MethodDef) {
        return none;
    }
    uint32_t name = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name)
                           : ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    uint32_t blob = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature)
                           : ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature);
    ilp_token parent = member ? ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class)
                              : ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid));
    struct ilp_sig *sig;
    if (!ilpi_string_is(image, name, "SetResult") ||
        ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD, 0, scratch, NULL) != ILP_OK ||
        sig->param_count != 1 || (sig->convention & ILP_CALL_HASTHIS) == 0) {
        return none;
    }
    return parameter_type(image, builder, parent, sig->params, scratch);
}
