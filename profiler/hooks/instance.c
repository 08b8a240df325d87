/* Resolves type parameters. See instance.h. Instantiations over classes share code, and the runtime
 * reports System.__Canon for these: a class. An argument that is an instance of a generic struct is
 * unknown. */
#include "profiler/hooks/instance.h"

#include "types/core_type.h"
#include "types/value_type.h"

#define IS_ARRAY ((HRESULT)0x80131365) /* CORPROF_E_CLASSID_IS_ARRAY */

/* More type arguments than INSTANCE_LIMIT are treated as unknown, and so are values of these
 * types. */
void hooks_instance_of(struct profiler *profiler, FunctionID function,
                       struct hooks_instance *instance)
{
    ClassID class = 0, parent;
    ModuleID module;
    ilp_token token;
    *instance = (struct hooks_instance){.class_count = 0};
    void *info = profiler->info;
    HRESULT result;
    result = CALL(ICorProfilerInfo2, GetFunctionInfo2,
                  info)(info, function, 0, &class, &module, &token, INSTANCE_LIMIT,
                        &instance->method_count, instance->of_method);
    if (result < 0 || instance->method_count > INSTANCE_LIMIT) {
        instance->method_count = 0;
    }
    if (class == 0) {
        return;
    }
    result = CALL(ICorProfilerInfo2, GetClassIDInfo2, info)(info, class, &module, &token, &parent,
                                                            INSTANCE_LIMIT, &instance->class_count,
                                                            instance->of_class);
    if (result < 0 || instance->class_count > INSTANCE_LIMIT) {
        instance->class_count = 0;
    }
}

/* False: unknown. */
static bool type_of(struct profiler *profiler, ClassID class, struct ilp_type *type,
                    struct ilp_image **image)
{
    ClassID parent;
    ModuleID module;
    ilp_token token;
    ULONG count = 0;
    HRESULT result = CALL(ICorProfilerInfo2, GetClassIDInfo2, profiler->info)(
        profiler->info, class, &module, &token, &parent, 0, &count, NULL);
    *type = (struct ilp_type){.element = ILP_ELEMENT_OBJECT};
    if (result < 0) {
        return result == IS_ARRAY;
    }
    struct module *found = module_find(profiler, module);
    struct ilp_image *own = found ? module_types(profiler, found) : NULL;
    if (!own || ILP_TOKEN_TABLE(token) != ILP_TypeDef) {
        return false;
    }
    *image = own;
    if (ilpi_is_value_type_def(own, ILP_TOKEN_RID(token))) {
        type->element = ILP_ELEMENT_VALUETYPE;
        type->token = token;
        return count == 0;
    }
    if (ilpi_is_core_type((struct ilpi_type_def){own, ILP_TOKEN_RID(token)}, "String")) {
        type->element = ILP_ELEMENT_STRING;
    }
    return true;
}

/* In `room`, with its image in *image; the type itself if it is no parameter, or unknown. */
const struct ilp_type *hooks_instance_type(struct profiler *profiler,
                                           const struct hooks_instance *instance,
                                           const struct ilp_type *type, struct ilp_type *room,
                                           struct ilp_image **image)
{
    bool of_method = type->element == ILP_ELEMENT_MVAR;
    const ClassID *classes = of_method ? instance->of_method : instance->of_class;
    ULONG count = of_method ? instance->method_count : instance->class_count;
    struct ilp_image *own = *image;
    if ((type->element != ILP_ELEMENT_VAR && !of_method) || type->number >= count ||
        classes[type->number] == 0) {
        return type;
    }
    if (type_of(profiler, classes[type->number], room, &own)) {
        *image = own;
        return room;
    }
    return type;
}
