/* The conditions on a method's values, and the arguments of their comparisons: resolved once, so
 * that a call looks them up by number. */
#ifndef ILPI_CHOICE_METHOD_H
#define ILPI_CHOICE_METHOD_H

#include "condition/condition.h"
#include "ilpatch.h"
#include "profiler/pace.h"

/* The rule's condition is tested first, then the one on all values. */
enum { CHOICE_OF_RULE, CHOICE_OF_ALL, CHOICE_CONDITIONS };

/* A comparison with a passed argument. */
struct choice_test {
    uint32_t argument;  /* among all passed ones */
    uint32_t condition; /* CHOICE_OF_RULE, CHOICE_OF_ALL */
    uint32_t number;    /* its number in that */
};

struct choice_method {
    const struct ilpi_condition *when[CHOICE_CONDITIONS]; /* NULL: none */
    uint32_t first[CHOICE_CONDITIONS];                    /* of the outcomes of each */
    uint32_t outcome_count;                               /* total of both */
    const struct ilpi_condition_result *outcomes;         /* initial ones of a call: all unknown */
    const struct choice_test *tests;
    uint32_t test_count;
    bool is_timed; /* a condition compares the time since the entry */
    /* NULL: no rate limit, and calls are not counted; in the arena */
    struct pace *pace;
    bool is_paced_at_once; /* no other check precedes the pace */
    /* if the only condition compares an integer with numbers: those that meet it, NULL: else */
    const struct ilpi_condition_interval *interval;
    uint32_t integer_size;
    bool integer_signed;
};

/* `result` has the arguments it passes. In the arena; errors are for memory. */
ilp_status choice_method_open(struct choice_method *method, const struct ilpi_condition *of_rule,
                              const struct ilpi_condition *of_all,
                              const struct ilp_method_result *result, struct ilp_arena *arena,
                              struct ilp_error *error);

/* Declares that its values are integers of that size. */
void choice_method_set_integer(struct choice_method *method, uint32_t size, bool is_signed);

/* Whether any comparison is with an argument. */
bool choice_method_tests(const struct choice_method *method, uint32_t argument);

#endif
