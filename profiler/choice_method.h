/* The conditions that values of a method have to meet, and which of their comparisons are with
 * which of its arguments: found once, so that a call finds them by number. */
#ifndef ILPI_CHOICE_METHOD_H
#define ILPI_CHOICE_METHOD_H

#include "condition/condition.h"
#include "ilpatch.h"
#include "profiler/pace.h"

/* That of its rule is tested first, then the one of all values. */
enum { CHOICE_OF_RULE, CHOICE_OF_ALL, CHOICE_CONDITIONS };

/* A comparison with an argument that is passed. */
struct choice_test {
    uint32_t argument;  /* among all that are passed */
    uint32_t condition; /* CHOICE_OF_RULE, CHOICE_OF_ALL */
    uint32_t number;    /* of that */
};

struct choice_method {
    const struct ilpi_condition *when[CHOICE_CONDITIONS]; /* NULL: none */
    uint32_t first[CHOICE_CONDITIONS];                    /* of the outcomes of each */
    uint32_t outcome_count;                               /* of both */
    const struct ilpi_condition_result *outcomes; /* of a call that begins: no argument is there */
    const struct choice_test *tests;
    uint32_t test_count;
    bool is_timed; /* the time since the entry is compared */
    /* NULL: any number of values is shown, and calls are not counted; in the arena */
    struct pace *pace;
    bool is_paced_at_once; /* nothing else is asked of a value before that */
    /* where all that there is compares an integer with numbers: those that meet it, NULL: else */
    const struct ilpi_condition_interval *interval;
    uint32_t integer_size;
    bool integer_signed;
};

/* `result` says which arguments it passes. In the arena; errors are for memory. */
ilp_status choice_method_open(struct choice_method *method, const struct ilpi_condition *of_rule,
                              const struct ilpi_condition *of_all,
                              const struct ilp_method_result *result, struct ilp_arena *arena,
                              struct ilp_error *error);

/* Its values are integers of that size. */
void choice_method_set_integer(struct choice_method *method, uint32_t size, bool is_signed);

/* Whether anything is compared with an argument. */
bool choice_method_tests(const struct choice_method *method, uint32_t argument);

#endif
