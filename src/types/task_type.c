/* Tasks by name, and what C# calls task-like: a type that says which builder makes it (C# language
 * specification, 15.14.2). See task_type.h.
 */
#include "types/task_type.h"

/* The class or struct that a type is an instance of; NULL for types without a name. */
static const struct ilp_type *named_type(const struct ilp_type *type)
{
    const struct ilp_type *named = type->element == ILP_ELEMENT_GENERICINST ? type->inner : type;
    bool has_token = named->element == ILP_ELEMENT_CLASS || named->element == ILP_ELEMENT_VALUETYPE;
    return has_token ? named : NULL;
}

bool ilpi_task_result(const struct ilp_image *image, const struct ilp_type *type,
                      const struct ilp_type **result)
{
    const struct ilp_type *named = named_type(type);
    if (!named) {
        return false;
    }
    const char *name_space;
    const char *name;
    ilpi_type_name(image, named->token, &name_space, &name);
    bool generic = type->element == ILP_ELEMENT_GENERICINST;
    *result = generic ? named->next : NULL;
    return strcmp(name_space, "System.Threading.Tasks") == 0 &&
           (strcmp(name, generic ? "Task`1" : "Task") == 0 ||
            strcmp(name, generic ? "ValueTask`1" : "ValueTask") == 0);
}

ilp_status ilpi_is_task(struct ilp_image *image, const struct ilp_type *type,
                        const struct ilp_resolver *resolver, enum ilp_truth *answer,
                        ilp_token *unresolved, struct ilp_error *error)
{
    const struct ilp_type *named = named_type(type);
    const struct ilp_type *result;
    struct ilpi_type_def def;
    *unresolved = 0;
    *answer = ilpi_task_result(image, type, &result) ? ILP_YES : ILP_NO;
    if (*answer == ILP_YES || !named) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_resolve_type(image, named->token, resolver, &def, error));
    if (!def.image) {
        *answer = ILP_UNKNOWN;
        *unresolved = named->token;
    } else if (ilpi_has_attribute(def.image, ILP_TOKEN(ILP_TypeDef, def.rid),
                                  "System.Runtime.CompilerServices",
                                  "AsyncMethodBuilderAttribute")) {
        *answer = ILP_YES;
    }
    return ILP_OK;
}
