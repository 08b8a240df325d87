/* The answer for every method: counted for the summary, and written as JSON for --report. */
#ifndef REPORT_H
#define REPORT_H

#include "tools/patch/facade.h"
#include "host/report_parts.h"
#include "host/request.h"
#include "tools/patch/report_rules.h"
#include "inspect/reasons.h"

struct report_counts {
    uint32_t methods;
    uint32_t by_reason[ILPI_REASON_COUNT]; /* methods; their sum is `methods` */
    uint32_t sites;                        /* that inspect now */
    uint32_t tail_calls;                   /* sites left unchanged */
    uint32_t stripped;                     /* sites whose prefix was removed */
    uint32_t nameless; /* methods whose name has no room in #US: their id is passed */
    uint32_t ids;      /* methods that pass an id */
    uint32_t unreachable;
    uint32_t jumps;
};

/* The result for a module's symbols. Borrowed. */
struct report_symbols {
    const char *answer;
    const char *output; /* NULL: they have no file of their own */
    const char *why;    /* "" for no reason */
};

/* What is of the whole report, report_module_begin() carries from one module to the next. All other
 * members are of the module in work, and are reset when it begins. */
struct report {
    const struct request *request;
    struct ilpi_json *json;      /* NULL: count only */
    struct ilpi_json writer;     /* the same, except in a part */
    struct ilpi_json_text *part; /* which has its own; NULL: not a part */
    struct report_rules rules;
    bool *used;              /* per inspector: this module calls it now */
    struct ilp_arena *arena; /* for the texts of methods and findings, of all modules */
    struct ilp_image *image; /* of the module in work */
    /* why a bug affects the current method; NULL: not requested. Borrowed */
    const char *affected;
    bool verified;         /* the new file has no new finding */
    uint32_t unverifiable; /* number of new findings that only mean unverifiable code */
    /* and of those about types that were not found, not for the original either */
    uint32_t unknown;
    struct ilpi_json_text *findings; /* new ones: a part; NULL: none */
    unsigned long finding_count;     /* number of all, listed or not */
    struct facade facade;            /* what it is, if it is one */
    char *small_because; /* owned: why the small inspector was chosen; NULL: it was not */
    struct report_counts module;
    struct report_symbols symbols; /* of this module; set before its end */
    /* and the names kept of an earlier build; borrowed */
    const char *replaced[3];
    size_t replaced_count;
    uint32_t modules; /* of the modules done, and their totals */
    struct report_counts all;
    struct report_held *held;       /* between report_hold() and report_release() */
    struct ilpi_json_text *callers; /* a part; NULL: none */
};

/* `out` (NULL: count only) and `request` are borrowed. */
void report_begin(struct report *report, FILE *out, const struct request *request);
void report_module_begin(struct report *report, struct ilp_image *image, const char *file,
                         const char *output);
struct ilp_report report_callbacks(struct report *report);

/* For a method that is written later, in another order: its JSON, owned; NULL: no JSON is
 * written. */
char *report_method_text(struct report *report, ilp_token method,
                         const struct ilp_method_result *result);
void report_method_add(struct report *report, const char *text);

/* The value of one of its text members, without quotes; NULL: it has none. */
const char *report_method_member(const char *text, const char *name, size_t *size);

/* A finding of the current module's new form that the original does not have. */
void report_finding(struct report *report, struct ilp_image *patched,
                    const struct ilp_verify_finding *finding);

/* `written` is NULL when nothing was written, `error` unless something went wrong. */
void report_module_end(struct report *report, const struct ilp_write_info *written,
                       const struct ilp_error *error);

/* A module that could not be processed at all: the report has the reason. */
void report_module_failed(struct report *report, const char *file, const struct ilp_error *error);

/* A file that was left alone: `why` is one word. */
void report_module_left(struct report *report, const char *file, const char *why);

/* A part of the report for some files, in another thread: a separate report until it is added to
 * the whole one. */
void report_part_begin(struct report *part, const struct report *whole,
                       const struct request *request);
void report_part_end(struct report *part, struct report *whole);

/* Until report_release(), it is undecided whether files reported as written will be in place: of
 * the modules of a bundle all are, or none. If not, they are reported without what was written. One
 * at a time. */
void report_hold(struct report *report);
void report_release(struct report *report, bool in_place);

/* An image whose native code may hold copies of changed methods. All borrowed. */
struct report_caller {
    const char *file;
    const char *reason;
    char *const *of; /* the files of these methods */
    size_t of_count;
    bool dropped; /* its native code */
};

void report_caller(struct report *report, const struct report_caller *caller);

void report_end(struct report *report);

/* Whether an inspector was embedded into this module now. */
bool report_embedded(const struct report *report);

/* Whether a requested change was refused in this module. */
bool report_refused(const struct report *report);

/* "2337 of 4185 methods inspected; left as they are: 1717 void, 85 no-body" on `out`. */
void report_summary(const struct report_counts *counts, FILE *out);

#endif
