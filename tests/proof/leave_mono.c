/* A profiler for Mono that only looks: of each method in $PROOF_METHODS of the program's own
 * assembly it writes what mono_profiler_call_context_get_result() gives in method_leave, as
 * "token size bytes"; "token tailcall" for method_tail_call. Without $PROOF_CONTEXT no context is
 * requested, and no value is written: what the hook alone does to the program. */
#include <mono/metadata/appdomain.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/profiler.h>
#include <string.h>

#include "../runtime/native/lines.h"
#include "wanted.h"

static MonoProfilerCallInstrumentationFlags flags = MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
                                                    MONO_PROFILER_CALL_INSTRUMENTATION_TAIL_CALL;

void mono_profiler_init_proof(const char *description);

static MonoProfilerCallInstrumentationFlags filter(MonoProfiler *profiler, MonoMethod *method)
{
    MonoImage *image = mono_class_get_image(mono_method_get_class(method));
    bool wanted = strcmp(mono_image_get_name(image), "Proof") == 0 &&
                  is_wanted(mono_method_get_token(method));
    (void)profiler;
    return wanted ? flags : MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

static uint32_t size_of(MonoMethod *method)
{
    MonoType *type = mono_signature_get_return_type(mono_method_signature(method));
    MonoClass *class = mono_class_from_mono_type(type);
    return mono_type_is_byref(type) || !mono_class_is_valuetype(class) ||
                   mono_type_get_type(type) == MONO_TYPE_PTR
               ? (uint32_t)sizeof(void *)
               : (uint32_t)mono_class_value_size(class, NULL);
}

static void leave(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
    (void)profiler;
    void *value = context ? mono_profiler_call_context_get_result(context) : NULL;
    put_value(mono_method_get_token(method), value, size_of(method));
    if (value) {
        mono_profiler_call_context_free_buffer(value);
    }
}

static void tail_call(MonoProfiler *profiler, MonoMethod *method, MonoMethod *target)
{
    char line[64];
    (void)profiler, (void)target;
    snprintf(line, sizeof line, "%u tailcall\n", mono_method_get_token(method));
    put(line);
}

static void at_end(MonoProfiler *profiler)
{
    (void)profiler;
    write_lines();
}

void mono_profiler_init_proof(const char *description)
{
    MonoProfilerHandle handle = mono_profiler_create(NULL);
    (void)description;
    read_wanted();
    if (getenv("PROOF_CONTEXT")) {
        mono_profiler_enable_call_context_introspection();
        flags |= MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE_CONTEXT;
    }
    mono_profiler_set_call_instrumentation_filter_callback(handle, filter);
    mono_profiler_set_method_leave_callback(handle, leave);
    mono_profiler_set_method_tail_call_callback(handle, tail_call);
    mono_profiler_set_runtime_shutdown_end_callback(handle, at_end);
}
