/* Rings of lines: what is put is read, whole and in order, around the end of the memory, from
 * several threads and from a process that is killed while it copies a line; what one side writes
 * that makes no sense costs the other one nothing but lines. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/file_map.h"
#include "host/line_ring.h"
#include "host/shared_counters.h"

static int file;
static struct line_ring *ring;
static char got[LINE_RING_ROOM];

static int open_ring(void **state)
{
    (void)state;
    file = line_rings_make(2);
    ring = file >= 0 ? line_ring_map(file, 0) : NULL;
    return ring ? 0 : -1;
}

static int close_ring(void **state)
{
    (void)state;
    line_ring_unmap(ring);
    close(file);
    return 0;
}

static enum line_put put(const char *line)
{
    return line_ring_put(ring, line, strlen(line));
}

/* All that can be read, as a text. */
static const char *take(enum line_ring_state state)
{
    uint64_t position = atomic_load(&ring->taken);
    size_t size = line_ring_read(ring, &position, got, sizeof got - 1, state);
    line_ring_take(ring, position);
    got[size] = '\0';
    return got;
}

static void test_order(void **state)
{
    (void)state;
    assert_true(line_ring_is_empty(ring));
    assert_string_equal(take(LINE_RING_LIVE), "");
    assert_int_equal(put("one\n"), LINE_PUT);
    assert_int_equal(put(""), LINE_PUT);
    assert_int_equal(put("eight...\n"), LINE_PUT);
    assert_false(line_ring_is_empty(ring));
    assert_string_equal(take(LINE_RING_LIVE), "one\neight...\n");
    assert_true(line_ring_is_empty(ring));
}

/* What has been read and not taken is read again: a kill between the two loses nothing. */
static void test_read_again(void **state)
{
    (void)state;
    uint64_t position = atomic_load(&ring->taken);
    put("one\n");
    assert_int_equal(line_ring_read(ring, &position, got, sizeof got, LINE_RING_LIVE), 4);
    assert_int_equal(line_ring_read(ring, &position, got, sizeof got, LINE_RING_LIVE), 0);
    assert_string_equal(take(LINE_RING_LEFT), "one\n");
}

static void test_wraps_around(void **state)
{
    static char line[5000], expected[LINE_RING_LONGEST];
    (void)state;
    for (unsigned round = 0; round < 4000; round++) {
        size_t size = 0;
        for (unsigned i = 0; i < 3; i++) {
            size_t length = (round * 131 + i * 977) % sizeof line;
            memset(line, 'a' + (int)((round + i) % 26), length);
            assert_int_equal(line_ring_put(ring, line, length), LINE_PUT);
            memcpy(expected + size, line, length);
            size += length;
        }
        uint64_t position = atomic_load(&ring->taken);
        assert_int_equal(line_ring_read(ring, &position, got, sizeof got, LINE_RING_LIVE), size);
        assert_memory_equal(got, expected, size);
        line_ring_take(ring, position);
    }
    assert_true(atomic_load(&ring->head) > 8 * (uint64_t)LINE_RING_ROOM);
    for (size_t i = 0; i < LINE_RING_ROOM; i++) {
        assert_int_equal(ring->bytes[i], 0);
    }
}

static void test_full(void **state)
{
    static char line[1000];
    (void)state;
    memset(line, 'x', sizeof line);
    unsigned fits = 0;
    while (line_ring_put(ring, line, sizeof line) == LINE_PUT) {
        fits++;
    }
    assert_int_equal(fits, LINE_RING_ROOM / (sizeof line + 8));
    assert_int_equal(strlen(take(LINE_RING_LIVE)), fits * sizeof line);
    assert_int_equal(line_ring_put(ring, line, sizeof line), LINE_PUT);
}

static void test_refused(void **state)
{
    static char line[LINE_RING_LONGEST + 1];
    (void)state;
    memset(line, 'x', sizeof line);
    assert_int_equal(line_ring_put(ring, line, sizeof line), LINE_NO_ROOM);
    assert_int_equal(line_ring_put(ring, line, LINE_RING_LONGEST), LINE_PUT);
    uint64_t position = 0;
    assert_int_equal(line_ring_read(ring, &position, got, LINE_RING_LONGEST - 1, LINE_RING_LIVE),
                     0);
    assert_int_equal(strlen(take(LINE_RING_LIVE)), LINE_RING_LONGEST);
    atomic_store(&ring->closed, 1);
    assert_int_equal(put("late\n"), LINE_NO_ROOM);
    assert_true(line_ring_is_empty(ring));
}

static void test_wakes_once(void **state)
{
    (void)state;
    assert_true(line_ring_wait(ring));
    assert_int_equal(put("one\n"), LINE_PUT_WAKE);
    assert_int_equal(put("two\n"), LINE_PUT);
    assert_false(line_ring_wait(ring)); /* there are lines */
    assert_int_equal(put("three\n"), LINE_PUT);
    assert_string_equal(take(LINE_RING_LIVE), "one\ntwo\nthree\n");
    assert_true(line_ring_wait(ring));
}

/* ---- threads ---- */

enum { WRITERS = 4, LINES = 20000 };

/* Waits for room, as whoever loses nothing does. */
static void *write_many(void *argument)
{
    int writer = *(const int *)argument;
    char line[128];
    for (int i = 0; i < LINES; i++) {
        int size = snprintf(line, sizeof line, "%d %d %.*s\n", writer, i, i % 60,
                            "............................................................");
        while (line_ring_put(ring, line, (size_t)size) == LINE_NO_ROOM) {
            sched_yield();
        }
    }
    return NULL;
}

