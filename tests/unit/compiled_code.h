/* Code as the runtime's compiler makes it, on the processors on which a trace knows it: a call from
 * a place that no library has, and the calls of the fast hooks (elt/registers.def). Not with
 * AddressSanitizer, which has no frames of such code. */
#ifndef TESTS_COMPILED_CODE_H
#define TESTS_COMPILED_CODE_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/sanitizers.h"
#include "profiler/clr/corprof.h"

#if (defined __x86_64__ || defined __aarch64__) && !defined HAS_ADDRESS_SANITIZER
#define HAS_COMPILED_CODE

/* Calls the function whose address it has, with a frame of its own. */
#if defined __x86_64__
#define COMPILED_ADDRESS 6
static const uint8_t compiled_code[] = {
    0x55, 0x48, 0x89, 0xE5,                   /* push rbp; mov rbp, rsp */
    0x48, 0xB8, 0,    0,    0, 0, 0, 0, 0, 0, /* mov rax, the address */
    0xFF, 0xD0, 0x5D, 0xC3,                   /* call rax; pop rbp; ret */
};
#else
#define COMPILED_ADDRESS 24
static const uint8_t compiled_code[] = {
    0xFD, 0x7B, 0xBF, 0xA9, 0xFD, 0x03, 0x00, 0x91, /* stp x29, x30, [sp, #-16]!; mov x29, sp */
    0x90, 0x00, 0x00, 0x58, 0x00, 0x02, 0x3F, 0xD6, /* ldr x16, the address; blr x16 */
    0xFD, 0x7B, 0xC1, 0xA8, 0xC0, 0x03, 0x5F, 0xD6, /* ldp x29, x30, [sp], #16; ret */
    0,    0,    0,    0,    0,    0,    0,    0,
};
#endif

/* NULL without memory. */
static inline FunctionEnter3WithInfo *compiled_call(FunctionEnter3WithInfo *of)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return NULL;
    }
    memcpy(page, compiled_code, sizeof compiled_code);
    memcpy(page + COMPILED_ADDRESS, &of, sizeof of);
    __builtin___clear_cache(page, page + sizeof compiled_code);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0
               ? (FunctionEnter3WithInfo *)(uintptr_t)page
               : NULL;
}

#if defined __x86_64__
static inline void call_fast_enter(FunctionEnter3 *hook, uintptr_t client_id)
{
    register uintptr_t id __asm__("r14") = client_id;
    __asm__ volatile("subq $128, %%rsp\n\tcall *%1\n\taddq $128, %%rsp"
                     :
                     : "r"(id), "r"(hook)
                     : "memory", "cc", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                       "xmm15");
}

static inline void call_fast_leave(FunctionEnter3 *hook, uintptr_t client_id)
{
    __asm__ volatile("subq $128, %%rsp\n\tcall *%1\n\taddq $128, %%rsp"
                     :
                     : "D"(client_id), "r"(hook)
                     : "memory", "cc", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
#else
static inline void call_fast_enter(FunctionEnter3 *hook, uintptr_t client_id)
{
    register uintptr_t id __asm__("x10") = client_id;
    register const void *sp __asm__("x11") = __builtin_frame_address(0);
    __asm__ volatile("blr %2"
                     : "+r"(id), "+r"(sp)
                     : "r"(hook)
                     : "memory", "cc", "x9", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30",
                       "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
                       "v27", "v28", "v29", "v30", "v31");
}

static inline void call_fast_leave(FunctionEnter3 *hook, uintptr_t client_id)
{
    call_fast_enter(hook, client_id); /* all hooks are called alike */
}
#endif
#endif

#endif
