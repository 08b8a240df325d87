/* What hooks leave of a processor's state. Each is called as compiled code calls it, with a pattern
 * in every register; the function after the stub destroys all that a function may; and what the
 * table says is kept is compared, to the bit. The same with hooks that break one thing, to see that
 * it is noticed.
 *
 * On x86 the stubs also run a step at a time: at each instruction the bytes below the stack are
 * destroyed, as a signal would, and an unwinder looks for the caller. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks_here.h"
#include "slots.h"
#include "table.h"
#include "walk.h"

#if defined __x86_64__ || defined __i386__
extern uintptr_t elt_test_given_flags;
extern uint8_t elt_test_given_x87[32];
#endif

static unsigned passed, failed;
static char detail[400];

static void differ(const char *what, const char *how)
{
    size_t length = strlen(detail);
    snprintf(detail + length, sizeof detail - length, "%s%s %s", length ? ", " : "", what, how);
}

static void result(const struct hook_case *hook, const char *what)
{
    printf("%s %s: %s%s%s\n", *detail ? "FAIL" : "ok", hook->name, what, *detail ? ": " : "",
           detail);
    *(*detail ? &failed : &passed) += 1;
    *detail = '\0';
}

/* ---- the stack of the call ---- */

enum { STACK = 1 << 18, ABOVE = 4096, UNTOUCHED = 0xa5, HOME = 32 };
static uint8_t stack[STACK] __attribute__((aligned(64)));

static uint8_t *stack_pointer(unsigned misalignment)
{
    return stack + STACK - ABOVE + misalignment;
}

/* What is above the hook's arguments is the caller's; of the convention of x86-64 Windows 32 bytes
 * are the called function's. */
static bool guard_untouched(const struct hook_case *hook, unsigned misalignment)
{
    size_t own = hook->architecture == X86_64_WINDOWS ? HOME
                 : hook->architecture == I386         ? hook->arguments * 4
                                                      : 0;
    for (size_t i = own; i < STATE_GUARD; i++) {
        if (stack_pointer(misalignment)[i] != UNTOUCHED) {
            return false;
        }
    }
    return true;
}

/* ---- one call ---- */

/* A frame of its own, to be found by the unwinder. */
__attribute__((noinline)) static void run_hook(void)
{
    elt_test_call();
    __asm__ volatile("" ::: "memory");
}

static unsigned handler_calls, not_unwound;
static bool walks; /* the function unwinds, too */

/* What the functions after the stubs call before they destroy everything. */
void elt_test_inside(void);
void elt_test_inside(void)
{
    handler_calls++;
    not_unwound += walks && !walk_finds((void *)run_hook);
}

#ifdef __x86_64__
__attribute__((ms_abi)) void elt_test_windows_inside(void);
__attribute__((ms_abi)) void elt_test_windows_inside(void)
{
    elt_test_inside();
}

struct elt_targets elt_windows_targets;

static code handler_of(const struct hook_case *hook)
{
    return hook->architecture == X86_64_WINDOWS ? elt_test_windows_handler : elt_test_handler;
}

static struct elt_targets *targets_of(const struct hook_case *hook)
{
    return hook->architecture == X86_64_WINDOWS ? &elt_windows_targets : &elt_targets;
}
#else
static code handler_of(const struct hook_case *hook)
{
    (void)hook;
    return elt_test_handler;
}

static struct elt_targets *targets_of(const struct hook_case *hook)
{
    (void)hook;
    return &elt_targets;
}
#endif

static uintptr_t given[4]; /* what the hook is called with */

static void prepare(const struct hook_case *hook, unsigned misalignment, unsigned seed)
{
    memset(stack, UNTOUCHED, sizeof stack);
    fill_before(seed, (uintptr_t)stack_pointer(misalignment));
    unsigned index = 0;
    for (size_t i = 0; i < pass_count; i++) {
        const struct pass *pass = &passes[i];
        if (pass->architecture != hook->architecture || !(pass->generations & hook->generation) ||
            !(pass->hooks & hook->hook)) {
            continue;
        }
        given[index] = (uintptr_t)0x1d0000 * (index + 1) + seed;
        if (strcmp(pass->where, "stack") == 0) {
            memcpy(stack_pointer(misalignment) + index * sizeof(void *), &given[index],
                   sizeof(void *));
        } else {
            set_word(elt_test_before, pass->where, given[index]);
        }
        index++;
    }
    memset(elt_test_given, 0, sizeof elt_test_given);
    handler_calls = not_unwound = 0;
#ifdef __i386__
    elt_test_handler_arguments = (int)hook->arguments;
#endif
}

