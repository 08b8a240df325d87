/* profiler/choice.c: which of the values that a thread shows are taken, and what is reported. */
#include "metadata_test.h"

#include <fcntl.h>
#include <unistd.h>

#include "profiler/choice.h"
#include "profiler/status.h"
#include "values/kinds.h"

static const struct shape int32 = {.kind = SHAPE_SIGNED, .size = 4, .name = "System.Int32"};
static const struct shape real = {.kind = SHAPE_DOUBLE, .size = 8, .name = "System.Double"};

static char status_path[] = "/tmp/ilpatch-choice-XXXXXX";
static struct choice_settings settings;

static void begin(const struct choice_options *options)
{
    assert_int_equal(choice_read(&settings, options, NULL), EXIT_DONE);
    choice_open(&settings);
}

static void end(void)
{
    choice_close();
    choice_settings_close(&settings);
}

static const struct ilpi_condition *own; /* of the rule; NULL: it has none */

/* A method with so many arguments, whose memory is the arena's. */
static struct choice_method method_of(const struct ilp_passed_argument *passed, uint32_t count,
                                      struct ilp_arena **arena)
{
    struct choice_method method;
    const struct ilp_method_result result = {
        .arguments = passed, .passed = passed, .passed_count = count};
    assert_int_equal(ilp_arena_open(arena, NULL, NULL), ILP_OK);
    assert_int_equal(choice_method_open(&method, own, choice_condition(), &result, *arena, NULL),
                     ILP_OK);
    return method;
}

static const struct choice_call no_call = {.outcomes = NULL};

/* Of the numbers from 0 to `count` - 1 those that are taken. */
static unsigned take(struct choice_thread *thread, int count)
{
    unsigned taken = 0;
    struct ilp_arena *arena;
    const struct choice_method method = method_of(NULL, 0, &arena);
    for (int i = 0; i < count; i++) {
        taken +=
            choice_takes(thread, &method, &no_call, END_RETURNED,
                         &(struct shaped_value){.shape = &int32, .value = &i, .size = sizeof i});
    }
    ilp_arena_close(arena);
    return taken;
}

static unsigned count_taken(const struct choice_options *options, int count)
{
    struct choice_thread thread = {.scratch = NULL};
    begin(options);
    unsigned result = take(&thread, count);
    choice_thread_close(&thread);
    end();
    return result;
}

/* What has been reported since the last look, without the words. */
static const char *reported(void)
{
    static char text[4096];
    static off_t seen;
    int file = open(status_path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    ssize_t size = pread(file, text, sizeof text - 1, seen);
    close(file);
    assert_true(size >= 0);
    seen += size;
    text[size] = '\0';
    return text;
}

static void test_everything(void **state)
{
    (void)state;
    assert_int_equal(count_taken(&(struct choice_options){.time = true}, 100), 100);
}

static void test_condition(void **state)
{
    (void)state;
    assert_int_equal(count_taken(&(struct choice_options){.when = "value > 89"}, 100), 10);
    assert_int_equal(
        count_taken(&(struct choice_options){.when = "value != null and value < 5"}, 100), 5);
    struct choice_thread thread = {.scratch = NULL};
    begin(&(struct choice_options){.when = "value =~ \"x\" or value > 89"});
    assert_int_equal(take(&thread, 100), 10); /* of the others it is not known */
    struct ilp_arena *arena;
    const struct choice_method method = method_of(NULL, 0, &arena);
    assert_true(choice_takes(
        &thread, &method, &no_call, END_RETURNED,
        &(struct shaped_value){.shape = &real, .value = &(double){89.5}, .size = sizeof(double)}));
    assert_int_equal(atomic_load(&thread.unknown), 90);
    ilp_arena_close(arena);
    choice_thread_close(&thread);
    end();
}

/* An integer is left at once where choice_takes() would not take it, and counted the same; before
 * the thread is known, or where anything else is compared, nothing is. */
static void test_leaves(void **state)
{
    static const char *const conditions[] = {"value > 89", "value == -3", "value in -5..5",
                                             "value != 7", "value < 4294967295"};
    (void)state;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        struct choice_thread thread = {.scratch = NULL};
        struct ilp_arena *arena;
        begin(&(struct choice_options){.when = conditions[i]});
        struct choice_method method = method_of(NULL, 0, &arena);
        int32_t number = 6;
        const struct shaped_value value = {
            .shape = &int32, .value = &number, .size = sizeof number};
        assert_false(choice_leaves(&thread, &method, &number, sizeof number));
        choice_method_set_integer(&method, sizeof number, true);
        assert_false(choice_leaves(&thread, &method, &number, sizeof number));
        choice_takes(&thread, &method, &no_call, END_RETURNED, &value);
        for (number = -100; number <= 100; number++) {
            uint64_t tested = atomic_load(&thread.tested);
            bool left = choice_leaves(&thread, &method, &number, sizeof number);
            assert_int_equal(atomic_load(&thread.tested), tested + left);
            assert_false(choice_leaves(&thread, &method, &number, sizeof number - 1));
            assert_int_equal(choice_takes(&thread, &method, &no_call, END_RETURNED, &value), !left);
        }
        ilp_arena_close(arena);
        choice_thread_close(&thread);
        end();
    }
    struct ilp_arena *arena;
    begin(&(struct choice_options){.when = "value > 89 and value < 200"});
    struct choice_method method = method_of(NULL, 0, &arena);
    choice_method_set_integer(&method, sizeof(int32_t), true);
    assert_null(method.interval);
    ilp_arena_close(arena);
    end();
}

