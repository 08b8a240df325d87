/* Each stub, a step at a time, as Windows unwinds it: at each of its instructions its unwind data
 * leads to the code that called the hook, with the registers that that had. Prints the number of
 * instructions. */
#include <stdio.h>
#include <windows.h>

#include "elt/elt.h"

/* Calls a stub with the trap flag set. */
void stepped(void (*stub)(void));
extern char stepped_returned[];
__asm__("    .text\n"
        "    .globl stepped, stepped_returned\n"
        "    .seh_proc stepped\n"
        "stepped:\n"
        "    pushq %rbx\n"
        "    .seh_pushreg %rbx\n"
        "    pushq %rbp\n"
        "    .seh_pushreg %rbp\n"
        "    subq $40, %rsp\n"
        "    .seh_stackalloc 40\n"
        "    .seh_endprologue\n"
        "    movl $0x1b, %ebx\n"
        "    movl $0x1c, %ebp\n"
        "    movq %rsp, stepped_rsp(%rip)\n"
        "    pushfq\n"
        "    orl $0x100, (%rsp)\n"
        "    popfq\n"
        "    call *%rcx\n"
        "stepped_returned:\n"
        "    addq $40, %rsp\n"
        "    popq %rbp\n"
        "    popq %rbx\n"
        "    ret\n"
        "    .seh_endproc\n");
DWORD64 stepped_rsp;

static DWORD64 stub_begin, stub_end;
static unsigned steps, wrong, handled;

static LONG CALLBACK on_step(EXCEPTION_POINTERS *exception)
{
    CONTEXT *now = exception->ContextRecord, context = *now;
    DWORD64 base, frame;
    void *data;
    if (exception->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP) {
        return EXCEPTION_CONTINUE_SEARCH;
    }
    if (context.Rip >= stub_begin && context.Rip < stub_end) {
        RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(context.Rip, &base, NULL);
        RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, context.Rip, function, &context, &data, &frame,
                         NULL);
        steps++;
        wrong += context.Rip != (DWORD64)stepped_returned || context.Rsp != stepped_rsp ||
                 context.Rbx != 0x1b || context.Rbp != 0x1c;
    }
    now->EFlags &= ~0x100u;
    now->EFlags |= now->Rip == (DWORD64)stepped_returned ? 0 : 0x100u;
    return EXCEPTION_CONTINUE_EXECUTION;
}

static void handle(uintptr_t id)
{
    (void)id;
    handled++;
}

static void handle2(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame)
{
    (void)id, (void)data, (void)frame;
    handled++;
}

static void handle_enter2(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame,
                          COR_PRF_FUNCTION_ARGUMENT_INFO *arguments)
{
    (void)id, (void)data, (void)frame, (void)arguments;
    handled++;
}

static void handle_leave2(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame,
                          COR_PRF_FUNCTION_ARGUMENT_RANGE *value)
{
    (void)id, (void)data, (void)frame, (void)value;
    handled++;
}

int main(void)
{
    void (*const stubs[])(void) = {
        (void (*)(void))elt_enter1, (void (*)(void))elt_leave1, (void (*)(void))elt_tailcall1,
        (void (*)(void))elt_enter2, (void (*)(void))elt_leave2, (void (*)(void))elt_tailcall2,
        (void (*)(void))elt_enter3, (void (*)(void))elt_leave3, (void (*)(void))elt_tailcall3};
    enum { STUBS = sizeof stubs / sizeof *stubs };
    elt_targets.enter1 = elt_targets.leave1 = elt_targets.tailcall1 = handle;
    elt_targets.enter3 = elt_targets.leave3 = elt_targets.tailcall3 = handle;
    elt_targets.enter2 = handle_enter2;
    elt_targets.leave2 = handle_leave2;
    elt_targets.tailcall2 = handle2;
    AddVectoredExceptionHandler(1, on_step);
    for (unsigned on = 0; on < 2; on++) {
        elt_switch(on != 0);
        for (unsigned i = 0; i < STUBS; i++) {
            DWORD64 base;
            RUNTIME_FUNCTION *function = RtlLookupFunctionEntry((DWORD64)stubs[i], &base, NULL);
            stub_begin = base + function->BeginAddress;
            stub_end = base + function->EndAddress;
            stepped(stubs[i]);
        }
    }
    printf("%u instructions, %u wrong, %u hooks\n", steps, wrong, handled);
    return wrong != 0 || handled != STUBS;
}
