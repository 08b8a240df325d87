/* See attached.h. */
#include "profiler/attached.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/control.h"
#include "host/line_ring.h"
#include "host/shared_counters.h"
#include "profiler/messages.h"
#include "profiler/output.h"
#include "profiler/own_thread.h"
#include "profiler/profiler.h"
#include "profiler/status.h"
#include "profiler/value_spool.h"
#include "host/tool.h"

bool attached_data_read(struct attached_data *data, const char *bytes, size_t size)
{
    const char **const texts[] = {&data->control, &data->report, &data->options};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t length = strnlen(bytes, size);
        if (length == size) {
            return false;
        }
        *texts[i] = bytes;
        bytes += length + 1;
        size -= length + 1;
    }
    return size == 0;
}

static void close_file(int file)
{
    if (file >= 0) {
        close(file);
    }
}

bool attached_open(struct profiler *profiler, const char *path)
{
    struct control_hello hello;
    profiler->control = control_connect(path, &hello);
    if (profiler->control < 0) {
        return false;
    }
    struct line_ring *ring = hello.lines >= 0 ? line_ring_join(hello.lines) : NULL;
    if (!shared_counters_is_file(hello.status) || (hello.lines >= 0 && !ring)) {
        /* it is not from our command */
        close(hello.status);
        close_file(hello.values);
        close_file(hello.lines);
        attached_close(profiler);
        return false;
    }
    close_file(hello.lines);
    status_take(hello.status);
    messages_open();
    output_give(hello.values, ring);
    profiler->follows = hello.follows;
    return true;
}

/* What is meant from now on, and what was there before. Until now the runtime has let the profiler
 * go again: that ends with ENABLE_REJIT. */
static bool start(struct profiler *profiler)
{
    enum { MASK = MONITOR_JIT_COMPILATION | MONITOR_MODULE_LOADS | ENABLE_REJIT };
    if (!rejit_is_possible(profiler)) {
        return false;
    }
    HRESULT result = CALL(ICorProfilerInfo, SetEventMask, profiler->info)(profiler->info, MASK);
    if (result < 0) {
        status_line("failed", "the runtime answers 0x%08X when events are requested",
                    (unsigned)result);
        return false;
    }
    rejit_modules(profiler);
    return true;
}

/* Methods that call an inspector go on doing so, and it returns at once; no others are rewritten.
 * The runtime still asks what becomes of those that it was to compile again: nothing. */
static void become_idle(struct profiler *profiler)
{
    output_end();
    value_spool_close();
    pthread_mutex_lock(&profiler->lock);
    profiler->is_idle = true;
    session_tell_end(profiler);
    pthread_mutex_unlock(&profiler->lock);
    CALL(ICorProfilerInfo, SetEventMask, profiler->info)
    (profiler->info, MONITOR_MODULE_LOADS | ENABLE_REJIT);
}

/* None of our code is in use: no method has been rewritten. */
static void request_detach(const struct profiler *profiler)
{
    enum { UNLOAD_MS = 100 };
    CALL(ICorProfilerInfo3, RequestProfilerDetach, profiler->info)(profiler->info, UNLOAD_MS);
}

static void *serve(void *argument)
{
    struct profiler *profiler = argument;
    bool started = control_read(profiler->control) == CONTROL_START && start(profiler);
    if (started) {
        control_write(profiler->control, CONTROL_STARTED);
        while (control_read(profiler->control) >= 0) {
        }
    }
    if (!started) {
        request_detach(profiler);
    } else if (profiler->follows) {
        become_idle(profiler);
    }
    attached_close(profiler);
    if (started) { /* else it is waited for */
        pthread_detach(pthread_self());
    }
    return NULL;
}

void attached_serve(struct profiler *profiler)
{
    profiler->has_server = own_thread_start(&profiler->server, serve, profiler);
    if (!profiler->has_server) {
        status_line("failed", "no thread can be started for the command: there are too many, or no "
                              "memory is left");
        request_detach(profiler);
        attached_close(profiler);
    }
}

void attached_detached(struct profiler *profiler)
{
    if (profiler->has_server) {
        pthread_join(profiler->server, NULL);
    }
}

void attached_forget(const struct profiler *profiler)
{
    if (profiler->control >= 0) {
        output_end();
        close(profiler->control);
    }
}

void attached_close(struct profiler *profiler)
{
    if (profiler->control >= 0) {
        close(profiler->control);
        profiler->control = -1;
    }
}
