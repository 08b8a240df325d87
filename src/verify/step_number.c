/* Arithmetic, comparisons and conversions (III.1.5, tables III.2 to III.8; III.3).
 *
 *   What add, sub, mul, div and rem give (table III.2); "-" is refused:
 *
 *   left \ right   int32          int64   native int     F   &
 *   int32          int32          -       native int     -   & (add)
 *   int64          -              int64   -              -   -
 *   native int     native int     -       native int     -   & (add)
 *   F              -              -       -              F   -
 *   &              & (add, sub)   -       & (add, sub)   -   native int (sub)
 *
 * Everything with & is right, but not verifiable. and, or and xor are the same without F and &;
 * shifts have their left operand's type, and an int32 or native int on the right. */
#include "verify/frame.h"

/* The type in an opcode's name. One table for all of them, since names are made alike: the element
 * loaded, stored or converted to; 0 for opcodes without one. */
uint8_t ilpi_op_element(enum ilpi_op op)
{
#define FOUR(prefix, suffix, element) [ILPI_OP_##prefix##_##suffix] = ILP_ELEMENT_##element
    static const uint8_t elements[ILPI_OP_COUNT] = {
        FOUR(LDIND, I1, I1),       FOUR(LDIND, U1, U1),       FOUR(LDIND, I2, I2),
        FOUR(LDIND, U2, U2),       FOUR(LDIND, I4, I4),       FOUR(LDIND, U4, U4),
        FOUR(LDIND, I8, I8),       FOUR(LDIND, I, I),         FOUR(LDIND, R4, R4),
        FOUR(LDIND, R8, R8),       FOUR(LDIND, REF, OBJECT),  FOUR(STIND, REF, OBJECT),
        FOUR(STIND, I1, I1),       FOUR(STIND, I2, I2),       FOUR(STIND, I4, I4),
        FOUR(STIND, I8, I8),       FOUR(STIND, R4, R4),       FOUR(STIND, R8, R8),
        FOUR(STIND, I, I),         FOUR(LDELEM, I1, I1),      FOUR(LDELEM, U1, U1),
        FOUR(LDELEM, I2, I2),      FOUR(LDELEM, U2, U2),      FOUR(LDELEM, I4, I4),
        FOUR(LDELEM, U4, U4),      FOUR(LDELEM, I8, I8),      FOUR(LDELEM, I, I),
        FOUR(LDELEM, R4, R4),      FOUR(LDELEM, R8, R8),      FOUR(LDELEM, REF, OBJECT),
        FOUR(STELEM, I, I),        FOUR(STELEM, I1, I1),      FOUR(STELEM, I2, I2),
        FOUR(STELEM, I4, I4),      FOUR(STELEM, I8, I8),      FOUR(STELEM, R4, R4),
        FOUR(STELEM, R8, R8),      FOUR(STELEM, REF, OBJECT), FOUR(CONV, I1, I1),
        FOUR(CONV, I2, I2),        FOUR(CONV, I4, I4),        FOUR(CONV, I8, I8),
        FOUR(CONV, R4, R4),        FOUR(CONV, R8, R8),        FOUR(CONV, U4, U4),
        FOUR(CONV, U8, U8),        FOUR(CONV, R_UN, R8),      FOUR(CONV_OVF, I1_UN, I1),
        FOUR(CONV_OVF, I2_UN, I2), FOUR(CONV_OVF, I4_UN, I4), FOUR(CONV_OVF, I8_UN, I8),
        FOUR(CONV_OVF, U1_UN, U1), FOUR(CONV_OVF, U2_UN, U2), FOUR(CONV_OVF, U4_UN, U4),
        FOUR(CONV_OVF, U8_UN, U8), FOUR(CONV_OVF, I_UN, I),   FOUR(CONV_OVF, U_UN, U),
        FOUR(CONV_OVF, I1, I1),    FOUR(CONV_OVF, U1, U1),    FOUR(CONV_OVF, I2, I2),
        FOUR(CONV_OVF, U2, U2),    FOUR(CONV_OVF, I4, I4),    FOUR(CONV_OVF, U4, U4),
        FOUR(CONV_OVF, I8, I8),    FOUR(CONV_OVF, U8, U8),    FOUR(CONV, U2, U2),
        FOUR(CONV, U1, U1),        FOUR(CONV, I, I),          FOUR(CONV_OVF, I, I),
        FOUR(CONV_OVF, U, U),      FOUR(CONV, U, U),
    };
#undef FOUR
    return elements[op];
}

