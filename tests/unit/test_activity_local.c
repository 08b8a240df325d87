/* profiler/activity_local.c, in a played runtime: which object the static field refers to. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/profiler_host.h"

#include "profiler/activity_local.h"

/* ModuleIDs, of four assemblies; classes of Activity in each. */
enum { MEANT = 1, NAMED_OTHERWISE, WITHOUT_FIELD, WITH_INSTANCE_FIELD };

#define ID(class) ((ClassID)(uintptr_t)(class))

static struct {
    struct host host;
    struct loaded *loaded;
    struct activity_locals *locals;
    struct ilp_bytes bytes[MAX_MODULES];
} world;

/* An AsyncLocal<T>. */
struct local {
    const struct host_class *type;
};

static struct ilp_image *image_of(const char *assembly, const char *field, unsigned flags)
{
    struct ib_image b;
    ii_begin(&b, assembly);
    ii_type(&b, "System.Diagnostics", "Other", II_OBJECT);
    IB_ROW(&b, Field, 0x11, ib_string(&b, "s_current"), ii_blob(&b, "06 1C"));
    ii_type(&b, "System.Diagnostics", "Activity", II_OBJECT);
    IB_ROW(&b, Field, 0x11, ib_string(&b, "s_other"), ii_blob(&b, "06 1C"));
    IB_ROW(&b, Field, flags, ib_string(&b, field), ii_blob(&b, "06 1C"));
    return built_root(&b);
}

static void begin(void)
{
    static const char meant[] = "System.Diagnostics.DiagnosticSource";
    struct ilp_image *images[] = {
        image_of(meant, "s_current", 0x11), image_of("Own", "s_current", 0x11),
        image_of(meant, "s_renamed", 0x11), image_of(meant, "s_current", 0x01)};
    host_begin(&world.host, 11);
    world.host.program = pthread_self();
    world.loaded = loaded_open();
    assert_non_null(world.loaded);
    for (unsigned i = 0; i < COUNT(images); i++) {
        uint64_t key;
        world.bytes[i] = images[i]->pe.bytes;
        world.host.modules[i].path = "A.dll";
        loaded_add(world.loaded, MEANT + i, images[i], "", &key);
    }
    world.locals = activity_locals_open(&world.host.info, world.loaded);
    assert_non_null(world.locals);
}

static void end(void)
{
    activity_locals_close(world.locals);
    loaded_close(world.loaded);
    for (unsigned i = 0; i < COUNT(world.bytes); i++) {
        drop(world.bytes[i]);
    }
}

static const struct host_class activities[] = {
    [MEANT] = {.module = MEANT, .token = ILP_TOKEN(ILP_TypeDef, 3)},
    [NAMED_OTHERWISE] = {.module = NAMED_OTHERWISE, .token = ILP_TOKEN(ILP_TypeDef, 3)},
    [WITHOUT_FIELD] = {.module = WITHOUT_FIELD, .token = ILP_TOKEN(ILP_TypeDef, 3)},
    [WITH_INSTANCE_FIELD] = {.module = WITH_INSTANCE_FIELD, .token = ILP_TOKEN(ILP_TypeDef, 3)},
};

static struct host_class local_class(ModuleID module)
{
    return (struct host_class){.module = MEANT,
                               .token = ILP_TOKEN(ILP_TypeDef, 2),
                               .count = 1,
                               .arguments = {ID(&activities[module])}};
}

static enum ilp_tristate is_current(const struct local *local)
{
    return activity_local_is_current(world.locals, local);
}

/* It is requested once; objects move, and the field with them. */
static void test_current(void **state)
{
    struct host_class class = local_class(MEANT);
    const struct local first = {&class}, second = {&class};
    const struct local marked = {(const struct host_class *)((uintptr_t) & class | 1)};
    const void *field = &first;
    (void)state;
    begin();
    world.host.static_field = &field;
    assert_int_equal(is_current(&first), ILP_YES);
    assert_int_equal(is_current(&second), ILP_NO);
    field = &second;
    assert_int_equal(is_current(&first), ILP_NO);
    assert_int_equal(is_current(&second), ILP_YES);
    field = &marked;
    assert_int_equal(is_current(&marked), ILP_YES); /* by a garbage collection */
    field = NULL;
    assert_int_equal(is_current(&first), ILP_NO);
    assert_int_equal(world.host.statics, 1);
    end();
}

