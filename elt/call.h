/* Calls the stubs of generation 3 as compiled code calls them, to measure their cost. */
#ifndef ILPI_ELT_CALL_H
#define ILPI_ELT_CALL_H

#include "elt/elt.h"
#include "elt/stubs.h"

#if defined ELT_X86_64
/* The stubs keep all registers except vector registers without an argument or return value. The red
 * zone is the caller's. */
static inline void elt_call_enter3(const void *client_id)
{
    register const void *id __asm__("r14") = client_id;
    __asm__ volatile("subq $128, %%rsp\n\tcall *%1\n\taddq $128, %%rsp"
                     :
                     : "r"(id), "r"(elt_enter3)
                     : "memory", "cc", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                       "xmm15");
}

static inline void elt_call_leave3(const void *client_id)
{
    __asm__ volatile("subq $128, %%rsp\n\tcall *%1\n\taddq $128, %%rsp"
                     :
                     : "D"(client_id), "r"(elt_leave3)
                     : "memory", "cc", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
#elif defined ELT_AARCH64
/* The stubs keep x0-x8 and v0-v7, and what every function keeps. */
#define ELT_LOST                                                                                   \
    "memory", "cc", "x9", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "v8", "v9",      \
        "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", \
        "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

static inline void elt_call_stub(const void *client_id, void (*stub)(FunctionIDOrClientID id))
{
    register const void *id __asm__("x10") = client_id;
    register const void *caller_sp __asm__("x11") = __builtin_frame_address(0);
    __asm__ volatile("blr %2" : "+r"(id), "+r"(caller_sp) : "r"(stub) : ELT_LOST);
}
#undef ELT_LOST

static inline void elt_call_enter3(const void *client_id)
{
    elt_call_stub(client_id, elt_enter3);
}

static inline void elt_call_leave3(const void *client_id)
{
    elt_call_stub(client_id, elt_leave3);
}
#elif defined ELT_X86_64_WINDOWS
/* Any function's convention. */
static inline void elt_call_enter3(const void *client_id)
{
    elt_enter3((FunctionIDOrClientID){.clientID = (uintptr_t)client_id});
}

static inline void elt_call_leave3(const void *client_id)
{
    elt_leave3((FunctionIDOrClientID){.clientID = (uintptr_t)client_id});
}
#else
/* Without stubs: call their functions. */
static inline void elt_call_enter3(const void *client_id)
{
    elt_targets.enter3((uintptr_t)client_id);
}

static inline void elt_call_leave3(const void *client_id)
{
    elt_targets.leave3((uintptr_t)client_id);
}
#endif

#endif