/* Function pointers count as native int: that is what ldftn pushes, as far as arithmetic is
 * concerned. */
static bool is_integer(struct ilpi_stack_value value)
{
    return value.kind == ILPI_STACK_INT32 || value.kind == ILPI_STACK_INT64 ||
           value.kind == ILPI_STACK_NATIVE || value.kind == ILPI_STACK_METHOD;
}

static bool is_native(struct ilpi_stack_value value)
{
    return value.kind == ILPI_STACK_INT32 || value.kind == ILPI_STACK_NATIVE ||
           value.kind == ILPI_STACK_METHOD;
}

/* Reports two operands that do not fit; the result is unknown. */
static void refuse_pair(struct ilpi_frame *frame, struct ilpi_stack_value left,
                        struct ilpi_stack_value right)
{
    if (!ilpi_is_unknown(frame, left) && !ilpi_is_unknown(frame, right)) {
        struct ilpi_value_name a = ilpi_value_name_of(left);
        struct ilpi_value_name b = ilpi_value_name_of(right);
        ilpi_report(frame->verifier, ILPI_FIND_OPERAND, "%s of %.90s and %.90s",
                    ilpi_opcodes[ilpi_insn_now(frame)->op].name, a.text, b.text);
    }
}

static void report_mixed(struct ilpi_frame *frame)
{
    ilpi_report(frame->verifier, ILPI_FIND_POINTER_MIX, "%s",
                ilpi_opcodes[ilpi_insn_now(frame)->op].name);
}

/* A managed pointer and a number give a pointer, two pointers their difference (table III.2). */
static bool step_pointer(struct ilpi_frame *frame, enum ilpi_op op, struct ilpi_stack_value left,
                         struct ilpi_stack_value right)
{
    bool plus = op == ILPI_OP_ADD || op == ILPI_OP_ADD_OVF_UN;
    bool minus = op == ILPI_OP_SUB || op == ILPI_OP_SUB_OVF_UN;
    bool first = left.kind == ILPI_STACK_BYREF;
    bool second = right.kind == ILPI_STACK_BYREF;
    if (!(plus || minus) || !(first || second) || (first && second && plus)) {
        return false;
    }
    if ((first && second) || (minus && !first && is_native(left))) {
        /* C# before 7.3 makes pinned references from pointers */
        report_mixed(frame);
        ilpi_push_kind(frame, ILPI_STACK_NATIVE);
        return true;
    }
    if (!is_native(first ? right : left)) {
        return false;
    }
    report_mixed(frame);
    ilpi_push(frame, first ? left : right);
    return true;
}

/* Table III.2: both int32, both int64, both native int (or one of each and int32), both floats;
 * then the managed pointers, which are never verifiable. A pointer plus a number stays a pointer of
 * its type, for later checks of what it points to. */
static void step_binary(struct ilpi_frame *frame, enum ilpi_op op)
{
    struct ilpi_stack_value right = ilpi_pop(frame);
    struct ilpi_stack_value left = ilpi_pop(frame);
    bool shift = op >= ILPI_OP_SHL && op <= ILPI_OP_SHR_UN;
    bool floats = op == ILPI_OP_ADD || op == ILPI_OP_SUB || op == ILPI_OP_MUL ||
                  op == ILPI_OP_DIV || op == ILPI_OP_REM;
    if (shift && is_integer(left) && is_native(right)) {
        ilpi_push_kind(frame, (enum ilpi_stack_kind)left.kind);
    } else if (!shift && left.kind == ILPI_STACK_INT32 && right.kind == ILPI_STACK_INT32) {
        ilpi_push_kind(frame, ILPI_STACK_INT32);
    } else if (!shift && left.kind == ILPI_STACK_INT64 && right.kind == ILPI_STACK_INT64) {
        ilpi_push_kind(frame, ILPI_STACK_INT64);
    } else if (!shift && is_native(left) && is_native(right)) {
        struct ilpi_stack_value value = ilpi_value_plain(frame->verifier, ILPI_STACK_NATIVE);
        if (left.type->kind == ILP_ELEMENT_PTR) {
            value.type = left.type;
        } else if (right.type->kind == ILP_ELEMENT_PTR) {
            value.type = right.type;
        }
        ilpi_push(frame, value);
    } else if (floats && left.kind == ILPI_STACK_FLOAT && right.kind == ILPI_STACK_FLOAT) {
        ilpi_push_kind(frame, ILPI_STACK_FLOAT);
    } else if (!step_pointer(frame, op, left, right)) {
        refuse_pair(frame, left, right);
        ilpi_push_kind(frame, ILPI_STACK_UNKNOWN);
    }
}

