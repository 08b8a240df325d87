/* Shadow stacks: sequences of hooks as runtimes give them, replayed, and the stack compared with
 * the real one at every step. The last test shows why a frame that makes a tail call is popped at
 * once. */
#include "metadata_test.h"

#include <string.h>

#include "elt/shadow_stack.h"

/* A function is known by the address of its letter. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

static const void *named(char letter)
{
    return strchr(letters, letter);
}

/* What the hooks of a profiler do with the stack. */
static bool left(struct shadow_stack *stack, const void *function)
{
    uint32_t above = shadow_stack_above(stack, function);
    for (uint32_t i = 0; above != SHADOW_STACK_ABSENT && i <= above; i++) {
        assert_true(shadow_stack_pop(stack, NULL));
    }
    return above != SHADOW_STACK_ABSENT;
}

/* The stack as text, the oldest first. */
static const char *text_of(const struct shadow_stack *stack)
{
    static char text[64];
    size_t size = 0;
    for (uint32_t younger = stack->depth; younger-- > 0;) {
        const struct shadow_frame *frame = shadow_stack_at(stack, younger);
        text[size++] = frame ? *(const char *)frame->function : '?';
    }
    text[size] = '\0';
    return text;
}

/* Replays hooks: "+a" enters a, "-a" leaves it, "~a" is its tail call, "!a" an exception unwinds
 * it; "=text" says what the stack is now. */
static void replay(struct shadow_stack *stack, const char *hooks)
{
    char expected[64];
    int size;
    for (; *hooks != '\0'; hooks += *hooks == ' ') {
        if (*hooks == '=') {
            expected[0] = '\0';
            sscanf(hooks, "=%63[a-z?]", expected);
            size = (int)strlen(expected) + 1;
            assert_string_equal(text_of(stack), expected);
        } else {
            size = 2;
            if (*hooks == '+') {
                shadow_stack_push(stack, named(hooks[1]), 0);
            } else {
                assert_true(left(stack, named(hooks[1])));
            }
        }
        hooks += size;
    }
}

static void replay_again(const char *hooks)
{
    struct shadow_stack stack;
    assert_true(shadow_stack_open(&stack, SHADOW_STACK_LIMIT));
    replay(&stack, hooks);
    shadow_stack_close(&stack);
}

static void calls_nest(void **state)
{
    (void)state;
    replay_again("= +a =a +b =ab +c =abc -c =ab +c =abc -c -b =a +b =ab -b -a =");
    replay_again("+a +a +a =aaa -a =aa +b =aab -b -a -a =");
}

/* a calls b; b ends with a call of c, c with one of d: never more than one of them is there. */
static void tail_calls_pop(void **state)
{
    (void)state;
    replay_again("+a +b =ab ~b =a +c =ac ~c =a +d =ad -d =a -a =");
    replay_again("+a ~a = +a =a ~a = +a -a =");
}

/* Thread.Sleep(int) ends with a tail call of native code, which has no hook. The next Enter is of
 * whatever the caller calls next, and it is no child of Sleep. */
static void tail_calls_of_native_code_pop(void **state)
{
    (void)state;
    replay_again("+m +s =ms ~s =m +w =mw -w =m -m =");
    replay_again("+m +s ~s +s ~s +s ~s =m -m =");
    /* ... also when it is the last that is called: the next hook is the caller's own Leave */
    replay_again("+m +s ~s -m =");
    replay_again("+m +t +s ~s ~t =m -m =");
}

/* Unwinding takes the functions one by one, finally blocks call others meanwhile, and the catcher
 * goes on. */
static void exceptions_unwind(void **state)
{
    (void)state;
    replay_again("+a +b +c +d =abcd !d =abc +f =abcf -f !c =ab -b =a +e -e -a =");
}

/* A Leave that was missed: the frame has gone with the one below it. A Leave without its Enter is
 * not taken. */
static void missed_hooks_heal(void **state)
{
    (void)state;
    struct shadow_stack stack;
    replay_again("+a +b +c =abc -a =");
    replay_again("+a +b +a +c =abac -a =ab -b -a =");
    assert_true(shadow_stack_open(&stack, 8));
    replay(&stack, "+a +b =ab");
    assert_false(left(&stack, named('x')));
    replay(&stack, "=ab");
    shadow_stack_close(&stack);
}