/* What is no value does not meet a condition on it, and is no mistake; a value of another kind
 * is. */
static void test_ends(void **state)
{
    static const struct shape object = {.kind = SHAPE_OBJECT, .size = sizeof(void *)};
    const void *some = &object;
    const struct shaped_value number = {
        .shape = &int32, .value = &(int){90}, .size = sizeof(int32_t)};
    const struct shaped_value exception = {.shape = &object, .value = &some, .size = sizeof some};
    struct choice_thread thread = {.scratch = NULL};
    struct ilp_arena *arena;
    (void)state;
    begin(&(struct choice_options){.when = "value > 89"});
    struct choice_method method = method_of(NULL, 0, &arena);
    assert_true(choice_takes(&thread, &method, &no_call, END_RETURNED, &number));
    assert_false(choice_takes(&thread, &method, &no_call, END_THREW, &number));
    assert_false(choice_takes(&thread, &method, &no_call, END_VOID, NULL));
    assert_int_equal(atomic_load(&thread.unknown), 0);
    assert_false(choice_takes(&thread, &method, &no_call, END_RETURNED, &exception));
    assert_int_equal(atomic_load(&thread.unknown), 1);
    ilp_arena_close(arena);
    choice_thread_close(&thread);
    end();
    thread = (struct choice_thread){.scratch = NULL};
    begin(&(struct choice_options){.when = "exception"});
    method = method_of(NULL, 0, &arena);
    assert_true(choice_takes(&thread, &method, &no_call, END_THREW, &exception));
    assert_false(choice_takes(&thread, &method, &no_call, END_RETURNED, &number));
    assert_false(choice_takes(&thread, &method, &no_call, END_VOID, NULL));
    assert_int_equal(atomic_load(&thread.unknown), 0);
    ilp_arena_close(arena);
    choice_thread_close(&thread);
    end();
}

/* The condition of a rule, alone and besides that of all values. */
static void test_rule(void **state)
{
    struct ilpi_condition *condition;
    struct ilp_bytes text = {(const uint8_t *)"value < 95", 10};
    (void)state;
    assert_int_equal(ilpi_condition_open(&condition, text, NULL, NULL), ILP_OK);
    own = condition;
    assert_int_equal(count_taken(&(struct choice_options){.json = true}, 100), 95);
    assert_int_equal(count_taken(&(struct choice_options){.when = "value > 89"}, 100), 5);
    own = NULL;
    ilpi_condition_close(condition);
}

/* ---- arguments ---- */

static const struct ilp_passed_argument passed[] = {{.name = "this", .self = true},
                                                    {.name = "count"},
                                                    {.name = "hidden", .withheld = "{...}"},
                                                    {.name = "limit"}};

/* A call of a method with these, of which those that are passed are `arguments`: whether its value
 * is shown. */
static bool shows(struct choice_thread *thread, const int arguments[4], int value, unsigned *passes)
{
    struct ilp_arena *arena;
    const struct choice_method method = method_of(passed, 4, &arena);
    struct ilpi_condition_result outcomes[8];
    assert_true(method.outcome_count <= 8);
    memcpy(outcomes, method.outcomes, method.outcome_count * sizeof *outcomes);
    struct choice_call call = {.outcomes = outcomes, .elapsed = 5000001};
    for (uint32_t i = 0; i < 4 && !call.refused; i++) {
        const struct shaped_value shaped = {
            .shape = &int32, .value = &arguments[i], .size = sizeof arguments[i]};
        if (!passed[i].withheld) {
            ++*passes;
            call.refused = !choice_pass(thread, &method, i, arguments[i] != -99 ? &shaped : NULL,
                                        outcomes);
        }
    }
    bool taken = choice_takes(
        thread, &method, &call, END_RETURNED,
        &(struct shaped_value){.shape = &int32, .value = &value, .size = sizeof value});
    ilp_arena_close(arena);
    return taken;
}

static void check_call(const char *when, int value, bool shown, bool known, unsigned least_passes)
{
    static const int arguments[4] = {7, 3, 0, 50};
    struct choice_thread thread = {.scratch = NULL};
    unsigned passes = 0;
    begin(&(struct choice_options){.when = when});
    bool taken = shows(&thread, arguments, value, &passes);
    if (taken != shown || (atomic_load(&thread.unknown) == 0) != known || passes != least_passes ||
        atomic_load(&thread.tested) != 1) {
        fail_msg("%s: %d, %u arguments were passed, %u are not known", when, taken, passes,
                 (unsigned)atomic_load(&thread.unknown));
    }
    choice_thread_close(&thread);
    end();
}

