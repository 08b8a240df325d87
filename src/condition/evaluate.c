/* Tests a condition on one call: reads the operands, compares them, joins the outcomes. See
 * condition.h for what it must not do.
 *
 * Outcomes are joined by Kleene's logic, as in SQL: unknown stays unknown, unless the other side
 * alone decides.
 *
 *   and    met  not  ?          or     met  not  ?          not   met -> not
 *   met    met  not  ?          met    met  met  met              not -> met
 *   not    not  not  not        not    met  not  ?                ?   -> ?
 *   ?      ?    not  ?          ?      met  ?    ?
 *
 * A "?" is the outcome of the first part that is unknown, with its column, for the message. */
#include <assert.h>
#include <string.h>

#include "condition/text.h"

#if defined(__GNUC__)
#define NOT_INLINE __attribute__((noinline))
/* A fact that the parser guarantees and analyzers cannot see: UBSan traps if it does not hold. */
#define KNOWN(fact) ((fact) ? (void)0 : __builtin_unreachable())
#else
#define NOT_INLINE
#define KNOWN(fact) ((void)0)
#endif

typedef struct ilpi_condition_result result;

static const char *const texts[] = {
#define OUTCOME(name, text) [ILPI_CONDITION_##name] = (text),
#include "condition/outcomes.def"
};

const char *ilpi_condition_outcome_text(enum ilpi_condition_outcome outcome)
{
    return texts[outcome];
}

static_assert(ILPI_CONDITION_NOT_MET == 0 && ILPI_CONDITION_MET == 1, "outcomes.def");

static result decided(bool met)
{
    return (result){met, 0}; /* NOT_MET is 0, and MET 1 */
}

static result not_known(enum ilpi_condition_outcome why, uint16_t column)
{
    return (result){(uint16_t)why, column};
}

static bool is_decided(result r)
{
    return r.outcome <= ILPI_CONDITION_MET;
}

/* ---- values ---- */

/* The value at the end of a path. NOT_MET: it is null. Steps after a null are not taken (`?.` of
 * C#), so `value.a.b is null` is met if a is null. */
static result evaluate_path(const struct ilpi_condition_operand *path,
                            const struct ilpi_condition_source *source,
                            struct ilpi_condition_value *value)
{
    static const uint8_t outcomes[] = {
        [ILPI_REACH_FOUND] = ILPI_CONDITION_MET,
        [ILPI_REACH_NULL] = ILPI_CONDITION_NOT_MET,
        [ILPI_REACH_NO_VALUE] = ILPI_CONDITION_NO_VALUE,
        [ILPI_REACH_NO_MEMBER] = ILPI_CONDITION_NO_MEMBER,
        [ILPI_REACH_UNREADABLE] = ILPI_CONDITION_UNREADABLE,
        [ILPI_REACH_CLOSED] = ILPI_CONDITION_CLOSED,
    };
    enum ilpi_reach reached = ILPI_REACH_FOUND;
    uint16_t column = path->column;
    if (path->root == ILPI_ROOT_VALUE) {
        *value = source->value;
        reached = source->has_value ? ILPI_REACH_FOUND : ILPI_REACH_NO_VALUE;
    } else {
        bool argument = path->root == ILPI_ROOT_ARGUMENT;
        column = argument ? path->argument.column : column;
        reached = source->reader->root(source, path->root, argument ? &path->argument : NULL,
                                       value);
    }
    for (uint32_t i = 0; i < path->step_count && reached == ILPI_REACH_FOUND; i++) {
        struct ilpi_condition_value of = *value;
        column = path->steps[i].column;
        reached = source->reader->member(source, &of, &path->steps[i], value);
    }
    /* The column is that of the step that could not be taken. */
    return (result){outcomes[reached], reached <= ILPI_REACH_NULL ? (uint16_t)0 : column};
}

