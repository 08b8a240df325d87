/* A profiler around another one (profiler_around.h) that breaks what that gives the runtime: new bodies of the methods in BREAK (tokens in hexadecimal, with commas)
 * begin with an instruction that does not exist. A body that the runtime had before is handed on.
 *
 * The functions of the runtime's objects are replaced in their tables. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../profiler_around.h"

typedef HRESULT set_body_fn(void *self, ID module, uint32_t method, const uint8_t *body);
typedef HRESULT control_set_body_fn(void *self, uint32_t size, const uint8_t *body);

static slot next_set_body, next_control_set_body;
static _Thread_local uint32_t method_again; /* that is compiled again */

static slot replace(void *object, unsigned which, slot by)
{
    slot *table = *(slot **)object;
    slot old = table[which];
    uintptr_t page = (uintptr_t)&table[which] & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE);
    table[which] = by;
    return old == by ? NULL : old;
}

static bool breaks(uint32_t method)
{
    const char *all = getenv("BREAK");
    char token[16];
    snprintf(token, sizeof token, "%08X", (unsigned)method);
    return all && strstr(all, token);
}

/* A copy that stays. */
static const uint8_t *broken(const uint8_t *body, uint32_t size)
{
    bool fat = (body[0] & 3) == 3;
    uint8_t *copy = malloc(size);
    memcpy(copy, body, size);
    copy[fat ? 12 : 1] = 0xA6;
    return copy;
}

static uint32_t size_of(const uint8_t *body)
{
    uint32_t size;
    memcpy(&size, body + 4, sizeof size);
    return (body[0] & 3) == 3 ? 12 + size : 1u + (body[0] >> 2);
}

static HRESULT set_body(void *self, ID module, uint32_t method, const uint8_t *body)
{
    static const uint8_t *first[1024]; /* by row: what the runtime had */
    uint32_t row = method & 0x3FF, size;
    if (breaks(method) && !first[row]) {
        CALL(self, GetILFunctionBody,
             (void *, ID, uint32_t, const uint8_t **, uint32_t *))(self, module, method,
                                                                   &first[row], &size);
    }
    return ((set_body_fn *)next_set_body)(self, module, method,
                                          breaks(method) && body != first[row]
                                              ? broken(body, size_of(body))
                                              : body);
}

static HRESULT control_set_body(void *self, uint32_t size, const uint8_t *body)
{
    return ((control_set_body_fn *)next_control_set_body)(
        self, size, breaks(method_again) ? broken(body, size) : body);
}

/* ---- callbacks: three of the other profiler's are replaced ---- */

typedef HRESULT initialize_fn(void *self, void *unknown);
typedef HRESULT initialize_for_attach_fn(void *self, void *unknown, void *data, uint32_t size);
typedef HRESULT rejit_parameters_fn(void *self, ID module, uint32_t method, void *control);
static slot next_initialize, next_initialize_for_attach, next_rejit_parameters;

static void replace_in_info(void *unknown)
{
    void *info;
    if (CALL(unknown, QueryInterface,
             (void *, const struct guid *, void **))(unknown, &profiler_info3, &info) >= 0) {
        next_set_body = replace(info, SetILFunctionBody, (slot)set_body);
    }
}

static HRESULT initialize(void *self, void *unknown)
{
    replace_in_info(unknown);
    return ((initialize_fn *)next_initialize)(self, unknown);
}

static HRESULT initialize_for_attach(void *self, void *unknown, void *data, uint32_t size)
{
    replace_in_info(unknown);
    return ((initialize_for_attach_fn *)next_initialize_for_attach)(self, unknown, data, size);
}

static HRESULT rejit_parameters(void *self, ID module, uint32_t method, void *control)
{
    slot next = replace(control, SetRejittedBody, (slot)control_set_body);
    next_control_set_body = next ? next : next_control_set_body;
    method_again = method;
    return ((rejit_parameters_fn *)next_rejit_parameters)(self, module, method, control);
}

static void replace_callbacks(slot *functions)
{
    next_initialize = functions[Initialize];
    next_initialize_for_attach = functions[InitializeForAttach];
    next_rejit_parameters = functions[GetReJITParameters];
    functions[Initialize] = (slot)initialize;
    functions[InitializeForAttach] = (slot)initialize_for_attach;
    functions[GetReJITParameters] = (slot)rejit_parameters;
}
