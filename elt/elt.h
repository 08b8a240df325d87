/* Enter, Leave, Tailcall: what a profiler is called with when a managed method begins, returns or
 * is left for another.
 *
 * Code that the runtime compiles calls the hooks by conventions of its own: it has values in
 * registers that a C function may destroy. A stub per hook and architecture (stubs_*.S) saves them,
 * calls a function in C and restores them. Which registers those are, and where the documentation
 * and the compilers disagree, is in registers.def, and docs/HOOKS.md.
 *
 * These pieces know nothing of profilers: take them into any. They need no library. */
#ifndef ILPI_ELT_H
#define ILPI_ELT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* On 32-bit x86 what the runtime calls takes its arguments off the stack itself, on every system.
 * What compiled code calls, the hooks of the fast path, does so on Windows alone: stubs_i386.S. */
#if defined __i386__
#define ELT_CALL __attribute__((stdcall))
#else
#define ELT_CALL
#endif

/* ---- what they are given (corprof.idl) ---- */

typedef uintptr_t FunctionID;
typedef uintptr_t COR_PRF_FRAME_INFO; /* for GetFunctionInfo2, DoStackSnapshot: generation 2 */
typedef uintptr_t COR_PRF_ELT_INFO;   /* for GetFunctionEnter3Info and its kin: generation 3 */

/* The method, or what FunctionIDMapper or FunctionIDMapper2 gave for it. */
typedef union {
    FunctionID functionID;
    uintptr_t clientID;
} FunctionIDOrClientID;

/* Values that lie in memory one behind the other. */
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
 * What holds for all of them:
 *  - They are called in the method's thread, in cooperative mode: until a hook returns, no
 *    collection can begin or end. So a hook must not block: no lock that another thread may hold
 *    while it waits for a collection, no file, no sleep.
 *  - The stack is not in a state in which references can be found. So a hook must not call managed
 *    code, nor do anything that allocates a managed object, nor ask the runtime for what loads a
 *    type or compiles a method.
 *  - What a hook is given by address, and frame and ELT infos, are good until it returns, and in
 *    its thread alone.
 *  - A method that is left by an exception gives no Leave: ExceptionUnwindFunctionLeave reports
 *    that.
 *  - Tailcall comes instead of Leave: the method's frame is gone when the next method begins, and
 *    that method's Leave goes to the caller of the one that made the tail call. A call tree takes
 *    the method off its stack at Tailcall. That the next Enter is the method called is not
 *    promised: the call may lead through helpers, and into methods without hooks. */

/* Generation 1, SetEnterLeaveFunctionHooks: what .NET 1.x has; slow in later ones. */
typedef void ELT_CALL FunctionEnter(FunctionID funcId);
typedef void ELT_CALL FunctionLeave(FunctionID funcId);
typedef void ELT_CALL FunctionTailcall(FunctionID funcId);

/* Generation 2, SetEnterLeaveFunctionHooks2: .NET Framework 2.0. clientData is what
 * FunctionIDMapper gave for the method, or funcId. func, argumentInfo and retvalRange are zero but
 * where COR_PRF_ENABLE_FRAME_INFO, _FUNCTION_ARGS and _RETVAL were asked for. func may be given to
 * GetFunctionInfo2 (the exact class of a shared generic method), inside the hook alone. */
typedef void ELT_CALL FunctionEnter2(FunctionID funcId, uintptr_t clientData,
                                     COR_PRF_FRAME_INFO func,
                                     COR_PRF_FUNCTION_ARGUMENT_INFO *argumentInfo);
typedef void ELT_CALL FunctionLeave2(FunctionID funcId, uintptr_t clientData,
                                     COR_PRF_FRAME_INFO func,
                                     COR_PRF_FUNCTION_ARGUMENT_RANGE *retvalRange);
/* The method is left by a tail call, and this is the last that is heard of it: no Leave follows.
 * The method that is called runs in its place and has an Enter and a Leave of its own, if it has
 * hooks. Three parameters, since there is no value yet: on 32-bit x86 a hook with four would take
 * off the stack what is not its own. `func` may be given to GetFunctionInfo2 until the hook
 * returns, in its thread alone. No blocking, no managed call, no managed allocation, as in every
 * hook: see above. */
typedef void ELT_CALL FunctionTailcall2(FunctionID funcId, uintptr_t clientData,
                                        COR_PRF_FRAME_INFO func);

/* Generation 3, SetEnterLeaveFunctionHooks3: .NET Framework 4 and CoreCLR. The fast path: compiled
 * code calls the hook. */
typedef void ELT_CALL FunctionEnter3(FunctionIDOrClientID functionIDOrClientID);
typedef void ELT_CALL FunctionLeave3(FunctionIDOrClientID functionIDOrClientID);
typedef void ELT_CALL FunctionTailcall3(FunctionIDOrClientID functionIDOrClientID);

/* Generation 3, SetEnterLeaveFunctionHooks3WithInfo: the slow path. The runtime's own stub has
 * saved the registers and calls the hook as a C function: these need no stub of ours. */
typedef void ELT_CALL FunctionEnter3WithInfo(FunctionIDOrClientID functionIDOrClientID,
                                             COR_PRF_ELT_INFO eltInfo);
typedef void ELT_CALL FunctionLeave3WithInfo(FunctionIDOrClientID functionIDOrClientID,
                                             COR_PRF_ELT_INFO eltInfo);
typedef void ELT_CALL FunctionTailcall3WithInfo(FunctionIDOrClientID functionIDOrClientID,
                                                COR_PRF_ELT_INFO eltInfo);

/* The last thing that a FunctionLeave3WithInfo does. A runtime-async method (.NET 10) returns a
 * continuation besides its value, in a register that the runtime's stub does not keep (on 32-bit
 * x86 it does); at Leave it is zero, since a method that is suspended gives no Leave. What a
 * function in C leaves there goes to the caller, which takes all but zero for a continuation, and
 * crashes. */
static inline void elt_no_continuation(void)
{
#if defined __x86_64__
    __asm__ volatile("xorl %%ecx, %%ecx" ::: "rcx", "cc");
#elif defined __aarch64__
    __asm__ volatile("mov x2, xzr" ::: "x2");
#endif
}

/* ---- the stubs, and whom they call ---- */

/* Set the functions of the generation in use first, then let the runtime know the stubs, then
 * switch them on. While they are off a stub returns at once, having read `on` and nothing else: for
 * methods that were compiled with hooks when nobody wants to know. A hook may still be on its way
 * when elt_switch(false) returns. */
struct elt_targets {
    _Atomic uint32_t on;
    /* how wide vector registers are: elt_switch() sets it, which several threads may call */
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

/* Not to be called from C: for SetEnterLeaveFunctionHooks3. */
FunctionEnter3 elt_enter3;
FunctionLeave3 elt_leave3;
FunctionTailcall3 elt_tailcall3;

/* Generations 1 and 2 were on Windows alone. */
#if defined _WIN32
FunctionEnter elt_enter1;
FunctionLeave elt_leave1;
FunctionTailcall elt_tailcall1;
FunctionEnter2 elt_enter2;
FunctionLeave2 elt_leave2;
FunctionTailcall2 elt_tailcall2;
#endif

#endif