static void deep_recursion(void **state)
{
    (void)state;
    struct shadow_stack stack;
    assert_true(shadow_stack_open(&stack, SHADOW_STACK_LIMIT));
    for (uint32_t i = 0; i < SHADOW_STACK_LIMIT; i++) {
        shadow_stack_push(&stack, named('r'), i);
    }
    assert_int_equal(stack.past_limit, 0);
    for (uint32_t i = SHADOW_STACK_LIMIT; i-- > 0;) {
        struct shadow_frame frame;
        assert_int_equal(shadow_stack_above(&stack, named('r')), 0);
        assert_true(shadow_stack_pop(&stack, &frame));
        assert_ptr_equal(frame.function, named('r'));
        assert_int_equal(frame.note, i);
    }
    assert_false(shadow_stack_pop(&stack, NULL));
    assert_int_equal(stack.depth, 0);
    shadow_stack_close(&stack);
}

/* Past the limit frames have no names, but the depth is right, and below the limit all is as it
 * was. */
static void frames_past_the_limit_are_counted(void **state)
{
    (void)state;
    struct shadow_stack stack;
    struct shadow_frame frame;
    assert_true(shadow_stack_open(&stack, 2));
    replay(&stack, "+a +b =ab +c =ab? +d =ab?? -d =ab? ~c =ab +c +d !d !c =ab -b +x =ax -x -a =");
    assert_int_equal(stack.past_limit, 4);
    assert_int_equal(stack.depth, 0);
    assert_null(stack.frames[-1].function);
    assert_true(stack.frames[-1].note == UINTPTR_MAX);
    shadow_stack_push(&stack, named('a'), 1);
    shadow_stack_push(&stack, named('b'), 2);
    shadow_stack_push(&stack, named('c'), 3);
    assert_null(shadow_stack_at(&stack, 0));
    assert_ptr_equal(shadow_stack_at(&stack, 1)->function, named('b'));
    assert_null(shadow_stack_at(&stack, 3));
    assert_true(shadow_stack_pop(&stack, &frame));
    assert_null(frame.function);
    shadow_stack_close(&stack);
}

static void without_memory_all_is_counted(void **state)
{
    (void)state;
    struct shadow_stack stack;
    assert_false(shadow_stack_open(&stack, 0));
    replay(&stack, "+a +b =?? -b =? -a =");
    assert_int_equal(stack.past_limit, 2);
    assert_false(shadow_stack_pop(&stack, NULL));
    shadow_stack_close(&stack);
}

/* The other way: a tail call marks the frame, and it goes when its callee leaves. True as long as
 * the callee has hooks. */
struct deferred {
    char stack[32];
    bool ended[32]; /* by a tail call */
    unsigned depth;
};

static void deferred_hook(struct deferred *deferred, const char *hook)
{
    if (hook[0] == '+') {
        deferred->ended[deferred->depth] = false;
        deferred->stack[deferred->depth++] = hook[1];
    } else if (hook[0] == '~') {
        deferred->ended[deferred->depth - 1] = true;
    } else {
        deferred->depth--;
        while (deferred->depth > 0 && deferred->ended[deferred->depth - 1]) {
            deferred->depth--;
        }
    }
    deferred->stack[deferred->depth] = '\0';
}

static const char *deferred_replay(struct deferred *deferred, const char *hooks)
{
    *deferred = (struct deferred){.depth = 0};
    for (; *hooks != '\0'; hooks += 2 + (hooks[2] == ' ')) {
        deferred_hook(deferred, hooks);
    }
    return deferred->stack;
}

static void deferred_pop_fails(void **state)
{
    (void)state;
    struct deferred deferred;
    /* b ends with c, both with hooks: the same in the end, though b, which is gone, still is
     * under c ... */
    assert_string_equal(deferred_replay(&deferred, "+a +b ~b +c"), "abc");
    assert_string_equal(deferred_replay(&deferred, "+a +b ~b +c -c"), "a");
    replay_again("+a +b ~b +c =ac -c =a");
    /* ... but s ends with native code: main calls w next, and w seems to be called by s, which is
     * long gone */
    assert_string_equal(deferred_replay(&deferred, "+m +s ~s +w"), "msw");
    replay_again("+m +s ~s +w =mw");
    /* main leaves, and what goes is s: main stays for ever */
    assert_string_equal(deferred_replay(&deferred, "+m +s ~s -m"), "m");
    replay_again("+m +s ~s -m =");
    /* a loop of Sleep grows without end, where a tail call is for not growing at all */
    assert_string_equal(deferred_replay(&deferred, "+m +s ~s +s ~s +s ~s"), "msss");
    replay_again("+m +s ~s +s ~s +s ~s =m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_nest),
        cmocka_unit_test(tail_calls_pop),
        cmocka_unit_test(tail_calls_of_native_code_pop),
        cmocka_unit_test(exceptions_unwind),
        cmocka_unit_test(missed_hooks_heal),
        cmocka_unit_test(deep_recursion),
        cmocka_unit_test(frames_past_the_limit_are_counted),
        cmocka_unit_test(without_memory_all_is_counted),
        cmocka_unit_test(deferred_pop_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