/* The scalar of an operand other than a name: MET, or why it is unknown. */
static result read_operand(const struct ilpi_condition_operand *operand,
                           const struct ilpi_condition_source *source, struct ilpi_scalar *out)
{
    const struct ilpi_condition_value *value = &source->value;
    struct ilpi_condition_value reached;
    if (operand->form != ILPI_OPERAND_PATH) {
        *out = operand->literal;
        return decided(true);
    }
    /* `value` itself, the most frequent path, needs no walk. */
    if (!operand->is_value || !source->has_value) {
        result r = evaluate_path(operand, source, &reached);
        if (r.outcome != ILPI_CONDITION_MET) {
            *out = ilpi_scalar_of(ILPI_SCALAR_NULL);
            return r.outcome == ILPI_CONDITION_NOT_MET ? decided(true) : r;
        }
        value = &reached;
    }
    source->reader->read(source, value, out);
    return out->kind != ILPI_SCALAR_UNREADABLE
               ? decided(true)
               : not_known(ILPI_CONDITION_UNREADABLE, operand->column);
}

static bool is_enum(const struct ilpi_scalar *scalar)
{
    return scalar->type && ilpi_scalar_is_number(scalar);
}

/* An operand as it is compared with a value of that kind: a literal in its precision or form, the
 * number of a name. `value == 0.1` for a float compares with the float nearest to 0.1, as C# would
 * with 0.1f; the exact 0.1 is equal to no float. */
static result read_beside(const struct ilpi_condition_operand *operand,
                          const struct ilpi_scalar *other,
                          const struct ilpi_condition_source *source, struct ilpi_scalar *out)
{
    if (operand->form == ILPI_OPERAND_NAME && other->kind != ILPI_SCALAR_NULL) {
        *out = *other; /* with its kind and its enum: both sides are then of one type */
        if (!is_enum(other)) {
            return not_known(ILPI_CONDITION_OTHER_KIND, operand->column);
        }
        bool known = source->reader->enum_number(source, other->type, &operand->name,
                                                 &out->as.natural);
        return known ? decided(true) : not_known(ILPI_CONDITION_NO_NAME, operand->column);
    }
    if (operand->form == ILPI_OPERAND_LITERAL) {
        switch (other->kind) {
        case ILPI_SCALAR_SINGLE: *out = operand->single; break;
        case ILPI_SCALAR_DOUBLE: *out = operand->real; break;
        case ILPI_SCALAR_DATE: *out = operand->date; break;
        case ILPI_SCALAR_GUID: *out = operand->guid; break;
        default: *out = operand->literal;
        }
        return decided(true);
    }
    return read_operand(operand, source, out);
}

/* ---- comparing ---- */

/* An order that is none of the three, as of NaN, meets no comparison. */
static bool holds(enum ilpi_comparison comparison, enum ilpi_scalar_order order)
{
    switch (comparison) {
    case ILPI_COMPARE_LT: return order == ILPI_ORDER_LESS;
    case ILPI_COMPARE_LE: return order == ILPI_ORDER_LESS || order == ILPI_ORDER_EQUAL;
    case ILPI_COMPARE_GT: return order == ILPI_ORDER_GREATER;
    case ILPI_COMPARE_GE: return order == ILPI_ORDER_GREATER || order == ILPI_ORDER_EQUAL;
    default: return order == ILPI_ORDER_EQUAL;
    }
}

/* Compares two values of one kind other than a number. OTHER_KIND: the kind has no order, or no
 * equality. */
static enum ilpi_condition_outcome compare_others(enum ilpi_comparison comparison,
                                                  const struct ilpi_scalar *a,
                                                  const struct ilpi_scalar *b)
{
    bool equality = comparison == ILPI_COMPARE_EQ;
    enum ilpi_scalar_order order = ILPI_ORDER_EQUAL;
    switch (a->kind) {
    case ILPI_SCALAR_STRING:
        /* Decided by the lengths, so also beyond the limit of ilpi_text_compare(). */
        if (equality && a->length != b->length) {
            return ILPI_CONDITION_NOT_MET;
        }
        order = ilpi_text_compare(a, b);
        if (order == ILPI_ORDER_NONE) {
            return ILPI_CONDITION_TEXT_LENGTH;
        }
        break;
    case ILPI_SCALAR_DURATION: order = ilpi_scalar_compare(a, b); break;
    case ILPI_SCALAR_BOOL:
    case ILPI_SCALAR_DATE:
        if (a->kind == ILPI_SCALAR_BOOL && !equality) {
            return ILPI_CONDITION_OTHER_KIND;
        }
        order = (enum ilpi_scalar_order)((a->as.natural > b->as.natural) -
                                         (a->as.natural < b->as.natural));
        break;
    case ILPI_SCALAR_GUID:
        if (!equality) {
            return ILPI_CONDITION_OTHER_KIND;
        }
        order = memcmp(a->as.bytes, b->as.bytes, 16) == 0 ? ILPI_ORDER_EQUAL : ILPI_ORDER_LESS;
        break;
    default: return ILPI_CONDITION_OTHER_KIND;
    }
    return holds(comparison, order) ? ILPI_CONDITION_MET : ILPI_CONDITION_NOT_MET;
}

