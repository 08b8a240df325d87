/* Binds inspectors to a module: checks what rules request of them, and sets the scopes that calls
 * refer to. With embedding the scope is the module itself, else an AssemblyRef that is made at the
 * first call.
 *
 *   inspector             scope of its methods
 *   referenced            an AssemblyRef
 *   embedded now          TypeDefs that embed/ adds to this module
 *   embedded before       the class that is found in the module (embedded.h)
 *   native                P/Invoke methods, or addresses in a running process
 *   stand-in              another inspector, which only notes the call
 *
 * All checks are made when the module is opened, so that a wrong request fails before the first
 * method. */
#include "inspect/binding.h"

#include "inspect/embed/embed.h"
#include "inspect/embed/embedded.h"
#include "inspect/inspector_target.h"
#include "inspect/native/native.h"

static bool has_pass(const struct ilp_inspector *inspector, uint8_t pass)
{
    bool has = false;
    for (unsigned form = 0; form < ILPI_OVERLOAD_FORMS; form++) {
        has = has || inspector->forms[form][pass];
    }
    return has;
}

/* Whether the inspector has a form that the rule action requests. */
static bool has_form(const struct ilp_inspector *inspector, const struct ilp_rule_action *action)
{
    return has_pass(inspector, action->pass) ||
           (action->pass == ILP_PASS_NAME &&
            (has_pass(inspector, ILP_PASS_VALUE) || inspector->native));
}

/* Whether it takes arguments, if requested, and their state after the value. */
static bool takes_arguments(const struct ilp_inspector *inspector,
                            const struct ilp_rule_action *action)
{
    return !action->arguments || (inspector->native && inspector->native->arguments.enter != 0) ||
           (inspector->arguments &&
            (inspector->stateful[action->pass] ||
             (action->pass == ILP_PASS_NAME && inspector->stateful[ILP_PASS_VALUE])));
}

/* Whether it takes exceptions, if requested. */
static bool takes_exceptions(const struct ilp_inspector *inspector,
                             const struct ilp_rule_action *action)
{
    return !action->exceptions ||
           ilpi_exception_overload(inspector, action->pass, action->arguments);
}

/* A guard has no use for native code, which throws no managed exceptions. */
static bool is_guardable(const struct ilp_inspector *inspector,
                         const struct ilp_rule_action *action)
{
    bool catches = action->guard || action->on_throw > 1 + ILP_ON_THROW_PASS;
    return !catches || !inspector->native;
}

/* Resolves what the rule leaves open, and what is not available here. on_throw is 0 for "not said"
 * and else one more than its enumerator. */
static void decide_on_throw(const struct ilpi_module_context *module,
                            const struct ilp_inspector *inspector, struct ilp_rule_action *action)
{
    const struct ilp_off_switch *off = module->off_switches && !inspector->native
                                           ? &module->off_switches[action->inspector]
                                           : NULL;
    bool can = off && off->flag != 0;
    if (action->on_throw == 0) {
        unsigned usual = can && off->is_usual ? ILP_ON_THROW_OFF : ILP_ON_THROW_PASS;
        action->on_throw = (uint8_t)(1 + (action->guard ? ILP_ON_THROW_KEEP : usual));
    }
    if (action->on_throw == 1 + ILP_ON_THROW_OFF && !can) {
        action->on_throw = 1 + ILP_ON_THROW_KEEP;
    }
    action->guard = action->on_throw != 1 + ILP_ON_THROW_PASS;
}

static bool needs_stand_in(const struct ilp_request *request, size_t number)
{
    return request->stand_in && !request->inspectors[number]->native;
}

static const struct ilp_inspector *called_inspector(const struct ilp_request *request,
                                                    size_t number)
{
    return needs_stand_in(request, number) ? request->stand_in : request->inspectors[number];
}

/* What rules request is checked before anything is written. Disabled and excluding rules have no
 * inspector. */
