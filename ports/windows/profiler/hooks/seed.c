/* Unwinds frames of DLLs by their unwind data (the stubs have some, too), up to the first code
 * without: compiled code. See seed.h. */
#include "profiler/hooks/seed.h"

#include <assert.h>
#include <string.h>
#include <windows.h>

#ifdef __x86_64__
static_assert(sizeof(CONTEXT) <= sizeof((struct hooks_seed *)NULL)->context, "room");

/* Without the loader's lock, which another thread may hold while it waits for this one. */
static bool is_in_dll(uintptr_t address)
{
    MEMORY_BASIC_INFORMATION memory;
    return VirtualQuery((const void *)address, &memory, sizeof memory) != 0 &&
           memory.Type == MEM_IMAGE;
}

static bool unwind(CONTEXT *context)
{
    DWORD64 base, frame;
    void *handler_data;
    RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context->Rip, &base, NULL);
    if (!function) { /* a leaf function: the return address is on top */
        return false;
    }
    RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context->Rip, function, context, &handler_data,
                     &frame, NULL);
    return context->Rip != 0;
}

bool hooks_seed_find(struct hooks_seed *seed)
{
    CONTEXT context;
    RtlCaptureContext(&context);
    bool going = true;
    while (going && is_in_dll(context.Rip)) {
        going = unwind(&context);
    }
    context.ContextFlags = CONTEXT_FULL;
    *seed = (struct hooks_seed){.size = sizeof context};
    memcpy(seed->context, &context, sizeof context);
    return going;
}
#else
bool hooks_seed_find(struct hooks_seed *seed)
{
    (void)seed;
    return false;
}
#endif
