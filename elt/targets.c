/* Whom the stubs call. */
#include "elt/elt.h"

#include <assert.h>
#include <stddef.h>

#include "elt/targets.h"

struct elt_targets elt_targets;

#if defined __x86_64__ || defined __i386__
static uint32_t vector_bytes(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) {
        return 64;
    }
    return __builtin_cpu_supports("avx") ? 32 : 16;
}
#else
static uint32_t vector_bytes(void)
{
    return 16;
}
#endif

void elt_switch(bool on)
{
    atomic_store_explicit(&elt_targets.vector_bytes, vector_bytes(), memory_order_relaxed);
    atomic_store_explicit(&elt_targets.on, on, memory_order_release);
}

static_assert(offsetof(struct elt_targets, on) == ELT_ON, "on");
static_assert(offsetof(struct elt_targets, vector_bytes) == ELT_VECTOR_BYTES, "vector_bytes");
static_assert(offsetof(struct elt_targets, enter1) == ELT_ENTER1, "enter1");
static_assert(offsetof(struct elt_targets, leave1) == ELT_LEAVE1, "leave1");
static_assert(offsetof(struct elt_targets, tailcall1) == ELT_TAILCALL1, "tailcall1");
static_assert(offsetof(struct elt_targets, enter2) == ELT_ENTER2, "enter2");
static_assert(offsetof(struct elt_targets, leave2) == ELT_LEAVE2, "leave2");
static_assert(offsetof(struct elt_targets, tailcall2) == ELT_TAILCALL2, "tailcall2");
static_assert(offsetof(struct elt_targets, enter3) == ELT_ENTER3, "enter3");
static_assert(offsetof(struct elt_targets, leave3) == ELT_LEAVE3, "leave3");
static_assert(offsetof(struct elt_targets, tailcall3) == ELT_TAILCALL3, "tailcall3");
