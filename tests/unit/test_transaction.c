/* host/transaction.h: files that change together. What happens when a step fails, when the run was
 * killed, when another process was quicker. System calls that fail are tests/faults. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/journal.h"
#include "host/transaction.h"

static char folder[] = "/tmp/ilpatch-transaction.XXXXXX";
static char place[1024];

/* The path of a file in the folder; valid until the next call. */
static const char *at(const char *name)
{
    snprintf(place, sizeof place, "%s/%s", folder, name);
    return place;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *name, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(at(name), "r");
    assert_non_null(file);
    size_t size = fread(found, 1, sizeof found - 1, file);
    found[size] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static void assert_absent(const char *name)
{
    struct stat info;
    assert_int_not_equal(lstat(at(name), &info), 0);
}

/* Nothing of the run itself stays. */
static void assert_swept(void)
{
    char command[256];
    snprintf(command, sizeof command, "test -z \"$(find %s -name '.ilpatch*')\"", folder);
    assert_int_equal(system(command), 0);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct ilp_bytes bytes_of(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, strlen(text)};
}

/* A as in a patch: the original is kept, the file replaced, one is added and one goes. */
static void add_patch(struct transaction *transaction)
{
    assert_true(transaction_write(transaction, at("Inspector.dll"), bytes_of("inspector"), NULL));
    char *kept = strdup(at("App.dll.orig"));
    assert_true(transaction_link(transaction, at("App.dll"), kept));
    free(kept);
    assert_true(transaction_write(transaction, at("App.dll"), bytes_of("patched"), NULL));
    assert_true(transaction_remove(transaction, at("Old.dll")));
}

static void begin_patch(struct transaction *transaction, bool lasting)
{
    put("App.dll", "original");
    put("Old.dll", "old");
    assert_true(transaction_begin(transaction, folder, lasting));
    add_patch(transaction);
}

static void assert_patched(void)
{
    assert_text("App.dll", "patched");
    assert_text("App.dll.orig", "original");
    assert_text("Inspector.dll", "inspector");
    assert_absent("Old.dll");
    assert_swept();
}

static void assert_original(void)
{
    assert_text("App.dll", "original");
    assert_text("Old.dll", "old");
    assert_absent("App.dll.orig");
    assert_absent("Inspector.dll");
    assert_swept();
}

static void all_take_place(void **state)
{
    (void)state;
    for (int lasting = 0; lasting < 2; lasting++) {
        struct transaction transaction;
        begin_patch(&transaction, lasting != 0);
        assert_text("App.dll", "original");
        assert_true(transaction_commit(&transaction));
        transaction_end(&transaction);
        assert_patched();
        unlink(at("App.dll.orig"));
        unlink(at("Inspector.dll"));
    }
}

static void none_does_without_commit(void **state)
{
    struct transaction transaction;
    (void)state;
    begin_patch(&transaction, true);
    transaction_end(&transaction);
    assert_original();
}

static void what_will_be_there_can_be_read(void **state)
{
    struct transaction transaction;
    struct ilp_bytes bytes;
    (void)state;
    begin_patch(&transaction, true);
    assert_true(file_map_open(&bytes, transaction_now(&transaction, at("App.dll"))));
    assert_memory_equal(bytes.data, "patched", bytes.size);
    file_map_close(&bytes);
    assert_null(transaction_now(&transaction, at("Old.dll")));
    assert_string_equal(transaction_now(&transaction, at("Other.dll")), at("Other.dll"));
    transaction_end(&transaction);
}

/* A folder is in the way of the last one. */
static void a_failed_step_undoes_all(void **state)
{
    (void)state;
    for (int lasting = 0; lasting < 2; lasting++) {
        struct transaction transaction;
        begin_patch(&transaction, lasting != 0);
        assert_true(transaction_write(&transaction, at("App.pdb"), bytes_of("new"), NULL));
        assert_int_equal(mkdir(at("App.pdb"), 0777), 0);
        assert_false(transaction_commit(&transaction));
        assert_string_equal(transaction.path, at("App.pdb"));
        transaction_end(&transaction);
        rmdir(at("App.pdb"));
        assert_original();
    }
}

static void nothing_is_done_after_a_failure(void **state)
{
    struct transaction transaction;
    (void)state;
    begin_patch(&transaction, true);
    assert_int_equal(mkdir(at("App.pdb"), 0777), 0);
    assert_false(transaction_write(&transaction, at("App.pdb"), bytes_of("new"), NULL));
    assert_int_equal(transaction.error, EISDIR);
    assert_false(transaction_remove(&transaction, at("App.dll")));
    assert_false(transaction_commit(&transaction));
    transaction_end(&transaction);
    rmdir(at("App.pdb"));
    assert_original();
}

/* ---- a run that was killed ---- */

/* As it is after the journal: the new files are there, and no step is done. */
static void die_before_the_first_step(void)
{
    struct transaction_step steps[3] = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
    put("App.dll", "original");
    put("Old.dll", "old");
    put("odd name %\n", "there");
    put(".ilpatch.aaaaaa", "patched");
    put(".ilpatch.bbbbbb", "odd");
    put(".ilpatch.cccccc", "of an earlier one");
    const char *names[3] = {"App.dll", "odd name %\n", "Old.dll"};
    const char *new[3] = {".ilpatch.aaaaaa", ".ilpatch.bbbbbb", NULL};
    for (size_t i = 0; i < 3; i++) {
        steps[i].path = strdup(at(names[i]));
        steps[i].file = new[i] ? strdup(at(new[i])) : NULL;
        assert_true(occupant_of(steps[i].path, &steps[i].was));
    }
    assert_true(journal_write(folder, steps, 3));
    for (size_t i = 0; i < 3; i++) {
        free(steps[i].path);
        free(steps[i].file);
    }
}

static void begin_and_end(int error)
{
    struct transaction transaction;
    assert_int_equal(transaction_begin(&transaction, folder, true), error == 0);
    assert_int_equal(transaction.error, error);
    transaction_end(&transaction);
}

static void the_next_run_finishes(void **state)
{
    (void)state;
    die_before_the_first_step();
    begin_and_end(0);
    assert_text("App.dll", "patched");
    assert_text("odd name %\n", "odd");
    assert_absent("Old.dll");
    assert_swept();
}

static void the_next_run_finishes_the_rest(void **state)
{
    (void)state;
    die_before_the_first_step();
    char *new = strdup(at(".ilpatch.aaaaaa"));
    assert_int_equal(rename(new, at("App.dll")), 0);
    free(new);
    begin_and_end(0);
    assert_text("App.dll", "patched");
    assert_text("odd name %\n", "odd");
    assert_absent("Old.dll");
    assert_swept();
}

static void what_is_newer_stays(void **state)
{
    (void)state;
    die_before_the_first_step();
    put("Old.dll", "in use again");
    begin_and_end(0);
    assert_text("App.dll", "patched");
    assert_text("Old.dll", "in use again");
    assert_text("odd name %\n", "odd");
    assert_swept();
}

static void nothing_comes_after_what_is_newer(void **state)
{
    (void)state;
    die_before_the_first_step();
    put("App.dll", "built again");
    begin_and_end(0);
    assert_text("App.dll", "built again");
    assert_text("Old.dll", "old");
    assert_text("odd name %\n", "there");
    assert_swept();
}

/* ---- others ---- */

static void temporaries_in_use_stay(void **state)
{
    struct output output;
    struct transaction transaction;
    (void)state;
    assert_true(output_begin(&output, at("report.json"), NULL));
    assert_true(transaction_begin(&transaction, folder, true));
    transaction_end(&transaction);
    assert_int_equal(access(output.temporary, F_OK), 0);
    output_abandon(&output);
    put(".ilpatch.dddddd", "nobody's");
    put(".ilpatch.eeeeee.dll", "of another name");
    begin_and_end(0);
    assert_absent(".ilpatch.dddddd");
    assert_text(".ilpatch.eeeeee.dll", "of another name");
}

static void write_journal(const char *text, mode_t mode)
{
    unlink(at(".ilpatch.journal"));
    put(".ilpatch.journal", text);
    assert_int_equal(chmod(at(".ilpatch.journal"), mode), 0);
}

static void journals_that_lie_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "ilpatch journal 2\nend\n",
        "ilpatch journal 1\n",
        "ilpatch journal 1\nend",
        "ilpatch journal 1\nend\nend\n",
        "ilpatch journal 1\nput .ilpatch.aaaaaa - ../App.dll\nend\n",
        "ilpatch journal 1\nput ../x - App.dll\nend\n",
        "ilpatch journal 1\nput %2E%2E - App.dll\nend\n",
        "ilpatch journal 1\nput a%2Fb - App.dll\nend\n",
        "ilpatch journal 1\nput a%00 - App.dll\nend\n",
        "ilpatch journal 1\nput a%4 - App.dll\nend\n",
        "ilpatch journal 1\nput a 1:2.3x App.dll\nend\n",
        "ilpatch journal 1\nput a - App.dll more\nend\n",
        "ilpatch journal 1\nremove a - App.dll\nend\n",
        "ilpatch journal 1\nmove a - App.dll\nend\n",
        "ilpatch journal 1\nput a -\nend\n",
        /* what did not come from a run: any file takes a place, or is removed elsewhere */
        "ilpatch journal 1\nput App.dll - Other.dll\nend\n",
        "ilpatch journal 1\nput App.dll - /elsewhere/Other.dll\nend\n",
        "ilpatch journal 1\nput .ilpatch.aaaaaa - /elsewhere/Other.dll\nend\n",
        "ilpatch journal 1\nput /elsewhere/.ilpatch.aaaaaa - App.dll\nend\n",
        "ilpatch journal 1\nremove - 8:1.0 /elsewhere/Other.dll\nend\n",
    };
    (void)state;
    put("App.dll", "original");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_journal(texts[i], 0600);
        begin_and_end(EILSEQ);
        assert_text("App.dll", "original");
    }
    write_journal("ilpatch journal 1\nend\n", 0622);
    begin_and_end(EKEYREJECTED);
    unlink(at(".ilpatch.journal"));
    put("elsewhere", "ilpatch journal 1\nend\n");
    char *link = strdup(at(".ilpatch.journal"));
    assert_int_equal(symlink(at("elsewhere"), link), 0);
    free(link);
    begin_and_end(ELOOP);
}