static ilp_status check_rules(const struct ilp_request *request, struct ilp_error *error)
{
    uint32_t count = request->rules ? ilp_rules_count(request->rules) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ilp_rule rule;
        ilp_rules_get(request->rules, i, &rule);
        if (rule.exclude || !rule.enabled) {
            continue;
        }
        if (rule.action.inspector >= request->inspector_count) {
            return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                             "the inspector of the rule in line %u was not given", rule.line);
        }
        const struct ilp_inspector *inspector = called_inspector(request, rule.action.inspector);
        if (!takes_arguments(inspector, &rule.action)) {
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                             "%s takes no arguments, which the rule in line %u of %s requests: it "
                             "needs `object MyArguments(object[])`, and a method that takes a "
                             "value, what pass= says, and an object",
                             inspector->identity.name, rule.line, rule.file);
        }
        if (!takes_exceptions(inspector, &rule.action)) {
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                             "%s takes no exceptions, which the rule in line %u of %s requests: it "
                             "needs a method MyException that takes an object%s, and what pass= "
                             "says",
                             inspector->identity.name, rule.line, rule.file,
                             rule.action.arguments ? ", the state as its last parameter" : "");
        }
        if (needs_stand_in(request, rule.action.inspector)) {
            continue;
        }
        if (!is_guardable(inspector, &rule.action)) {
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                             "%s is native code, which the rule in line %u of %s cannot guard: "
                             "leave out guard=\"yes\"",
                             inspector->identity.name, rule.line, rule.file);
        }
        if (!has_form(inspector, &rule.action)) {
            static const char *const second[ILP_PASS_COUNT] = {
                [ILP_PASS_NAME] = "alone or with a name",
                [ILP_PASS_VALUE] = "alone",
                [ILP_PASS_ID] = "and an id (a long)",
                [ILP_PASS_HANDLE] = "and a RuntimeMethodHandle"};
            static const char *const words[ILP_PASS_COUNT] = {"name", "value", "id", "handle"};
            return ilpi_fail(
                error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                "%s has no method that takes a value %s, which the rule in line %u of %s requests "
                "with pass=\"%s\"",
                inspector->identity.name, second[rule.action.pass], rule.line, rule.file,
                words[rule.action.pass]);
        }
    }
    return ILP_OK;
}

static ilp_status remember_overloads(struct ilpi_module_context *module,
                                     struct ilpi_inspector_binding *binding,
                                     struct ilp_error *error)
{
    size_t size = ILPI_REMEMBERED_OVERLOADS * sizeof *binding->remembered;
    binding->remembered = ilpi_arena_alloc(&module->arena, size);
    return binding->remembered ? ILP_OK : ilpi_fail_memory(error, size);
}

static bool has_typed(const struct ilp_inspector *inspector)
{
    bool typed = false;
    for (size_t i = 0; i < inspector->overload_count; i++) {
        typed = typed || inspector->overloads[i].form == ILPI_OVERLOAD_TYPED;
    }
    return typed;
}

/* What is known of an inspector for all methods of the module: whether an earlier patch embedded
 * it, which of its overloads calls exist already, and whether it may be called from here at all (a
 * target that it depends on would call itself). */
static ilp_status bind_inspector(struct ilpi_module_context *module,
                                 const struct ilp_resolver *resolver,
                                 struct ilpi_inspector_binding *binding, struct ilp_error *error)
{
    const struct ilp_inspector *inspector = binding->inspector;
    binding->embedded = ilpi_embedded_class(inspector, module->image);
    if (has_typed(inspector)) {
        ILPI_TRY(remember_overloads(module, binding, error));
    }
    if (inspector->native) {
        return ilpi_native_open(module, binding, error);
    }
    /* In a core library the inspector calls the module's own code, and has to guard itself. A
     * facade calls nothing. */
    if (!ilpi_is_core_library(module) && module->image->tables[ILP_MethodDef].count != 0) {
        ILPI_TRY(ilpi_inspector_check_target(inspector, module->image, resolver, error));
    }
    return ilpi_inspector_calls(inspector, module->image, &module->arena, &module->inspector_calls,
                                error);
}

/* A core library has no reference out of it, except those forwarded back into it. */
static ilp_status check_core_library(const struct ilpi_module_context *module,
                                     const struct ilp_request *request, struct ilp_error *error)
{
    bool refers = false; /* a native function needs no AssemblyRef */
    for (size_t i = 0; i < request->inspector_count; i++) {
        refers = refers || !called_inspector(request, i)->native;
    }
    return !ilpi_is_core_library(module) || request->embed || !module->emitter || !refers
               ? ILP_OK
               : ilpi_fail(error, ILP_E_CORE_LIBRARY, ILPI_NO_OFFSET, 0,
                           "a core library: it defines System.Object and cannot refer to an "
                           "inspector, but can "
                           "hold one: --embed");
}

/* One binding for each inspector of the request, by its number, which is that in rules. An
 * inspector that cannot be bound is an error here, and not for each method. */
ilp_status ilpi_bindings_open(struct ilpi_module_context *module, const struct ilp_request *request,
                              struct ilp_error *error)
{
    ILPI_TRY(check_core_library(module, request, error));
    module->bindings = ilpi_arena_array(&module->arena, request->inspector_count,
                                        sizeof *module->bindings);
    if (!module->bindings) {
        return ilpi_fail_memory(error, request->inspector_count * sizeof *module->bindings);
    }
    module->binding_count = request->inspector_count;
    for (size_t i = 0; i < request->inspector_count; i++) {
        module->bindings[i].inspector = called_inspector(request, i);
        module->bindings[i].made = &module->made->bindings[i];
        module->bindings[i].stands_in = needs_stand_in(request, i);
        ILPI_TRY(bind_inspector(module, request->resolver, &module->bindings[i], error));
    }
    return check_rules(request, error);
}

