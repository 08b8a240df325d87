/* Enter, Leave, Tailcall: hooks that compiled code calls when a managed method begins, returns or
 * is left by a tail call.
 *
 * Compiled code calls the hooks by its own conventions: it has values in registers that a C
 * function may destroy. A stub per hook and architecture (stubs_*.S) saves them, calls a function
 * in C and restores them. registers.def and docs/HOOKS.md list these registers, and where
 * documentation and compilers disagree.
 *
 * These files know nothing of profilers and need no library: use them in any profiler. */
#ifndef ILPI_ELT_H
#define ILPI_ELT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* On 32-bit x86 the functions that the runtime calls pop their arguments, on every system. Those
 * that compiled code calls, the hooks of the fast path, do so on Windows only: stubs_i386.S. */
#if defined __i386__
#define ELT_CALL __attribute__((stdcall))
#else
#define ELT_CALL
#endif

/* ---- parameters (corprof.idl) ---- */

typedef uintptr_t FunctionID;
typedef uintptr_t COR_PRF_FRAME_INFO; /* for GetFunctionInfo2, DoStackSnapshot: generation 2 */
typedef uintptr_t COR_PRF_ELT_INFO;   /* for GetFunctionEnter3Info and its kin: generation 3 */

/* The method, or the result of FunctionIDMapper or FunctionIDMapper2 for it. */
typedef union {
    FunctionID functionID;
    uintptr_t clientID;
} FunctionIDOrClientID;

/* Contiguous values in memory. */
typedef struct {
    uintptr_t startAddress;
    uint32_t length;
} COR_PRF_FUNCTION_ARGUMENT_RANGE;

/* All arguments, from left to right, `this` first; numRanges of them. */
typedef struct {
    uint32_t numRanges;
    uint32_t totalArgumentSize;
    COR_PRF_FUNCTION_ARGUMENT_RANGE ranges[];
} COR_PRF_FUNCTION_ARGUMENT_INFO;

/* ---- the hooks ----
 *
 * Rules for all of them:
 *  - They are called in the method's thread, in cooperative mode: until a hook returns, no
 *    collection can begin or end. So a hook must not block: no lock that another thread may hold
 *    while it waits for a collection, no file, no sleep.
 *  - The garbage collector cannot walk the stack. So a hook must not call managed code, allocate
 *    managed objects, or query the runtime for anything that loads a type or compiles a method.
 *  - Addresses, frame infos and ELT infos that a hook gets are valid until it returns, and only in
 *    its thread.
 *  - A method that an exception leaves has no Leave: ExceptionUnwindFunctionLeave reports that.
 *  - Tailcall comes instead of Leave: the method's frame is gone when the next method begins, and
 *    that method returns to the caller of the one that made the tail call. A call tree pops the
 *    method at Tailcall. The next Enter need not be the called method: the call may go through
 *    helpers, and to methods without hooks. */

/* Generation 1, SetEnterLeaveFunctionHooks: .NET 1.x; slow in later versions. */
typedef void ELT_CALL FunctionEnter(FunctionID funcId);
typedef void ELT_CALL FunctionLeave(FunctionID funcId);
typedef void ELT_CALL FunctionTailcall(FunctionID funcId);

/* Generation 2, SetEnterLeaveFunctionHooks2: .NET Framework 2.0. clientData is the result of
 * FunctionIDMapper for the method, or funcId. func, argumentInfo and retvalRange are zero without
 * COR_PRF_ENABLE_FRAME_INFO, _FUNCTION_ARGS and _RETVAL. func may be passed to GetFunctionInfo2
 * (the exact class of a shared generic method), inside the hook only. */
typedef void ELT_CALL FunctionEnter2(FunctionID funcId, uintptr_t clientData,
                                     COR_PRF_FRAME_INFO func,
                                     COR_PRF_FUNCTION_ARGUMENT_INFO *argumentInfo);
typedef void ELT_CALL FunctionLeave2(FunctionID funcId, uintptr_t clientData,
                                     COR_PRF_FRAME_INFO func,
                                     COR_PRF_FUNCTION_ARGUMENT_RANGE *retvalRange);
