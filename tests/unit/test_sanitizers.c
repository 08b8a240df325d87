/* In a build for sanitizers (make check-asan) each kind of mistake ends the process, so that a test
 * that makes one fails. Each line below is wrong, and made by a copy of this process. */
#include "tests/unit/metadata_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitizers.h"

#ifndef HAS_ADDRESS_SANITIZER
int main(void)
{
    puts("this build has no sanitizers (make check-asan)");
    return 77; /* skipped */
}
#else

/* What the compiler cannot know. */
static volatile int zero, one = 1, large = INT32_MAX;
static void *volatile nothing;
static _Alignas(8) volatile uint8_t bytes[8];

static void overflow(void)
{
    zero = large + one;
}

static void shift(void)
{
    zero = one << (large & 63);
}

static void divide(void)
{
    zero = one / zero;
}

static void compare_null(void)
{
    zero = memcmp(nothing, "", (size_t)zero);
}

static void copy_null(void)
{
    char to[4];
    memcpy(to, nothing, (size_t)zero);
    zero = to == nothing;
}

static void misaligned(void)
{
    zero = *(const int *)((uintptr_t)bytes + (uintptr_t)one);
}

static void out_of_bounds(void)
{
    bytes[8 * one] = 0;
}

static void pointer_overflow(void)
{
    const char *text = "";
    nothing = (void *)(uintptr_t)(text + (size_t)0 - ((uintptr_t)text + (size_t)one));
}

static void use_after_free(void)
{
    nothing = malloc((size_t)one);
    free(nothing);
    zero = *(volatile char *)nothing;
}

static void not_a_bool(void)
{
    bytes[0] = 2;
    zero = *(const bool *)(uintptr_t)bytes;
}

#ifdef __clang__
/* -Wconversion sees no constant here, and the cast that would make it meant is missing. */
static void implicit_conversion(void)
{
    uint8_t narrow = 255;
    narrow += (uint8_t)one;
    bytes[0] = narrow;
}
#endif

static bool ends_process(void (*mistake)(void))
{
    int code;
    pid_t copy = fork();
    if (copy == 0) {
        close(STDERR_FILENO);
        mistake();
        _exit(0);
    }
    assert_true(copy > 0);
    assert_int_equal(waitpid(copy, &code, 0), copy);
    return code != 0;
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *name;
        void (*make)(void);
    } mistakes[] = {
#define MISTAKE(name) \
    {                 \
#name, name   \
    }
        MISTAKE(overflow),
        MISTAKE(shift),
        MISTAKE(divide),
        MISTAKE(compare_null),
        MISTAKE(copy_null),
        MISTAKE(misaligned),
        MISTAKE(out_of_bounds),
        MISTAKE(not_a_bool),
        MISTAKE(pointer_overflow),
        MISTAKE(use_after_free),
#ifdef __clang__
        MISTAKE(implicit_conversion),
#endif
    };
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        if (!ends_process(mistakes[i].make)) {
            fail_msg("%s ends no process", mistakes[i].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