static void call(code function)
{
    elt_test_hook = function;
    run_hook();
    derive(elt_test_before);
    derive(elt_test_after);
}

/* ---- what is left ---- */

static const struct keep *row_of(const struct hook_case *hook, const char *name)
{
    const struct keep *found = NULL;
    for (size_t i = 0; i < keep_count; i++) {
        const struct keep *row = &keeps[i];
        if (row->architecture == hook->architecture && (row->generations & hook->generation) &&
            (row->hooks & hook->hook) && row_has(row->registers, name)) {
            if (found) {
                return NULL;
            }
            found = row;
        }
    }
    return found;
}

static bool kept(const struct slot *slot, unsigned pops)
{
    if (strcmp(slot->name, STACK_POINTER) == 0) {
        return get_word(elt_test_after, slot->name) == get_word(elt_test_before, slot->name) + pops;
    }
#ifdef __i386__
    if (strcmp(slot->name, "st0") == 0 && !elt_test_x87_value) {
        return true;
    }
    if (strcmp(slot->name, "x87empty") == 0 && elt_test_x87_value) { /* one value, and no other */
        return elt_test_after[STATE_X87 + 8] == 0xff &&
               (elt_test_after[STATE_X87 + 9] & 0xc0) != 0xc0 &&
               (elt_test_after[STATE_X87 + 9] & 0x3f) == 0x3f;
    }
#endif
    return memcmp(elt_test_before + slot->offset, elt_test_after + slot->offset, slot->bytes) == 0;
}

static void compare(const struct hook_case *hook, unsigned misalignment)
{
    for (size_t i = 0; i < slot_count; i++) {
        if (row_of(hook, slots[i].name)->by != NONE && !kept(&slots[i], hook->pops)) {
            differ(slots[i].name, "is lost");
        }
    }
    if (!guard_untouched(hook, misalignment)) {
        differ("the caller's stack", "is written to");
    }
#ifdef __x86_64__
    if (hook->architecture == X86_64_WINDOWS && hook->generation == G3 && hook->hook == LEAVE &&
        get_word(elt_test_after, "rcx") != 0) {
        differ("rcx", "is taken for a continuation");
    }
#endif
}

/* What the function after the stub found. */
static void compare_given(const struct hook_case *hook)
{
    if (handler_calls != 1) {
        differ("the function", "is not called, or not once");
    }
    if (memcmp(given, elt_test_given, hook->arguments * sizeof *given) != 0) {
        differ("the function's arguments", "are others");
    }
    if ((elt_test_given_sp + RETURN_ADDRESS) % 16 != 0) {
        differ("the function's stack", "is not aligned");
    }
#if defined __x86_64__ || defined __i386__
    if (elt_test_given_x87[8] != 0xff || elt_test_given_x87[9] != 0xff) {
        differ("the function's x87 stack", "is not empty");
    }
    if (elt_test_given_flags & 0x400) {
        differ("the function's direction flag", "is set");
    }
#endif
}

/* ---- the tests ---- */

static void test_table(const struct hook_case *hook)
{
    for (size_t i = 0; i < slot_count; i++) {
        if (!row_of(hook, slots[i].name)) {
            differ(slots[i].name, "is not in just one row");
        }
    }
    result(hook, "the table has every register once");
}

static void test_kept(const struct hook_case *hook)
{
    for (unsigned misalignment = 0; misalignment < 16; misalignment += ALIGNED_TO) {
        for (unsigned seed = 0; seed < 4; seed++) {
            prepare(hook, misalignment, seed);
            call(hook->stub);
            compare(hook, misalignment);
            compare_given(hook);
        }
    }
    result(hook, "keeps what it must");
}

