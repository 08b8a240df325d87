/* A compiled condition: comparisons, and a stack program that joins their outcomes.
 *
 *   a == 1 and (b or c)      TEST 0, SKIP_IF_NOT_MET 7, TEST 1, SKIP_IF_MET 6, TEST 2, OR, AND
 *
 * parse.c emits it, evaluate.c runs it. */
#ifndef ILPI_CONDITION_PROGRAM_H
#define ILPI_CONDITION_PROGRAM_H

#include "base/list.h"
#include "base/pattern.h"
#include "condition/condition.h"

/* Limits of length and depth. A condition of that many bytes has columns, tests and codes whose
 * numbers fit 16 bits: two bytes of text give at most three codes (`1,` in a list).
 *
 * The stack is deepest inside of all parentheses. At each level, of which there is one more than
 * parentheses, the left sides of an `or` and of an `and` wait; in a list of `in` the outcome of
 * earlier items waits below that of the current one. */
enum {
    ILPI_CONDITION_MAX_SIZE = 4096, /* in bytes */
    ILPI_CONDITION_MAX_NESTING = 32,
    ILPI_CONDITION_MAX_STACK = 2 * (ILPI_CONDITION_MAX_NESTING + 2)
};

/* How much of a text is matched, since an expression may restart at each character; and how much of
 * two texts is compared. */
enum { ILPI_CONDITION_MATCHED_UNITS = 1024, ILPI_CONDITION_COMPARED_UNITS = 65536 };

/* One side of a comparison: a path from a root, a literal, or a name whose meaning depends on the
 * other side. */
struct ilpi_condition_operand {
    enum { ILPI_OPERAND_PATH, ILPI_OPERAND_LITERAL, ILPI_OPERAND_NAME } form;
    bool is_value;   /* PATH: `value` itself */
    uint16_t column; /* where it begins, from 1 */
    /* PATH */
    enum ilpi_condition_root root;
    struct ilpi_condition_name argument;     /* ILPI_ROOT_ARGUMENT */
    const struct ilpi_condition_name *steps; /* in the arena; NULL: the root alone */
    uint32_t step_count;
    /* LITERAL: the exact value; then its values in comparisons with other kinds, mostly the same */
    struct ilpi_scalar literal;
    struct ilpi_scalar single, real; /* numbers with a point: rounded */
    struct ilpi_scalar date, guid;   /* of a text that is a date or a GUID */
    /* NAME: a member of an enum, or a type */
    struct ilpi_condition_name name;
};

/* How a test compares. `!=` is EQ and `negated`. */
enum ilpi_comparison {
    ILPI_COMPARE_EQ,
    ILPI_COMPARE_LT,
    ILPI_COMPARE_LE,
    ILPI_COMPARE_GT,
    ILPI_COMPARE_GE,
    ILPI_COMPARE_IN,      /* from `right` to `high`, each of which may be NULL */
    ILPI_COMPARE_HAS,     /* all bits of `right` */
    ILPI_COMPARE_MATCH,   /* the pattern */
    ILPI_COMPARE_IS_TYPE, /* named by `right` */
    ILPI_COMPARE_IS_TRUE,
    ILPI_COMPARE_IS_THERE /* not null */
};

/* One comparison. `right` and `high` are NULL where the comparison needs none. */
struct ilpi_condition_test {
    enum ilpi_comparison comparison;
    bool negated;
    bool has_interval;
    uint16_t column;      /* of its first operand as it was written, for results that are unknown */
    uint16_t of_argument; /* its number among those with an argument, plus one; 0: it has none */
    const struct ilpi_condition_operand *left; /* a path */
    const struct ilpi_condition_operand *right;
    const struct ilpi_condition_operand *high;
    struct ilpi_pattern pattern; /* owned; its text is in the arena */
    /* of signed and of unsigned integers, if `right` and `high` are numbers */
    struct ilpi_condition_interval intervals[2];
};

/* The program's operations, on a stack of outcomes. */
enum ilpi_condition_op {
    ILPI_CONDITION_OP_TEST,            /* pushes the outcome of a test */
    ILPI_CONDITION_OP_CONSTANT,        /* pushes this outcome */
    ILPI_CONDITION_OP_NOT,             /* of the top */
    ILPI_CONDITION_OP_AND,             /* of the two on top */
    ILPI_CONDITION_OP_OR,              /* the same */
    ILPI_CONDITION_OP_SKIP_IF_MET,     /* continues at `number` if the top is met, which stays */
    ILPI_CONDITION_OP_SKIP_IF_NOT_MET, /* the same if it is not met */
};

struct ilpi_condition_code {
    uint16_t op;
    uint16_t number; /* of a test; an outcome; where to continue */
};

/* A compiled condition: immutable, and so shared by threads; each has a scratch of its own. */
struct ilpi_condition {
    struct ilpi_alloc alloc;
    bool of_integer;        /* it is one comparison of `value` with numbers: the common case */
    struct ilp_arena arena; /* operands, names, literals, texts of patterns */
    ILPI_LIST(struct ilpi_condition_test) tests;
    ILPI_LIST(struct ilpi_condition_code) code;
    ILPI_LIST(uint16_t) argument_tests; /* indexes of `tests` */
    uint16_t mixed;                     /* ilpi_condition_mixed() */
    uint32_t slots;                     /* the number of names, each of which has a slot */
    uint32_t roots;                     /* bits of enum ilpi_condition_root */
    bool needs_scratch;
};

#endif
