/* The report of a process as it grows: after each method it is whole, modules are kept apart even where one has the address of
 * one that has gone, and nothing stays at the end. */
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

char *report_summary_text(const struct report_summary *summary)
{
    char text[32];
    snprintf(text, sizeof text, "=%u", summary->methods);
    return strdup(text);
}

/* ---- cases ---- */

static char folder[] = "/tmp/ilpatch-so-far-XXXXXX";
static char path[sizeof last_text];

static struct partial_report *begin(void)
{
    char report[48];
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(report, sizeof report, "%s/r", folder);
    struct partial_report *partial = partial_report_open(report, "[");
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

static void test_whole_at_each_method(void **state)
{
    (void)state;
    int one, other;
    struct partial_report *partial = begin();
    check_content("[],\"rules\":[]}");
    partial_report_method(partial, &one, "{one:", "a", &inspected);
    check_content("[{one:a],=1}],\"rules\":[]}");
    partial_report_method(partial, &one, "{one:", "b", &inspected);
    partial_report_method(partial, &other, "{other:", "c", &inspected);
    check_content("[{one:a,b],=2},{other:c],=1}],\"rules\":[]}");
    partial_report_method(partial, &one, "{one:", "d", &inspected);
    check_content("[{one:a,b],=2},{other:c],=1},{one:d],=1}],\"rules\":[]}");
    end(partial);
}

static void test_address_is_used_again(void **state)
{
    (void)state;
    int module, other;
    struct partial_report *partial = begin();
    partial_report_method(partial, &module, "{one:", "a", &inspected);
    partial_report_leave(partial, &other);
    partial_report_method(partial, &module, "{one:", "b", &inspected);
    partial_report_leave(partial, &module);
    partial_report_method(partial, &module, "{two:", "c", &inspected);
    check_content("[{one:a,b],=2},{two:c],=1}],\"rules\":[]}");
    partial_report_leave(NULL, &module);
    end(partial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_at_each_method),
        cmocka_unit_test(test_address_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
