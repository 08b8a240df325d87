/* src/rules/select.c: what an image says of the machine it runs on, and what --target makes of
 * it. */
#include "tests/unit/rules_test.h"

#define YES     ILP_YES
#define NO      ILP_NO
#define UNKNOWN ILP_UNKNOWN

/* What a target shows by: whether structs are affected, and whether an object and an int32 have
 * more than 8 bytes. */
struct shown {
    enum ilp_tristate affected;
    enum ilp_tristate larger;
};

static const struct shown as_x86 = {YES, NO};
static const struct shown as_any = {YES, YES};
static const struct shown as_64 = {NO, YES};
static const struct shown as_arm = {NO, UNKNOWN};

static void check_shown(const struct rt_app *app, unsigned target, struct shown expected,
                        const char *what)
{
    struct ilp_selection affected;
    struct ilp_selection larger;
    struct ilp_selection other;
    rt_select(app, "Mixed", "<affected-by bug='x86-struct-return'/>", target, &affected);
    rt_select(app, "Mixed", "<return larger-than='8'/>", target, &larger);
    rt_select(app, "Three", "<return larger-than='11'/>", target, &other);
    if (affected.included != expected.affected || larger.included != expected.larger) {
        fail_msg("%s, target %u: affected %d, larger %d; expected %d, %d", what, target,
                 affected.included, larger.included, expected.affected, expected.larger);
    }
    assert_int_equal(other.included, expected.larger == UNKNOWN ? UNKNOWN : YES);
}

/* What an image says, and what --target makes of it. */
static void check_image(const struct rt_app *app, struct shown own, const char *what)
{
    static const struct {
        unsigned target;
        const struct shown *shown;
    } targets[] = {
        {ILP_TARGET_ANYCPU, &as_any}, {ILP_TARGET_X86, &as_x86},  {ILP_TARGET_X64, &as_64},
        {ILP_TARGET_ARM, &as_arm},    {ILP_TARGET_ARM64, &as_64},
    };
    bool any = own.affected == YES && own.larger == YES;
    check_shown(app, ILP_TARGET_AUTO, own, what);
    for (size_t i = 0; i < COUNT(targets); i++) {
        check_shown(app, targets[i].target, any ? *targets[i].shown : own, what);
    }
}

static void test_targets(void **state)
{
    static const struct {
        struct ib_pe pe;
        const struct shown *shown;
        const char *what;
    } images[] = {
        {{.machine = 0x14C, .cli_flags = 1}, &as_any, "IL alone"},
        {{.machine = 0x14C, .cli_flags = 9}, &as_any, "IL alone, signed"},
        {{.machine = 0x14C, .cli_flags = 3}, &as_x86, "32BITREQUIRED"},
        {{.machine = 0x14C, .cli_flags = 0x20003}, &as_any, "32BITPREFERRED"},
        {{.machine = 0x14C, .cli_flags = 0x10000}, &as_x86, "not IL alone"},
        {{.machine = 0x14C, .plus = true}, &as_x86, "PE32+ for i386"},
        {{.machine = 0x8664, .plus = true}, &as_64, "x64"},
        {{.machine = 0x8664, .plus = true, .cli_flags = 3}, &as_64, "x64 with 32BITREQUIRED"},
        {{.machine = 0x1C0}, &as_arm, "Arm"},
        {{.machine = 0x1C4}, &as_arm, "Thumb-2"},
        {{.machine = 0xAA64, .plus = true}, &as_64, "Arm64"},
        {{.machine = 0x5064, .plus = true}, &as_64, "RISC-V"},
        {{.machine = 0x200, .plus = true}, &as_64, "Itanium"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(images); i++) {
        struct rt_app app;
        rt_open_pe(&app, images[i].pe);
        check_image(&app, *images[i].shown, images[i].what);
        rt_close(&app);
    }
}

/* ReadyToRun code is for one machine and one system. */
static void test_ready_to_run(void **state)
{
    static const uint16_t systems[] = {0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992};
    static const struct {
        uint16_t machine;
        const struct shown *shown;
    } machines[] = {{0x14C, &as_x86}, {0x8664, &as_64}, {0x1C4, &as_arm}, {0xAA64, &as_64}};
    (void)state;
    for (size_t i = 0; i < COUNT(systems); i++) {
        for (size_t j = 0; j < COUNT(machines); j++) {
            struct rt_app app;
            rt_open_pe(&app, (struct ib_pe){.machine = machines[j].machine ^ systems[i]});
            check_image(&app, *machines[j].shown, "ReadyToRun");
            rt_close(&app);
        }
    }
}

/* Bare metadata says nothing of a machine. */
static void test_bare_metadata(void **state)
{
    struct ib_image b;
    struct rt_app app = {0};
    (void)state;
    rt_build(&b);
    app.image = built_root(&b);
    check_image(&app, as_any, "bare metadata");
    rt_close(&app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_ready_to_run),
        cmocka_unit_test(test_bare_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
