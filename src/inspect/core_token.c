/* Tokens of types, made once for a module. Named ones of the core library are in its scope, see
 * core_scope.c. */
#include "inspect/core_token.h"

ilp_status ilpi_core_token(struct ilpi_module_context *module, const char *name_space,
                           const char *name, ilp_token *token, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = module->emitter;
    if (*token != 0) {
        return ILP_OK;
    }
    if (ilpi_is_core_library(module)) {
        ilp_rid type = ilpi_find_type(module->image, 0, name_space, name);
        *token = type != 0 ? ILP_TOKEN(ILP_TypeDef, type) : 0;
        return type != 0 ? ILP_OK
                         : ilpi_fail(error, ILP_E_BAD_METADATA, ILPI_NO_OFFSET, 0,
                                     "a core library without %s.%s", name_space, name);
    }
    if (module->core.token == 0) {
        ILPI_TRY(
            emitter->assembly_ref(emitter->user, &module->core.name, &module->core.token, error));
    }
    return emitter->type_ref(emitter->user, module->core.token, name_space, name, token, error);
}

ilp_status ilpi_object_token(struct ilpi_module_context *module, ilp_token *token,
                             struct ilp_error *error)
{
    ILPI_TRY(ilpi_core_token(module, "System", "Object", &module->object, error));
    *token = module->object;
    return ILP_OK;
}

ilp_status ilpi_box_token(struct ilpi_module_context *module, const struct ilpi_decision *decision,
                          ilp_token *token, struct ilp_error *error)
{
    switch (decision->box) {
    case ILPI_BOX_PRIMITIVE:
        ILPI_TRY(ilpi_core_token(module, "System", ilpi_element_system_name(decision->element),
                                 &module->primitives[decision->element], error));
        *token = module->primitives[decision->element];
        return ILP_OK;
    case ILPI_BOX_NAMED: *token = decision->type; return ILP_OK;
    case ILPI_BOX_SPEC:
        return module->emitter->type_spec(module->emitter->user, decision->spec, token, error);
    case ILPI_BOX_NONE: break;
    }
    *token = 0;
    return ILP_OK;
}