/* Compares the bits of integers, ignoring their sign. */
static enum ilpi_condition_outcome has_bits(const struct ilpi_scalar *a,
                                            const struct ilpi_scalar *b)
{
    if (a->kind > ILPI_SCALAR_UNSIGNED || b->kind > ILPI_SCALAR_UNSIGNED) {
        return ILPI_CONDITION_OTHER_KIND;
    }
    return (a->as.natural & b->as.natural) == b->as.natural ? ILPI_CONDITION_MET
                                                            : ILPI_CONDITION_NOT_MET;
}

/* Null is equal to null only, and neither above nor below anything: `value > 5` is not met for
 * null, as with a C# nullable. */
static enum ilpi_condition_outcome compare(enum ilpi_comparison comparison,
                                           const struct ilpi_scalar *a, const struct ilpi_scalar *b)
{
    /* Before the kinds are compared: null may be compared with every kind. */
    if (a->kind == ILPI_SCALAR_NULL || b->kind == ILPI_SCALAR_NULL) {
        return comparison == ILPI_COMPARE_EQ && a->kind == b->kind ? ILPI_CONDITION_MET
                                                                   : ILPI_CONDITION_NOT_MET;
    }
    if (!ilpi_scalar_is_number(a) || !ilpi_scalar_is_number(b)) {
        return a->kind == b->kind ? compare_others(comparison, a, b) : ILPI_CONDITION_OTHER_KIND;
    }
    if (a->type && b->type && a->type != b->type) { /* of two different enums */
        return ILPI_CONDITION_OTHER_KIND;
    }
    if (comparison == ILPI_COMPARE_HAS) {
        return has_bits(a, b);
    }
    return holds(comparison, ilpi_scalar_compare(a, b)) ? ILPI_CONDITION_MET
                                                        : ILPI_CONDITION_NOT_MET;
}

/* For the two ends of a range: one that is not met decides. Also for `and`. If both are unknown,
 * the first is kept, so that a result has the column of the leftmost one. */
static result both(result a, result b)
{
    if (a.outcome == ILPI_CONDITION_NOT_MET || b.outcome == ILPI_CONDITION_MET) {
        return a;
    }
    return b.outcome == ILPI_CONDITION_NOT_MET || is_decided(a) ? b : a;
}

/* The same for `or`, where one that is met decides. */
static result either(result a, result b)
{
    if (a.outcome == ILPI_CONDITION_MET || b.outcome == ILPI_CONDITION_NOT_MET) {
        return a;
    }
    return b.outcome == ILPI_CONDITION_MET || is_decided(a) ? b : a;
}

static result compare_with(const struct ilpi_condition_test *test, enum ilpi_comparison comparison,
                           const struct ilpi_scalar *left,
                           const struct ilpi_condition_operand *operand,
                           const struct ilpi_condition_source *source)
{
    struct ilpi_scalar right;
    result r = read_beside(operand, left, source, &right);
    if (!is_decided(r)) {
        return r;
    }
    enum ilpi_condition_outcome outcome = compare(comparison, left, &right);
    return outcome <= ILPI_CONDITION_MET ? (result){(uint16_t)outcome, 0}
                                         : not_known(outcome, test->column);
}

/* ---- tests ---- */

