/* Conditions on a call: on the value that it returned, its arguments, the exception that ended it.
 * docs/CONDITIONS.md has the language.
 *
 *   text --open()--> condition --test() of a source--> met, not met, or not known and why
 *
 * Opening takes memory. Testing allocates nothing, waits for nothing and calls nothing but the
 * source, on less than a page of stack; its steps are bounded by the condition, and by 65,536
 * characters of each text. So it may run in the runtime's cooperative mode, if the source may. A
 * condition is immutable: any number of threads may test it, each with its own scratch memory.
 *
 * Outcomes are tristate: what is unknown (a missing member, a text compared with a number) makes a
 * condition neither met nor not met, unless the rest decides it. */
#ifndef ILPI_CONDITION_H
#define ILPI_CONDITION_H

#include "base/error.h"
#include "condition/scalar.h"

/* ---- opening ---- */

struct ilpi_condition;

/* Compiles `text` (UTF-8; what is needed is copied). ILP_E_BAD_RULES: error->column is the column,
 * counted in characters from 1, which also begins the message. */
ilp_status ilpi_condition_open(struct ilpi_condition **out, struct ilp_bytes text,
                               const struct ilp_allocator *allocator, struct ilp_error *error);

/* NULL is allowed. */
void ilpi_condition_close(struct ilpi_condition *condition);

/* Two lines to show below the message: the text around the column, and a caret. At most `size`
 * bytes, ended by NUL; characters that control a terminal become question marks. */
void ilpi_condition_excerpt(struct ilp_bytes text, uint32_t column, char *to, size_t size);

/* ---- requirements of a call ---- */

enum ilpi_condition_root {
#define CONDITION_ROOT(name, text) ILPI_ROOT_##name,
#include "condition/words.def"
    ILPI_ROOT_COUNT
};

/* Whether a compared path has this root. */
bool ilpi_condition_uses(const struct ilpi_condition *condition, enum ilpi_condition_root root);

/* A name in a condition: of a member, an argument, an enum member or a type; or the number of an
 * argument or element. Equal names of one condition have one address. */
struct ilpi_condition_name {
    const char *text; /* UTF-8, ended by NUL; NULL: it is a number */
    uint32_t size;    /* in bytes */
    uint32_t number;
    /* Each occurrence has its own, from 0 to ilpi_condition_slots() - 1: where a source may cache
     * what it found for a type. */
    uint32_t slot;
    uint16_t column;
};

uint32_t ilpi_condition_slots(const struct ilpi_condition *condition);

/* Whether it has regular expressions, which need scratch memory. */
bool ilpi_condition_needs_scratch(const struct ilpi_condition *condition);

/* ---- a call, as its caller provides it ---- */

/* Any value of a call, in a form that only the source knows. */
struct ilpi_condition_value {
    const void *type;
    const void *data;
};

/* How far a path could be followed in the source. */
enum ilpi_reach {
    ILPI_REACH_FOUND,
    ILPI_REACH_NULL,     /* the object with the member is null, so the member is: `?.` of C# */
    ILPI_REACH_NO_VALUE, /* a root that this call does not have */
    ILPI_REACH_NO_MEMBER,
    ILPI_REACH_UNREADABLE, /* it may exist, but where it is or what its bytes mean is not known */
    ILPI_REACH_CLOSED      /* it has members in the source, but they cannot be read */
};

struct ilpi_condition_source;

/* Reads a source. All functions are called while a condition is tested, and must keep the promises
 * at the top of this file. */
struct ilpi_condition_reader {
    /* `argument` is NULL except for ILPI_ROOT_ARGUMENT. Not called for ILPI_ROOT_VALUE. The root
     * `exception` of a call without one is ILPI_REACH_NULL. */
    enum ilpi_reach (*root)(const struct ilpi_condition_source *source,
                            enum ilpi_condition_root root,
                            const struct ilpi_condition_name *argument,
                            struct ilpi_condition_value *out);
    /* A member by name, or an element by number, looked up in the value's own type. */
    enum ilpi_reach (*member)(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *of,
                              const struct ilpi_condition_name *name,
                              struct ilpi_condition_value *out);
    /* The scalar; ILPI_SCALAR_UNREADABLE if it is unknown. */
    void (*read)(const struct ilpi_condition_source *source,
                 const struct ilpi_condition_value *value, struct ilpi_scalar *out);
    /* The number of an enum member, sign-extended to 64 bits; false: the enum has no such
     * member. */
    bool (*enum_number)(const struct ilpi_condition_source *source, const void *type,
                        const struct ilpi_condition_name *name, uint64_t *number);
    /* Whether the value, which is not null, is of the type or of a derived one. The name is as it
     * was written: `Order`, `Shop.Order`. */
    enum ilp_tristate (*is_type)(const struct ilpi_condition_source *source,
                                 const struct ilpi_condition_value *value,
                                 const struct ilpi_condition_name *name);
};