/* Table III.4. `equality`: ceq, beq, bne.un, and cgt.un, which compilers use as "is not null".
 *
 *   two of int32, native int, method pointer    all comparisons
 *   two int64, two F, two &                     all comparisons
 *   two objects, one or both may be null        equality
 *   & and a number                              reported as unverifiable
 *   others                                      refused */
void ilpi_step_compare(struct ilpi_frame *frame, struct ilpi_stack_value left,
                       struct ilpi_stack_value right, bool equality)
{
    bool references = (left.kind == ILPI_STACK_OBJECT || left.kind == ILPI_STACK_NULL) &&
                      (right.kind == ILPI_STACK_OBJECT || right.kind == ILPI_STACK_NULL);
    if ((is_native(left) && is_native(right)) || (references && equality)) {
        return;
    }
    if (left.kind == right.kind &&
        (left.kind == ILPI_STACK_INT64 || left.kind == ILPI_STACK_FLOAT ||
         left.kind == ILPI_STACK_BYREF)) {
        return;
    }
    bool one = left.kind == ILPI_STACK_BYREF || right.kind == ILPI_STACK_BYREF;
    bool other = is_native(left) || is_native(right);
    if (one && other) {
        report_mixed(frame);
        return;
    }
    refuse_pair(frame, left, right);
}

/* Table III.8: references convert to numbers of at least pointer size, after which the GC no longer
 * tracks them. */
static void step_convert(struct ilpi_frame *frame, uint8_t element)
{
    struct ilpi_stack_value value = ilpi_pop(frame);
    bool wide = element == ILP_ELEMENT_I || element == ILP_ELEMENT_U || element == ILP_ELEMENT_I8 ||
                element == ILP_ELEMENT_U8;
    bool reference = value.kind == ILPI_STACK_BYREF || value.kind == ILPI_STACK_OBJECT ||
                     value.kind == ILPI_STACK_NULL;
    if (reference && wide) {
        report_mixed(frame);
    } else if (!is_integer(value) && value.kind != ILPI_STACK_FLOAT) {
        ilpi_refuse(frame, value, "a number");
    }
    bool pointer = value.type->kind == ILP_ELEMENT_PTR &&
                   (element == ILP_ELEMENT_I || element == ILP_ELEMENT_U);
    ilpi_push_type(frame, pointer ? value.type : ilpi_type_of_element(frame->verifier, element));
}

/* neg and ckfinite, not: the result has the kind of the operand. */
static void step_unary(struct ilpi_frame *frame, bool integers, bool floats)
{
    struct ilpi_stack_value value = ilpi_pop(frame);
    if ((integers && is_integer(value)) || (floats && value.kind == ILPI_STACK_FLOAT)) {
        ilpi_push_kind(frame, (enum ilpi_stack_kind)value.kind);
    } else {
        ilpi_refuse(frame, value, integers ? "a number" : "a float");
        ilpi_push_kind(frame, ILPI_STACK_UNKNOWN);
    }
}

/* Operands are checked by the tables of III.1.5. The two comparisons that also take objects are
 * those of `ceq` and, because compilers test for null with it, `cgt.un`. */
void ilpi_step_number(struct ilpi_frame *frame, enum ilpi_op op)
{
    uint8_t element = ilpi_op_element(op);
    if (element != 0) {
        step_convert(frame, element);
    } else if (op == ILPI_OP_NEG) {
        step_unary(frame, true, true);
    } else if (op == ILPI_OP_NOT) {
        step_unary(frame, true, false);
    } else if (op == ILPI_OP_CKFINITE) {
        step_unary(frame, false, true);
    } else if (op >= ILPI_OP_CEQ && op <= ILPI_OP_CLT_UN) {
        struct ilpi_stack_value right = ilpi_pop(frame);
        struct ilpi_stack_value left = ilpi_pop(frame);
        ilpi_step_compare(frame, left, right, op == ILPI_OP_CEQ || op == ILPI_OP_CGT_UN);
        ilpi_push_kind(frame, ILPI_STACK_INT32);
    } else {
        step_binary(frame, op);
    }
}