/* `is Order` is not met for null; the type of a null reference does not matter. */
static result test_type(const struct ilpi_condition_test *test,
                        const struct ilpi_condition_source *source)
{
    struct ilpi_condition_value value;
    struct ilpi_scalar scalar;
    result r = evaluate_path(test->left, source, &value);
    if (r.outcome != ILPI_CONDITION_MET) {
        return r;
    }
    source->reader->read(source, &value, &scalar);
    if (scalar.kind == ILPI_SCALAR_NULL) {
        return decided(false);
    }
    enum ilp_tristate truth = source->reader->is_type(source, &value, &test->right->name);
    return truth == ILP_UNKNOWN ? not_known(ILPI_CONDITION_UNREADABLE, test->column)
                                : decided(truth == ILP_YES);
}

/* Null matches nothing: that is decided, not unknown, so the negated test holds for null. */
static result test_text(const struct ilpi_condition_test *test, const struct ilpi_scalar *text,
                        struct ilpi_condition_scratch *scratch)
{
    if (text->kind == ILPI_SCALAR_NULL) {
        return decided(false);
    }
    if (text->kind != ILPI_SCALAR_STRING) {
        return not_known(ILPI_CONDITION_OTHER_KIND, test->column);
    }
    enum ilpi_condition_outcome outcome = scratch ? ilpi_text_match(&test->pattern, text, scratch)
                                                  : ILPI_CONDITION_NO_MEMORY;
    return outcome <= ILPI_CONDITION_MET ? (result){(uint16_t)outcome, 0}
                                         : not_known(outcome, test->column);
}

/* Of a range the upper end is only tested if the lower one does not decide. */
static result test_one(const struct ilpi_condition_test *test, const struct ilpi_scalar *left,
                       const struct ilpi_condition_source *source,
                       struct ilpi_condition_scratch *scratch)
{
    result low = decided(true);
    switch (test->comparison) {
    case ILPI_COMPARE_MATCH: return test_text(test, left, scratch);
    case ILPI_COMPARE_IS_THERE: return decided(left->kind != ILPI_SCALAR_NULL);
    case ILPI_COMPARE_IS_TRUE:
        return left->kind == ILPI_SCALAR_BOOL || left->kind == ILPI_SCALAR_NULL
                   ? decided(left->kind == ILPI_SCALAR_BOOL && left->as.natural != 0)
                   : not_known(ILPI_CONDITION_OTHER_KIND, test->column);
    case ILPI_COMPARE_IN:
        if (test->right) {
            low = compare_with(test, ILPI_COMPARE_GE, left, test->right, source);
        }
        return test->high && low.outcome != ILPI_CONDITION_NOT_MET
                   ? both(low, compare_with(test, ILPI_COMPARE_LE, left, test->high, source))
                   : low;
    default: return compare_with(test, test->comparison, left, test->right, source);
    }
}

/* Outcomes are 0 and 1 if they are known, so negation is an exclusive or. */
static result negated_if(bool negated, result r)
{
    r.outcome ^= (uint16_t)(negated && is_decided(r));
    return r;
}

/* A test of any value. Kept out of the function that runs for each value, so that the latter sets
 * up no frame. */
static NOT_INLINE result test_scalar(const struct ilpi_condition_test *test,
                                     const struct ilpi_scalar *left,
                                     const struct ilpi_condition_source *source,
                                     struct ilpi_condition_scratch *scratch)
{
    return negated_if(test->negated, test_one(test, left, source, scratch));
}

/* A test of a value that has been read: usually an integer compared with numbers, which takes one
 * interval check. */
static inline result test_read(const struct ilpi_condition_test *test,
                               const struct ilpi_scalar *left,
                               const struct ilpi_condition_source *source,
                               struct ilpi_condition_scratch *scratch)
{
    unsigned integer = left->kind - (unsigned)ILPI_SCALAR_SIGNED; /* 0: signed, 1: unsigned */
    if (integer <= 1 && test->has_interval) {
        /* The interval is already that of the negated test. */
        return decided(ilpi_condition_interval_meets(&test->intervals[integer], left->as.natural));
    }
    return test_scalar(test, left, source, scratch);
}

/* `arguments` has the outcomes of comparisons with arguments from the entry of the call: later the
 * method may have overwritten them. */
