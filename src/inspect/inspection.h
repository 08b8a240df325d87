/* Processes methods one by one: the rules, then the rewriter. The same for a file and for a running
 * module. */
#ifndef ILPI_INSPECTION_H
#define ILPI_INSPECTION_H

#include "base/alloc.h"

/* What an inspection has used of its budgets, which are for all methods together: bodies and
 * signatures, rule reads, rules tried. */
#define ILPI_BUDGETS 3u
struct ilpi_spent {
    uint64_t of[ILPI_BUDGETS];
};

/* A selector and a rewriter for one image: which methods, and how. */
struct ilp_inspection {
    struct ilpi_alloc alloc;
    struct ilp_selector *selector; /* NULL: every method is included */
    struct ilp_rewriter *rewriter;
    uint64_t budgets[ILPI_BUDGETS]; /* the limit of each */
    bool state_machines;            /* a rule requests results of state machines */
};

struct ilpi_tracer;

/* What was used since the inspection was opened, or since the last ilpi_inspection_refill(). */
struct ilpi_spent ilpi_inspection_spent(const struct ilp_inspection *inspection);
void ilpi_inspection_refill(struct ilp_inspection *inspection);

/* Whether this use leaves at least half of each budget. */
bool ilpi_inspection_is_little(const struct ilp_inspection *inspection,
                               const struct ilpi_spent *spent);

/* As ilp_inspection_open(), but the methods that the rules include are traced (tracer.h), whatever
 * the rule actions. The tracer is borrowed. */
ilp_status ilpi_inspection_open(struct ilp_inspection **out, struct ilp_image *image,
                                const struct ilp_request *request,
                                const struct ilp_emitter *emitter, const struct ilpi_tracer *tracer,
                                struct ilp_error *error);

/* Whether a module can be inspected at all, judged by its name and version. */
ilp_status ilpi_inspection_possible(struct ilp_image *image, const struct ilp_request *request,
                                    bool *possible, struct ilp_error *error);

#endif
