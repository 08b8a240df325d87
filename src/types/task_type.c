/* Tasks by name, and C#'s task-like types: those that name their builder (C# language
 * specification, 15.14.2). See task_type.h. */
#include "types/task_type.h"

/* The class or struct that a type is an instance of; NULL for types without a name. */
static const struct ilp_type *named_type(const struct ilp_type *type)
{
    const struct ilp_type *named = type->element == ILP_ELEMENT_GENERICINST ? type->inner : type;
    bool has_token = named->element == ILP_ELEMENT_CLASS || named->element == ILP_ELEMENT_VALUETYPE;
    return has_token ? named : NULL;
}

/* The name decides, not the assembly: Task is in mscorlib, System.Runtime or
 * System.Private.CoreLib, depending on what the program was compiled against. */
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
    /* the arguments of an instance follow its type */
    *result = generic ? named->next : NULL;
    return strcmp(name_space, "System.Threading.Tasks") == 0 &&
           (strcmp(name, generic ? "Task`1" : "Task") == 0 ||
            strcmp(name, generic ? "ValueTask`1" : "ValueTask") == 0);
}

/* For task-like types the definition has to be looked at, since the attribute is on it. Without
 * that the answer is UNKNOWN, and the caller reports which type was missing. */
enum ilp_tristate ilpi_is_task(struct ilp_image *image, const struct ilp_type *type,
                               const struct ilp_resolver *resolver, ilp_token *unresolved)
{
    const struct ilp_type *named = named_type(type);
    const struct ilp_type *result;
    *unresolved = 0;
    if (ilpi_task_result(image, type, &result)) {
        return ILP_YES;
    }
    if (!named) {
        return ILP_NO;
    }
    struct ilpi_type_def def = ilpi_resolve_type(image, named->token, resolver);
    if (!def.image) {
        *unresolved = named->token;
        return ILP_UNKNOWN;
    }
    return ilpi_has_attribute(def.image, ILP_TOKEN(ILP_TypeDef, def.rid),
                              "System.Runtime.CompilerServices", "AsyncMethodBuilderAttribute")
               ? ILP_YES
               : ILP_NO;
}
