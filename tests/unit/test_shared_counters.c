/* The counters in the head of a status file: slots are taken one after the other and read back; a
 * file without them stays as it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/shared_counters.c" /* the library has no tools in it */

static char *make_file(void)
{
    static char path[] = "/tmp/ilpatch-counters-XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return path;
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The counters, and the first line behind it. */
static void read_back(const char *path, struct shared_counters *counters, char line[64])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    shared_counters_read(file, counters);
    if (!fgets(line, 64, file)) {
        line[0] = '\0';
    }
    fclose(file);
}

static void test_slots(void **state)
{
    (void)state;
    char *path = make_file();
    struct shared_counters counters;
    char line[64];
    assert_true(shared_counters_make(path));
    append(path, "loaded\n");
    for (unsigned i = 0; i < SHARED_COUNTERS_SLOTS; i++) {
        struct shared_counters_slot *slot = shared_counters_join(path);
        assert_non_null(slot);
        slot->by_reason[i % ILP_REASON_COUNT] = i + 1;
    }
    assert_null(shared_counters_join(path)); /* all are taken */
    read_back(path, &counters, line);
    assert_string_equal(line, "loaded\n");
    for (unsigned i = 0; i < SHARED_COUNTERS_SLOTS; i++) {
        assert_int_equal(counters.slots[i].process, getpid());
        assert_int_equal(counters.slots[i].by_reason[i % ILP_REASON_COUNT], i + 1);
    }
    unlink(path);
}

static void test_losses(void **state)
{
    (void)state;
    char *path = make_file();
    struct shared_counters counters;
    char line[64];
    assert_true(shared_counters_make(path));
    struct shared_counters_slot *slot = shared_counters_join(path);
    assert_non_null(slot);
    shared_counters_lose(slot, ENOSPC);
    shared_counters_lose(slot, EFBIG);
    read_back(path, &counters, line);
    assert_int_equal(counters.slots[0].lost, 2);
    assert_int_equal(counters.slots[0].lost_error, EFBIG);
    unlink(path);
}

/* A file that somebody set by hand has lines alone; and one that was cut anywhere has no
 * counters. */
static void test_no_counters(void **state)
{
    (void)state;
    char *path = make_file();
    struct shared_counters counters;
    char line[64];
    append(path, "loaded\n");
    assert_null(shared_counters_join(path));
    read_back(path, &counters, line);
    assert_string_equal(line, "loaded\n");
    assert_int_equal(counters.slots[0].process, 0);
    for (size_t size = 0; size < sizeof counters; size++) {
        assert_true(shared_counters_make(path));
        assert_int_equal(truncate(path, (off_t)size), 0);
        assert_null(shared_counters_join(path));
        read_back(path, &counters, line);
        assert_int_equal(counters.slots[0].process, 0);
    }
    unlink(path);
    assert_null(shared_counters_join(path));
    assert_false(shared_counters_make(path));
    assert_int_equal(errno, ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_no_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
