/* Checks native code of a ReadyToRun module, which would run instead of rewritten IL: of inspected
 * methods, and of those that have inlined one, according to the image's own table
 * (ilp_inlining_open()). It is rejected when the runtime looks it up, and the method is compiled;
 * other native code stays in use. */
#include "profiler/profiler.h"
#include "profiler/status.h"

/* The table is read when first needed. If it cannot be read, all of the module's native code is
 * rejected. */
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

/* For a method that itself is not rewritten. */
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

/* False also for a method whose own native code is right, but has inlined one that is inspected: it
 * would run the old IL of that. */
bool native_code_is_right(struct profiler *profiler, struct module *module, ilp_token token)
{
    struct method *method = method_find(profiler, module, token);
    bool right = !method || (!method->body && copies_are_right(profiler, module, token));
    if (!right) {
        method->native_refused = true;
    }
    return right;
}
