/* Instructions that access memory: through pointers (III.3.42, III.3.62, III.4.4, III.4.5,
 * III.4.13, III.4.29), fields (III.4.10 and following), and blocks (III.3.30, III.3.36,
 * III.3.47). */
#include "metadata/flags.h"
#include "verify/frame.h"

static const char *name_now(const struct ilpi_frame *frame)
{
    return ilpi_opcodes[ilpi_insn_now(frame)->op].name;
}

/* Checks an address through which `pointee` is read or written:
 *
 *   address                     finding
 *   native int, ldftn's         POINTER, and no other: what is there is not known
 *   not an address              OPERAND
 *   reference, same type        none; if it is written, READONLY_REF or INIT_ONLY by its flags
 *   reference, another type     INDIRECT; REINTERPRET if neither type holds references
 *
 * "Same" is by the reduced type (I.8.7.1). */
static void use_address(struct ilpi_frame *frame, struct ilpi_stack_value address,
                        const struct ilpi_vtype *pointee, bool write)
{
    struct ilpi_verifier *verifier = frame->verifier;
    if (address.kind == ILPI_STACK_NATIVE || address.kind == ILPI_STACK_METHOD) {
        ilpi_report(verifier, ILPI_FIND_POINTER, "%s", name_now(frame));
        return;
    }
    if (address.kind != ILPI_STACK_BYREF) {
        ilpi_refuse(frame, address, "an address");
        return;
    }
    enum ilp_tristate same = ilpi_type_is_same(verifier, ilpi_type_reduced(verifier, address.type),
                                               ilpi_type_reduced(verifier, pointee));
    if (same != ILP_YES) {
        struct ilpi_type_name from = ilpi_type_name_of(address.type);
        struct ilpi_type_name to = ilpi_type_name_of(pointee);
        enum ilpi_finding finding = ILPI_FIND_INDIRECT;
        if (same != ILP_NO) {
            finding = ILPI_FIND_UNRESOLVED;
        } else if (ilpi_type_is_unmanaged(verifier, address.type) &&
                   ilpi_type_is_unmanaged(verifier, pointee)) {
            finding = ILPI_FIND_REINTERPRET;
        }
        ilpi_report(verifier, finding, "%s of %s through a reference to %s", name_now(frame),
                    to.text, from.text);
    }
    if (write && (address.flags & (ILPI_VALUE_READONLY | ILPI_VALUE_INIT_ONLY)) != 0) {
        bool readonly = (address.flags & ILPI_VALUE_READONLY) != 0;
        ilpi_report(verifier, readonly ? ILPI_FIND_READONLY_REF : ILPI_FIND_INIT_ONLY, "%s writes",
                    name_now(frame));
    }
}

/* The referent of a pointer to references, as far as its type is known: null fits every class. */
static void push_referred(struct ilpi_frame *frame, struct ilpi_stack_value address)
{
    bool typed = address.kind == ILPI_STACK_NATIVE && address.type->kind == ILP_ELEMENT_PTR &&
                 ilpi_type_is_reference(frame->verifier, address.type->inner) == ILP_YES;
    if (typed) {
        ilpi_push_type(frame, address.type->inner);
    } else {
        ilpi_push_kind(frame,
                       address.kind == ILPI_STACK_NATIVE ? ILPI_STACK_NULL : ILPI_STACK_UNKNOWN);
    }
}

static bool refers_to_reference(struct ilpi_frame *frame, struct ilpi_stack_value address)
{
    return address.kind == ILPI_STACK_BYREF &&
           ilpi_type_is_reference(frame->verifier, address.type) == ILP_YES;
}

/* A reference gives the type that it refers to, not only that of the opcode: ldind.i4 through a
 * reference to an enum gives the enum, and ldind.ref the class. */
static void step_ldind(struct ilpi_frame *frame, uint8_t element)
{
    struct ilpi_stack_value address = ilpi_pop(frame);
    const struct ilpi_vtype *type = ilpi_type_of_element(frame->verifier, element);
    if (element == ILP_ELEMENT_OBJECT) {
        if (refers_to_reference(frame, address)) {
            ilpi_push_type(frame, address.type);
            return;
        }
        use_address(frame, address, type, false);
        push_referred(frame, address);
        return;
    }
    use_address(frame, address, type, false);
    bool known = address.kind == ILPI_STACK_BYREF &&
                 ilpi_value_of(frame->verifier, address.type).kind ==
                     ilpi_value_of(frame->verifier, type).kind;
    ilpi_push_type(frame, known ? address.type : type);
}

/* Stores through a reference to a class are checked with that class, not with Object: stind.ref of
 * a string through an object& is right, of an object through a string& is not. */
