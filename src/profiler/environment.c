/* The environment of the process, changed so that those it starts are left alone.
 *
 * The runtime has copied the environment long before it loads a profiler, and gives its copy to child processes; so it is
 * the runtime that has to change it, which it does since .NET 6 (ICorProfilerInfo11). The C library's is changed besides, for
 * native code that starts processes.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/profiler.h"
#include "profiler/wide.h"
#include "profiler_environment.h"

static WCHAR *wide_text(const char *text)
{
    return text ? wide_of((struct ilp_bytes){(const uint8_t *)text, strlen(text)}, NULL) : NULL;
}

static void set(void *info11, const struct variable *variable)
{
    if (variable->value) {
        setenv(variable->name, variable->value, 1);
    } else {
        unsetenv(variable->name);
    }
    if (info11) {
        WCHAR *name = need(wide_text(variable->name));
        WCHAR *value = wide_text(variable->value);
        CALL(ICorProfilerInfo11, SetEnvironmentVariable, info11)(info11, name, value);
        free(name);
        free(value);
    }
}

void environment_hide(void *unknown)
{
    struct variables hidden = {.count = 0};
    struct guid id = guid_of(ID_ICorProfilerInfo11);
    void *info11 = NULL;
    if (CALL(IUnknown, QueryInterface, unknown)(unknown, &id, &info11) < 0) {
        info11 = NULL;
    }
    variables_add_hidden(&hidden);
    for (size_t i = 0; i < hidden.count; i++) {
        set(info11, &hidden.items[i]);
    }
    variables_free(&hidden);
    if (info11) {
        CALL(IUnknown, Release, info11)(info11);
    }
}
