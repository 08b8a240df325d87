/* Manages a session of EventPipe. See event_pipe.h. A session is one for the process: its events
 * arrive at one callback, which serves every user of them.
 *
 *   EventPipeStartSession (ICorProfilerInfo12, .NET 5)
 *     -> EventPipeEventDelivered, on the thread that compiles
 *     -> profiler/tail/, missed_inlines.c
 */
#include "profiler/clr/event_pipe.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/status.h"
#include "profiler/clr/wide.h"
#include "host/tool.h"

static const char runtime_provider[] = "Microsoft-Windows-DotNETRuntime";

bool event_pipe_start(struct event_pipe *pipe, void *unknown, const char *word)
{
    struct guid id = guid_of(ID_ICorProfilerInfo12);
    if (!pipe->info && CALL(IUnknown, QueryInterface, unknown)(unknown, &id, &pipe->info) < 0) {
        pipe->info = NULL;
        status_line(word, "the runtime is older than .NET 5 and delivers no events to profilers "
                          "(ICorProfilerInfo12)");
        return false;
    }
    struct ilp_bytes text = {(const uint8_t *)runtime_provider, sizeof runtime_provider - 1};
    WCHAR *name = wide_of(text, NULL);
    if (!name) {
        memory_failed();
        status_line(word, "out of memory");
        return false;
    }
    struct event_provider provider = {name, EVENTS_KEYWORD_JIT_TRACING, EVENTS_LEVEL_VERBOSE, NULL};
    HRESULT result = CALL(ICorProfilerInfo12, EventPipeStartSession,
                          pipe->info)(pipe->info, 1, &provider, 0, &pipe->session);
    free(name);
    if (result < 0) {
        status_line(word, "the runtime delivers no events (%08X from EventPipeStartSession)",
                    (unsigned)result);
        pipe->session = 0;
    }
    return result >= 0;
}

/* The session ends, the interface is kept: it may be started again. */
void event_pipe_stop(struct event_pipe *pipe)
{
    if (pipe->session != 0) {
        CALL(ICorProfilerInfo12, EventPipeStopSession, pipe->info)(pipe->info, pipe->session);
        pipe->session = 0;
    }
}

void event_pipe_close(struct event_pipe *pipe)
{
    event_pipe_stop(pipe);
    if (pipe->info) {
        CALL(IUnknown, Release, pipe->info)(pipe->info);
        pipe->info = NULL;
    }
}

/* The buffer is larger than the name, so a longer name is not taken for it. */
static bool has_name_of_runtime(const struct event_pipe *pipe, uintptr_t provider)
{
    WCHAR name[2 * sizeof runtime_provider] = {0};
    char text[sizeof runtime_provider * 3];
    ULONG length;
    HRESULT result = CALL(ICorProfilerInfo12, EventPipeGetProviderInfo, pipe->info)(
        pipe->info, provider, sizeof name / sizeof name[0], &length, name);
    if (result < 0) {
        return false;
    }
    /* including the NUL */
    narrow_into(text, sizeof text, (const uint8_t *)name, sizeof runtime_provider);
    return strcmp(text, runtime_provider) == 0;
}

/* By its number once it is known: the name is compared for the first event only. Any thread may
 * find it, and all find the same. */
bool event_pipe_is_of_runtime(struct event_pipe *pipe, uintptr_t provider)
{
    uintptr_t known = atomic_load(&pipe->provider);
    if (known == 0 && has_name_of_runtime(pipe, provider)) {
        atomic_store(&pipe->provider, provider);
        known = provider;
    }
    return provider == known;
}