static void test_arguments(void **state)
{
    (void)state;
    check_call("args.count == 3 and value > 5", 6, true, true, 3);
    check_call("args.count == 3 and value > 5", 5, false, true, 3);
    check_call("args.0 == 4 and value > 5", 6, false, true, 2);
    check_call("args.2 == 50 and args.limit != 51 and this > 6", 6, true, true, 3);
    check_call("this < 7 or args.limit == 49", 6, false, true, 3);
    check_call("this < 7 and args.limit == 50", 6, false, true, 1);
    check_call("args.hidden == 0", 6, false, false, 3);
    check_call("args.3 == 0", 6, false, false, 3);
    check_call("args.this == 7", 6, false, false, 3);
    check_call("args.nothing == 0 or value == 6", 6, true, true, 3);
    check_call("args.count == 3 and elapsed > 5ms", 6, true, true, 3);
    check_call("args.count == 3 and elapsed > 6ms", 6, false, true, 3);
}

/* What cannot be read, and calls whose entry is not known. */
static void test_entry_not_known(void **state)
{
    static const int unreadable[4] = {7, -99, 0, 50};
    struct choice_thread thread = {.scratch = NULL};
    unsigned passes = 0;
    int value = 6;
    const struct shaped_value shaped = {.shape = &int32, .value = &value, .size = sizeof value};
    (void)state;
    begin(&(struct choice_options){.when = "args.count == 3 and elapsed > 1ns"});
    assert_false(shows(&thread, unreadable, 6, &passes));
    assert_int_equal(atomic_load(&thread.unknown), 1);
    struct ilp_arena *arena;
    struct choice_method method = method_of(passed, 4, &arena);
    assert_false(choice_takes(&thread, &method, &no_call, END_RETURNED, &shaped));
    assert_false(
        choice_takes(&thread, &method, &(struct choice_call){.lost = true}, END_RETURNED, &shaped));
    assert_int_equal(atomic_load(&thread.unknown), 3);
    ilp_arena_close(arena);
    choice_thread_close(&thread);
    end();
}

/* Each has outcomes of its own. */
static void test_arguments_of_rule(void **state)
{
    struct ilpi_condition *condition;
    struct ilp_bytes text = {(const uint8_t *)"args.count in 2..3", 18};
    (void)state;
    assert_int_equal(ilpi_condition_open(&condition, text, NULL, NULL), ILP_OK);
    own = condition;
    check_call("args.limit == 50 and value == 6", 6, true, true, 3);
    check_call("args.limit == 51 and value == 6", 6, false, true, 3);
    check_call("value == 6", 6, true, true, 3);
    own = NULL;
    ilpi_condition_close(condition);
}

static void test_memory_of_method(void **state)
{
    (void)state;
    begin(&(struct choice_options){.when = "args.count == 3 or args.limit > 5"});
    const struct ilp_method_result result = {.passed = passed, .passed_count = 4};
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK && n < 10; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct choice_method method;
        struct ilp_arena *arena = NULL;
        status = ilp_arena_open(&arena, &allocator, NULL);
        status = status == ILP_OK
                     ? choice_method_open(&method, NULL, choice_condition(), &result, arena, NULL)
                     : status;
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        ilp_arena_close(arena);
        memory_is_empty(&memory);
    }
    assert_int_equal(status, ILP_OK);
    end();
}

/* Of a hundred values so many are taken, and that is reported. */
static void leaves_out(const struct choice_options *options, unsigned taken, const char *expected)
{
    struct choice_thread thread = {.scratch = NULL};
    begin(options);
    reported();
    assert_int_equal(take(&thread, 100), taken);
    choice_report_end();
    assert_string_equal(reported(), expected);
    choice_thread_close(&thread);
    end();
}

static void test_numbers(void **state)
{
    (void)state;
    for (unsigned watch = 0; watch < 2; watch++) { /* a second one counts again */
        leaves_out(&(struct choice_options){.sample = "1/10"}, 10,
                   "chosen\t--sample left out 90 values\n");
        leaves_out(&(struct choice_options){.rate = "7/h"}, 7,
                   "chosen\t--rate left out 93 values\n");
        leaves_out(&(struct choice_options){.limit = "3"}, 3,
                   "chosen\t--limit left out 97 values\n");
        leaves_out(&(struct choice_options){.duration = "1ns"}, 0,
                   "chosen\t--for left out 100 values\n");
        leaves_out(&(struct choice_options){.duration = "1h"}, 100, "");
        leaves_out(&(struct choice_options){.when = "value > 89"}, 10,
                   "chosen\t--when was met by 10 of 100 values\n");
        leaves_out(&(struct choice_options){.when = "value.x == 1"}, 0,
                   "chosen\t--when was met by 0 of 100 values\n"
                   "values\t--when was neither met nor not met by 100 of them; the first: no "
                   "such member or argument (column 7)\n");
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_condition),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_numbers),

        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_entry_not_known),
        cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_arguments_of_rule),
        cmocka_unit_test(test_memory_of_method),
    };
    int file = mkstemp(status_path);
    if (file < 0 || close(file) != 0) {
        return 1;
    }
    status_open(status_path);
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    status_close();
    unlink(status_path);
    return result;
}