void ilpi_bindings_close(struct ilpi_module_context *module)
{
    for (size_t i = 0; i < module->binding_count; i++) {
        ilpi_embed_close(module->bindings[i].embedding);
    }
}

/* ---- embedding ---- */

/* The class was embedded before: another version of it will do, if its methods match. Overloads
 * that are called only on request may be missing: they are refused when a rule requests them. */
static ilp_status use_embedded(struct ilpi_module_context *module,
                               struct ilpi_inspector_binding *binding, struct ilp_error *error)
{
    const struct ilp_inspector *inspector = binding->inspector;
    binding->embedded_methods = ilpi_arena_array(&module->arena, inspector->overload_count,
                                                 sizeof *binding->embedded_methods);
    if (!binding->embedded_methods) {
        return ilpi_fail_memory(error,
                                inspector->overload_count * sizeof *binding->embedded_methods);
    }
    for (size_t i = 0; i < inspector->overload_count; i++) {
        const struct ilpi_overload *overload = &inspector->overloads[i];
        ILPI_TRY(ilpi_embedded_method(module->image, binding->embedded, &inspector->overloads[i],
                                      inspector->assembly, module->alloc,
                                      &binding->embedded_methods[i], error));
        if (binding->embedded_methods[i] == 0 && !ilpi_overload_is_on_request(overload)) {
            return ilpi_fail(
                error, ILP_E_CANNOT_EMBED, ILPI_NO_OFFSET,
                ILP_TOKEN(ILP_TypeDef, binding->embedded),
                "another version of %.100s is embedded already, and has no %s like that one",
                inspector->identity.name, inspector->overloads[i].name);
        }
    }
    return ILP_OK;
}

/* Opened, which plans each embedding; rows are added at the first call only, so an inspector that
 * no method of the module needs leaves no trace. */
ilp_status ilpi_bindings_embed(struct ilpi_module_context *module, struct ilp_edit *edit,
                               struct ilp_error *error)
{
    struct ilpi_embed_request request = {
        .alloc = module->alloc,
        .to = module->image,
        .edit = edit,
        .emitter = module->emitter,
        .resolver = module->resolver,
        .core_scope = module->core.token,
        .core_name = module->core.name,
    };
    for (size_t i = 0; i < module->binding_count; i++) {
        struct ilpi_inspector_binding *binding = &module->bindings[i];
        request.inspector = binding->inspector;
        if (binding->inspector->native) { /* there is nothing to copy */
            continue;
        }
        ILPI_TRY(binding->embedded != 0 ? use_embedded(module, binding, error)
                                        : ilpi_embed_open(&binding->embedding, &request, error));
    }
    return ILP_OK;
}

ilp_status ilpi_bindings_check_embedded(const struct ilpi_module_context *module,
                                        struct ilp_error *error)
{
    for (size_t i = 0; i < module->binding_count; i++) {
        if (module->bindings[i].embedding) {
            ILPI_TRY(ilpi_embed_failure(module->bindings[i].embedding, error));
        }
    }
    return ILP_OK;
}

/* ---- one inspector ---- */

/* The stand-in takes a value and a name alone, so the rule action is reduced to that. */
ilp_status ilpi_binding_choose(const struct ilpi_module_context *module, ilp_token method,
                               struct ilp_rule_action *action,
                               struct ilpi_inspector_binding **binding, struct ilp_error *error)
{
    *binding = action->inspector < module->binding_count ? &module->bindings[action->inspector]
                                                         : NULL;
    if (*binding && (*binding)->stands_in) {
        action->pass = ILP_PASS_NAME;
        action->guard = false;
        action->on_throw = 1 + ILP_ON_THROW_PASS;
        action->arguments = false;
        action->exceptions = false;
    }
    if (!*binding || !has_form((*binding)->inspector, action) ||
        !is_guardable((*binding)->inspector, action) ||
        !takes_arguments((*binding)->inspector, action) ||
        !takes_exceptions((*binding)->inspector, action)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                         "inspector %u is missing or lacks the requested method",
                         action->inspector);
    }
    decide_on_throw(module, (*binding)->inspector, action);
    bool ids = action->pass == ILP_PASS_ID || (*binding)->inspector->native;
    return ids && module->module_number == 0 && module->emitter
               ? ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, method,
                           "ids are to be passed, but the request has no module_number for them")
               : ILP_OK;
}
