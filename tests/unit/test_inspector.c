/* src/inspect/inspector.c: which methods of an assembly can be called, and what calls of them look like. */
#include "tests/unit/inspect_image.h"

/* Flags of a class and of its method (II.23.1.15, II.23.1.10). */
enum { PUBLIC_CLASS = 0x100001, PRIVATE_CLASS = 0x100000, NESTED_PUBLIC = 0x100002 };
enum { PUBLIC_STATIC = 0x16, PRIVATE_STATIC = 0x11, ASSEMBLY_STATIC = 0x13, PUBLIC_INSTANCE = 0x06 };

static ilp_token add_class(struct ib_image *b, const char *name, uint32_t flags)
{
    ilp_token type = ii_type(b, "Test", name, II_OBJECT);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, flags);
    return type;
}

static void add_method(struct ib_image *b, const char *name, uint32_t flags, const char *signature)
{
    ilp_token method = ii_method(b, name, signature);
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_Flags, flags);
}

/* Opens what the builder holds; `form` is the signature expected to be taken, NULL: ILP_E_BAD_INSPECTOR. */
static void opens(struct ib_image *b, const char *form)
{
    struct ilp_image *image = built_root(b);
    struct ilp_inspector *inspector;
    struct ilp_error error = {.status = ILP_OK};
    ilp_status status = ilp_inspector_open(&inspector, image, NULL, &error);
    if (form) {
        assert_int_equal(status, ILP_OK);
        struct ii_hex expected = ii_hex(form);
        same_bytes(ilpi_inspector_signature(inspector->takes_name), (struct ilp_bytes){expected.data, expected.size});
        assert_string_equal(inspector->name_space, "Test");
        assert_string_equal(inspector->type_name, "A");
        ilp_inspector_close(inspector);
    } else {
        assert_int_equal(status, ILP_E_BAD_INSPECTOR);
        assert_int_equal(error.status, ILP_E_BAD_INSPECTOR);
        assert_true(error.message[0] != '\0');
        assert_null(inspector);
    }
    close_built(image);
}

static void test_forms(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "I");
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, II_TAKES_OBJECT);

    ii_begin(&b, "I");
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_NAME);
    opens(&b, II_TAKES_NAME);
}

/* The form with a name is preferred, whatever stands first; other methods of the name do no harm. */
static void test_both_forms(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "I");
    add_class(&b, "Before", PUBLIC_CLASS);
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_NAME);
    add_method(&b, "MyInspector", PUBLIC_STATIC, "00 01 01 08");
    add_method(&b, "MyInspector", PUBLIC_INSTANCE, "20 01 01 1C");
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    add_class(&b, "After", PUBLIC_CLASS);
    add_method(&b, "MyInspectors", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, II_TAKES_NAME);
}

static const struct {
    uint32_t class_flags;
    const char *name;
    uint32_t flags;
    const char *signature;
} refused[] = {
    {PRIVATE_CLASS, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT},
    {NESTED_PUBLIC, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT}, /* a TypeRef to it would need two */
    {PUBLIC_CLASS, "MyInspector", PRIVATE_STATIC, II_TAKES_OBJECT},
    {PUBLIC_CLASS, "MyInspector", ASSEMBLY_STATIC, II_TAKES_OBJECT},
    {PUBLIC_CLASS, "MyInspector", PUBLIC_INSTANCE, "20 01 01 1C"},
    {PUBLIC_CLASS, "MyInspector", PUBLIC_INSTANCE, II_TAKES_OBJECT},
    {PUBLIC_CLASS, "myinspector", PUBLIC_STATIC, II_TAKES_OBJECT},
    {PUBLIC_CLASS, "Inspector", PUBLIC_STATIC, II_TAKES_OBJECT},
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "00 01 08 1C"},      /* returns something */
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "00 01 01 0E"},      /* (string) */
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "00 02 01 0E 1C"},   /* (string, object) */
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "00 01 01 10 1C"},   /* (ref object) */
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "10 01 01 01 1E 00"}, /* <T>(T) */
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "05 01 01 1C"},      /* vararg */
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "00 01 01 1C 00"},
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, "00 01 01"},
    {PUBLIC_CLASS, "MyInspector", PUBLIC_STATIC, ""},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct ib_image b;
        ii_begin(&b, "I");
        add_class(&b, "A", refused[i].class_flags);
        add_method(&b, refused[i].name, refused[i].flags, refused[i].signature);
        opens(&b, NULL);
    }
}

