/* Tokens of types, made once for a module. Types of the core library get the scope that
 * core_scope.c finds. */
#include "inspect/core_token.h"

#include "metadata/flags.h"

/* *token is the memory of the caller: 0 means not made yet. In the core library itself the type is
 * a TypeDef; elsewhere a TypeRef, and perhaps an AssemblyRef first. */
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
    ILPI_TRY(ilpi_core_token(module, "System", "Object", &module->made->object, error));
    *token = module->made->object;
    return ILP_OK;
}

/* The operand of `box` (III.4.1), by how the value's type is known: a primitive by its class, a
 * type of the module by its own token, an instance by a TypeSpec. */
ilp_status ilpi_box_token(struct ilpi_module_context *module, const struct ilpi_decision *decision,
                          ilp_token *token, struct ilp_error *error)
{
    switch (decision->box) {
    case ILPI_BOX_PRIMITIVE:
        ILPI_TRY(ilpi_core_token(module, "System", ilpi_element_system_name(decision->element),
                                 &module->made->primitives[decision->element], error));
        *token = module->made->primitives[decision->element];
        return ILP_OK;
    case ILPI_BOX_NAMED: *token = decision->type; return ILP_OK;
    case ILPI_BOX_SPEC:
        return module->emitter->type_spec(module->emitter->user, decision->spec, token, error);
    case ILPI_BOX_NONE: break;
    }
    *token = 0;
    return ILP_OK;
}

/* ---- the thread ---- */

static const char threading[] = "System.Threading";
static const char thread_name[] = "Thread";
static const char current_thread[] = "get_CurrentThread";

/* The core library's definition of the class. The reference may be to a facade, such as
 * System.Runtime: the image that its forwarders give for System.Object is the core library. */
static struct ilpi_type_def find_thread(const struct ilpi_module_context *module)
{
    struct ilp_assembly_name name = module->core.name;
    struct ilpi_type_def core = {module->image, 0};
    if (!ilpi_is_core_library(module)) {
        if (module->core.token != 0) {
            ilpi_assembly_ref_name(module->image, ILP_TOKEN_RID(module->core.token), &name);
        }
        core.image =
            name.name ? ilpi_resolve_name(&name, "System", "Object", module->resolver, NULL).image
                      : NULL;
    }
    core.rid = core.image ? ilpi_find_type(core.image, 0, threading, thread_name) : 0;
    return core;
}

/* Whether it is `static Thread get_CurrentThread()`. */
static bool is_current(struct ilpi_type_def thread, ilp_rid method)
{
    const struct ilp_image *image = thread.image;
    uint32_t flags = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Flags);
    if ((flags & ILPI_METHOD_STATIC) == 0 ||
        !ilpi_string_is(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name),
                        current_thread)) {
        return false;
    }
    struct ilpi_cursor signature = ilpi_cursor_over(
        ilp_blob(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature)), 0,
        "signature", NULL);
    return ilpi_read_u8(&signature) == ILP_CALL_DEFAULT && ilpi_read_u8(&signature) == 0 &&
           ilpi_read_u8(&signature) == ILP_ELEMENT_CLASS &&
           ilpi_read_packed(&signature) ==
               ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, ILP_TOKEN(ILP_TypeDef, thread.rid)) &&
           signature.status == ILP_OK;
}

/* 0: it has none. */
static ilp_rid find_current(struct ilpi_type_def thread)
{
    ilp_rid first, end;
    ilpi_list(thread.image, ILP_TypeDef, thread.rid, ILP_TypeDef_MethodList, &first, &end);
    for (ilp_rid at = first; at < end; at++) {
        ilp_rid method = ilpi_list_row(thread.image, ILP_MethodDef, at);
        if (is_current(thread, method)) {
            return method;
        }
    }
    return 0;
}

/* A reference to it from another module. */
static ilp_status refer_to_current(struct ilpi_module_context *module,
                                   const struct ilp_assembly_name *core, ilp_token *token,
                                   struct ilp_error *error)
{
    const struct ilp_emitter *emitter = module->emitter;
    struct ilpi_buf signature = {.alloc = module->alloc};
    ilp_token parent;
    ILPI_TRY(emitter->assembly_ref(emitter->user, core, &parent, error));
    ILPI_TRY(emitter->type_ref(emitter->user, parent, threading, thread_name, &parent, error));
    ilpi_buf_u8(&signature, ILP_CALL_DEFAULT);
    ilpi_buf_u8(&signature, 0);
    ilpi_buf_u8(&signature, ILP_ELEMENT_CLASS);
    ilpi_buf_packed(&signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, parent));
    ilp_status status = signature.status == ILP_OK
                            ? emitter->member_ref(emitter->user, parent, current_thread,
                                                  ilpi_buf_bytes(&signature), token, error)
                            : ilpi_fail_memory(error, signature.size);
    ilpi_buf_free(&signature);
    return status;
}

/* Thread.get_CurrentThread(), if the core library that was found has it: a failed search is
 * remembered as well. */
ilp_status ilpi_current_thread_token(struct ilpi_module_context *module, ilp_token *token,
                                     struct ilp_error *error)
{
    ilp_token *made = &module->made->current_thread;
    if (*made == 0 && !module->made->has_no_thread) {
        struct ilpi_type_def thread = find_thread(module);
        struct ilp_assembly_name core = {.name = NULL};
        ilp_rid method = thread.rid != 0 ? find_current(thread) : 0;
        if (method != 0 && ilpi_is_core_library(module)) {
            *made = ILP_TOKEN(ILP_MethodDef, method);
        } else if (method != 0 && ilp_image_assembly_name(thread.image, &core)) {
            ILPI_TRY(refer_to_current(module, &core, made, error));
        }
        module->made->has_no_thread = *made == 0;
    }
    *token = *made;
    return ILP_OK;
}
