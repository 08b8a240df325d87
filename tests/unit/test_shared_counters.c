/* The counters in the head of a status file: slots are taken one after the other and read back; a
 * file without them stays as it is, and none that could be cut off is mapped. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/file_map.h"
#include "host/memory.h"
#include "host/shared_counters.h"

static void append(int file, const char *text)
{
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
}

/* The counters, and the first line after it. */
static void read_back(int made, struct shared_counters *counters, char line[64])
{
    char *name = shared_counters_name(made);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    shared_counters_read(file, counters);
    if (!fgets(line, 64, file)) {
        line[0] = '\0';
    }
    fclose(file);
    free(name);
}

/* As a process does it that has only the name. */
static struct shared_counters_slot *join_by_name(int made)
{
    char *name = shared_counters_name(made);
    assert_true(shared_counters_is_name(name));
    int file = shared_counters_open(name);
    assert_true(file >= 0);
    struct shared_counters_slot *slot = shared_counters_join(file);
    close(file);
    free(name);
    return slot;
}

static void test_slots(void **state)
{
    (void)state;
    struct shared_counters counters;
    char line[64];
    int file = shared_counters_make();
    assert_true(file >= 0);
    append(file, "loaded\n");
    for (unsigned i = 0; i < SHARED_COUNTERS_SLOTS; i++) {
        struct shared_counters_slot *slot = join_by_name(file);
        assert_non_null(slot);
        slot->by_reason[i % ILPI_REASON_COUNT] = i + 1;
    }
    assert_null(join_by_name(file)); /* all are taken */
    read_back(file, &counters, line);
    assert_string_equal(line, "loaded\n");
    for (unsigned i = 0; i < SHARED_COUNTERS_SLOTS; i++) {
        assert_int_equal(counters.slots[i].process, getpid());
        assert_int_equal(counters.slots[i].by_reason[i % ILPI_REASON_COUNT], i + 1);
    }
    close(file);
}

static void test_losses(void **state)
{
    (void)state;
    struct shared_counters counters;
    char line[64];
    int file = shared_counters_make();
    struct shared_counters_slot *slot = shared_counters_join(file);
    assert_non_null(slot);
    shared_counters_lose(slot, 1, ENOSPC);
    shared_counters_lose(slot, 1, EFBIG);
    read_back(file, &counters, line);
    assert_int_equal(counters.slots[0].lost, 2);
    assert_int_equal(counters.slots[0].lost_error, EFBIG);
    close(file);
}

/* A page that was cut off would end the process by SIGBUS: none can be, and a file that may become
 * shorter is not mapped, whatever is in it. */
static void test_cut_off(void **state)
{
    (void)state;
    struct shared_counters counters = {.size = 0};
    struct stat info;
    char line[64], path[] = "/tmp/ilpatch-counters-XXXXXX";
    int file = shared_counters_make();
    struct shared_counters_slot *slot = shared_counters_join(file);
    assert_non_null(slot);
    assert_int_equal(ftruncate(file, 0), -1);
    assert_int_equal(errno, EPERM);
    slot->by_reason[0] = 7;
    read_back(file, &counters, line);
    assert_int_equal(counters.slots[0].by_reason[0], 7);
    assert_int_equal(fstat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    close(file);

    int named = mkstemp(path);
    assert_int_equal(write(named, &counters, sizeof counters), sizeof counters);
    assert_null(shared_counters_join(named));
    close(named);
    unlink(path);
}

/* Under the number of a command that is gone may be anything, and nothing is made there. */
static void test_names(void **state)
{
    (void)state;
    char path[] = "/tmp/ilpatch-counters-XXXXXX";
    assert_false(shared_counters_is_name("/tmp/status"));
    assert_false(shared_counters_is_name(""));
    int gone = shared_counters_make();
    char *name = shared_counters_name(gone);
    close(gone);
    assert_int_equal(shared_counters_open(name), -1);
    assert_int_equal(errno, ENOENT);
    int other = mkstemp(path);
    assert_int_equal(dup2(other, gone), gone);
    assert_int_equal(shared_counters_open(name), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(lseek(other, 0, SEEK_END), 0);
    close(gone);
    close(other);
    unlink(path);
    free(name);
}

/* A file that was set by hand has lines alone. */
static void test_no_counters(void **state)
{
    (void)state;
    struct shared_counters counters;
    char line[64];
    int file = file_in_memory("lines");
    append(file, "loaded\n");
    assert_true(file_in_memory_keeps_size(file));
    assert_null(shared_counters_join(file));
    read_back(file, &counters, line);
    assert_string_equal(line, "loaded\n");
    assert_int_equal(counters.slots[0].process, 0);
    close(file);
    assert_null(shared_counters_join(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),       cmocka_unit_test(test_losses),
        cmocka_unit_test(test_cut_off),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_no_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
