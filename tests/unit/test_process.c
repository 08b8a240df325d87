/* What the system says of this process, as of any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/library.h"
#include "host/process.h"

static void test_own(void **state)
{
    char text[4096], small[4];
    char *own = process_own_program(), *same = process_program(getpid()),
         *folder = process_own_folder();
    size_t length = strlen(folder);
    (void)state;
    assert_string_equal(own, same);
    assert_memory_equal(own, folder, length);
    assert_string_equal(own + length, "/test_process");
    process_command_line(text, sizeof text);
    assert_non_null(strstr(text, "test_process"));
    process_command_line(small, sizeof small);
    assert_memory_equal(text, small, 3);
    assert_int_equal(small[3], '\0');
    free(own);
    free(same);
    free(folder);
}

static void test_find(void **state)
{
    user_id owner = 1;
    unsigned long long started = 0, parent = 0;
    (void)state;
    assert_true(process_find(getpid(), &owner, &started));
    assert_int_equal(owner, process_user());
    assert_true(process_acts_for(owner));
    assert_int_equal(process_acts_for(owner + 1), owner == 0);
    assert_true(process_find(getppid(), &owner, &parent));
    assert_true(started != 0 && parent <= started);
    assert_false(process_find(INT32_MAX, &owner, &started));
}

/* One that has ended does not run, also while it is a zombie. */
static void test_runs(void **state)
{
    user_id owner;
    unsigned long long started = 0, child_started = 0;
    siginfo_t ended;
    int ends[2];
    char byte;
    (void)state;
    assert_true(process_find(getpid(), &owner, &started));
    assert_true(process_runs(getpid(), started));
    assert_false(process_runs(getpid(), started + 1));
    assert_false(process_runs(INT32_MAX, started));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    assert_true(process_find(child, &owner, &child_started));
    assert_true(process_runs(child, child_started));
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    assert_false(process_runs(child, child_started));
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(process_runs(child, child_started));
}

static void test_libraries(void **state)
{
    char path[4096], small[4];
    struct ilpi_library_error error;
    (void)state;
    assert_true(ilpi_library_path("libcmocka.so.0", path, sizeof path));
    assert_int_equal(path[0], '/');
    assert_false(ilpi_library_path("libcmocka.so.0", small, sizeof small));
    assert_false(ilpi_library_path("libcmocka", path, sizeof path));
    assert_true(ilpi_library_has((uintptr_t)&test_libraries));
    assert_false(ilpi_library_has((uintptr_t)path));
    assert_null(ilpi_library_open("/none/libnone.so", &error));
    assert_non_null(strstr(error.text, "libnone.so"));
    void *library = ilpi_library_open("libcmocka.so.0", &error);
    assert_non_null(library);
    assert_non_null(ilpi_library_find(library, "_cmocka_run_group_tests"));
    assert_null(ilpi_library_find(library, "no such function"));
    assert_false(process_has_library(getpid(), "libnone.so"));
    assert_false(process_has_library(INT32_MAX, "libnone.so"));
    assert_true(process_has_library(getpid(), "test_process"));
    assert_false(process_has_library(getpid(), "est_process")); /* the end of a name is none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own), cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_libraries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