struct ilpi_condition_result {
    uint16_t outcome; /* enum ilpi_condition_outcome */
    uint16_t column;  /* column of the part that is unknown; else 0 */
};

/* One call. Callers that need more make it the first member of their own struct. */
struct ilpi_condition_source {
    const struct ilpi_condition_reader *reader;
    struct ilpi_condition_value value; /* what was returned */
    bool has_value;
    /* earlier outcomes of the comparisons with arguments, by number (see below); NULL: root() reads
     * arguments */
    const struct ilpi_condition_result *arguments;
};

/* ---- testing ---- */

enum ilpi_condition_outcome {
#define OUTCOME(name, text) ILPI_CONDITION_##name,
#include "condition/outcomes.def"
    ILPI_CONDITION_OUTCOMES
};

/* "no such member or argument": static storage. */
const char *ilpi_condition_outcome_text(enum ilpi_condition_outcome outcome);

/* What matching regular expressions needs: one for each thread. It is opened for one condition that
 * needs it, and works for all others. */
struct ilpi_condition_scratch;
ilp_status ilpi_condition_scratch_open(struct ilpi_condition_scratch **out,
                                       const struct ilpi_condition *condition,
                                       const struct ilp_allocator *allocator,
                                       struct ilp_error *error);

/* NULL is allowed. */
void ilpi_condition_scratch_close(struct ilpi_condition_scratch *scratch);

/* `scratch` may be NULL for conditions that do not need it. */
struct ilpi_condition_result ilpi_condition_test(const struct ilpi_condition *condition,
                                                 const struct ilpi_condition_source *source,
                                                 struct ilpi_condition_scratch *scratch);

/* ---- arguments that exist only at the entry of a call ---- */

/* A comparison with one argument, or with `this`. It is tested at the entry; its outcome is kept
 * until the rest is known. A condition that is not met before there is a value, whatever that is,
 * is not met. */
struct ilpi_argument_test {
    enum ilpi_condition_root root;              /* ILPI_ROOT_ARGUMENT or ILPI_ROOT_THIS */
    const struct ilpi_condition_name *argument; /* ILPI_ROOT_ARGUMENT: which; else NULL */
    uint16_t column;
};

uint32_t ilpi_condition_argument_tests(const struct ilpi_condition *condition);
struct ilpi_argument_test ilpi_condition_argument_test(const struct ilpi_condition *condition,
                                                       uint32_t number);

/* The outcome of one of them, for `arguments` of a source. The source passed here has no
 * `arguments`, and its root() gives the argument. `scratch` as above. */
struct ilpi_condition_result
ilpi_condition_test_argument(const struct ilpi_condition *condition, uint32_t number,
                             const struct ilpi_condition_source *source,
                             struct ilpi_condition_scratch *scratch);

/* The column of a comparison of an argument with another value of the call, which would have to
 * exist at the same time; 0: there is none. */
uint16_t ilpi_condition_mixed(const struct ilpi_condition *condition);

/* ---- the common case: `value` is an integer, compared only with numbers ---- */

/* The integers that meet it, as 64 bits: the `width` + 1 ones from `low` on, or all others. Signed
 * ones are in two's complement, so an interval around 0 begins with a high `low` and wraps. With a
 * width of one less than the count all 2^64 integers are an interval, too. */
struct ilpi_condition_interval {
    uint64_t low, width;
    bool outside; /* all others */
};

/* If the whole condition is one such comparison, its intervals of signed and of unsigned integers;
 * else NULL. Borrowed from the condition. */
const struct ilpi_condition_interval *
ilpi_condition_intervals(const struct ilpi_condition *condition);

/* One comparison tests both ends: below `low` the difference wraps to a number above `width`. */
static inline bool ilpi_condition_interval_meets(const struct ilpi_condition_interval *interval,
                                                 uint64_t value)
{
    return (value - interval->low <= interval->width) != interval->outside;
}

#endif
