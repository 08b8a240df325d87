/* profiler/compile_stack.c: methods that begin and end, in order and otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/compile_stack.c" /* the library has no profiler in it */

static void push(FunctionID function)
{
    compile_stack_push(&(struct compiled_method){.function = function});
}

static FunctionID top(void)
{
    const struct compiled_method *method = compile_stack_top();
    return method ? method->function : 0;
}

static int begin(void **state)
{
    (void)state;
    compile_stack_reset();
    return 0;
}

static void methods_are_within_each_other(void **state)
{
    (void)state;
    assert_int_equal(top(), 0);
    push(1);
    push(2);
    assert_int_equal(top(), 2);
    compile_stack_pop(2);
    assert_int_equal(top(), 1);
    compile_stack_pop(1);
    assert_int_equal(top(), 0);
    compile_stack_pop(1);
    assert_int_equal(top(), 0);
}

/* The JIT fails without a word. */
static void what_has_no_end_goes_with_what_is_around_it(void **state)
{
    (void)state;
    push(1);
    push(2);
    push(3);
    compile_stack_pop(1);
    assert_int_equal(top(), 0);
}

static void an_end_of_another_method_is_none(void **state)
{
    (void)state;
    push(1);
    compile_stack_pop(2);
    assert_int_equal(top(), 1);
}

static void too_deep_is_unknown(void **state)
{
    (void)state;
    for (FunctionID i = 1; i <= MAX_NESTED + 2; i++) {
        push(i);
    }
    assert_int_equal(top(), 0);
    compile_stack_pop(MAX_NESTED + 2);
    compile_stack_pop(MAX_NESTED + 1);
    assert_int_equal(top(), MAX_NESTED);
}

static void a_reset_ends_all(void **state)
{
    (void)state;
    push(1);
    compile_stack_reset();
    assert_int_equal(top(), 0);
    push(2);
    compile_stack_pop(1);
    assert_int_equal(top(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(methods_are_within_each_other, begin),
        cmocka_unit_test_setup(what_has_no_end_goes_with_what_is_around_it, begin),
        cmocka_unit_test_setup(an_end_of_another_method_is_none, begin),
        cmocka_unit_test_setup(too_deep_is_unknown, begin),
        cmocka_unit_test_setup(a_reset_ends_all, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
