/* Instructions on objects and types: boxing, casts, arrays, typed references, tokens (III.4). */
#include "verify/frame.h"

static const char *name_now(const struct ilpi_frame *frame)
{
    return ilpi_opcodes[ilpi_insn_now(frame)->op].name;
}

/* A reference to the boxed form of a type, which for a class is the type itself. */
static struct ilpi_stack_value reference_to(const struct ilpi_vtype *type)
{
    uint8_t kind = type->kind == ILPI_KIND_UNKNOWN ? ILPI_STACK_UNKNOWN : ILPI_STACK_OBJECT;
    return (struct ilpi_stack_value){.type = type, .kind = kind};
}

static void report_type(struct ilpi_frame *frame, enum ilpi_finding finding,
                        const struct ilpi_vtype *type)
{
    struct ilpi_type_name name = ilpi_type_name_of(type);
    ilpi_report(frame->verifier, finding, "%s of %s", name_now(frame), name.text);
}

/* Types that no object has. */
static void check_boxable(struct ilpi_frame *frame, const struct ilpi_vtype *type)
{
    if (type->kind == ILP_ELEMENT_BYREF || type->kind == ILP_ELEMENT_VOID ||
        type->kind == ILP_ELEMENT_PTR || type->kind == ILP_ELEMENT_FNPTR) {
        report_type(frame, ILPI_FIND_BOX_TYPE, type);
    }
}

/* What generic code does with `T : allows ref struct` is folded by the JIT, and so allowed: box
 * followed by a branch, box followed by isinst (aug. III.4.1). */
static bool is_folded_box(const struct ilpi_frame *frame)
{
    if (frame->index + 1 >= frame->code.count) {
        return false;
    }
    enum ilpi_op next = (enum ilpi_op)frame->code.insns[frame->index + 1].op;
    enum ilpi_op form = ilpi_op_long_branch(next);
    return form == ILPI_OP_BRTRUE || form == ILPI_OP_BRFALSE || next == ILPI_OP_ISINST;
}

static void step_box(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_vtype *type = ilpi_operand_type(frame);
    struct ilpi_stack_value value = ilpi_pop(frame);
    check_boxable(frame, type);
    if (ilpi_type_is_byref_like(verifier, type) == ILP_YES && !is_folded_box(frame)) {
        report_type(frame, ILPI_FIND_BYREF_LIKE_BOX, type);
    }
    ilpi_expect(frame, value, type, ILPI_WHAT_IS_BOXED);
    ilpi_push(frame, reference_to(type));
}

/* `this` before the base constructor was called is not an object yet (III.1.8.1.4). */
static void take_object(struct ilpi_frame *frame)
{
    struct ilpi_stack_value value = ilpi_pop(frame);
    if ((value.kind != ILPI_STACK_OBJECT && value.kind != ILPI_STACK_NULL) ||
        (value.flags & ILPI_VALUE_UNINIT) != 0) {
        ilpi_refuse(frame, value, "an object");
    }
}

/* isinst and castclass give a reference to the boxed form; unbox.any of a class is a cast. unbox
 * gives a reference with controlled mutability (III.1.8.1.2.2). */
static void step_cast(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_vtype *type = ilpi_operand_type(frame);
    take_object(frame);
    check_boxable(frame, type);
    bool folded = op == ILPI_OP_ISINST || op == ILPI_OP_UNBOX_ANY; /* after a box, as above */
    if (ilpi_type_is_byref_like(verifier, type) == ILP_YES && !folded) {
        report_type(frame, ILPI_FIND_BYREF_LIKE_BOX, type);
    }
    if (op == ILPI_OP_UNBOX_ANY) {
        ilpi_push_type(frame, type);
    } else if (op == ILPI_OP_UNBOX) {
        if (ilpi_type_is_reference(verifier, type) == ILP_YES) {
            report_type(frame, ILPI_FIND_BOX_TYPE, type);
        }
        ilpi_push(frame, (struct ilpi_stack_value){
                             .type = type, .kind = ILPI_STACK_BYREF, .flags = ILPI_VALUE_READONLY});
    } else {
        ilpi_push(frame, reference_to(type));
    }
}

