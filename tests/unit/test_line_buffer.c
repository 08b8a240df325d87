/* Lines that are kept back for a file: all of several threads get there, whole and in order, also
 * when there are more than the ring has room for; soon, if there are few; and those of a process
 * that is killed are in its ring. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/line_output.h"
#include "host/line_ring.h"
#include "host/shared_counters.h"
#include "profiler/line_buffer.h"

static char path[] = "/tmp/ilpatch-lines-XXXXXX";
static int file, rings;
static char *name;
static struct line_ring *ring;
static atomic_uint writes;

static void write_file(const char *bytes, size_t size)
{
    atomic_fetch_add(&writes, 1);
    if (write(file, bytes, size) != (ssize_t)size) {
        _exit(9);
    }
}

static int begin(void **state)
{
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    file = mkostemp(path, O_APPEND);
    rings = line_rings_make(2);
    name = shared_counters_name(rings);
    ring = line_ring_map(rings, 0);
    atomic_store(&writes, 0);
    return file >= 0 && name && ring ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    line_buffer_close();
    line_ring_unmap(ring);
    close(rings);
    close(file);
    free(name);
    return unlink(path);
}

static size_t file_size(void)
{
    struct stat info;
    assert_int_equal(fstat(file, &info), 0);
    return (size_t)info.st_size;
}

/* ---- threads ---- */

enum { WRITERS = 4, LINES = 30000 };

static void *put_many(void *argument)
{
    int writer = *(const int *)argument;
    char line[128];
    for (int i = 0; i < LINES; i++) {
        int size = snprintf(line, sizeof line, "%d %d %.*s\n", writer, i, i % 50,
                            "..................................................");
        if (!line_buffer_put(line, (size_t)size)) {
            _exit(8);
        }
    }
    return NULL;
}

static void put_from_threads(void)
{
    static int numbers[WRITERS];
    pthread_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&writers[i], NULL, put_many, &numbers[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
}

static void check_file(int each)
{
    int next[WRITERS] = {0}, writer, number;
    char text[128];
    FILE *lines = fopen(path, "re");
    assert_non_null(lines);
    while (fgets(text, sizeof text, lines)) {
        int at = 0;
        assert_non_null(strchr(text, '\n'));
        *strchr(text, '\n') = '\0';
        assert_int_equal(sscanf(text, "%d %d %n", &writer, &number, &at), 2);
        assert_true(writer >= 0 && writer < WRITERS);
        assert_int_equal(number, next[writer]++);
        assert_int_equal(strlen(text + at), number % 50);
    }
    fclose(lines);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(next[i], each);
    }
}

static void test_threads(void **state)
{
    (void)state;
    line_buffer_open(name, file, write_file);
    put_from_threads();
    line_buffer_end(true);
    check_file(LINES);
    assert_true(line_ring_is_empty(ring));
    assert_true(atomic_load(&writes) < WRITERS * LINES / 50);
}

/* Lines that come while it ends, and after, are there, too. */
static void test_end_in_the_midst(void **state)
{
    static int number;
    pthread_t writer;
    (void)state;
    line_buffer_open(name, file, write_file);
    assert_int_equal(pthread_create(&writer, NULL, put_many, &number), 0);
    while (atomic_load(&ring->head) < 100000) {
    }
    line_buffer_end(true);
    pthread_join(writer, NULL);
    unsigned before = atomic_load(&writes);
    assert_true(line_buffer_put("1 0 \n", 5));
    assert_int_equal(atomic_load(&writes), before + 1);
}

/* ---- when ---- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* It is 40 ms where nothing else is done; never less than the half, however busy the machine is. */
static void test_soon(void **state)
{
    (void)state;
    line_buffer_open(name, file, write_file);
    for (unsigned round = 1; round < 4; round++) {
        uint64_t begun = now_ms();
        assert_true(line_buffer_put("line\n", 5));
        while (file_size() < 5 * round) {
            assert_true(now_ms() - begun < 60000);
            usleep(1000);
        }
        assert_true(now_ms() - begun >= 20);
    }
}

static void test_no_ring(void **state)
{
    (void)state;
    line_buffer_open(NULL, file, write_file);
    assert_false(line_buffer_put("line\n", 5));
    line_buffer_open("/proc/self/fd/1000", file, write_file);
    assert_false(line_buffer_put("line\n", 5));
    line_buffer_end(true);
    line_buffer_close();
}

/* The command has gone: at the next look no line is kept back any more. */
static void test_command_goes(void **state)
{
    (void)state;
    line_buffer_open(name, file, write_file);
    close(rings);
    assert_true(line_buffer_put("line\n", 5));
    while (atomic_load(&ring->closed) == 0) {
        usleep(1000);
    }
    assert_int_equal(file_size(), 5);
    assert_true(line_buffer_put("line\n", 5));
    assert_int_equal(file_size(), 10);
}

/* ---- other ends ---- */

