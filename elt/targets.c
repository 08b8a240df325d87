/* The functions that the stubs call, and the vector registers that they save. */
#include "elt/elt.h"

#include <assert.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif
#include <stddef.h>

#include "elt/targets.h"

struct elt_targets elt_targets;

#if defined __x86_64__ || defined __i386__
/* The vector registers that the system saves, which programs may therefore use. `cpuid` is executed
 * only here: __builtin_cpu_supports() has a constructor with 20 of them, each of which exits a
 * virtual machine (4 us, measured), in every process with the profiler. */
static uint32_t vector_bytes(void)
{
    enum { XCR0_YMM = 0x06, XCR0_ZMM = 0xE6 }; /* including their parts */
    uint32_t a, b, c, d, enabled = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) != 0 && (c & bit_AVX) != 0) {
        __asm__("xgetbv" : "=a"(enabled), "=d"(d) : "c"(0));
    }
    if ((enabled & XCR0_YMM) != XCR0_YMM) {
        return 16;
    }
    bool wide = (enabled & XCR0_ZMM) == XCR0_ZMM && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
                (b & bit_AVX512F) != 0;
    return wide ? 64 : 32;
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