static void test_two_classes(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "I");
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    add_class(&b, "B", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_NAME);
    opens(&b, NULL);

    ii_begin(&b, "I"); /* one that cannot be called does not count */
    add_class(&b, "B", PRIVATE_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_NAME);
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, II_TAKES_OBJECT);
}

/* Without an Assembly row there is nothing that a reference could name. */
static void test_module(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "I");
    b.tables[ILP_Assembly].count = 0;
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, NULL);
}

/* The flag of a reference says whether a whole key stands in it; an Assembly row has other flags. */
static void test_identity(void **state)
{
    (void)state;
    for (unsigned with_key = 0; with_key < 2; with_key++) {
        struct ib_image b;
        ii_begin(&b, "I");
        ib_set(&b, ILP_Assembly, 1, ILP_Assembly_Flags, 0x4001);
        ib_set(&b, ILP_Assembly, 1, ILP_Assembly_PublicKey, with_key ? ii_blob(&b, "01 02 03 04") : 0);
        add_class(&b, "A", PUBLIC_CLASS);
        add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
        struct ilp_image *image = built_root(&b);
        struct ilp_inspector *inspector;
        assert_int_equal(ilp_inspector_open(&inspector, image, NULL, NULL), ILP_OK);
        assert_string_equal(inspector->identity.name, "I");
        assert_int_equal(inspector->identity.version[0], 1);
        assert_int_equal(inspector->identity.version[3], 4);
        assert_int_equal(inspector->identity.flags, with_key);
        assert_int_equal(inspector->identity.key.size, with_key ? 4 : 0);
        ilp_inspector_close(inspector);
        close_built(image);
    }
}

/* ---- calls of it that are there already ---- */

static void test_calls(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_NAME);
    struct ib_image b;
    ii_begin(&b, "App");
    ilp_token other = ii_assembly_ref(&b, "Other");
    ilp_token same = ii_assembly_ref(&b, "Inspector");
    const struct {
        ilp_token parent;
        const char *name;
        bool is_call;
    } members[] = {
        {ii_type_ref(&b, same, "Test", "Inspector"), "MyInspector", true},
        {ii_type_ref(&b, same, "Test", "Inspector"), "Other", false},
        {ii_type_ref(&b, same, "Test", "Other"), "MyInspector", false},
        {ii_type_ref(&b, same, "Tests", "Inspector"), "MyInspector", false},
        {ii_type_ref(&b, other, "Test", "Inspector"), "MyInspector", false},
        {ii_type(&b, "Test", "Inspector", II_OBJECT), "MyInspector", false},
        {ILP_TOKEN(ILP_TypeRef, 99), "MyInspector", false},
        {II_OBJECT, "MyInspector", false},
        {ii_type_ref(&b, same, "Test", "Inspector"), "MyInspector", true},
    };
    for (size_t i = 0; i < COUNT(members); i++) {
        IB_ROW(&b, MemberRef, members[i].parent, ib_string(&b, members[i].name),
               ii_blob(&b, II_TAKES_NAME));
    }
    struct ilp_image *app = built_root(&b);
    struct ilpi_heap heap;
    ilpi_heap_init(&heap, NULL);
    struct ilp_arena arena = {.heap = &heap};
    uint8_t *calls = NULL;
    assert_int_equal(ilpi_inspector_calls(inspector.inspector, app, &arena, &calls, NULL), ILP_OK);
    assert_non_null(calls);
    for (unsigned rid = 1; rid <= COUNT(members); rid++) {
        assert_int_equal(calls[rid / 8] >> rid % 8 & 1, members[rid - 1].is_call);
    }
    ilpi_arena_free(&arena);
    close_built(app);
    ii_inspector_close(&inspector);
}