/* ---- arrays ---- */

/* The elements of an array; NULL for null, which fits every element type, and after a report. */
static const struct ilpi_vtype *elements_of(struct ilpi_frame *frame, struct ilpi_stack_value array)
{
    if (array.kind == ILPI_STACK_OBJECT && array.type->kind == ILP_ELEMENT_SZARRAY) {
        return array.type->inner;
    }
    if (array.kind != ILPI_STACK_NULL) {
        ilpi_refuse(frame, array, "an array of one dimension");
    }
    return NULL;
}

/* Exact for ldelema without readonly., which III.4.9 checks at run time by the exact type;
 * otherwise arrays are covariant. */
static void check_elements(struct ilpi_frame *frame, const struct ilpi_vtype *elements,
                           const struct ilpi_vtype *type, bool exact)
{
    struct ilpi_verifier *verifier = frame->verifier;
    enum ilp_tristate fits = ilpi_type_is_same(verifier, ilpi_type_reduced(verifier, elements),
                                               ilpi_type_reduced(verifier, type));
    if (fits != ILP_YES && !exact) {
        fits = ilpi_type_is_assignable(
            verifier, ilpi_type_wrapped(verifier, ILP_ELEMENT_SZARRAY, elements, 0),
            ilpi_type_wrapped(verifier, ILP_ELEMENT_SZARRAY, type, 0));
    }
    if (fits != ILP_YES) {
        struct ilpi_type_name from = ilpi_type_name_of(elements);
        struct ilpi_type_name to = ilpi_type_name_of(type);
        ilpi_report(verifier, fits == ILP_NO ? ILPI_FIND_ELEMENT : ILPI_FIND_UNRESOLVED,
                    "%s of %s from %s[]", name_now(frame), to.text, from.text);
    }
}

static void take_index(struct ilpi_frame *frame)
{
    struct ilpi_stack_value value = ilpi_pop(frame);
    if (value.kind != ILPI_STACK_INT32 && value.kind != ILPI_STACK_NATIVE) {
        ilpi_refuse(frame, value, "an int32 or native int");
    }
}

/* For ldelem.ref and stelem.ref, which accept any array of references: whether `elements` are.
 * NULL: the array is null. */
static enum ilp_tristate check_references(struct ilpi_frame *frame,
                                          const struct ilpi_vtype *elements,
                                          const struct ilpi_vtype *type)
{
    enum ilp_tristate reference = elements ? ilpi_type_is_reference(frame->verifier, elements)
                                           : ILP_YES;
    if (reference == ILP_NO) {
        check_elements(frame, elements, type, false);
    }
    return reference;
}

/* ldelem.ref has no type: the result has the array's element type. */
static void step_ldelem(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    uint8_t element = ilpi_op_element(op);
    const struct ilpi_vtype *type = element != 0 ? ilpi_type_of_element(verifier, element)
                                                 : ilpi_operand_type(frame);
    take_index(frame);
    const struct ilpi_vtype *elements = elements_of(frame, ilpi_pop(frame));
    if (element == ILP_ELEMENT_OBJECT) {
        enum ilp_tristate reference = check_references(frame, elements, type);
        if (!elements) {
            ilpi_push_kind(frame, ILPI_STACK_NULL);
        } else {
            ilpi_push(frame, reference == ILP_YES ? reference_to(elements)
                                                  : ilpi_value_plain(verifier, ILPI_STACK_UNKNOWN));
        }
        return;
    }
    if (elements) {
        check_elements(frame, elements, type, false);
    }
    ilpi_push_type(frame, type);
}

/* stelem.ref (element OBJECT) names no type: the runtime checks each store against the array
 * (III.4.26). The other forms must match the elements' type. */