static void step_stind(struct ilpi_frame *frame, uint8_t element)
{
    struct ilpi_stack_value value = ilpi_pop(frame);
    struct ilpi_stack_value address = ilpi_pop(frame);
    if (element == ILP_ELEMENT_OBJECT && refers_to_reference(frame, address)) {
        use_address(frame, address, address.type, true);
        ilpi_expect(frame, value, address.type, "what is stored");
        return;
    }
    const struct ilpi_vtype *type = ilpi_type_of_element(frame->verifier, element);
    use_address(frame, address, type, true);
    ilpi_expect(frame, value, type, "what is stored");
}

/* ldobj, stobj, cpobj, initobj (III.4.13, III.4.29, III.4.4, III.4.5): an address of the type, read
 * or written. cpobj pops the source first. */
static void step_object(struct ilpi_frame *frame, enum ilpi_op op)
{
    const struct ilpi_vtype *type = ilpi_operand_type(frame);
    if (op == ILPI_OP_STOBJ) {
        ilpi_expect(frame, ilpi_pop(frame), type, "what is stored");
        use_address(frame, ilpi_pop(frame), type, true);
    } else if (op == ILPI_OP_LDOBJ) {
        use_address(frame, ilpi_pop(frame), type, false);
        ilpi_push_type(frame, type);
    } else if (op == ILPI_OP_CPOBJ) {
        use_address(frame, ilpi_pop(frame), type, false);
        use_address(frame, ilpi_pop(frame), type, true);
    } else {
        use_address(frame, ilpi_pop(frame), type, true);
    }
}

/* ---- fields ---- */

/* An init-only field is written by constructors of its class, through `this`; so are references to
 * it. */
static bool may_write(const struct ilpi_frame *frame, const struct ilpi_vfield *field,
                      bool is_static)
{
    bool constructor = is_static ? frame->is_cctor : frame->is_any_ctor;
    const struct ilpi_def *own = frame->owner ? frame->owner->def : NULL;
    return (field->flags & ILPI_FIELD_INIT_ONLY) == 0 ||
           (constructor && own && field->owner && field->owner->def == own);
}

/* The object or value with the field. A field of a class needs an object, one of a value type its
 * address; ldfld also takes the value itself (III.4.10). A constructor may use fields of `this`
 * before it calls its base's (III.1.8.1.4).
 *
 *   the field's owner     holder
 *   a class               an object of it
 *   a value type          its address; for ldfld the value, too
 *   not found             whichever of both is on the stack
 *   any, static field     anything, except for stfld */
static void use_holder(struct ilpi_frame *frame, const struct ilpi_vfield *field,
                       struct ilpi_stack_value holder, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    enum ilp_tristate reference = field->owner ? ilpi_type_is_reference(verifier, field->owner)
                                               : ILP_UNKNOWN;
    if (field->known == ILPI_KNOWN_ALL && (field->flags & ILPI_FIELD_STATIC) != 0 &&
        op != ILPI_OP_STFLD) {
        return; /* III.4.10: the object is ignored */
    }
    if (!field->owner) {
        ilpi_report(verifier, ILPI_FIND_FIELD_KIND, "%.80s is a global field", field->name);
    } else if (reference == ILP_UNKNOWN) {
        if (holder.kind == ILPI_STACK_BYREF || holder.kind == ILPI_STACK_OBJECT) {
            ilpi_expect(frame, holder,
                        holder.kind == ILPI_STACK_BYREF
                            ? ilpi_type_wrapped(verifier, ILP_ELEMENT_BYREF, field->owner, 0)
                            : field->owner,
                        "the field's holder");
        }
    } else if (reference == ILP_YES) {
        bool own = frame->owner && field->owner->def == frame->owner->def;
        holder.flags &= (uint8_t) ~(own ? ILPI_VALUE_UNINIT : 0);
        ilpi_expect(frame, holder, field->owner, "the field's holder");
    } else if (holder.kind == ILPI_STACK_STRUCT || holder.kind < ILPI_STACK_NATIVE ||
               holder.kind == ILPI_STACK_FLOAT) {
        if (op != ILPI_OP_LDFLD) {
            ilpi_refuse(frame, holder, "an address");
        } else {
            ilpi_expect(frame, holder, field->owner, "the field's holder");
        }
    } else {
        use_address(frame, holder, field->owner, op == ILPI_OP_STFLD);
    }
}

/* The address of a field in a struct is as restricted as the reference that it was made from:
 * read-only, into this frame, or init-only. */
