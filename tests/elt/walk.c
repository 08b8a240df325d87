/* Unwinding with the compiler's own unwinder, which reads the CFI that the stubs' directives
 * make. */
#include "walk.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "slots.h"

void elt_test_call(void);
extern void (*elt_test_hook)(void);

struct walk {
    void *functions[4]; /* from the hook on */
    unsigned count;
};

static _Unwind_Reason_Code walk_frame(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    int before_instruction = 0;
    uintptr_t ip = (uintptr_t)_Unwind_GetIPInfo(context, &before_instruction);
    /* A return address may be the first of the next function: the look-up goes one back by
     * itself. */
    void *function = _Unwind_FindEnclosingFunction((void *)(ip + (before_instruction != 0)));
    if (walk->count || function == (void *)elt_test_hook) {
        walk->functions[walk->count++] = function;
    }
    return walk->count == sizeof walk->functions / sizeof *walk->functions ? _URC_END_OF_STACK
                                                                           : _URC_NO_REASON;
}

bool walk_finds(void *caller)
{
    struct walk walk = {{NULL}, 0};
    _Unwind_Backtrace(walk_frame, &walk);
    return walk.count == 4 && walk.functions[1] == (void *)elt_test_call &&
           walk.functions[2] == caller && walk.functions[3];
}

#if defined __x86_64__ || defined __i386__

#ifdef __x86_64__
enum { PC = REG_RIP, SP = REG_RSP };
#else
enum { PC = REG_EIP, SP = REG_ESP };
#endif
enum { TRAP_FLAG = 0x100, DESTROYED = 512 };

struct steps steps;
static uintptr_t stub_start, stub_end;
static unsigned stub_red_zone;
static void *stub_caller;
extern char elt_test_returned[], elt_test_call_end[];

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)registers[PC];
    if (pc >= (uintptr_t)elt_test_returned && pc < (uintptr_t)elt_test_call_end) {
        registers[REG_EFL] &= ~TRAP_FLAG;
    } else if (pc >= stub_start && pc < stub_end) {
        memset((void *)((uintptr_t)registers[SP] - stub_red_zone - DESTROYED), 0x5a, DESTROYED);
        steps.count++;
        if (!walk_finds(stub_caller)) {
            steps.first_failed = steps.failed++ ? steps.first_failed : pc - stub_start;
        }
    }
}

void step_through(void (*stub)(void), unsigned red_zone, void *caller)
{
    static uint8_t signal_stack[1 << 16];
    stack_t alternative = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&alternative, NULL);
    sigaction(SIGTRAP, &action, NULL);
    stub_start = stub_end = (uintptr_t)stub;
    while (_Unwind_FindEnclosingFunction((void *)(stub_end + 1)) == (void *)stub) {
        stub_end++;
    }
    stub_red_zone = red_zone;
    stub_caller = caller;
    memset(&steps, 0, sizeof steps);
    elt_test_before[STATE_FLAGS + 1] |= TRAP_FLAG >> 8;
}

#endif