static void test_unwound(const struct hook_case *hook)
{
    walks = true;
    prepare(hook, 0, 0);
    call(hook->stub);
    if (not_unwound) {
        differ("the caller", "is not found");
    }
    /* An unwinder with wrong tables may go astray altogether: in a process of its own. */
    pid_t child = fork();
    if (child == 0) {
        prepare(hook, 0, 0);
        elt_test_handler_in_use = handler_of(hook);
        call(elt_test_broken_cfi);
        _exit(not_unwound == 0 && handler_calls == 1 ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status == 0) {
        differ("a stub without directives", "is not noticed");
    }
    walks = false;
    result(hook, "is unwound through");
}

static void test_off(const struct hook_case *hook)
{
    atomic_store(&targets_of(hook)->on, 0);
    prepare(hook, 0, 1);
    call(hook->stub);
    compare(hook, 0);
    if (handler_calls) {
        differ("the function", "is called");
    }
    atomic_store(&targets_of(hook)->on, 1);
    result(hook, "does nothing while switched off");
}

/* Without a stub everything that stubs keep is lost: the function destroys it, and the comparison
 * sees that. */
static void test_without_stub(const struct hook_case *hook)
{
    prepare(hook, 0, 1);
    call(handler_of(hook));
    for (size_t i = 0; i < slot_count; i++) {
        const struct keep *row = row_of(hook, slots[i].name);
#ifdef __i386__
        if (strcmp(slots[i].name, "st0") == 0 && !elt_test_x87_value) {
            continue;
        }
#endif
        if (row->by == STUB && kept(&slots[i], 0)) {
            differ(slots[i].name, "is not destroyed");
        }
    }
    result(hook, "without a stub, all that it keeps is lost");
}

/* What any function keeps: one that doesn't is noticed. */
static void test_broken(const struct hook_case *hook)
{
    elt_test_right_hook = hook->stub;
    for (size_t i = 0; i < COUNT(broken_hooks); i++) {
        bool guard = strcmp(broken_hooks[i].lost, "guard") == 0;
        if (!guard && row_of(hook, broken_hooks[i].lost)->by != CALLEE) {
            continue;
        }
        prepare(hook, 0, 1);
        call(broken_hooks[i].stub);
        if (guard ? guard_untouched(hook, 0) : kept(find_slot(broken_hooks[i].lost), hook->pops)) {
            differ(broken_hooks[i].lost, "is lost without notice");
        }
    }
    result(hook, "one that loses a register of its caller's is noticed");
}

#if defined __x86_64__ || defined __i386__
static void test_steps(const struct hook_case *hook)
{
    for (unsigned on = 0; on < 2; on++) {
        atomic_store(&targets_of(hook)->on, on);
        prepare(hook, ALIGNED_TO, 0);
        step_through(hook->stub, hook->architecture == X86_64 ? 128 : 0, (void *)run_hook);
        call(hook->stub);
        compare(hook, ALIGNED_TO);
        if (steps.count < (on ? 20u : 3u)) {
            differ("the stub", "is not stepped through");
        }
        if (steps.failed) {
            char where[80];
            snprintf(where, sizeof where, "is not found at %u of %u instructions, first at +0x%lx",
                     steps.failed, steps.count, (unsigned long)steps.first_failed);
            differ("the caller", where);
        }
    }
    result(hook, "may be interrupted at each instruction, and is unwound from there");
}
#endif

static void test_hook(const struct hook_case *hook)
{
    *(code *)((char *)targets_of(hook) + hook->target) = handler_of(hook);
    atomic_store(&targets_of(hook)->on, 1);
    test_table(hook);
    if (failed) {
        return;
    }
    test_kept(hook);
    test_unwound(hook);
    test_off(hook);
    test_without_stub(hook);
    test_broken(hook);
#if defined __x86_64__ || defined __i386__
    test_steps(hook);
#endif
}

int main(void)
{
    make_slots();
    elt_switch(false);
#ifdef __x86_64__
    elt_windows_targets.vector_bytes = elt_targets.vector_bytes;
#endif
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_hook(&cases[i]);
#ifdef __i386__
        elt_test_x87_value = 1;
        printf("with a value on the x87 stack:\n");
        test_hook(&cases[i]);
        elt_test_x87_value = 0;
#endif
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
