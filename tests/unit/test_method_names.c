/* profiler/method_names.c: what methods are called, by their code, as a played runtime knows it. */
#include "tests/unit/inspect_image.h"
#include "tests/unit/profiler_host.h"

#include "profiler/method_names.h"

enum { APP = 1, NOT_LOADED };
enum { CODE = 0x10000 };

static struct {
    struct host host;
    struct loaded *loaded;
    struct method_names *names;
    struct ilp_bytes bytes;
} world;

static struct ilp_image *app_image(void)
{
    struct ib_image b;
    ii_begin(&b, "App");
    ii_type(&b, "N", "C", II_OBJECT);
    ii_method(&b, "A", "00 00 01");
    ii_method(&b, "B", "00 00 01");
    return built_root(&b);
}

static void load_app(void)
{
    struct ilp_image *image = app_image();
    uint64_t key;
    world.bytes = image->pe.bytes;
    loaded_add(world.loaded, APP, image, "", &key);
}

static void begin(void)
{
    host_begin(&world.host, 11);
    world.loaded = loaded_open();
    world.names = method_names_open(&world.host.info, world.loaded);
    assert_non_null(world.loaded);
    assert_non_null(world.names);
    load_app();
}

static void end(void)
{
    method_names_close(world.names);
    loaded_close(world.loaded);
    drop(world.bytes);
}

static const char *name_of(ModuleID module, ilp_token token)
{
    world.host.code = CODE;
    world.host.code_of = FUNCTION(module, token);
    return method_name_at(world.names, CODE);
}

static void test_names(void **state)
{
    (void)state;
    begin();
    const char *name = name_of(APP, ILP_TOKEN(ILP_MethodDef, 1));
    assert_string_equal(name, "N.C::A");
    assert_string_equal(name_of(APP, ILP_TOKEN(ILP_MethodDef, 2)), "N.C::B");
    assert_ptr_equal(name_of(APP, ILP_TOKEN(ILP_MethodDef, 1)), name); /* made once */
    end();
}

static void test_unknown(void **state)
{
    (void)state;
    begin();
    assert_null(name_of(NOT_LOADED, ILP_TOKEN(ILP_MethodDef, 1)));
    assert_null(name_of(APP, ILP_TOKEN(ILP_MethodDef, 0)));
    assert_null(name_of(APP, ILP_TOKEN(ILP_MethodDef, 3))); /* a row that was added since */
    assert_null(name_of(APP, ILP_TOKEN(ILP_MemberRef, 1)));
    assert_null(method_name_at(world.names, 0));
    assert_null(method_name_at(world.names, CODE + 1));
    world.host.fails = "GetFunctionInfo";
    assert_null(name_of(APP, ILP_TOKEN(ILP_MethodDef, 1)));
    end();
}

/* Another module may have its id then. */
static void test_unload(void **state)
{
    uint64_t key;
    (void)state;
    begin();
    assert_string_equal(name_of(APP, ILP_TOKEN(ILP_MethodDef, 1)), "N.C::A");
    method_names_module_goes(world.names, NOT_LOADED);
    method_names_module_goes(world.names, APP);
    loaded_remove(world.loaded, APP, &key);
    drop(world.bytes);
    assert_null(name_of(APP, ILP_TOKEN(ILP_MethodDef, 1)));
    load_app();
    assert_string_equal(name_of(APP, ILP_TOKEN(ILP_MethodDef, 1)), "N.C::A");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