static void step_stelem(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    uint8_t element = ilpi_op_element(op);
    const struct ilpi_vtype *type = element != 0 ? ilpi_type_of_element(verifier, element)
                                                 : ilpi_operand_type(frame);
    struct ilpi_stack_value value = ilpi_pop(frame);
    take_index(frame);
    const struct ilpi_vtype *elements = elements_of(frame, ilpi_pop(frame));
    if (element == ILP_ELEMENT_OBJECT) {
        enum ilp_tristate reference = check_references(frame, elements, type);
        /* the runtime checks every store, so for a null array any object will do */
        ilpi_expect(frame, value, elements && reference == ILP_YES ? elements : type,
                    "an array's element");
        return;
    }
    if (elements) {
        check_elements(frame, elements, type, false);
    }
    ilpi_expect(frame, value, type, "an array's element");
}

/* ldlen, newarr, ldelema (III.4.12, III.4.20, III.4.9). ldelema checks that the array's own element
 * type is exactly the operand, because the pointer may be written through; after readonly. it may
 * not, and that check is left out (III.2.3). */
static void step_array(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    if (op == ILPI_OP_LDLEN) {
        elements_of(frame, ilpi_pop(frame));
        ilpi_push_type(frame, ilpi_type_of_element(verifier, ILP_ELEMENT_U));
        return;
    }
    const struct ilpi_vtype *type = ilpi_operand_type(frame);
    if (op == ILPI_OP_NEWARR) {
        take_index(frame);
        if (ilpi_type_is_byref_like(verifier, type) == ILP_YES) {
            report_type(frame, ILPI_FIND_BYREF_LIKE_BOX, type);
        } else if (type->kind == ILP_ELEMENT_VOID || type->kind == ILP_ELEMENT_BYREF) {
            report_type(frame, ILPI_FIND_TYPE_NEEDED, type);
        }
        ilpi_push_type(frame, ilpi_type_wrapped(verifier, ILP_ELEMENT_SZARRAY, type, 0));
        return;
    }
    bool readonly = (frame->prefixes & ILPI_PREFIX_READONLY) != 0;
    take_index(frame);
    const struct ilpi_vtype *elements = elements_of(frame, ilpi_pop(frame));
    if (elements) {
        check_elements(frame, elements, type, !readonly);
    }
    ilpi_push(frame, (struct ilpi_stack_value){.type = type,
                                               .kind = ILPI_STACK_BYREF,
                                               .flags = readonly ? ILPI_VALUE_READONLY : 0});
}

/* ---- typed references, tokens, strings ---- */

static void push_core(struct ilpi_frame *frame, const char *name)
{
    ilpi_push_type(frame, ilpi_core_type(frame->verifier, "System", name, ILP_ELEMENT_VALUETYPE));
}

/* mkrefany, refanyval, refanytype (III.4.19, III.4.23, III.4.22). The type in a TypedReference is
 * only known when the program runs, so refanyval gives what its operand says. */
static void step_typed_reference(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilpi_vtype *typed = ilpi_type_of_element(verifier, ILP_ELEMENT_TYPEDBYREF);
    if (op == ILPI_OP_MKREFANY) {
        const struct ilpi_vtype *type = ilpi_operand_type(frame);
        ilpi_expect(frame, ilpi_pop(frame), ilpi_type_wrapped(verifier, ILP_ELEMENT_BYREF, type, 0),
                    "the address");
        ilpi_push_type(frame, typed);
        return;
    }
    ilpi_expect(frame, ilpi_pop(frame), typed, "the typed reference");
    if (op == ILPI_OP_REFANYTYPE) {
        push_core(frame, "RuntimeTypeHandle");
    } else {
        const struct ilpi_vtype *type = ilpi_operand_type(frame);
        ilpi_push(frame, (struct ilpi_stack_value){.type = type, .kind = ILPI_STACK_BYREF});
    }
}

