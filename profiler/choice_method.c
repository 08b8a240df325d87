/* Resolves the conditions of a method: which of its arguments each comparison is about. See
 * choice_method.h. Outcomes that are known beforehand (a name that no argument has) are filled in,
 * and copied for each call. */
#include "profiler/choice_method.h"

#include <string.h>

#include "base/error.h"
#include "base/alloc.h"

/* The argument of a comparison, NULL: none. Positions do not count `this`. */
static const struct ilp_passed_argument *find(const struct ilpi_argument_test *test,
                                              const struct ilp_method_result *result)
{
    const struct ilp_passed_argument *first = result->passed;
    uint32_t count = result->passed_count;
    bool self = count != 0 && first->self;
    if (test->root == ILPI_ROOT_THIS) {
        return self ? first : NULL;
    }
    first += self;
    count -= self;
    if (!test->argument->text) {
        return test->argument->number < count ? &first[test->argument->number] : NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(first[i].name, test->argument->text) == 0) {
            return &first[i];
        }
    }
    return NULL;
}

/* The outcome if nothing is passed: the call's arguments are unknown, or there is no such argument,
 * or it is withheld. */
static enum ilpi_condition_outcome without(const struct ilpi_argument_test *test,
                                           const struct ilp_passed_argument *found,
                                           const struct ilp_method_result *result)
{
    if (!found) {
        return result->arguments && test->root == ILPI_ROOT_ARGUMENT ? ILPI_CONDITION_NO_MEMBER
                                                                     : ILPI_CONDITION_NO_VALUE;
    }
    if (found->unknown) {
        return ILPI_CONDITION_NO_ARGUMENT;
    }
    return found->withheld ? ILPI_CONDITION_UNREADABLE : ILPI_CONDITION_NO_VALUE;
}

/* Outcomes for both conditions are in one array, each beginning at `first`. Those of arguments that
 * are not passed are decided here, once. */
ilp_status choice_method_open(struct choice_method *method, const struct ilpi_condition *of_rule,
                              const struct ilpi_condition *of_all,
                              const struct ilp_method_result *result, struct ilp_arena *arena,
                              struct ilp_error *error)
{
    *method = (struct choice_method){.when = {of_rule, of_all}};
    for (uint32_t i = 0; i < CHOICE_CONDITIONS; i++) {
        const struct ilpi_condition *when = method->when[i];
        method->first[i] = method->outcome_count;
        method->outcome_count += when ? ilpi_condition_argument_tests(when) : 0;
        method->is_timed |= when && !result->at_end && ilpi_condition_uses(when, ILPI_ROOT_ELAPSED);
    }
    struct ilpi_condition_result *outcomes = ilpi_arena_array(arena, method->outcome_count + 1,
                                                              sizeof *outcomes);
    struct choice_test *tests = ilpi_arena_array(arena, method->outcome_count + 1, sizeof *tests);
    if (!outcomes || !tests) {
        return ilpi_fail_memory(error, method->outcome_count * sizeof *tests);
    }
    for (uint32_t i = 0; i < CHOICE_CONDITIONS; i++) {
        uint32_t count = method->when[i] ? ilpi_condition_argument_tests(method->when[i]) : 0;
        for (uint32_t number = 0; number < count; number++) {
            struct ilpi_argument_test test = ilpi_condition_argument_test(method->when[i], number);
            const struct ilp_passed_argument *found = find(&test, result);
            outcomes[method->first[i] + number] = (struct ilpi_condition_result){
                (uint16_t)without(&test, found, result), test.column};
            if (found && !found->withheld) {
                uint32_t argument = (uint32_t)(found - result->passed);
                tests[method->test_count++] = (struct choice_test){argument, i, number};
            }
        }
    }
    method->outcomes = outcomes;
    method->tests = tests;
    return ILP_OK;
}

void choice_method_set_integer(struct choice_method *method, uint32_t size, bool is_signed)
{
    const struct ilpi_condition *of_rule = method->when[CHOICE_OF_RULE];
    const struct ilpi_condition *of_all = method->when[CHOICE_OF_ALL];
    if (!of_rule != !of_all) {
        const struct ilpi_condition_interval *both = ilpi_condition_intervals(of_rule ? of_rule
                                                                                      : of_all);
        method->interval = both ? &both[is_signed ? 0 : 1] : NULL;
        method->integer_size = size;
        method->integer_signed = is_signed;
    }
}

bool choice_method_tests(const struct choice_method *method, uint32_t argument)
{
    for (uint32_t i = 0; i < method->test_count; i++) {
        if (method->tests[i].argument == argument) {
            return true;
        }
    }
    return false;
}