static void push_field_address(struct ilpi_frame *frame, const struct ilpi_vfield *field,
                               bool is_static, struct ilpi_stack_value holder)
{
    struct ilpi_stack_value value = {.type = field->type, .kind = ILPI_STACK_BYREF};
    if (!is_static && holder.kind == ILPI_STACK_NATIVE) {
        ilpi_push_type(frame, ilpi_type_wrapped(frame->verifier, ILP_ELEMENT_PTR, field->type, 0));
        return;
    }
    if (field->type->kind == ILP_ELEMENT_BYREF) {
        value = ilpi_value_plain(frame->verifier, ILPI_STACK_UNKNOWN);
    }
    if (!is_static && holder.kind == ILPI_STACK_BYREF) {
        value.flags = holder.flags &
                      (ILPI_VALUE_READONLY | ILPI_VALUE_LOCAL | ILPI_VALUE_INIT_ONLY);
    }
    value.flags |= may_write(frame, field, is_static) ? 0 : ILPI_VALUE_INIT_ONLY;
    ilpi_push(frame, value);
}

/* Operands are popped before the token is checked, so that the stack is right after a finding. */
static void step_field(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_verifier *verifier = frame->verifier;
    ilp_token token = ilpi_insn_token(&frame->code, ilpi_insn_now(frame));
    const struct ilpi_vfield *field = ilpi_field_of_token(verifier, token);
    bool is_static = op >= ILPI_OP_LDSFLD && op <= ILPI_OP_STSFLD;
    bool store = op == ILPI_OP_STFLD || op == ILPI_OP_STSFLD;
    struct ilpi_stack_value holder = ilpi_value_plain(verifier, ILPI_STACK_NULL);
    struct ilpi_stack_value stored = holder;
    if (store) {
        stored = ilpi_pop(frame);
    }
    if (!is_static) {
        holder = ilpi_pop(frame);
    }
    if (field->known == ILPI_KNOWN_NOT) {
        ilpi_report(verifier, ILPI_FIND_TOKEN, "%s of 0x%08X, which is not a field",
                    name_now(frame), token);
        frame->stopped = true;
        return;
    }
    if (field->known == ILPI_KNOWN_ALL && (field->flags & ILPI_FIELD_LITERAL) != 0) {
        ilpi_report(verifier, ILPI_FIND_FIELD_KIND, "%.80s is a literal", field->name);
    } else if (is_static && field->known == ILPI_KNOWN_ALL &&
               (field->flags & ILPI_FIELD_STATIC) == 0) {
        ilpi_report(verifier, ILPI_FIND_FIELD_KIND, "%.80s is an instance field", field->name);
    }
    if (!is_static) {
        use_holder(frame, field, holder, op);
        is_static = (field->flags & ILPI_FIELD_STATIC) != 0;
    }
    if (store) {
        ilpi_expect(frame, stored, field->type, "what is stored");
        if (!may_write(frame, field, is_static)) {
            ilpi_report(verifier, ILPI_FIND_INIT_ONLY, "%.80s is written", field->name);
        }
    } else if (op == ILPI_OP_LDFLDA || op == ILPI_OP_LDSFLDA) {
        push_field_address(frame, field, is_static, holder);
    } else {
        ilpi_push_type(frame, field->type);
    }
}

/* ---- blocks ---- */

static void use_block_operand(struct ilpi_frame *frame, bool address)
{
    struct ilpi_stack_value value = ilpi_pop(frame);
    bool number = value.kind == ILPI_STACK_INT32 || value.kind == ILPI_STACK_NATIVE;
    if (!number && !(address && value.kind == ILPI_STACK_BYREF)) {
        ilpi_refuse(frame, value, address ? "an address" : "a number");
    }
}

/* Never verifiable (III.3.30, III.3.36, III.3.47). */
static void step_block(struct ilpi_frame *frame, enum ilpi_op op)
{
    ilpi_report(frame->verifier, ILPI_FIND_UNSAFE_OP, "%s", name_now(frame));
    use_block_operand(frame, false);
    if (op == ILPI_OP_LOCALLOC) {
        if (frame->depth != 0) {
            ilpi_report(frame->verifier, ILPI_FIND_OPERAND,
                        "localloc, and %u more values on the stack", frame->depth);
        }
        ilpi_push_kind(frame, ILPI_STACK_NATIVE);
        return;
    }
    use_block_operand(frame, op == ILPI_OP_CPBLK);
    use_block_operand(frame, true);
}

void ilpi_step_memory(struct ilpi_frame *frame, enum ilpi_op op)
{
    uint8_t element = ilpi_op_element(op);
    if (element != 0) {
        bool load = op <= ILPI_OP_LDIND_REF;
        (load ? step_ldind : step_stind)(frame, element);
    } else if (op >= ILPI_OP_LDFLD && op <= ILPI_OP_STSFLD) {
        step_field(frame, op);
    } else if (op == ILPI_OP_LOCALLOC || op == ILPI_OP_CPBLK || op == ILPI_OP_INITBLK) {
        step_block(frame, op);
    } else {
        step_object(frame, op);
    }
}
