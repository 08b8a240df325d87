/* What the profiler reports of tail calls in a process (profiler/tail/calls.h), collected from its
 * status lines. */
#ifndef TAIL_REPORTS_H
#define TAIL_REPORTS_H

#include "host/tail_outcome.h"
#include "host/tool.h"

/* A method with explicit tail calls that is compiled, or has native code already, or what became of
 * one of these calls. */
enum tail_report_kind { TAIL_REPORT_METHOD, TAIL_REPORT_NATIVE, TAIL_REPORT_CALL };

/* Texts are owned, all by `line`. */
struct tail_report {
    char *line;
    size_t order;
    ilp_token method; /* 0: made at run time */
    const char *path; /* of its module; "" if it has no file */
    enum tail_report_kind kind;
    /* of a call */
    enum tail_outcome outcome;
    const char *reason;
    const char *caller_type, *caller_name;
    const char *callee_type, *callee_name, *callee_signature; /* as the runtime names them */
};

/* Zero-initialise. */
struct tail_reports {
    struct tail_report *lines;
    size_t count;
    size_t capacity;
    unsigned implicit[TAIL_OUTCOME_COUNT]; /* calls without the prefix */
    bool ended;   /* the program came to its end, and these were reported */
    char *failed; /* why nothing, or not all, is reported; NULL */
};

/* False for a word of another program. Lines that make no sense are left out. */
bool tail_reports_take(struct tail_reports *reports, const char *word, const char *text);

/* Lines of a method stand together then, methods by file and token. */
void tail_reports_sort(struct tail_reports *reports);

void tail_reports_free(struct tail_reports *reports);

#endif
