/* Parses status lines about tail calls. See tail_reports.h.
 *
 *   tail-method    TOKEN \t PATH
 *   tail-native    TOKEN \t PATH
 *   tail-call      TOKEN \t PATH \t OUTCOME \t REASON \t CALLER'S TYPE \t NAME
 *                        \t CALLEE'S TYPE \t NAME \t SIGNATURE
 *   tail-implicit  OUTCOME N
 *   tail-failed    TEXT
 *
 * The lines come from the program's process, which may write anything into its file: one that is
 * not of this form is dropped. */
#include "tools/launch/tail_reports.h"

#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"

/* Splits a line at its tabs, in place; false without `count` fields. */
static bool split(char *line, const char **fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fields[i] = line;
        char *tab = strchr(line, '\t');
        if ((tab != NULL) != (i + 1 < count)) {
            return false;
        }
        if (tab) {
            *tab = '\0';
            line = tab + 1;
        }
    }
    return true;
}

/* By the words that profiler and command share (host/tail_outcome.h); another word is of a later
 * version. */
static bool read_outcome(const char *word, enum tail_outcome *outcome)
{
    for (unsigned i = 0; i < TAIL_OUTCOME_COUNT; i++) {
        if (strcmp(word, tail_outcome_word((enum tail_outcome)i)) == 0) {
            *outcome = (enum tail_outcome)i;
            return true;
        }
    }
    return false;
}

/* Eight digits, of a MethodDef, or 0 for a method that was made at run time. */
static bool read_token(const char *text, ilp_token *token)
{
    char *end;
    unsigned long number = strtoul(text, &end, 16);
    *token = (ilp_token)number;
    return end == text + 8 && *end == '\0' &&
           (number == 0 || ILP_TOKEN_TABLE(number) == ILP_MethodDef);
}

/* Fields point into `text`, which the line owns from then on. */
static bool read_line(struct tail_report *line, char *text, enum tail_report_kind kind)
{
    const char *fields[9] = {NULL};
    line->line = text;
    line->kind = kind;
    if (!split(text, fields, kind == TAIL_REPORT_CALL ? 9 : 2) ||
        !read_token(fields[0], &line->method)) {
        return false;
    }
    line->path = fields[1];
    if (kind != TAIL_REPORT_CALL) {
        return true;
    }
    line->reason = fields[3];
    line->caller_type = fields[4], line->caller_name = fields[5];
    line->callee_type = fields[6], line->callee_name = fields[7],
    line->callee_signature = fields[8];
    return read_outcome(fields[2], &line->outcome);
}

/* A copy, whose tabs become the ends of its fields. */
static void add(struct tail_reports *reports, const char *text, enum tail_report_kind kind)
{
    struct tail_report line = {.order = reports->count};
    char *copy = need(strdup(text));
    if (!read_line(&line, copy, kind)) {
        free(copy);
        return;
    }
    if (reports->count == reports->capacity) {
        reports->capacity = reports->capacity * 2 + 64;
        reports->lines =
            need(reallocarray(reports->lines, reports->capacity, sizeof *reports->lines));
    }
    reports->lines[reports->count++] = line;
}

/* The profiler writes these last, so they mean that all reports are there. */
static void count_implicit(struct tail_reports *reports, const char *text)
{
    char word[16];
    unsigned number;
    enum tail_outcome outcome;
    if (sscanf(text, "%15s %u", word, &number) == 2 && read_outcome(word, &outcome)) {
        reports->implicit[outcome] += number;
        reports->ended = true;
    }
}

bool tail_reports_take(struct tail_reports *reports, const char *word, const char *text)
{
    static const char *const kinds[] = {[TAIL_REPORT_METHOD] = "tail-method",
                                        [TAIL_REPORT_NATIVE] = "tail-native",
                                        [TAIL_REPORT_CALL] = "tail-call"};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word, kinds[i]) == 0) {
            add(reports, text, (enum tail_report_kind)i);
            return true;
        }
    }
    if (strcmp(word, "tail-implicit") == 0) {
        count_implicit(reports, text);
    } else if (strcmp(word, "tail-failed") == 0) {
        free(reports->failed);
        reports->failed = need(strdup(text));
    } else {
        return false;
    }
    return true;
}

/* `order` keeps the sequence of a method's lines; qsort() is not stable. */
static int compare(const void *left, const void *right)
{
    const struct tail_report *a = left, *b = right;
    int paths = strcmp(a->path, b->path);
    if (paths != 0) {
        return paths;
    }
    if (a->method != b->method) {
        return a->method < b->method ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

/* An empty list is NULL, which qsort() does not take (C11, 7.22.5). */
void tail_reports_sort(struct tail_reports *reports)
{
    if (reports->count != 0) {
        qsort(reports->lines, reports->count, sizeof *reports->lines, compare);
    }
}

void tail_reports_free(struct tail_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++) {
        free(reports->lines[i].line);
    }
    free(reports->lines);
    free(reports->failed);
    *reports = (struct tail_reports){.lines = NULL};
}
