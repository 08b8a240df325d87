/* The outcomes of explicit tail calls in a run: those in the IL of compiled methods, each with the
 * JIT's verdict. */
#ifndef TAIL_EXPLAINED_H
#define TAIL_EXPLAINED_H

#include "host/options.h"
#include "tools/launch/tail_reports.h"

/* A call with the prefix. */
struct tail_site {
    const char *path; /* of the module; "" if it has no file; borrowed */
    ilp_token method; /* 0: made at run time */
    /* its IL offset is known: else the names are the runtime's */
    bool known;
    uint32_t offset;
    char *caller; /* with signatures; owned */
    char *callee;
    /* how often the JIT gave each verdict: a method may be compiled several times */
    unsigned times[TAIL_OUTCOME_COUNT];
    char *reasons; /* why it refused, in its words; owned; NULL: it did not, or gave no reason */
    bool native;   /* the method has precompiled native code */
    /* number of other calls of this method with the same key: `times` are of all of them */
    unsigned shared;
};

struct tail_explained {
    struct tail_reports *reports; /* borrowed */
    struct tail_site *sites;      /* owned; by file and method, as the sorted reports */
    size_t count;
    size_t capacity;
    unsigned totals[TAIL_OUTCOME_COUNT + 2]; /* sites by outcome */
};

/* The outcome of a site: one of the JIT's, TAIL_MIXED or TAIL_UNKNOWN. */
enum { TAIL_MIXED = TAIL_OUTCOME_COUNT, TAIL_UNKNOWN };
unsigned tail_site_answer(const struct tail_site *site);

/* Opens the modules' files. Sorts `reports`, which must stay until the end. */
struct tail_explained tail_explain(struct tail_reports *reports);
void tail_explained_free(struct tail_explained *explained);

/* --explain-tail[=FILE], of run and trace. Zero-initialise. */
struct tail_request {
    bool wanted;
    const char *file; /* NULL: text on standard error; borrowed */
    struct tail_reports reports;
};

/* Takes that option; false for any other. */
bool tail_option(struct tail_request *request, enum option_id option, const char *value);

/* At the end, if it was requested; frees the reports. The result is EXIT_DONE, or
 * EXIT_CANNOT_WRITE, which has been reported. */
enum exit_code tail_request_finish(struct tail_request *request);

#endif