static result run_test(const struct ilpi_condition_test *test,
                       const struct ilpi_condition_source *source,
                       struct ilpi_condition_scratch *scratch)
{
    /* Before any path is followed: at the end of a call root() has no argument. */
    if (source->arguments && test->of_argument != 0) {
        return source->arguments[test->of_argument - 1];
    }
    if (test->comparison == ILPI_COMPARE_IS_TYPE) {
        return negated_if(test->negated, test_type(test, source));
    }
    struct ilpi_scalar left;
    result r = read_operand(test->left, source, &left);
    return is_decided(r) ? test_read(test, &left, source, scratch) : r;
}

/* ---- the program ---- */

/* Runs the program; at the right the stack after each code:
 *
 *   a == 1 and (b or c)
 *     0  TEST 0               a
 *     1  SKIP_IF_NOT_MET 7    a        not met: the result, at the end
 *     2  TEST 1               a b
 *     3  SKIP_IF_MET 6        a b      met: no need for c
 *     4  TEST 2               a b c
 *     5  OR                   a b|c
 *     6  AND                  a&(b|c)
 *
 * A skip leaves its operand as the result, and so continues after the operation that would join it;
 * `- 1` is because the loop adds one. Skips only go forward: a condition is tested in at most as
 * many steps as its program has codes. */
static NOT_INLINE result run(const struct ilpi_condition *condition,
                             const struct ilpi_condition_source *source,
                             struct ilpi_condition_scratch *scratch)
{
    result stack[ILPI_CONDITION_MAX_STACK];
    size_t top = 0; /* number of entries; the parser has bounded it */
    stack[0] = decided(false);
    for (size_t i = 0; i < condition->code.count; i++) {
        struct ilpi_condition_code code = condition->code.items[i];
        switch (code.op) {
        case ILPI_CONDITION_OP_TEST:
            stack[top++] = run_test(&condition->tests.items[code.number], source, scratch);
            break;
        case ILPI_CONDITION_OP_CONSTANT: stack[top++] = (result){code.number, 0}; break;
        case ILPI_CONDITION_OP_NOT:
            KNOWN(top >= 1);
            stack[top - 1] = negated_if(true, stack[top - 1]);
            break;
        case ILPI_CONDITION_OP_AND:
            KNOWN(top >= 2);
            top--;
            stack[top - 1] = both(stack[top - 1], stack[top]);
            break;
        case ILPI_CONDITION_OP_OR:
            KNOWN(top >= 2);
            top--;
            stack[top - 1] = either(stack[top - 1], stack[top]);
            break;
        case ILPI_CONDITION_OP_SKIP_IF_MET:
            KNOWN(top >= 1);
            i = stack[top - 1].outcome == ILPI_CONDITION_MET ? code.number - 1u : i;
            break;
        default: /* ILPI_CONDITION_OP_SKIP_IF_NOT_MET */
            KNOWN(top >= 1);
            i = stack[top - 1].outcome == ILPI_CONDITION_NOT_MET ? code.number - 1u : i;
        }
    }
    return stack[0];
}

/* The common case without a program or a stack: one read and one interval. */
struct ilpi_condition_result ilpi_condition_test(const struct ilpi_condition *condition,
                                                 const struct ilpi_condition_source *source,
                                                 struct ilpi_condition_scratch *scratch)
{
    struct ilpi_scalar value;
    /* A call without a value has its outcome, NO_VALUE, from the program. */
    if (!condition->of_integer || !source->has_value) {
        return run(condition, source, scratch);
    }
    source->reader->read(source, &source->value, &value);
    unsigned integer = value.kind - (unsigned)ILPI_SCALAR_SIGNED;
    if (integer <= 1) {
        const struct ilpi_condition_interval *intervals = condition->tests.items->intervals;
        return decided(ilpi_condition_interval_meets(&intervals[integer], value.as.natural));
    }
    return value.kind == ILPI_SCALAR_UNREADABLE
               ? not_known(ILPI_CONDITION_UNREADABLE, condition->tests.items->column)
               : test_scalar(condition->tests.items, &value, source, scratch);
}

/* Without `arguments` in the source, run_test() follows the path to the argument itself. */
struct ilpi_condition_result
ilpi_condition_test_argument(const struct ilpi_condition *condition, uint32_t number,
                             const struct ilpi_condition_source *source,
                             struct ilpi_condition_scratch *scratch)
{
    return run_test(&condition->tests.items[condition->argument_tests.items[number]], source,
                    scratch);
}
