/* profiler/clr/event_pipe.c: a session with a runtime that is played here, and with those that
 * have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/clr/event_pipe.c" /* the library has no profiler in it */
#include "profiler/clr/guid.c"
#include "profiler/clr/wide.c"

#define SESSION 0x123456789ABCDEFu

static struct {
    bool has_info12;
    HRESULT start;
    unsigned references;
    bool running;
    char status[128];
} runtime;

void status_line(const char *word, const char *format, ...)
{
    (void)format;
    snprintf(runtime.status, sizeof runtime.status, "%s", word);
}

static struct {
    void (**table)(void);
} object;

static HRESULT STDCALL query(void *self, const struct guid *id, void **out)
{
    if (!runtime.has_info12 || !guid_is(id, ID_ICorProfilerInfo12)) {
        return E_NOINTERFACE;
    }
    runtime.references++;
    *out = self;
    return S_OK;
}

static ULONG STDCALL release(void *self)
{
    assert_ptr_equal(self, &object);
    return --runtime.references;
}

static HRESULT STDCALL start_session(void *self, ULONG count, const struct event_provider *provider,
                                     BOOL rundown, uint64_t *session)
{
    char name[64];
    assert_ptr_equal(self, &object);
    assert_int_equal(count, 1);
    assert_int_equal(rundown, 0);
    narrow_into(name, sizeof name, (const uint8_t *)provider->name, sizeof runtime_provider - 1);
    assert_string_equal(name, "Microsoft-Windows-DotNETRuntime");
    assert_int_equal(provider->name[sizeof runtime_provider - 1], 0);
    assert_int_equal(provider->keywords, 0x1000);
    assert_int_equal(provider->level, 5);
    *session = SESSION;
    runtime.running = runtime.start >= 0;
    return runtime.start;
}

static HRESULT STDCALL stop_session(void *self, uint64_t session)
{
    assert_ptr_equal(self, &object);
    assert_true(session == SESSION);
    runtime.running = false;
    return S_OK;
}

/* 1 is the runtime, 2 another provider, 3 one with a name that begins so. */
static HRESULT STDCALL provider_info(void *self, uintptr_t provider, ULONG room, ULONG *length,
                                     WCHAR *name)
{
    static const char *const names[] = {"", "Microsoft-Windows-DotNETRuntime", "Other",
                                        "Microsoft-Windows-DotNETRuntimeRundown"};
    (void)self;
    size_t size = provider < 4 ? strlen(names[provider]) : 0;
    *length = (ULONG)size + 1;
    if (size == 0 || room < size + 2) { /* .NET 10 requests one unit more than it needs */
        return E_FAIL;
    }
    for (size_t i = 0; i <= size; i++) {
        name[i] = (uint8_t)names[provider][i];
    }
    return S_OK;
}

static int begin(void **state)
{
    static void (*slots[128])(void);
    (void)state;
    memset(&runtime, 0, sizeof runtime);
    slots[IUnknown_QueryInterface_slot] = (void (*)(void))query;
    slots[IUnknown_Release_slot] = (void (*)(void))release;
    slots[ICorProfilerInfo12_EventPipeStartSession_slot] = (void (*)(void))start_session;
    slots[ICorProfilerInfo12_EventPipeStopSession_slot] = (void (*)(void))stop_session;
    slots[ICorProfilerInfo12_EventPipeGetProviderInfo_slot] = (void (*)(void))provider_info;
    object.table = slots;
    return 0;
}

static void a_session_is_begun_and_ended(void **state)
{
    struct event_pipe pipe = {.info = NULL};
    (void)state;
    runtime.has_info12 = true;
    assert_true(event_pipe_start(&pipe, &object, "tail-failed"));
    assert_true(runtime.running);
    assert_string_equal(runtime.status, "");
    event_pipe_stop(&pipe);
    assert_false(runtime.running);
    assert_true(event_pipe_is_of_runtime(&pipe, 1)); /* one was on its way */
    assert_true(event_pipe_start(&pipe, &object, "tail-failed"));
    assert_true(runtime.running);
    event_pipe_close(&pipe);
    assert_false(runtime.running);
    assert_int_equal(runtime.references, 0);
    event_pipe_close(&pipe); /* there is none any more */
}

static void runtimes_without_it_are_reported(void **state)
{
    struct event_pipe pipe = {.info = NULL};
    (void)state;
    assert_false(event_pipe_start(&pipe, &object, "tail-failed"));
    assert_string_equal(runtime.status, "tail-failed");
    runtime.has_info12 = true;
    runtime.start = E_FAIL;
    runtime.status[0] = '\0';
    assert_false(event_pipe_start(&pipe, &object, "tail-failed"));
    assert_string_equal(runtime.status, "tail-failed");
    event_pipe_close(&pipe);
    assert_int_equal(runtime.references, 0);
    assert_null(pipe.info);
}

static void the_runtime_is_known_by_its_name(void **state)
{
    struct event_pipe pipe = {.info = &object};
    (void)state;
    for (int round = 0; round < 2; round++) { /* with and without one that is known */
        assert_false(event_pipe_is_of_runtime(&pipe, 2));
        assert_false(event_pipe_is_of_runtime(&pipe, 3));
        assert_false(event_pipe_is_of_runtime(&pipe, 9));
        assert_true(event_pipe_is_of_runtime(&pipe, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_session_is_begun_and_ended, begin),
        cmocka_unit_test_setup(runtimes_without_it_are_reported, begin),
        cmocka_unit_test_setup(the_runtime_is_known_by_its_name, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