static void test_no_calls(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    struct ilpi_heap heap;
    ilpi_heap_init(&heap, NULL);
    struct ilp_arena arena = {.heap = &heap};
    uint8_t *calls = NULL;
    assert_int_equal(ilpi_inspector_calls(inspector.inspector, inspector.image, &arena, &calls, NULL),
                     ILP_OK);
    assert_null(calls);
    ilpi_arena_free(&arena);
    ii_inspector_close(&inspector);
}

/* ---- what may not be inspected with it ---- */

/* An assembly that refers to others. */
static void serve_chain(struct ii_assemblies *assemblies, const char *name, const char *first,
                        const char *second)
{
    struct ib_image b;
    ii_begin_bare(&b, name);
    ii_assembly_ref(&b, first);
    if (second) {
        ii_assembly_ref(&b, second);
    }
    ii_serve(assemblies, &b);
}

static ilp_status check_target(const struct ii_inspector *inspector, const char *target,
                               const struct ilp_resolver *resolver)
{
    struct ib_image b;
    struct ilp_error error = {.status = ILP_OK};
    ii_begin_bare(&b, target);
    struct ilp_image *image = built_root(&b);
    ilp_status status = ilpi_inspector_check_target(inspector->inspector, image, resolver, &error);
    assert_int_equal(error.status, status);
    close_built(image);
    return status;
}

static void test_targets(void **state)
{
    (void)state;
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ii_inspector inspector;
    struct ib_image b;
    ii_begin(&b, "Inspector");
    ii_assembly_ref(&b, "Log");
    ii_assembly_ref(&b, "System.Console");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    ii_method(&b, "MyInspector", II_TAKES_OBJECT);
    inspector.image = built_root(&b);
    assert_int_equal(ilp_inspector_open(&inspector.inspector, inspector.image, NULL, NULL), ILP_OK);
    serve_chain(&assemblies, "Log", "Format", "Log");
    serve_chain(&assemblies, "Format", "Deep", "Inspector"); /* a circle does not go on for ever */
    serve_chain(&assemblies, "System.Console", "BehindFramework", NULL);

    static const struct {
        const char *target;
        ilp_status with;
        ilp_status without; /* when nothing can be resolved */
    } targets[] = {
        {"Inspector", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"INSPECTOR", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION}, /* runtimes compare without case */
        {"Log", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"log", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"mscorlib", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"System.Console", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"Format", ILP_E_SELF_INSPECTION, ILP_OK},
        {"Deep", ILP_E_SELF_INSPECTION, ILP_OK},
        {"BehindFramework", ILP_OK, ILP_OK}, /* the framework refers to nothing but itself */
        {"App", ILP_OK, ILP_OK},
        {"Lo", ILP_OK, ILP_OK},
    };
    for (size_t i = 0; i < COUNT(targets); i++) {
        assert_int_equal(check_target(&inspector, targets[i].target, &resolver), targets[i].with);
        assert_int_equal(check_target(&inspector, targets[i].target, NULL), targets[i].without);
    }
    ii_inspector_close(&inspector);
    ii_close(&assemblies);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    (void)state;
    struct ii_inspector inspector = ii_inspector(II_TAKES_OBJECT);
    for (size_t fail_at = 1;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilp_inspector *opened;
        ilp_status status = ilp_inspector_open(&opened, inspector.image, &allocator, NULL);
        ilp_inspector_close(opened);
        memory_is_empty(&memory);
        if (status == ILP_OK) {
            assert_true(fail_at > 1);
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    ilp_inspector_close(NULL);
    ii_inspector_close(&inspector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),       cmocka_unit_test(test_both_forms),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_two_classes),
        cmocka_unit_test(test_module),      cmocka_unit_test(test_identity),
        cmocka_unit_test(test_calls),       cmocka_unit_test(test_no_calls),
        cmocka_unit_test(test_targets),     cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
