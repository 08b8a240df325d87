/* The hooks of the processor that the test runs on, and what calls them. */
#ifndef TESTS_ELT_HOOKS_HERE_H
#define TESTS_ELT_HOOKS_HERE_H

#include <stddef.h>

#include "elt/elt.h"
#include "table.h"

typedef void (*code)(void);

struct hook_case {
    const char *name;
    code stub;
    enum architecture architecture;
    int generation, hook;
    size_t target;      /* in struct elt_targets */
    unsigned arguments; /* of the function in C */
    unsigned pops;      /* bytes that the hook takes off the stack: on 32-bit x86 Windows */
};

/* A hook that loses one register that it must keep. */
struct broken_hook {
    const char *lost;
    code stub;
};

/* What call_ARCHITECTURE.S has. */
void elt_test_call(void), elt_test_handler(void);
extern code elt_test_hook, elt_test_right_hook, elt_test_handler_in_use;
extern uintptr_t elt_test_given[4], elt_test_given_sp;

#define CASE(architecture, prefix, generation, kind, hook, arguments, pops)                     \
    {                                                                                           \
#prefix #kind #generation, (code)prefix##kind##generation, architecture, G##generation, \
            hook, offsetof(struct elt_targets, kind##generation), arguments, pops               \
    }
#define BROKEN(name)      void elt_test_broken_##name(void);
#define BROKEN_CASE(name) {#name, elt_test_broken_##name},

/* ELT_STUBS_FOR_WINDOWS, on x86. */
void elt_windows_enter1(void), elt_windows_leave1(void), elt_windows_tailcall1(void);
void elt_windows_enter2(void), elt_windows_leave2(void), elt_windows_tailcall2(void);
void elt_windows_enter3(void), elt_windows_leave3(void), elt_windows_tailcall3(void);

#if defined __x86_64__

void elt_test_windows_handler(void);

static const struct hook_case cases[] = {
    CASE(X86_64, elt_, 3, enter, ENTER, 1, 0),
    CASE(X86_64, elt_, 3, leave, LEAVE, 1, 0),
    CASE(X86_64, elt_, 3, tailcall, TAILCALL, 1, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 1, enter, ENTER, 1, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 1, leave, LEAVE, 1, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 1, tailcall, TAILCALL, 1, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 2, enter, ENTER, 4, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 2, leave, LEAVE, 4, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 2, tailcall, TAILCALL, 3, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 3, enter, ENTER, 1, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 3, leave, LEAVE, 1, 0),
    CASE(X86_64_WINDOWS, elt_windows_, 3, tailcall, TAILCALL, 1, 0),
};
#define BROKEN_HOOKS(X)                                                                            \
    X(rbx)                                                                                         \
    X(rbp)                                                                                         \
    X(rsi) X(rdi) X(r12) X(r13) X(r14) X(r15) X(xmm6) X(xmm15) X(mxcsr) X(x87cw) X(df) X(x87empty) \
        X(guard) X(rsp)
enum { ALIGNED_TO = 8, RETURN_ADDRESS = 8 };

#elif defined __i386__

static const struct hook_case cases[] = {
    CASE(I386, elt_, 3, enter, ENTER, 1, 0),
    CASE(I386, elt_, 3, leave, LEAVE, 1, 0),
    CASE(I386, elt_, 3, tailcall, TAILCALL, 1, 0),
    CASE(I386, elt_windows_, 1, enter, ENTER, 1, 4),
    CASE(I386, elt_windows_, 1, leave, LEAVE, 1, 4),
    CASE(I386, elt_windows_, 1, tailcall, TAILCALL, 1, 4),
    CASE(I386, elt_windows_, 2, enter, ENTER, 4, 16),
    CASE(I386, elt_windows_, 2, leave, LEAVE, 4, 16),
    CASE(I386, elt_windows_, 2, tailcall, TAILCALL, 3, 12),
    CASE(I386, elt_windows_, 3, enter, ENTER, 1, 4),
    CASE(I386, elt_windows_, 3, leave, LEAVE, 1, 4),
    CASE(I386, elt_windows_, 3, tailcall, TAILCALL, 1, 4),
};
#define BROKEN_HOOKS(X) \
    X(ebx) X(ebp) X(esi) X(edi) X(mxcsr) X(x87cw) X(df) X(x87empty) X(guard) X(esp)
enum { ALIGNED_TO = 4, RETURN_ADDRESS = 4 };
extern int elt_test_x87_value, elt_test_handler_arguments;

#else

static const struct hook_case cases[] = {
    CASE(AARCH64, elt_, 3, enter, ENTER, 1, 0),
    CASE(AARCH64, elt_, 3, leave, LEAVE, 1, 0),
    CASE(AARCH64, elt_, 3, tailcall, TAILCALL, 1, 0),
};
#define BROKEN_HOOKS(X)                                                                      \
    X(x19)                                                                                   \
    X(x20)                                                                                   \
    X(x21) X(x22) X(x23) X(x24) X(x25) X(x26) X(x27) X(x28) X(x29) X(d8) X(d9) X(d10) X(d11) \
        X(d12) X(d13) X(d14) X(d15) X(fpcr) X(guard) X(sp)
enum { ALIGNED_TO = 16, RETURN_ADDRESS = 0 };

#endif

BROKEN_HOOKS(BROKEN)
static const struct broken_hook broken_hooks[] = {BROKEN_HOOKS(BROKEN_CASE)};
void elt_test_broken_cfi(void);

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
