/* A rewriter, opened and closed: what was asked for is checked against the inspectors, before anything is written. */
#include "inspect/embed/embed.h"
#include "inspect/native/native.h"
#include "inspect/rewrite.h"

static void share_alloc(struct ilp_rewriter *rewriter)
{
    struct ilpi_alloc *alloc = &rewriter->alloc;
    rewriter->arena.alloc = alloc;
    rewriter->scratch.alloc = alloc;
    rewriter->code.alloc = alloc;
    rewriter->stack.alloc = alloc;
    rewriter->patch.alloc = alloc;
    rewriter->name.alloc = alloc;
    rewriter->body.alloc = alloc;
}

bool ilpi_has_form(const struct ilp_inspector *inspector, const struct ilp_treatment *treatment)
{
    bool has[ILP_PASS_COUNT] = {false};
    for (unsigned form = 0; form < ILPI_OVERLOAD_FORMS; form++) {
        for (unsigned pass = 0; pass < ILP_PASS_COUNT; pass++) {
            has[pass] = has[pass] || inspector->forms[form][pass];
        }
    }
    return has[treatment->pass] ||
           (treatment->pass == ILP_PASS_NAME && (has[ILP_PASS_VALUE] || inspector->native));
}

bool ilpi_is_guardable(const struct ilp_inspector *inspector, const struct ilp_treatment *treatment)
{
    return !treatment->guard || !inspector->native;
}

static bool needs_stand_in(const struct ilp_request *request, size_t number)
{
    return request->stand_in && !request->inspectors[number]->native;
}

static const struct ilp_inspector *called_inspector(const struct ilp_request *request, size_t number)
{
    return needs_stand_in(request, number) ? request->stand_in : request->inspectors[number];
}

/* What rules ask for is checked before anything is written. */
static ilp_status check_rules(const struct ilp_request *request, struct ilp_error *error)
{
    uint32_t count = request->rules ? ilp_rules_count(request->rules) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.exclude || !rule.enabled) {
            continue;
        }
        if (rule.treatment.inspector >= request->inspector_count) {
            return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                             "the inspector of the rule in line %u was not given", rule.line);
        }
        const struct ilp_inspector *inspector = called_inspector(request, rule.treatment.inspector);
        if (needs_stand_in(request, rule.treatment.inspector)) {
            continue;
        }
        if (!ilpi_is_guardable(inspector, &rule.treatment)) {
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                             "%s is native code, which the rule in line %u of %s cannot guard: leave out guard=\"yes\"",
                             inspector->identity.name, rule.line, rule.file);
        }
        if (!ilpi_has_form(inspector, &rule.treatment)) {
            static const char *const behind[ILP_PASS_COUNT] = {
                [ILP_PASS_NAME] = "alone or with a name", [ILP_PASS_VALUE] = "alone",
                [ILP_PASS_ID] = "and an id (a long)", [ILP_PASS_HANDLE] = "and a RuntimeMethodHandle"};
            static const char *const words[ILP_PASS_COUNT] = {"name", "value", "id", "handle"};
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                             "%s has no method that takes a value %s, which the rule in line %u of %s asks for "
                             "with pass=\"%s\"",
                             inspector->identity.name, behind[rule.treatment.pass], rule.line, rule.file,
                             words[rule.treatment.pass]);
        }
    }
    return ILP_OK;
}

static ilp_status remember_overloads(struct ilp_rewriter *rewriter, struct ilpi_inspector_binding *binding,
                                  struct ilp_error *error)
{
    size_t size = ILPI_REMEMBERED_OVERLOADS * sizeof *binding->remembered;
    binding->remembered = ilpi_arena_alloc(&rewriter->arena, size);
    return binding->remembered ? ILP_OK : ilpi_fail_memory(error, size);
}

static bool has_typed(const struct ilp_inspector *inspector)
{
    bool typed = false;
    for (unsigned pass = 0; pass < ILP_PASS_COUNT; pass++) {
        typed = typed || inspector->forms[ILPI_OVERLOAD_TYPED][pass];
    }
    return typed;
}