/* The method is left by a tail call, which is its last event: no Leave follows. The called method
 * runs in its place and has its own Enter and Leave, if it has hooks. Three parameters, since there
 * is no value yet: on 32-bit x86 a hook with four would pop too much. `func` may be passed to
 * GetFunctionInfo2 until the hook returns, in its thread only. No blocking, no managed call, no
 * managed allocation, as in every hook: see above. */
typedef void ELT_CALL FunctionTailcall2(FunctionID funcId, uintptr_t clientData,
                                        COR_PRF_FRAME_INFO func);

/* Generation 3, SetEnterLeaveFunctionHooks3: .NET Framework 4 and CoreCLR. The fast path: compiled
 * code calls the hook. */
typedef void ELT_CALL FunctionEnter3(FunctionIDOrClientID functionIDOrClientID);
typedef void ELT_CALL FunctionLeave3(FunctionIDOrClientID functionIDOrClientID);
typedef void ELT_CALL FunctionTailcall3(FunctionIDOrClientID functionIDOrClientID);

/* Generation 3, SetEnterLeaveFunctionHooks3WithInfo: the slow path. The runtime's own stub saves
 * the registers and calls the hook as a C function: these need no stub of ours. */
typedef void ELT_CALL FunctionEnter3WithInfo(FunctionIDOrClientID functionIDOrClientID,
                                             COR_PRF_ELT_INFO eltInfo);
typedef void ELT_CALL FunctionLeave3WithInfo(FunctionIDOrClientID functionIDOrClientID,
                                             COR_PRF_ELT_INFO eltInfo);
typedef void ELT_CALL FunctionTailcall3WithInfo(FunctionIDOrClientID functionIDOrClientID,
                                                COR_PRF_ELT_INFO eltInfo);

/* The last action of a FunctionLeave3WithInfo. A runtime-async method (.NET 10) returns a
 * continuation besides its value, in a register that the runtime's stub does not keep (on 32-bit
 * x86 it does). At Leave it is zero, since a suspended method has no Leave. A value that a C
 * function leaves there reaches the caller, which takes anything but zero as a continuation, and
 * crashes. */
static inline void elt_no_continuation(void)
{
#if defined __x86_64__
    __asm__ volatile("xorl %%ecx, %%ecx" ::: "rcx", "cc");
#elif defined __aarch64__
    __asm__ volatile("mov x2, xzr" ::: "x2");
#endif
}

/* ---- the stubs, and the functions they call ---- */

/* First set the functions of the generation in use, then pass the stubs to the runtime, then switch
 * them on. A stub that is off reads only `on` and returns at once: for methods compiled with hooks
 * that are not needed now. A hook may still be running when elt_switch(false) returns. */
struct elt_targets {
    _Atomic uint32_t on;
    /* size of vector registers: set by elt_switch(), which several threads may call */
    _Atomic uint32_t vector_bytes;
    void (*enter1)(FunctionID id);
    void (*leave1)(FunctionID id);
    void (*tailcall1)(FunctionID id);
    void (*enter2)(FunctionID id, uintptr_t client_data, COR_PRF_FRAME_INFO frame,
                   COR_PRF_FUNCTION_ARGUMENT_INFO *arguments);
    void (*leave2)(FunctionID id, uintptr_t client_data, COR_PRF_FRAME_INFO frame,
                   COR_PRF_FUNCTION_ARGUMENT_RANGE *value);
    void (*tailcall2)(FunctionID id, uintptr_t client_data, COR_PRF_FRAME_INFO frame);
    void (*enter3)(uintptr_t client_id);
    void (*leave3)(uintptr_t client_id);
    void (*tailcall3)(uintptr_t client_id);
};

extern struct elt_targets elt_targets;

void elt_switch(bool on);

/* Not callable from C: for SetEnterLeaveFunctionHooks3. */
FunctionEnter3 elt_enter3;
FunctionLeave3 elt_leave3;
FunctionTailcall3 elt_tailcall3;

/* Generations 1 and 2 exist on Windows only. */
#if defined _WIN32
FunctionEnter elt_enter1;
FunctionLeave elt_leave1;
FunctionTailcall elt_tailcall1;
FunctionEnter2 elt_enter2;
FunctionLeave2 elt_leave2;
FunctionTailcall2 elt_tailcall2;
#endif

#endif
