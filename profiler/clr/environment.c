/* The environment of the process, changed so that those it starts are left alone.
 *
 * The runtime has copied the environment long before it loads a profiler, and gives its copy to
 * child processes; so it is the runtime that has to change it, which it does since .NET 6
 * (ICorProfilerInfo11). The C library's is changed besides, for native code that starts
 * processes. */
#include <stdlib.h>
#include <string.h>

#include "profiler/profiler.h"
#include "profiler/clr/wide.h"
#include "host/profiler_environment.h"

static WCHAR *wide_text(const char *text)
{
    return text ? wide_of((struct ilp_bytes){(const uint8_t *)text, strlen(text)}, NULL) : NULL;
}

static void set_for_runtime(void *info11, const char *name, const char *value)
{
    WCHAR *wide_name = wide_text(name);
    WCHAR *wide_value = wide_text(value);
    if (wide_name && (wide_value || !value)) {
        CALL(ICorProfilerInfo11, SetEnvironmentVariable, info11)(info11, wide_name, wide_value);
    } else {
        memory_failed();
    }
    free(wide_name);
    free(wide_value);
}

static void set(void *info11, const struct variable *variable)
{
    if (variable->value) {
        setenv(variable->name, variable->value, 1);
    } else {
        unsetenv(variable->name);
    }
    if (info11) {
        set_for_runtime(info11, variable->name, variable->value);
    }
}

static void *info11_of(void *unknown)
{
    struct guid id = guid_of(ID_ICorProfilerInfo11);
    void *info11 = NULL;
    return CALL(IUnknown, QueryInterface, unknown)(unknown, &id, &info11) < 0 ? NULL : info11;
}

void environment_tell(void *unknown, const char *name, char *value)
{
    void *info11 = info11_of(unknown);
    if (info11) {
        set_for_runtime(info11, name, value);
        CALL(IUnknown, Release, info11)(info11);
    }
    free(value);
}

void environment_hide(void *unknown)
{
    struct variables hidden = {.count = 0};
    void *info11 = info11_of(unknown);
    variables_add_hidden(&hidden);
    for (size_t i = 0; i < hidden.count; i++) {
        set(info11, &hidden.items[i]);
    }
    variables_free(&hidden);
    if (info11) {
        CALL(IUnknown, Release, info11)(info11);
    }
}