/* Whoever owns a folder may say what happens in it, and nowhere else. */
static void journals_of_others_reach_their_folder(void **state)
{
    static const char *const beyond[] = {"/elsewhere/App.dll", "%2Felsewhere%2FApp.dll"};
    char text[128];
    (void)state;
    if (geteuid() != 0) {
        return;
    }
    put("App.dll", "original");
    put("Old.dll", "old");
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        snprintf(text, sizeof text, "ilpatch journal 1\nremove - - %s.orig\nend\n", beyond[i]);
        write_journal(text, 0600);
        begin_and_end(0); /* ours: there is nothing to remove */
        write_journal(text, 0600);
        assert_int_equal(chown(at(".ilpatch.journal"), 12345, 12345), 0);
        begin_and_end(EKEYREJECTED); /* of neither us nor the folder's owner */
        assert_int_equal(chown(folder, 12345, 12345), 0);
        begin_and_end(EKEYREJECTED); /* beyond the folder */
        assert_int_equal(chown(folder, 0, 0), 0);
    }
    assert_int_equal(chown(folder, 12345, 12345), 0);
    write_journal("ilpatch journal 1\nremove - - Old.dll\nend\n", 0600);
    assert_int_equal(chown(at(".ilpatch.journal"), 12345, 12345), 0);
    begin_and_end(0);
    assert_text("Old.dll", "old"); /* it was recorded that there is none: another program's, then */
    assert_text("App.dll", "original");
}

/* A file system has EPERM for a file that no user can change: another user has no part in that. */
static void why_it_failed_is_said(void **state)
{
    struct transaction changes = {.error = EPERM};
    (void)state;
    assert_string_equal(transaction_why(&changes), "cannot write: Operation not permitted");
    changes.unread = true;
    assert_string_equal(transaction_why(&changes), "cannot read: Operation not permitted");
    changes.error = EKEYREJECTED;
    assert_string_equal(transaction_why(&changes),
                        "belongs to another user. Let that user run ilpatch here once more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
        TEST(all_take_place),
        TEST(none_does_without_commit),
        TEST(what_will_be_there_can_be_read),
        TEST(a_failed_step_undoes_all),
        TEST(nothing_is_done_after_a_failure),
        TEST(the_next_run_finishes),
        TEST(the_next_run_finishes_the_rest),
        TEST(what_is_newer_stays),
        TEST(nothing_comes_after_what_is_newer),
        TEST(temporaries_in_use_stay),
        TEST(journals_that_lie_are_refused),
        TEST(journals_of_others_reach_their_folder),
        TEST(why_it_failed_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