/* As long as the class has not been used, and after that. */
static void test_not_yet(void **state)
{
    struct host_class class = local_class(MEANT);
    const struct local local = {&class};
    const void *field = &local;
    (void)state;
    begin();
    world.host.static_result = CORPROF_E_DATAINCOMPLETE;
    assert_int_equal(is_current(&local), ILP_NO);
    assert_int_equal(is_current(&local), ILP_NO);
    assert_int_equal(world.host.statics, 2);
    world.host.static_result = S_OK;
    world.host.static_field = &field;
    assert_int_equal(is_current(&local), ILP_YES);
    assert_int_equal(is_current(&local), ILP_YES);
    assert_int_equal(world.host.statics, 3);
    end();
}

/* Of an assembly of another name it is not; without the field it is not known. */
static void test_other_classes(void **state)
{
    (void)state;
    for (ModuleID module = NAMED_OTHERWISE; module <= WITH_INSTANCE_FIELD; module++) {
        struct host_class class = local_class(module);
        const struct local local = {&class};
        const void *field = &local;
        begin();
        world.host.static_field = &field;
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(is_current(&local), module == NAMED_OTHERWISE ? ILP_NO : ILP_UNKNOWN);
        }
        assert_int_equal(world.host.statics, 0);
        end();
    }
}

static void test_failures(void **state)
{
    static const char *const functions[] = {"GetClassIDInfo2", "GetModuleInfo2", "GetAssemblyInfo",
                                            "GetAppDomainStaticAddress"};
    struct host_class class = local_class(MEANT);
    const struct local local = {&class};
    const void *field = &local;
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++) {
        begin();
        world.host.static_field = &field;
        world.host.fails = functions[i];
        assert_int_equal(is_current(&local), ILP_UNKNOWN);
        end();
    }
    begin();
    class.count = 2; /* no AsyncLocal<T> */
    assert_int_equal(is_current(&local), ILP_UNKNOWN);
    end();
}

/* What can be unloaded is moved; its place is free again after that. */
static void test_unloaded(void **state)
{
    struct host_class class = local_class(MEANT);
    const struct local local = {&class};
    const void *field = &local;
    (void)state;
    begin();
    world.host.static_field = &field;
    world.host.modules[MEANT - 1].flags = MODULE_COLLECTIBLE;
    assert_int_equal(is_current(&local), ILP_UNKNOWN);
    world.host.modules[MEANT - 1].flags = 0;
    assert_int_equal(is_current(&local), ILP_UNKNOWN);
    activity_locals_module_goes(world.locals, NAMED_OTHERWISE);
    assert_int_equal(is_current(&local), ILP_UNKNOWN);
    assert_int_equal(world.host.statics, 0);
    activity_locals_module_goes(world.locals, MEANT);
    assert_int_equal(is_current(&local), ILP_YES);
    end();
}

/* There is room for some. */
static void test_many(void **state)
{
    enum { MANY = 12, ROOM = 8 };
    struct host_class classes[MANY];
    struct local locals[MANY];
    const void *field = &locals[ROOM - 1];
    (void)state;
    begin();
    world.host.static_field = &field;
    for (unsigned i = 0; i < MANY; i++) {
        classes[i] = local_class(MEANT);
        locals[i].type = &classes[i];
        assert_int_equal(is_current(&locals[i]), i < ROOM - 1    ? ILP_NO
                                                 : i == ROOM - 1 ? ILP_YES
                                                                 : ILP_UNKNOWN);
    }
    assert_int_equal(world.host.statics, ROOM);
    assert_int_equal(is_current(&locals[0]), ILP_NO);
    end();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_current),       cmocka_unit_test(test_not_yet),
        cmocka_unit_test(test_other_classes), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_unloaded),      cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
