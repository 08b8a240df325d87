/* The report of a process as it grows: after each method it is whole, modules are kept apart even
 * where one has the address of one that has gone, and nothing stays at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/partial_report.h"
#include "profiler/status.h"
#include "host/report_parts.h"
#include "host/tool.h"

static char last_word[16], last_text[256];

/* ---- what it calls, in a small form ---- */

void status_line(const char *word, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(last_word, sizeof last_word, "%s", word);
    vsnprintf(last_text, sizeof last_text, format, arguments);
    va_end(arguments);
}

void report_summary_add(struct report_summary *summary, const struct ilp_method_result *result)
{
    summary->methods += result->reason == ILP_REASON_INSPECTED;
}

void report_module_summary(struct ilpi_json *json, const struct report_summary *summary)
{
    ilpi_json_unsigned(json, "summary", summary->methods);
}

static void write_head(void *user, struct ilpi_json *json)
{
    ilpi_json_object(json, NULL, ILPI_JSON_LINES);
    ilpi_json_string(json, "user", user);
    ilpi_json_array(json, "modules", ILPI_JSON_LINES);
}

static void write_module(const void *module, struct ilpi_json *json)
{
    ilpi_json_object(json, NULL, ILPI_JSON_LINES);
    ilpi_json_string(json, "module", module);
    ilpi_json_array(json, "methods", ILPI_JSON_LINES);
}

/* ---- cases ---- */

static char folder[] = "/tmp/ilpatch-so-far-XXXXXX";
static char path[sizeof last_text];

static struct partial_report *open_in_folder(void)
{
    char report[48];
    snprintf(report, sizeof report, "%s/r", folder);
    struct partial_report_parts parts = {.head = write_head, .module = write_module, .user = "me"};
    return partial_report_open(report, &parts);
}

static void make_folder(void)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static struct partial_report *begin(void)
{
    make_folder();
    struct partial_report *partial = open_in_folder();
    assert_non_null(partial);
    assert_string_equal(last_word, "partial");
    strcpy(path, last_text);
    return partial;
}

static void end(struct partial_report *partial)
{
    partial_report_end(partial);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(folder), 0);
}

/* Without white space. */
static void check_content(const char *expected)
{
    char text[1024];
    size_t size = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int byte; (byte = fgetc(file)) != EOF && size < sizeof text - 1;) {
        if (byte != ' ' && byte != '\n') {
            text[size++] = (char)byte;
        }
    }
    fclose(file);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

static const struct ilp_method_result inspected = {.reason = ILP_REASON_INSPECTED};

static void add_method(struct partial_report *partial, const char *module, const char *method)
{
    partial_report_method(partial, module,
                          (struct ilp_bytes){(const uint8_t *)method, strlen(method)}, &inspected);
}

#define DOCUMENT(modules) "{\"user\":\"me\",\"modules\":[" modules "],\"rules\":[]}"
#define MODULE(name, methods, count) \
    "{\"module\":\"" name "\",\"methods\":[" methods "],\"summary\":" count "}"

static void test_whole_at_each_method(void **state)
{
    (void)state;
    static const char one[] = "one", other[] = "other";
    struct partial_report *partial = begin();
    check_content(DOCUMENT(""));
    add_method(partial, one, "1");
    check_content(DOCUMENT(MODULE("one", "1", "1")));
    add_method(partial, one, "2");
    add_method(partial, other, "3");
    check_content(DOCUMENT(MODULE("one", "1,2", "2") "," MODULE("other", "3", "1")));
    add_method(partial, one, "4");
    check_content(DOCUMENT(
        MODULE("one", "1,2", "2") "," MODULE("other", "3", "1") "," MODULE("one", "4", "1")));
    end(partial);
}

static void test_address_is_used_again(void **state)
{
    (void)state;
    char module[] = "one";
    static const char other[] = "other";
    struct partial_report *partial = begin();
    add_method(partial, module, "1");
    partial_report_leave(partial, other);
    add_method(partial, module, "2");
    partial_report_leave(partial, module);
    strcpy(module, "two");
    add_method(partial, module, "3");
    check_content(DOCUMENT(MODULE("one", "1,2", "2") "," MODULE("two", "3", "1")));
    partial_report_leave(NULL, module);
    end(partial);
}

/* Its name is known beforehand. A file of this user is what an earlier process of the same number
 * has left; a link belongs to another user, and what it leads to stays as it is. */
static void test_planted(void **state)
{
    (void)state;
    char victim[64];
    make_folder();
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(path, sizeof path, "%s/r.part-%ld", folder, (long)getpid());
    FILE *file = fopen(path, "w");
    assert_true(file && fputs("left", file) >= 0 && fclose(file) == 0);
    struct partial_report *partial = open_in_folder();
    assert_non_null(partial);
    check_content(DOCUMENT(""));
    partial_report_end(partial);
    assert_int_equal(symlink(victim, path), 0);
    assert_null(open_in_folder());
    assert_string_equal(last_word, "message");
    assert_non_null(strstr(last_text, "File exists"));
    assert_int_equal(access(victim, F_OK), -1);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_at_each_method),
        cmocka_unit_test(test_address_is_used_again),
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
