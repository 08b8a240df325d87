/* A rewriter for one method of a module App, with an inspector of the test's own. */
#ifndef REWRITE_BENCH_H
#define REWRITE_BENCH_H

#include "tests/unit/inspect_image.h"
#include "tests/unit/one_request.h"

struct bench {
    struct ilp_image *inspector_image;
    struct ilp_inspector *inspector;
    struct ii_emitter emitter;
    struct ib_image built; /* App */
    struct ilp_image *app;
    struct ilp_rewriter *rewriter;
    ilp_token method; /* to be rewritten */
};

/* `b` is the inspector's assembly. */
static inline void bench_open_inspector(struct bench *bench, struct ib_image *b)
{
    bench->inspector_image = built_root(b);
    assert_int_equal(ilp_inspector_open(&bench->inspector, bench->inspector_image, NULL, NULL),
                     ILP_OK);
}

/* When App is built: `app` is made of bench->built. */
static inline void bench_open_rewriter_of(struct bench *bench, struct ilp_image *app)
{
    bench->app = app;
    assert_int_equal(ilp_rewriter_open(&bench->rewriter, bench->app,
                                       ONE_REQUEST(bench->inspector, NULL, NULL),
                                       &bench->emitter.interface, NULL),
                     ILP_OK);
}

/* Of metadata alone, where no other method's body is read. */
static inline void bench_open_rewriter(struct bench *bench)
{
    bench_open_rewriter_of(bench, built_root(&bench->built));
}

static inline void bench_close(struct bench *bench)
{
    ilp_rewriter_close(bench->rewriter);
    ii_emitter_end(&bench->emitter);
    close_built(bench->app);
    ilp_inspector_close(bench->inspector);
    close_built(bench->inspector_image);
}

static inline struct ilp_method_result
bench_rewrite(struct bench *bench, const struct ilp_rule_action *action, const char *hex)
{
    struct ii_hex body = ii_hex(hex);
    struct ilp_method_result result;
    struct ilp_error error;
    assert_int_equal(ilp_rewrite_method(bench->rewriter, bench->method, action,
                                        (struct ilp_bytes){body.data, body.size}, &result, &error),
                     ILP_OK);
    return result;
}

#endif
