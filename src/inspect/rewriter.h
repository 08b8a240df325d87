/* The rewriter: body bytes + signature + what to call -> new body bytes. It knows no host: tokens
 * come from an emitter.
 *
 *   plan (policy, overload; decode, stack) -> sites (which ret) -> emit (tokens, sequence, patch,
 *   body_write) */
#ifndef ILPI_REWRITER_H
#define ILPI_REWRITER_H

#include "inspect/module_context.h"
#include "inspect/scratch.h"

/* The object of the public interface: a module's context, working memory, and what was found. */
struct ilp_rewriter {
    struct ilpi_alloc alloc;
    struct ilpi_module_context module;
    struct ilpi_scratch scratch;
    struct ilpi_found found;
};

struct ilpi_tracer;

/* As ilp_rewriter_open(). With a tracer (tracer.h), which is borrowed, methods are traced and not
 * inspected, and the request needs no inspector. */
ilp_status ilpi_rewriter_open(struct ilp_rewriter **out, struct ilp_image *image,
                              const struct ilp_request *request, const struct ilp_emitter *emitter,
                              const struct ilpi_tracer *tracer, struct ilp_error *error);

/* As ilp_rewriter_map(), for callers that only need ilpi_patch_shifts(). */
static inline ilp_status ilpi_rewriter_shifts(struct ilp_rewriter *rewriter,
                                              const struct ilp_il_map **map, size_t *count,
                                              struct ilp_error *error)
{
    struct ilpi_scratch *scratch = &rewriter->scratch;
    return ilpi_patch_shifts(&scratch->patch, &scratch->code, map, count, error);
}

/* The insertions of the last method, if it was rewritten: borrowed until the next one. */
static inline const struct ilpi_insertion *
ilpi_rewriter_insertions(const struct ilp_rewriter *rewriter, size_t *count)
{
    *count = rewriter->scratch.insertions.count;
    return rewriter->scratch.insertions.items;
}

#endif
