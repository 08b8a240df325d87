/* Conditions on a call: on the value that it returned, its arguments, the exception that ended it.
 * docs/CONDITIONS.md has the language.
 *
 *   text --open()--> condition --test() of a source--> met, not met, or not known and why
 *
 * Opening takes memory. Testing takes none, waits for nothing and calls nothing but the source, on
 * less than a page of stack; its steps are bounded by the condition, and by 65,536 characters of
 * each text. So it may run in the runtime's cooperative mode, if the source may. A condition does
 * not change any more: any number of threads may test it, each with its own scratch memory.
 *
 * Three truths: what is not known (a member that is not there, a text compared with a number)
 * makes a condition neither met nor not met, unless the rest decides it. */
#ifndef ILPI_CONDITION_H
#define ILPI_CONDITION_H

#include "base/error.h"
#include "condition/scalar.h"

/* ---- opening ---- */

struct ilpi_condition;

/* Compiles `text` (UTF-8, copied as far as it is needed). ILP_E_BAD_RULES: error->column is where,
 * counted in characters from 1, which the message begins with. */
ilp_status ilpi_condition_open(struct ilpi_condition **out, struct ilp_bytes text,
                               const struct ilp_allocator *allocator, struct ilp_error *error);

/* NULL is allowed. */
void ilpi_condition_close(struct ilpi_condition *condition);

/* Two lines to be shown below the message: the text around the column, and a caret below that. All
 * of at most `size` bytes, ended by NUL; what steers a terminal becomes a question mark. */
void ilpi_condition_excerpt(struct ilp_bytes text, uint32_t column, char *to, size_t size);

/* ---- what it needs of a call ---- */

enum ilpi_condition_root {
#define CONDITION_ROOT(name, text) ILPI_ROOT_##name,
#include "condition/words.def"
    ILPI_ROOT_COUNT
};

/* Whether anything is compared that begins so. */
bool ilpi_condition_uses(const struct ilpi_condition *condition, enum ilpi_condition_root root);

/* A name within a condition: of a member, an argument, a member of an enum, a type; or the number
 * of an argument or element. Equal names of one condition have one address. */
struct ilpi_condition_name {
    const char *text; /* UTF-8, ended by NUL; NULL: it is a number */
    uint32_t size;    /* in bytes */
    uint32_t number;
    /* Each occurrence has its own, from 0 to ilpi_condition_slots() - 1: where a source may keep
     * what it found there for a type. */
    uint32_t slot;
    uint16_t column;
};

uint32_t ilpi_condition_slots(const struct ilpi_condition *condition);

/* Whether it has regular expressions, which need scratch memory. */
bool ilpi_condition_needs_scratch(const struct ilpi_condition *condition);

/* ---- a call, as the caller reads it ---- */

/* Any value of a call, as only the source knows it. */
struct ilpi_condition_value {
    const void *type;
    const void *data;
};

enum ilpi_reach {
    ILPI_REACH_FOUND,
    ILPI_REACH_NULL,     /* what has the member is null, and so it is: as `?.` of C# has it */
    ILPI_REACH_NO_VALUE, /* of a root: this call has none */
    ILPI_REACH_NO_MEMBER,
    ILPI_REACH_UNREADABLE,
    ILPI_REACH_CLOSED /* it has members in the source, but none that is read */
};

struct ilpi_condition_source;

/* How a source is read. All functions are called while a condition is tested, and have to keep what
 * the top of this file promises. */
