/* profiler/value_counts.c: values of several threads are added up, and written once for each
 * reader, from when it began. */
#include "metadata_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "host/line_ring.h"
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
    value_counts_begin(-1);
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
    value_counts_write_all();
    assert_string_equal(written(), "        1500  N.C::Many\n"
                                   "           2  N.C::Few\n"
                                   "           2  N.C::Few\n");
    value_counts_write_all(); /* once */
    assert_string_equal(written(), "");
    assert_int_equal(method(0x06000001, "N.C::Few"), few); /* in another watch */
    value_counts_begin(-1);
    add(&running, few, 3);
    value_counts_write_all();
    assert_string_equal(written(), "           3  N.C::Few\n");
    value_counts_begin(-1);
    add(&running, few, 3);
    value_counts_close();
    value_counts_write_all(); /* what has ended is not written */
    assert_string_equal(written(), "");
    value_counts_end_thread(&running);
}

static void test_json(void **state)
{
    static struct value_counts counts;
    char expected[256];
    (void)state;
    value_counts_open(true);
    value_counts_begin(-1);
    add(&counts, method(0x06000010, "N.C::Quoted \"name\""), 7);
    add(&counts, 0, 3); /* what has no number */
    value_counts_write_all();
    snprintf(expected, sizeof expected,
             "{\"schema\":1,\"process\":%ld,\"method\":\"N.C::Quoted "
             "\\\"name\\\"\",\"token\":\"0x06000010\","
             "\"count\":7}\n"
             "{\"schema\":1,\"process\":%ld,\"method\":\"(other methods)\",\"count\":3}\n",
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
    value_counts_begin(-1);
    for (uint32_t i = 1; i < MOST; i++) {
        uint32_t number = method(0x06000100 + i, "N.C::M");
        if (number == 0) { /* what other tests have counted has numbers, too */
            break;
        }
        assert_true(number == last + 1 || i == 1);
        last = number;
    }
    assert_int_equal(last, MOST - 1);
    assert_int_equal(method(0x06000001, "N.C::Another"), 0);
    add(&counts, MOST / 4, 2);
    add(&counts, MOST / 2, 3);
    add(&counts, last, 4);
    value_counts_write_all();
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
    value_counts_begin(-1);
    of_threads = method(0x06000101, "N.C::M");
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_up, NULL), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    value_counts_write_all();
    assert_string_equal(written(), "       80000  N.C::M\n");
}

/* A command, with its ring. */
struct command {
    int sink;
    struct line_ring *ring;
    uint64_t position;
    int pipe;
};

static struct command join(void)
{
    int ends[2];
    int lines = line_rings_make(1);
    assert_true(lines >= 0 && pipe(ends) == 0);
    struct command command = {.ring = line_ring_map(lines, 0), .pipe = ends[0]};
    command.sink = output_add(ends[1], lines);
    assert_true(command.sink >= 0);
    if (output_ring(command.sink) >= 0) { /* that of a command which has gone */
        line_ring_unmap(command.ring);
        command.ring = line_ring_map(output_ring(command.sink), 0);
    }
    command.position = atomic_load(&command.ring->taken);
    return command;
}

/* Lines that it has got since the last look. */
static const char *got(struct command *command)
{
    static char text[LINE_RING_LONGEST + 1];
    text[line_ring_read(command->ring, &command->position, text, LINE_RING_LONGEST,
                        LINE_RING_LIVE)] = '\0';
    line_ring_take(command->ring, command->position);
    return text;
}

static void leave(struct command *command)
{
    output_remove(command->sink);
    line_ring_unmap(command->ring);
    close(command->pipe);
}

/* Each command sees what was counted since it has joined, in its own ring. */
static void test_commands(void **state)
{
    static struct value_counts counts;
    struct command first = join(), second = join(), third = join();
    (void)state;
    value_counts_open(false);
    uint32_t one = method(0x06000201, "N.C::One"), two = method(0x06000202, "N.C::Two");
    value_counts_begin(first.sink);
    add(&counts, one, 5);
    value_counts_begin(second.sink);
    add(&counts, two, 2);
    value_counts_write(first.sink);
    assert_string_equal(got(&first), "           5  N.C::One\n"
                                     "           2  N.C::Two\n");
    value_counts_write(first.sink); /* once */
    add(&counts, one, 1);
    value_counts_begin(third.sink);
    output_pause();
    value_counts_write_all();
    assert_string_equal(got(&first), "");
    assert_string_equal(got(&second), "           2  N.C::Two\n"
                                      "           1  N.C::One\n");
    assert_string_equal(got(&third), "");
    output_resume();
    value_counts_begin(third.sink);
    leave(&third); /* before it gets anything */
    add(&counts, one, 1);
    value_counts_write_all();
    value_counts_close();
    value_counts_end_thread(&counts);
    leave(&first);
    leave(&second);
    output_line("late\n", 5); /* of a call that was under way when all have gone */
    assert_string_equal(written(), "");
}

/* More lines than a ring has room for: they wait for a command that reads, for a moment. */
static atomic_bool is_written;
static size_t read_size;

static void *read_all(void *argument)
{
    bool last;
    do {
        last = atomic_load(&is_written);
        read_size += strlen(got(argument));
    } while (!last || read_size == 0);
    for (size_t more; (more = strlen(got(argument))) != 0;) {
        read_size += more;
    }
    return NULL;
}

static void test_many_lines(void **state)
{
    static struct value_counts counts;
    enum { LINE = 64, LINES = 2 * LINE_RING_ROOM / LINE };
    struct command command = join();
    pthread_t thread;
    (void)state;
    value_counts_open(false);
    value_counts_begin(command.sink);
    for (uint32_t i = 0; i < LINES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%049u", (unsigned)i); /* with number and line feed LINE */
        uint32_t number = method(0x06000300, name);
        assert_int_not_equal(number, 0);
        add(&counts, number, 1);
    }
    assert_int_equal(pthread_create(&thread, NULL, read_all, &command), 0);
    value_counts_write(command.sink);
    atomic_store(&is_written, true);
    pthread_join(thread, NULL);
    assert_int_equal(read_size, LINES * LINE);
    value_counts_close();
    value_counts_end_thread(&counts);
    leave(&command);
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

/* And no longer to commands. */
static int to_file(void **state)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    (void)state;
    output_give(file);
    return file < 0;
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
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test_setup(test_threads, to_file),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
