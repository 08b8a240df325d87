/* What is done with one method after the other: past the rules, then through the rewriter. The same
 * for a file and for a running module. */
#ifndef ILPI_INSPECTION_H
#define ILPI_INSPECTION_H

#include "base/alloc.h"

/* What an inspection has spent of its budgets, which are for all methods together: of bodies and
 * signatures, of what rules read, of rules tried. */
#define ILPI_BUDGETS 3u
struct ilpi_spent {
    uint64_t of[ILPI_BUDGETS];
};

struct ilp_inspection {
    struct ilpi_alloc alloc;
    struct ilp_selector *selector; /* NULL: every method is included */
    struct ilp_rewriter *rewriter;
    uint64_t budgets[ILPI_BUDGETS]; /* what may be spent of each */
    bool state_machines;            /* a rule asks for what state machines give */
};

struct ilpi_tracer;

/* What was spent since the inspection was opened, or since the last ilpi_inspection_refill(). */
struct ilpi_spent ilpi_inspection_spent(const struct ilp_inspection *inspection);
void ilpi_inspection_refill(struct ilp_inspection *inspection);

/* Whether so much leaves at least half of each budget. */
bool ilpi_inspection_is_little(const struct ilp_inspection *inspection,
                               const struct ilpi_spent *spent);

/* As ilp_inspection_open(), where the methods that the rules include are traced (tracer.h), however
 * the rules treat values. The tracer is borrowed. */
ilp_status ilpi_inspection_open(struct ilp_inspection **out, struct ilp_image *image,
                                const struct ilp_request *request,
                                const struct ilp_emitter *emitter, const struct ilpi_tracer *tracer,
                                struct ilp_error *error);

/* Whether a method of this module can be inspected, as far as its name and version tell. */
ilp_status ilpi_inspection_possible(struct ilp_image *image, const struct ilp_request *request,
                                    bool *possible, struct ilp_error *error);

#endif