struct ilpi_condition_reader {
    /* `argument` is NULL but for ILPI_ROOT_ARGUMENT. Not called for ILPI_ROOT_VALUE. The root
     * `exception` of a call without one is ILPI_REACH_NULL. */
    enum ilpi_reach (*root)(const struct ilpi_condition_source *source,
                            enum ilpi_condition_root root,
                            const struct ilpi_condition_name *argument,
                            struct ilpi_condition_value *out);
    /* A member by its name, or an element by its number, by the value's own type. */
    enum ilpi_reach (*member)(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *of,
                              const struct ilpi_condition_name *name,
                              struct ilpi_condition_value *out);
    /* What it is; ILPI_SCALAR_UNREADABLE where that is not known. */
    void (*read)(const struct ilpi_condition_source *source,
                 const struct ilpi_condition_value *value, struct ilpi_scalar *out);
    /* The number of an enum's member, as the bits of it widened with its sign to 64; false: it has
     * none of that name. */
    bool (*enum_number)(const struct ilpi_condition_source *source, const void *type,
                        const struct ilpi_condition_name *name, uint64_t *number);
    /* Whether the value, which is not null, is of the type or of one that derives from it. The name
     * is as it was written: `Order`, `Shop.Order`. */
    enum ilp_truth (*is_type)(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *value,
                              const struct ilpi_condition_name *name);
};

struct ilpi_condition_result {
    uint16_t outcome; /* enum ilpi_condition_outcome */
    uint16_t column;  /* where in the condition something was not known; else 0 */
};

/* One call. Callers that need more put it first into a struct of their own. */
struct ilpi_condition_source {
    const struct ilpi_condition_reader *reader;
    struct ilpi_condition_value value; /* what was returned */
    bool has_value;
    /* what the comparisons with arguments came to before, by their numbers (see below); NULL:
     * arguments are read by root() */
    const struct ilpi_condition_result *arguments;
};

/* ---- testing ---- */

enum ilpi_condition_outcome {
#define OUTCOME(name, text) ILPI_CONDITION_##name,
#include "condition/outcomes.def"
    ILPI_CONDITION_OUTCOMES
};

/* "there is no such member or argument": static storage. */
const char *ilpi_condition_outcome_text(enum ilpi_condition_outcome outcome);

/* What regular expressions need while they match: one for each thread. It is made for a condition
 * that needs it, and good for all others. */
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

/* ---- arguments, where they are there at the entry of a call alone ---- *
 *
 * Each comparison with an argument is tested when that is there; the outcomes are kept until the
 * rest is. What is not met before the value comes, whatever that is, is not met. */

/* A comparison with one argument, or with `this`. */
struct ilpi_argument_test {
    enum ilpi_condition_root root;              /* ILPI_ROOT_ARGUMENT or ILPI_ROOT_THIS */
    const struct ilpi_condition_name *argument; /* ILPI_ROOT_ARGUMENT: which; else NULL */
    uint16_t column;
};

uint32_t ilpi_condition_argument_tests(const struct ilpi_condition *condition);
struct ilpi_argument_test ilpi_condition_argument_test(const struct ilpi_condition *condition,
                                                       uint32_t number);

/* Of one of them the outcome, for the `arguments` of a source. The one that is given here has
 * none, and root() of it the argument. `scratch` as above. */
struct ilpi_condition_result
ilpi_condition_test_argument(const struct ilpi_condition *condition, uint32_t number,
                             const struct ilpi_condition_source *source,
                             struct ilpi_condition_scratch *scratch);

/* The column of a comparison of an argument with another value of the call, which have to be there
 * at the same time; 0: it has none. */
uint16_t ilpi_condition_mixed(const struct ilpi_condition *condition);

/* ---- the common case: `value` is an integer, and compared with numbers alone ---- */

/* The integers that meet it, as 64 bits: `width` + 1 of them from `low`, or all others. */
struct ilpi_condition_interval {
    uint64_t low, width;
    bool outside; /* all others */
};

/* Where the whole condition is one such comparison, those of signed integers and those of unsigned
 * ones; else NULL. Borrowed from the condition. */
const struct ilpi_condition_interval *
ilpi_condition_intervals(const struct ilpi_condition *condition);

static inline bool ilpi_condition_interval_meets(const struct ilpi_condition_interval *interval,
                                                 uint64_t value)
{
    return (value - interval->low <= interval->width) != interval->outside;
}

#endif
