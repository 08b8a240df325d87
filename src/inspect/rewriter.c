/* Opens and closes a rewriter: module context, bindings and scratch, in this order. */
#include "inspect/rewriter.h"

#include "inspect/binding.h"

static ilp_status open_made(struct ilpi_module_context *module, size_t inspectors,
                            struct ilp_error *error)
{
    size_t most = (SIZE_MAX - sizeof *module->made) / sizeof *module->made->bindings;
    module->made_size = sizeof *module->made + inspectors * sizeof *module->made->bindings;
    module->made = inspectors <= most ? ilpi_arena_alloc(&module->arena, module->made_size) : NULL;
    return module->made ? ILP_OK : ilpi_fail_memory(error, module->made_size);
}

/* `core` precedes the bindings: these refuse a core library that would have to refer to an
 * inspector. A tracer calls addresses, and has no inspectors to bind. */
static ilp_status open_module(struct ilpi_module_context *module, const struct ilp_request *request,
                              struct ilp_error *error)
{
    ILPI_TRY(open_made(module, request->inspector_count, error));
    ILPI_TRY(ilpi_policy_init(&module->policy, module->image, module->resolver, module->alloc,
                              &module->arena, error));
    ILPI_TRY(ilpi_call_shapes_init(&module->call_shapes, module->image, &module->arena, error));
    module->core = ilpi_core_scope_find(module->image, module->resolver);
    return module->tracer ? ILP_OK : ilpi_bindings_open(module, request, error);
}

static void close_module(struct ilpi_module_context *module)
{
    ilpi_bindings_close(module);
    ilpi_policy_free(&module->policy);
    ilpi_arena_free(&module->arena);
}

/* `found` first, since its failure leaves nothing to close; everything after it is closed by
 * ilp_rewriter_close(). */
ilp_status ilpi_rewriter_open(struct ilp_rewriter **out, struct ilp_image *image,
                              const struct ilp_request *request, const struct ilp_emitter *emitter,
                              const struct ilpi_tracer *tracer, struct ilp_error *error)
{
    const struct ilp_resolver *resolver = request->resolver;
    *out = NULL;
    ILPI_TRY(ILPI_CHECK_RESERVED(request, error));
    ILPI_TRY(ILPI_CHECK_RESERVED(resolver, error));
    ILPI_TRY(ILPI_CHECK_RESERVED(emitter, error));
    for (size_t i = 0; i < request->inspector_count && request->off_switches; i++) {
        ILPI_TRY(ILPI_CHECK_RESERVED(&request->off_switches[i], error));
    }
    struct ilp_rewriter *rewriter = ilpi_object_open(sizeof *rewriter, request->allocator, error);
    if (!rewriter) {
        return ILP_E_NO_MEMORY;
    }
    if (ilpi_found_open(&rewriter->found, image, request->allocator, error) != ILP_OK) {
        ilpi_object_close(&rewriter->alloc, sizeof *rewriter);
        return ILP_E_NO_MEMORY;
    }
    rewriter->module = (struct ilpi_module_context){
        .alloc = &rewriter->alloc,
        .arena = {.alloc = &rewriter->alloc},
        .image = image,
        .found = &rewriter->found,
        .resolver = request->resolver,
        .emitter = emitter,
        .off_switches = request->off_switches,
        .tracer = tracer,
        .module_number = request->module_number,
        .budget = ilpi_budget_of(image->pe.bytes.size),
    };
    ilpi_scratch_open(&rewriter->scratch, &rewriter->alloc, image->pe.bytes.size);
    ilp_status status = open_module(&rewriter->module, request, error);
    if (status != ILP_OK) {
        ilp_rewriter_close(rewriter);
        return status;
    }
    *out = rewriter;
    return ILP_OK;
}

ilp_status ilp_rewriter_open(struct ilp_rewriter **out, struct ilp_image *image,
                             const struct ilp_request *request, const struct ilp_emitter *emitter,
                             struct ilp_error *error)
{
    return ilpi_rewriter_open(out, image, request, emitter, NULL, error);
}

void ilp_rewriter_close(struct ilp_rewriter *rewriter)
{
    if (rewriter) {
        close_module(&rewriter->module);
        ilpi_scratch_close(&rewriter->scratch);
        ilpi_found_close(&rewriter->found);
        ilpi_object_close(&rewriter->alloc, sizeof *rewriter);
    }
}
