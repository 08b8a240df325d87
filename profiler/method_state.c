/* Answers queries of methods. See method_state.h. */
#include "profiler/method_state.h"

#include <string.h>

#include "host/path.h"
#include "profiler/profiler.h"

/* In the order of enum method_state, of which the greatest of several modules is the answer. */
static enum method_state state_of(const struct module *module, const struct method *method)
{
    if (!module->inspection || module->is_left) {
        return METHOD_IS_MODULE_LEFT;
    }
    if (!method) {
        return METHOD_IS_NOT_MET;
    }
    if (method->is_given_up) {
        return METHOD_IS_GIVEN_UP;
    }
    if (method->body) {
        return method->is_compiled ? METHOD_IS_COMPILED : METHOD_IS_REQUESTED;
    }
    return method->is_decided ? METHOD_IS_LEFT : METHOD_IS_FAILED;
}

/* A path from the runtime may contain links, one from outside does not. */
static bool is_at(const struct module *module, const char *path)
{
    return module->path && (strcmp(module->path, path) == 0 ||
                            (strcmp(path_name(module->path), path_name(path)) == 0 &&
                             file_is_same(module->path, path)));
}

/* A module may be loaded several times; the state that is furthest counts. */
struct method_reply method_state_find(struct profiler *profiler, ilp_token method, const char *path)
{
    struct method_reply reply = {.state = METHOD_IS_NO_MODULE};
    uint32_t rid = ILP_TOKEN_RID(method);
    pthread_mutex_lock(&profiler->lock);
    for (const struct module *module = profiler->modules; module; module = module->next) {
        if (!is_at(module, path)) {
            continue;
        }
        const struct method *found = module->methods && rid <= module->method_count
                                         ? module->methods[rid]
                                         : NULL;
        enum method_state state = state_of(module, found);
        reply.modules++;
        if (state > reply.state) {
            reply.state = state;
            reply.reason = found ? (enum ilp_reason)found->reason : ILP_REASON_INSPECTED;
        }
    }
    pthread_mutex_unlock(&profiler->lock);
    return reply;
}
