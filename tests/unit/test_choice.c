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

/* Of the numbers from 0 to `count` - 1 those that are taken. */
static unsigned take(struct choice_thread *thread, int count)
{
    unsigned taken = 0;
    for (int i = 0; i < count; i++) {
        taken += choice_takes(
            thread, own, &(struct shaped_value){.shape = &int32, .value = &i, .size = sizeof i});
    }
    return taken;
}

static unsigned count_taken(const struct choice_options *options, int count)
{
    struct choice_thread thread = {.next = NULL};
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
    struct choice_thread thread = {.next = NULL};
    begin(&(struct choice_options){.when = "value =~ \"x\" or value > 89"});
    assert_int_equal(take(&thread, 100), 10); /* of the others it is not known */
    assert_true(choice_takes(
        &thread, NULL,
        &(struct shaped_value){.shape = &real, .value = &(double){89.5}, .size = sizeof(double)}));
    assert_int_equal(atomic_load(&thread.unknown), 90);
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

static void test_numbers(void **state)
{
    (void)state;
    /* numbers go on from one test to the next, as they do in a process */
    assert_int_equal(count_taken(&(struct choice_options){.sample = "1/10"}, 100), 10);
    assert_int_equal(count_taken(&(struct choice_options){.rate = "7/h"}, 100), 7);
    assert_int_equal(count_taken(&(struct choice_options){.limit = "3"}, 100), 3);
    assert_int_equal(count_taken(&(struct choice_options){.duration = "1ns"}, 100), 0);
    assert_int_equal(count_taken(&(struct choice_options){.duration = "1h"}, 100), 100);
}

static void test_reported(void **state)
{
    (void)state;
    struct choice_thread thread = {.next = NULL};
    reported();
    begin(&(struct choice_options){.when = "value > 89"});
    take(&thread, 100);
    choice_tell_end();
    const char *text = reported();
    assert_non_null(strstr(text, "chosen\t--when was met by "));
    assert_non_null(strstr(text,
                           "neither met nor not met by 90 of them; the first: values of these "
                           "kinds are not compared (column 1)\n"));
    assert_non_null(strstr(text, "chosen\t--sample left out 90 values\n"));
    assert_non_null(strstr(text, "chosen\t--rate left out 93 values\n"));
    assert_non_null(strstr(text, "chosen\t--limit left out 97 values\n"));
    assert_non_null(strstr(text, "chosen\t--for left out 100 values\n"));
    choice_thread_close(&thread);
    end();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything), cmocka_unit_test(test_condition),
        cmocka_unit_test(test_rule),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_reported),
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