/* A copy of the process leaves the buffer alone. */
static void test_fork(void **state)
{
    int status;
    (void)state;
    line_buffer_open(name, file, write_file);
    line_buffer_put("0 0 \n", 5);
    pid_t copy = fork();
    if (copy == 0) {
        line_buffer_forget();
        bool buffered = line_buffer_put("copy\n", 5);
        line_buffer_end(true);
        line_buffer_close();
        _exit(buffered);
    }
    assert_int_equal(waitpid(copy, &status, 0), copy);
    assert_int_equal(status, 0);
    line_buffer_end(true);
    assert_int_equal(file_size(), 5);
}

/* Whatever a killed process does at that moment: lines in the file, and those in the ring, less
 * what its note says is in both, are all that were put, and the next ones. */
static void check_killed(unsigned least)
{
    static char text[1 << 24], left[LINE_RING_ROOM];
    ssize_t size = pread(file, text, sizeof text, 0);
    uint64_t position = atomic_load(&ring->taken);
    size_t more = line_ring_read(ring, &position, left, sizeof left, LINE_RING_LEFT);
    assert_true(size >= 0 && (size_t)size + more < sizeof text);
    size_t both = 0;
    if (atomic_load(&ring->written) == atomic_load(&ring->taken)) {
        size_t offset = atomic_load(&ring->offset);
        both = (size_t)size - offset < more ? (size_t)size - offset : more;
        assert_memory_equal(text + offset, left, both);
    }
    memcpy(text + size, left + both, more - both);
    text[(size_t)size + more - both] = '\0';
    unsigned next = 0, number;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_int_equal(sscanf(line, "0 %u", &number), 1);
        assert_int_equal(number, next++);
    }
    assert_true(next >= least);
}

static void kill_after(unsigned microseconds)
{
    int ends[2], status, number = 0;
    unsigned least = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        line_buffer_open(name, file, write_file);
        for (;;) {
            char line[64];
            line_buffer_put(line, (size_t)snprintf(line, sizeof line, "0 %d\n", number++));
            if (number % 1000 == 0 && write(ends[1], &number, sizeof number) < 0) {
                _exit(1);
            }
        }
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &least, sizeof least), sizeof least);
    usleep(microseconds);
    kill(child, SIGKILL);
    while (read(ends[0], &number, sizeof number) == sizeof number) {
        least = (unsigned)number;
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    check_killed(least);
}

static void test_killed(void **state)
{
    for (unsigned i = 0; i < 20; i++) {
        kill_after(i * 3771 % 30000);
        end(state);
        begin(state);
    }
}

/* ---- several processes ---- */

static const char begun[] = "the first line\nand the second\nand one more\n";
static size_t cut;

/* As if it were killed in the midst of a write. */
static void write_part(const char *bytes, size_t size)
{
    assert_true(size == sizeof begun - 1);
    assert_int_equal(write(file, bytes, cut), cut);
    raise(SIGKILL);
}

static void kill_while_it_writes(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        line_buffer_open(name, file, write_part);
        line_buffer_put(begun, sizeof begun - 1);
        pause();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static size_t left_of_the_killed(void)
{
    static char left[LINE_RING_ROOM];
    uint64_t position = atomic_load(&ring->taken);
    size_t size = line_ring_read(ring, &position, left, sizeof left, LINE_RING_LEFT);
    assert_int_equal(size, sizeof begun - 1);
    return size - line_output_written(file, ring, left, size);
}

static void file_is(const char *expected)
{
    char text[256];
    ssize_t size = pread(file, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    assert_string_equal(text, expected);
}

/* Wherever the one was killed, the next one completes its lines, and nothing is left. */
static void test_next_completes(void **state)
{
    for (cut = 0; cut < sizeof begun; cut++) {
        char expected[256];
        snprintf(expected, sizeof expected, "%snext\n", begun);
        kill_while_it_writes();
        line_buffer_open(name, file, write_file);
        assert_true(line_buffer_put("next\n", 5));
        line_buffer_end(true);
        file_is(expected);
        assert_int_equal(left_of_the_killed(), 0);
        end(state);
        begin(state);
    }
}

/* Something else was appended in between: half a line stays, and the command writes the lines. */
static void test_not_where_others_wrote(void **state)
{
    (void)state;
    cut = 20;
    kill_while_it_writes();
    assert_int_equal(write(file, "else\n", 5), 5);
    line_buffer_open(name, file, write_file);
    assert_true(line_buffer_put("next\n", 5));
    line_buffer_end(true);
    file_is("the first line\nand telse\nnext\n");
    assert_int_equal(left_of_the_killed(), sizeof begun - 1 - 20);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {CASE(test_threads),
                                       CASE(test_end_in_the_midst),
                                       CASE(test_soon),
                                       CASE(test_no_ring),
                                       CASE(test_fork),
                                       CASE(test_killed),
                                       CASE(test_command_goes),
                                       CASE(test_next_completes),
                                       CASE(test_not_where_others_wrote)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
