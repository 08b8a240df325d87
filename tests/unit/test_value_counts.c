/* profiler/value_counts.c: values of several threads are added up, and written once. */
#include "metadata_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "profiler/output.h"
#include "profiler/value_counts.h"

static char path[] = "/tmp/ilpatch-counts-XXXXXX";

/* What has been written since the last look; process numbers are left out of JSON. */
static const char *written(void)
{
    static char text[4096];
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    ssize_t size = read(file, text, sizeof text - 1);
    assert_int_equal(ftruncate(file, 0), 0);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

static uint32_t method(ilp_token token, const char *name)
{
    return value_counts_method(token, name, strlen(name));
}

static void add(struct value_counts *counts, uint32_t number, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        value_counts_add(counts, number);
    }
}

static void test_sums(void **state)
{
    static struct value_counts running, ended;
    (void)state;
    assert_int_equal(method(0x06000001, "N.C::Early"), 0); /* nothing is counted yet */
    value_counts_open(false);
    uint32_t few = method(0x06000001, "N.C::Few");
    uint32_t many = method(0x06000002, "N.C::Many");
    uint32_t never = method(0x06000003, "N.C::Never");
    uint32_t same = method(0x06000002, "N.C::Few"); /* of another module */
    assert_true(few != 0 && many != few && never != many && same != never);
    add(&running, many, 1000);
    add(&running, few, 2);
    add(&ended, many, 500);
    add(&ended, same, 2);
    value_counts_end_thread(&ended);
    value_counts_write();
    assert_string_equal(written(), "        1500  N.C::Many\n"
                                   "           2  N.C::Few\n"
                                   "           2  N.C::Few\n");
    value_counts_write(); /* once */
    assert_string_equal(written(), "");
    value_counts_end_thread(&running);
}

static void test_json(void **state)
{
    static struct value_counts counts;
    char expected[256];
    (void)state;
    value_counts_open(true);
    add(&counts, method(0x06000010, "N.C::Quoted \"name\""), 7);
    add(&counts, 0, 3); /* what has no number */
    value_counts_write();
    snprintf(expected, sizeof expected,
             "{\"process\":%ld,\"method\":\"N.C::Quoted \\\"name\\\"\",\"token\":\"0x06000010\","
             "\"count\":7}\n"
             "{\"process\":%ld,\"method\":\"(other methods)\",\"count\":3}\n",
             (long)getpid(), (long)getpid());
    assert_string_equal(written(), expected);
    value_counts_end_thread(&counts);
}

/* Counters are allocated some at a time, and numbers end. */
static void test_numbers(void **state)
{
    static struct value_counts counts;
    enum { MOST = COUNTS_IN_CHUNK * COUNT_CHUNKS };
    uint32_t last = 0;
    (void)state;
    value_counts_open(false);
    for (uint32_t i = 1; i < MOST; i++) {
        last = method(0x06000001, "N.C::M");
        assert_int_equal(last, i);
    }
    assert_int_equal(method(0x06000001, "N.C::M"), 0);
    add(&counts, 1, 2);
    add(&counts, MOST / 2, 3);
    add(&counts, last, 4);
    value_counts_write();
    assert_string_equal(written(), "           4  N.C::M\n"
                                   "           3  N.C::M\n"
                                   "           2  N.C::M\n");
    value_counts_end_thread(&counts);
}

enum { THREADS = 4, EACH = 20000 };
static uint32_t of_threads;

static void *count_up(void *unused)
{
    struct value_counts *counts = calloc(1, sizeof *counts);
    (void)unused;
    assert_non_null(counts);
    add(counts, of_threads, EACH);
    value_counts_end_thread(counts);
    free(counts);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    value_counts_open(false);
    of_threads = method(0x06000001, "N.C::M");
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    value_counts_write();
    assert_string_equal(written(), "       80000  N.C::M\n");
}

static int begin(void **state)
{
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    close(file);
    output_open(path);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
