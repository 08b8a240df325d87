/* Native code in a ReadyToRun module, which would run instead of rewritten IL: of a method that is
 * inspected, and of those that have it inlined, which the image's own table tells
 * (ilp_inlining_open()). It is refused when the runtime looks for it, and the method is compiled;
 * all other native code stays in use. */
#include "profiler/profiler.h"
#include "profiler/status.h"

/* The table is read at the first question. A module whose table cannot be read has none of its
 * native code used. */
static bool has_table(struct module *module)
{
    struct ilp_error error;
    if (!module->inlining && !module->refuse_native &&
        ilp_inlining_open(&module->inlining, module->image, NULL, &error) != ILP_OK) {
        status_module(module->path, &error);
        module->refuse_native = true;
    }
    return module->inlining != NULL;
}

/* Of a method that itself stays as it is. */
static bool copies_are_right(struct profiler *profiler, struct module *module, ilp_token token)
{
    size_t count;
    if (!has_table(module)) {
        return false;
    }
    const ilp_rid *inlined = ilp_inlined(module->inlining, ILP_TOKEN_RID(token), &count);
    for (size_t i = 0; i < count; i++) {
        const struct method *copy = method_find(profiler, module,
                                                ILP_TOKEN(ILP_MethodDef, inlined[i]));
        if (copy && copy->body) {
            return false;
        }
    }
    return true;
}

bool native_code_is_right(struct profiler *profiler, struct module *module, ilp_token token)
{
    struct method *method = method_find(profiler, module, token);
    bool right = !method || (!method->body && copies_are_right(profiler, module, token));
    if (!right) {
        method->native_refused = true;
    }
    return right;
}