/* Each line is whole, and the next one of its thread. */
static void check_lines(int next[WRITERS])
{
    for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n")) {
        int writer, number, end = 0;
        assert_int_equal(sscanf(line, "%d %d %n", &writer, &number, &end), 2);
        assert_true(writer >= 0 && writer < WRITERS);
        assert_int_equal(number, next[writer]++);
        assert_int_equal(strlen(line + end), number % 60);
    }
}

static void test_threads(void **state)
{
    int numbers[WRITERS], next[WRITERS] = {0};
    pthread_t writers[WRITERS];
    (void)state;
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&writers[i], NULL, write_many, &numbers[i]), 0);
    }
    while (next[0] + next[1] + next[2] + next[3] < WRITERS * LINES) {
        take(LINE_RING_LIVE);
        check_lines(next);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    assert_true(line_ring_is_empty(ring));
}

/* ---- kills ---- */

/* The second half of the line is not there: a fault in the midst of the copy. */
static void die_in_a_line(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page, page, PROT_NONE);
    memset(pages, 'x', page);
    signal(SIGSEGV, SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    line_ring_put(ring, pages + page - 500, 1000);
    _exit(0);
}

static void test_killed_in_a_line(void **state)
{
    int status;
    (void)state;
    put("before\n");
    pid_t child = fork();
    if (child == 0) {
        die_in_a_line();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    put("after\n");
    assert_string_equal(take(LINE_RING_LIVE), "before\n");
    assert_string_equal(take(LINE_RING_LIVE), "");
    assert_string_equal(take(LINE_RING_LEFT), "after\n");
    assert_true(line_ring_is_empty(ring));
}

/* Reserved, and no size yet. */
static void test_killed_before_a_line(void **state)
{
    (void)state;
    put("before\n");
    atomic_fetch_add(&ring->head, 1008);
    put("after\n");
    atomic_fetch_add(&ring->head, 8);
    assert_string_equal(take(LINE_RING_LIVE), "before\n");
    assert_string_equal(take(LINE_RING_LEFT), "after\n");
    assert_true(line_ring_is_empty(ring));
}

/* ---- what makes no sense ---- */

static void test_nonsense(void **state)
{
    (void)state;
    srand(1);
    for (unsigned round = 0; round < 200; round++) {
        for (size_t i = 0; i < LINE_RING_ROOM; i += 8) {
            uint64_t word = round % 2 ? (uint64_t)rand() << 32 | (unsigned)rand()
                                      : (uint64_t)(rand() % 4) << 32 | (unsigned)(rand() % 300);
            memcpy(ring->bytes + i, &word, sizeof word);
        }
        uint64_t position = (uint64_t)rand();
        atomic_store(&ring->taken, position);
        atomic_store(&ring->freed, position - (unsigned)(rand() % 3) * LINE_RING_ROOM);
        atomic_store(&ring->head, position + (unsigned)rand() % (2 * LINE_RING_ROOM));
        put("a line\n");
        line_ring_wait(ring);
        take(round % 3 ? LINE_RING_LEFT : LINE_RING_LIVE);
    }
}

/* ---- files ---- */

static struct line_ring *join_by_name(void)
{
    char *name = shared_counters_name(file);
    int opened = line_rings_open(name);
    assert_true(opened >= 0);
    struct line_ring *joined = line_ring_join(opened, NULL);
    close(opened);
    free(name);
    return joined;
}

static void test_joined(void **state)
{
    int status;
    (void)state;
    assert_int_equal(line_rings_count(file), 2);
    struct line_ring *first = join_by_name(), *second = join_by_name();
    assert_true(first && second);
    assert_int_equal(line_ring_process(first), getpid());
    assert_true(line_ring_is_used(first));
    assert_null(join_by_name());
    atomic_store(&ring->owner, 0);
    pid_t child = fork();
    if (child == 0) { /* which leaves a line */
        struct line_ring *own = join_by_name();
        _exit(own && line_ring_put(own, "left\n", 5) == LINE_PUT ? 0 : 1);
    }
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(line_ring_process(ring), child);
    assert_false(line_ring_is_used(ring)); /* though it was not waited for */
    assert_null(join_by_name());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(line_ring_is_used(ring));
    assert_null(join_by_name()); /* its line is still there */
    assert_string_equal(take(LINE_RING_LEFT), "left\n");
    atomic_store(&ring->closed, 1);
    struct line_ring *again = join_by_name();
    assert_non_null(again);
    assert_int_equal(line_ring_put(again, "mine\n", 5), LINE_PUT);
    assert_string_equal(take(LINE_RING_LIVE), "mine\n");
    line_ring_unmap(again);
    line_ring_unmap(first);
    line_ring_unmap(second);
}

static void test_other_files(void **state)
{
    (void)state;
    int other = shared_counters_make();
    char *name = shared_counters_name(other);
    assert_int_equal(line_rings_count(other), 0);
    assert_int_equal(line_rings_open(name), -1);
    assert_int_equal(errno, EPERM);
    assert_null(line_ring_map(other, 0));
    assert_null(line_ring_join(other, NULL));
    assert_int_equal(line_rings_open("/proc/self/nothing"), -1);
    assert_null(line_ring_map(file, 2));
    assert_int_equal(ftruncate(file, 0), -1); /* so a page that is mapped stays */
    ring->magic[0]++;
    assert_null(line_ring_map(file, 0));
    free(name);
    close(other);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_ring, close_ring)
    const struct CMUnitTest tests[] = {
        CASE(test_order),    CASE(test_read_again),       CASE(test_wraps_around),
        CASE(test_full),     CASE(test_refused),          CASE(test_wakes_once),
        CASE(test_threads),  CASE(test_killed_in_a_line), CASE(test_killed_before_a_line),
        CASE(test_nonsense), CASE(test_joined),           CASE(test_other_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
