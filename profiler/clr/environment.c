/* Changes the environment of the process so that the profiler is not loaded into child processes.
 *
 * The runtime copies the environment long before it loads a profiler, and passes its copy to child
 * processes; so the runtime has to change it, which is possible since .NET 6 (ICorProfilerInfo11).
 * The C library's is changed as well, for native code that starts processes. */
#include <stdlib.h>
#include <string.h>

#include "profiler/profiler.h"
#include "profiler/clr/wide.h"
#include "host/profiler_environment.h"

static WCHAR *wide_text(const char *text)
{
    return text ? wide_of((struct ilp_bytes){(const uint8_t *)text, strlen(text)}, NULL) : NULL;
}

/* A value of NULL removes the variable. */
static void set(void *info11, const struct variable *variable)
{
    WCHAR *name = wide_text(variable->name);
    WCHAR *value = wide_text(variable->value);
    if (name && (value || !variable->value)) {
        CALL(ICorProfilerInfo11, SetEnvironmentVariable, info11)(info11, name, value);
    } else {
        memory_failed();
    }
    free(name);
    free(value);
}

static void *info11_of(void *unknown)
{
    struct guid id = guid_of(ID_ICorProfilerInfo11);
    void *info11 = NULL;
    return CALL(IUnknown, QueryInterface, unknown)(unknown, &id, &info11) < 0 ? NULL : info11;
}

void environment_set(void *unknown, const struct variables *variables)
{
    void *info11 = info11_of(unknown);
    if (info11) {
        for (size_t i = 0; i < variables->count; i++) {
            set(info11, &variables->items[i]);
        }
        CALL(IUnknown, Release, info11)(info11);
    }
}

/* First the runtime's copy, then the C library's: variables_set() frees the list. */
void environment_hide(void *unknown)
{
    struct variables hidden = {.count = 0};
    variables_add_hidden(&hidden);
    environment_set(unknown, &hidden);
    variables_set(&hidden);
}
