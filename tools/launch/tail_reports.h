/* What the profiler reports of tail calls in a process (profiler/tail/calls.h), collected from its
 * status lines. */
#ifndef TAIL_REPORTS_H
#define TAIL_REPORTS_H

#include "host/tail_outcome.h"
#include "host/tool.h"

/* A compiled method with explicit tail calls, or one with native code already, or the outcome of
 * one of these calls. */
enum tail_report_kind { TAIL_REPORT_METHOD, TAIL_REPORT_NATIVE, TAIL_REPORT_CALL };

/* Texts are owned, all by `line`. */
struct tail_report {
    char *line;       /* cut up at its tabs: the texts below point into it */
    size_t order;     /* the number of the line, in the order in which it came */
    ilp_token method; /* 0: made at run time */
    const char *path; /* of its module; "" if it has no file */
    enum tail_report_kind kind;
    /* of a call */
    enum tail_outcome outcome;
    const char *reason;
    const char *caller_type, *caller_name;
    const char *callee_type, *callee_name, *callee_signature; /* in the runtime's form */
};

/* Zero-initialise. */
struct tail_reports {
    struct tail_report *lines;
    size_t count;
    size_t capacity;
    unsigned implicit[TAIL_OUTCOME_COUNT]; /* calls without the prefix */
    bool ended;                            /* the program ended normally, with all reports */
    char *failed;                          /* why reports are missing; owned; NULL: they are not */
};

/* False for another word. Malformed lines are dropped. */
bool tail_reports_take(struct tail_reports *reports, const char *word, const char *text);

/* Groups the lines of a method, and sorts methods by file and token. */
void tail_reports_sort(struct tail_reports *reports);

void tail_reports_free(struct tail_reports *reports);

#endif