static ilp_status set_bindings(struct ilp_rewriter *rewriter, const struct ilp_request *request,
                              struct ilp_error *error)
{
    rewriter->bindings =
        ilpi_arena_array(&rewriter->arena, request->inspector_count, sizeof *rewriter->bindings);
    if (!rewriter->bindings) {
        return ilpi_fail_memory(error, request->inspector_count * sizeof *rewriter->bindings);
    }
    rewriter->binding_count = request->inspector_count;
    for (size_t i = 0; i < request->inspector_count; i++) {
        const struct ilp_inspector *inspector = called_inspector(request, i);
        rewriter->bindings[i].inspector = inspector;
        rewriter->bindings[i].stands_in = needs_stand_in(request, i);
        rewriter->bindings[i].embedded = ilpi_embedded_class(inspector, rewriter->image);
        if (has_typed(inspector)) {
            ILPI_TRY(remember_overloads(rewriter, &rewriter->bindings[i], error));
        }
        if (inspector->native) {
            ILPI_TRY(ilpi_native_open(rewriter, &rewriter->bindings[i], error));
            continue;
        }
        /* In a core library it uses what stands around it, and has to guard itself. A facade calls nobody. */
        bool calls = !ilpi_is_core_library(rewriter) && rewriter->image->tables[ILP_MethodDef].count != 0;
        if (calls) {
            ILPI_TRY(
                ilpi_inspector_check_target(inspector, rewriter->image, request->resolver, error));
        }
        ILPI_TRY(ilpi_inspector_calls(inspector, rewriter->image, &rewriter->arena,
                                      &rewriter->inspector_calls, error));
    }
    return check_rules(request, error);
}

/* A core library refers to nothing: no reference leads out of it that is not led back into it. */
static ilp_status check_core_library(const struct ilp_rewriter *rewriter,
                                     const struct ilp_request *request, struct ilp_error *error)
{
    bool refers = false; /* a native function needs no reference */
    for (size_t i = 0; i < request->inspector_count; i++) {
        refers = refers || !called_inspector(request, i)->native;
    }
    return !ilpi_is_core_library(rewriter) || request->embed || !rewriter->emitter || !refers
               ? ILP_OK
               : ilpi_fail(error, ILP_E_CORE_LIBRARY, ILPI_NO_OFFSET, 0,
                           "a core library: it defines System.Object and cannot refer to an inspector, but can "
                           "hold one: --embed");
}

ilp_status ilp_rewriter_open(struct ilp_rewriter **out, struct ilp_image *image,
                             const struct ilp_request *request, const struct ilp_emitter *emitter,
                             struct ilp_error *error)
{
    *out = NULL;
    struct ilp_rewriter *rewriter = ilpi_object_open(sizeof *rewriter, request->allocator, error);
    if (!rewriter) {
        return ILP_E_NO_MEMORY;
    }
    rewriter->image = image;
    rewriter->resolver = request->resolver;
    rewriter->emitter = emitter;
    rewriter->module_number = request->module_number;
    rewriter->budget = ilpi_budget_of(image->pe.bytes.size);
    share_alloc(rewriter);
    ilp_status status = ilpi_policy_init(&rewriter->policy, image, request->resolver,
                                         &rewriter->alloc, &rewriter->arena, error);
    if (status == ILP_OK) {
        status = ilpi_call_shapes_init(&rewriter->call_shapes, image, &rewriter->arena, error);
    }
    if (status == ILP_OK) {
        status = ilpi_core_scope_find(rewriter, request->resolver, error);
    }
    if (status == ILP_OK) {
        status = check_core_library(rewriter, request, error);
    }
    if (status == ILP_OK) {
        status = set_bindings(rewriter, request, error);
    }
    if (status != ILP_OK) {
        ilp_rewriter_close(rewriter);
        return status;
    }
    *out = rewriter;
    return ILP_OK;
}

void ilp_rewriter_close(struct ilp_rewriter *rewriter)
{
    if (!rewriter) {
        return;
    }
    for (size_t i = 0; i < rewriter->binding_count; i++) {
        ilpi_embed_close(rewriter->bindings[i].embedding);
    }
    ilpi_policy_free(&rewriter->policy);
    ilpi_arena_free(&rewriter->arena);
    ilpi_arena_free(&rewriter->scratch);
    ilpi_code_free(&rewriter->code);
    ilpi_stack_free(&rewriter->stack);
    ilpi_patch_free(&rewriter->patch);
    ilpi_buf_free(&rewriter->name);
    ilpi_buf_free(&rewriter->body);
    ilpi_resize(&rewriter->alloc, rewriter->insertions,
                rewriter->insertion_capacity * sizeof *rewriter->insertions, 0);
    ilpi_resize(&rewriter->alloc, rewriter->tail_sites,
                rewriter->tail_site_capacity * sizeof *rewriter->tail_sites, 0);
    ilpi_object_close(&rewriter->alloc, sizeof *rewriter);
}
