/* host/other_process.c and host/process_files.c, about this process itself. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/other_process.h"
#include "host/path.h"
#include "host/process_files.h"

enum { NO_PROCESS = 0x7FFFFFF0 };

static void knows_state(void **unused)
{
    struct process_state state;
    (void)unused;
    assert_true(process_state_read(process_own(), &state));
    assert_int_equal(state.state, 'R');
    assert_int_equal(state.user, geteuid());
    assert_int_equal(state.group, getegid());
    assert_int_equal(state.own_number, getpid());
    assert_true(state.namespaces >= 1);
    assert_false(process_is_stopped(&state));
    state.state = 'T';
    assert_true(process_is_stopped(&state));
    assert_false(process_state_read(NO_PROCESS, &state));
}

static void finds_all(void **unused)
{
    struct processes *processes = processes_open();
    unsigned found = 0;
    (void)unused;
    assert_non_null(processes);
    for (process_id next; (next = processes_next(processes)) != 0;) {
        found += next == process_own();
    }
    processes_close(processes);
    assert_int_equal(found, 1);
}

static void reads_texts(void **unused)
{
    static char bytes[] = "A=1\0BB=2\0\0A=3\0C";
    const struct process_texts texts = {bytes, sizeof bytes - 1};
    const struct process_texts none = {NULL, 0};
    (void)unused;
    assert_string_equal(process_texts_variable(&texts, "A"), "1");
    assert_string_equal(process_texts_variable(&texts, "BB"), "2");
    assert_null(process_texts_variable(&texts, "B"));
    assert_null(process_texts_variable(&texts, "C"));
    assert_null(process_texts_variable(&none, "A"));
    unsigned count = 0;
    for (const char *at = NULL; (at = process_texts_next(&texts, at)) != NULL;) {
        count++;
    }
    assert_int_equal(count, 5);
}

static void reads_its_own(void **unused)
{
    struct process_texts texts;
    const char *path = getenv("PATH");
    (void)unused;
    assert_true(process_environment(process_own(), &texts));
    assert_string_equal(process_texts_variable(&texts, "PATH"), path);
    process_texts_free(&texts);
    assert_true(process_arguments(process_own(), &texts));
    assert_string_equal(path_name(process_texts_next(&texts, NULL)), "test_other_process");
    process_texts_free(&texts);
    assert_false(process_environment(NO_PROCESS, &texts));
    assert_null(texts.bytes);
}

/* A file that was removed keeps the name that it had; one with parts that follow each other comes
 * once. */
static void reads_maps(void **unused)
{
    struct process_maps *maps = process_maps_open(process_own());
    unsigned own = 0;
    const char *path;
    (void)unused;
    assert_non_null(maps);
    while ((path = process_maps_next(maps)) != NULL) {
        assert_int_equal(path[0], '/');
        own += strcmp(path_name(path), "test_other_process") == 0;
    }
    process_maps_close(maps);
    assert_int_equal(own, 1);
    assert_null(process_maps_open(NO_PROCESS));
}

static void strips_roots(void **unused)
{
    (void)unused;
    assert_string_equal(path_below("/a/root", "/a/root/usr/lib"), "/usr/lib");
    assert_string_equal(path_below("/a/root", "/a/root2/usr"), "/a/root2/usr");
    assert_string_equal(path_below("/a/root", "/a/root"), "/a/root");
    assert_string_equal(path_below("", "/usr"), "/usr");
    assert_string_equal(path_below(NULL, "/usr"), "/usr");
}

/* A file, a link to it, a link out of nowhere, and a pipe, in a folder of their own. */
struct files {
    char folder[32];
    char *file, *link, *lost, *pipe;
};

static int make_files(void **state)
{
    struct files *files = calloc(1, sizeof *files);
    strcpy(files->folder, "/tmp/test-other-XXXXXX");
    assert_non_null(mkdtemp(files->folder));
    files->file = path_join(files->folder, "file");
    files->link = path_join(files->folder, "link");
    files->lost = path_join(files->folder, "lost");
    files->pipe = path_join(files->folder, "pipe");
    int file = open(files->file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(file, "12345678", 8), 8);
    close(file);
    assert_int_equal(symlink(files->file, files->link), 0);
    assert_int_equal(symlink("/../../missing", files->lost), 0);
    assert_int_equal(mkfifo(files->pipe, 0600), 0);
    *state = files;
    return 0;
}

static int remove_files(void **state)
{
    struct files *files = *state;
    char *const paths[] = {files->file, files->link, files->lost, files->pipe};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    rmdir(files->folder);
    free(files);
    return 0;
}

/* Without it, as under valgrind, no link is followed. */
static void needs_openat2(void)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC};
    long file = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how);
    if (file < 0 && errno == ENOSYS) {
        skip();
    }
    close((int)file);
}

static void opens_regular_files(void **state)
{
    const struct files *files = *state;
    uint8_t *bytes;
    size_t size;
    needs_openat2();
    assert_true(process_read_file(process_own(), files->file, 8, &bytes, &size));
    assert_int_equal(size, 8);
    assert_memory_equal(bytes, "12345678", 8);
    free(bytes);
    assert_true(process_read_file(process_own(), files->link, 8, &bytes, &size));
    free(bytes);
    assert_false(process_read_file(process_own(), files->file, 7, &bytes, &size));
    assert_int_equal(errno, EFBIG);
    const char *const wrong[] = {files->pipe, files->folder, files->lost, "/dev/null"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(process_open_file(process_own(), wrong[i]), -1);
    }
    assert_int_equal(process_open_file(NO_PROCESS, files->file), -1);
    assert_int_equal(process_open_folder(process_own(), files->file), -1);
    assert_int_equal(errno, ENOTDIR);
}

static void sees_what_is_there(void **state)
{
    const struct files *files = *state;
    assert_true(process_has_our_files(process_own()));
    assert_true(process_sees_file(process_own(), files->file));
    assert_false(process_sees_file(process_own(), files->lost));
    assert_false(process_sees_file(NO_PROCESS, files->file));
    assert_true(process_sees_folder(process_own(), files->folder));
    assert_false(process_sees_folder(process_own(), files->file));
    int folder = process_open_folder(process_own(), files->folder);
    assert_true(folder >= 0);
    assert_false(folder_traits(folder).is_read_only);
    close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_state),
        cmocka_unit_test(finds_all),
        cmocka_unit_test(reads_texts),
        cmocka_unit_test(reads_its_own),
        cmocka_unit_test(reads_maps),
        cmocka_unit_test(strips_roots),
        cmocka_unit_test_setup_teardown(opens_regular_files, make_files, remove_files),
        cmocka_unit_test_setup_teardown(sees_what_is_there, make_files, remove_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
