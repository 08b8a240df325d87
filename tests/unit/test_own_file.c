/* Files under names that ilpatch makes itself: what is planted there, a link above all, is neither
 * followed nor written to, and what an earlier process left gives way. */
#include <errno.h>
#include <fcntl.h>
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

#include "host/own_file.h"
#include "profiler/hooks/spool_file.h"

#define NONE 65534u

static char folder[] = "/tmp/ilpatch-own-XXXXXX";
static char path[64], victim[64];

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static off_t size_of(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 ? info.st_size : -1;
}

static unsigned permissions_of(const char *name)
{
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    return info.st_mode & 07777u;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    umask(022);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(victim);
    return rmdir(folder);
}

static void test_made(void **state)
{
    (void)state;
    int file = own_file_make(path, 0600);
    assert_true(file >= 0 && (fcntl(file, F_GETFD) & FD_CLOEXEC));
    assert_int_equal(write(file, "old", 3), 3);
    close(file);
    assert_int_equal(permissions_of(path), 0600);
    file = own_file_make(path, 0666); /* the number of a process is used again */
    assert_true(file >= 0);
    close(file);
    assert_int_equal(size_of(path), 0);
    assert_int_equal(permissions_of(path), 0644);
}

static void test_making_follows_no_link(void **state)
{
    (void)state;
    write_text(victim, "mine");
    assert_int_equal(symlink(victim, path), 0);
    assert_int_equal(own_file_make(path, 0600), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(size_of(victim), 4);
    unlink(path);
    unlink(victim);
    assert_int_equal(symlink(victim, path), 0); /* leads to nothing yet */
    assert_int_equal(own_file_make(path, 0600), -1);
    assert_int_equal(size_of(victim), -1);
}

static void test_making_leaves_others_files(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(own_file_make(path, 0600), -1);
    assert_int_equal(errno, EEXIST);
    unlink(path);
    if (geteuid() == 0) {
        write_text(path, "theirs");
        assert_int_equal(chown(path, NONE, NONE), 0);
        assert_int_equal(own_file_make(path, 0600), -1);
        assert_int_equal(errno, EEXIST);
        assert_int_equal(size_of(path), 6);
    }
}

static void check_refused(int error)
{
    assert_int_equal(own_file_open(path), -1);
    assert_int_equal(errno, error);
    unlink(path);
}

static void test_opened(void **state)
{
    (void)state;
    assert_int_equal(own_file_open(path), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(access(path, F_OK), -1);
    write_text(path, "ours");
    int file = own_file_open(path);
    assert_true(file >= 0 && (fcntl(file, F_GETFD) & FD_CLOEXEC));
    close(file);
    unlink(path);
    write_text(victim, "mine");
    assert_int_equal(symlink(victim, path), 0);
    check_refused(ELOOP);
    assert_int_equal(link(victim, path), 0);
    check_refused(EPERM);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(EPERM);
    if (geteuid() == 0) {
        write_text(path, "theirs");
        assert_int_equal(chown(path, NONE, NONE), 0);
        check_refused(EPERM);
    }
}

/* Pages with values: a new one is for this user alone, one that is there stays as readable as it
 * is. */
static void test_output(void **state)
{
    (void)state;
    struct output output;
    static const unsigned kept[] = {0600, 0644, 0640};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (i != 0) {
            assert_int_equal(chmod(path, kept[i]), 0);
        }
        assert_true(own_file_begin_output(&output, path));
        assert_true(output_commit(&output));
        assert_int_equal(permissions_of(path), kept[i]);
    }
    assert_int_equal(umask(022), 022);
}

/* ---- spools ---- */

/* A spool that was opened is left at once. */
static int open_spool(enum spool_origin origin)
{
    struct spool_file file;
    int error = spool_file_open(&file, path, origin);
    if (error == 0) {
        spool_file_forget(&file);
    }
    return error;
}

static void test_spool(void **state)
{
    (void)state;
    assert_int_equal(open_spool(SPOOL_OWN), ENOENT);
    assert_int_equal(open_spool(SPOOL_MADE), ENOENT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(open_spool(SPOOL_NAMED), 0);
    assert_int_equal(permissions_of(path), 0600);
    assert_int_equal(open_spool(SPOOL_OWN), 0);
    assert_int_equal(open_spool(SPOOL_MADE), 0);
    unlink(path);
    assert_int_equal(symlink(victim, path), 0);
    write_text(victim, "");
    assert_int_equal(open_spool(SPOOL_OWN), ELOOP);
    assert_int_equal(size_of(victim), 0);
    assert_int_equal(open_spool(SPOOL_MADE), 0); /* the user's own link */
    write_text(victim, "mine");
    assert_int_equal(open_spool(SPOOL_MADE), EBADMSG);
    assert_int_equal(size_of(victim), 4);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_made),
        CASE(test_making_follows_no_link),
        CASE(test_making_leaves_others_files),
        CASE(test_opened),
        CASE(test_output),
        CASE(test_spool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
