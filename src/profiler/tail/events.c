/* A session of EventPipe in the process. See events.h. */
#include "profiler/tail/events.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/status.h"
#include "profiler/tail/event.h"
#include "profiler/wide.h"
#include "tool.h"

static const char runtime_provider[] = "Microsoft-Windows-DotNETRuntime";

bool events_start(struct events *events, void *unknown)
{
    struct guid id = guid_of(ID_ICorProfilerInfo12);
    void *info = NULL;
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &id, &info) < 0) {
        status_line("tail-failed",
                    "the runtime is older than .NET 5 and gives no events to profilers (ICorProfilerInfo12)");
        return false;
    }
    struct ilp_bytes text = {(const uint8_t *)runtime_provider, sizeof runtime_provider - 1};
    WCHAR *name = need(wide_of(text, NULL));
    struct event_provider provider = {name, EVENTS_KEYWORD_JIT_TRACING, EVENTS_LEVEL_VERBOSE, NULL};
    HRESULT result = CALL(ICorProfilerInfo12, EventPipeStartSession, info)(info, 1, &provider, 0, &events->session);
    free(name);
    if (result < 0) {
        status_line("tail-failed", "the runtime gives no events (%08X of EventPipeStartSession)", (unsigned)result);
        events->session = 0;
        CALL(IUnknown, Release, info)(info);
        return false;
    }
    events->info = info;
    return true;
}

void events_stop(struct events *events)
{
    if (events->session != 0) {
        CALL(ICorProfilerInfo12, EventPipeStopSession, events->info)(events->info, events->session);
        events->session = 0;
    }
}

void events_close(struct events *events)
{
    events_stop(events);
    if (events->info) {
        CALL(IUnknown, Release, events->info)(events->info);
        events->info = NULL;
    }
}

bool events_are_of_runtime(const struct events *events, uintptr_t provider)
{
    WCHAR name[2 * sizeof runtime_provider] = {0};
    char text[sizeof runtime_provider * 3];
    ULONG length;
    HRESULT result = CALL(ICorProfilerInfo12, EventPipeGetProviderInfo, events->info)(
        events->info, provider, sizeof name / sizeof name[0], &length, name);
    if (result < 0) {
        return false;
    }
    narrow_into(text, sizeof text, (const uint8_t *)name, sizeof runtime_provider); /* with the NUL */
    return strcmp(text, runtime_provider) == 0;
}