/* A MemberRef is a field if its signature begins with FIELD (06; II.23.2.4). */
static void step_ldtoken(struct ilpi_frame *frame)
{
    const struct ilp_image *image = frame->verifier->image;
    ilp_token token = ilpi_insn_token(&frame->code, ilpi_insn_now(frame));
    unsigned table = ILP_TOKEN_TABLE(token);
    ilp_rid rid = ILP_TOKEN_RID(token);
    bool exists = table < ILP_TABLE_COUNT && rid - 1 < image->tables[table].count;
    struct ilp_bytes member = ilp_blob(
        image,
        ilp_cell(image, ILP_MemberRef, table == ILP_MemberRef ? rid : 0, ILP_MemberRef_Signature));
    /* row 0 has no signature, so a token of another table is no field */
    bool field = table == ILP_Field ||
                 (table == ILP_MemberRef && member.size != 0 && member.data[0] == 0x06);
    if (exists && (table == ILP_TypeDef || table == ILP_TypeRef || table == ILP_TypeSpec)) {
        push_core(frame, "RuntimeTypeHandle");
    } else if (exists && field) {
        push_core(frame, "RuntimeFieldHandle");
    } else if (exists &&
               (table == ILP_MethodDef || table == ILP_MemberRef || table == ILP_MethodSpec)) {
        push_core(frame, "RuntimeMethodHandle");
    } else {
        ilpi_report(frame->verifier, ILPI_FIND_TOKEN, "ldtoken of 0x%08X", token);
        ilpi_push_kind(frame, ILPI_STACK_UNKNOWN);
    }
}

static void step_ldstr(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    const struct ilp_image *image = verifier->image;
    ilp_token token = ilpi_insn_token(&frame->code, ilpi_insn_now(frame));
    if (ILP_TOKEN_TABLE(token) != ILP_TOKEN_USER_STRING ||
        !ilpi_has_user_string(image, ILP_TOKEN_RID(token))) {
        ilpi_report(verifier, ILPI_FIND_TOKEN, "ldstr of 0x%08X", token);
    }
    ilpi_push_type(frame, ilpi_type_of_element(verifier, ILP_ELEMENT_STRING));
}

/* Instructions on objects, arrays and tokens (III.4), except calls and fields. */
void ilpi_step_object(struct ilpi_frame *frame, enum ilpi_op op)
{
    switch (op) {
    case ILPI_OP_BOX: step_box(frame); break;
    case ILPI_OP_CASTCLASS:
    case ILPI_OP_ISINST:
    case ILPI_OP_UNBOX:
    case ILPI_OP_UNBOX_ANY: step_cast(frame, op); break;
    case ILPI_OP_NEWARR:
    case ILPI_OP_LDLEN:
    case ILPI_OP_LDELEMA: step_array(frame, op); break;
    case ILPI_OP_MKREFANY:
    case ILPI_OP_REFANYVAL:
    case ILPI_OP_REFANYTYPE: step_typed_reference(frame, op); break;
    case ILPI_OP_LDTOKEN: step_ldtoken(frame); break;
    case ILPI_OP_LDSTR: step_ldstr(frame); break;
    case ILPI_OP_SIZEOF: {
        const struct ilpi_vtype *type = ilpi_operand_type(frame);
        if (type->kind == ILP_ELEMENT_VOID) {
            report_type(frame, ILPI_FIND_TYPE_NEEDED, type);
        }
        ilpi_push_type(frame, ilpi_type_of_element(frame->verifier, ILP_ELEMENT_U4));
        break;
    }
    case ILPI_OP_ARGLIST:
        ilpi_report(frame->verifier, ILPI_FIND_UNSAFE_OP, "arglist");
        push_core(frame, "RuntimeArgumentHandle");
        break;
    default:
        (op >= ILPI_OP_STELEM_I && op <= ILPI_OP_STELEM_REF) || op == ILPI_OP_STELEM
            ? step_stelem(frame, op)
            : step_ldelem(frame, op);
        break;
    }
}
