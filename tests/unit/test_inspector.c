/* src/inspect/inspector.c: which methods of an assembly can be called, and what calls of them look
 * like; which targets it is refused for, there and in inspector_framework.c. */
#include "inspect/inspector_target.h"
#include "tests/unit/inspect_image.h"

/* Flags of a class and of its method (II.23.1.15, II.23.1.10). */
enum { PUBLIC_CLASS = 0x100001, PRIVATE_CLASS = 0x100000, NESTED_PUBLIC = 0x100002 };
enum {
    PUBLIC_STATIC = 0x16,
    PRIVATE_STATIC = 0x11,
    ASSEMBLY_STATIC = 0x13,
    PUBLIC_INSTANCE = 0x06
};

static ilp_token add_class(struct ib_image *b, const char *name, uint32_t flags)
{
    ilp_token type = ii_type(b, "Test", name, II_OBJECT);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, flags);
    return type;
}

static ilp_token add_method(struct ib_image *b, const char *name, uint32_t flags,
                            const char *signature)
{
    ilp_token method = ii_method(b, name, signature);
    ib_set(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_Flags, flags);
    return method;
}

/* The overloads in words: name, form, hex of a type; name, replaces, ref. */
static void describe(const struct ilp_inspector *inspector, struct ib_bytes *text)
{
    static const char *const forms[] = {"object", "typed",     "generic",
                                        "native", "arguments", "exception"};
    static const char *const takes[ILP_PASS_COUNT] = {" name", "", " id", " handle"};
    bool has[ILPI_OVERLOAD_FORMS][ILP_PASS_COUNT] = {{false}};
    for (size_t i = 0; i < inspector->overload_count; i++) {
        const struct ilpi_overload *overload = &inspector->overloads[i];
        char line[256];
        int size = snprintf(line, sizeof line, "%s%s %s", i != 0 ? "; " : "", overload->name,
                            forms[overload->form]);
        for (size_t j = 0; overload->form == ILPI_OVERLOAD_TYPED && j < overload->type->raw.size;
             j++) {
            size += snprintf(line + size, sizeof line - (size_t)size, " %02X",
                             overload->type->raw.data[j]);
        }
        size += snprintf(line + size, sizeof line - (size_t)size, "%s%s%s%s",
                         takes[overload->takes], overload->state ? " state" : "",
                         overload->replaces ? " replaces" : "", overload->allows_ref ? " ref" : "");
        ib_put(text, line, (size_t)size);
        has[overload->form][overload->takes] |= overload->form < ILPI_OVERLOAD_ARGUMENTS &&
                                                !overload->state;
    }
    ib_number(text, 0, 1);
    assert_memory_equal(has, inspector->forms, sizeof has);
}

/* Opens what the builder holds. `overloads` is what describe() says of it, or, where it begins with
 * '!', a part of the message of ILP_E_BAD_INSPECTOR. */
static void opens(struct ib_image *b, const char *overloads)
{
    struct ilp_image *image = built_root(b);
    struct ilp_inspector *inspector;
    struct ilp_error error = {.status = ILP_OK};
    ilp_status status = ilp_inspector_open(&inspector, image, NULL, &error);
    if (overloads[0] != '!') {
        struct ib_bytes text = {.size = 0};
        assert_int_equal(status, ILP_OK);
        describe(inspector, &text);
        assert_string_equal((const char *)text.data, overloads);
        assert_string_equal(inspector->name_space, "Test");
        assert_string_equal(inspector->type_name, "A");
        ib_free(&text);
        ilp_inspector_close(inspector);
    } else {
        assert_int_equal(status, ILP_E_BAD_INSPECTOR);
        assert_int_equal(error.status, ILP_E_BAD_INSPECTOR);
        if (!strstr(error.message, overloads + 1)) {
            fail_msg("\"%s\" does not say \"%s\"", error.message, overloads + 1);
        }
        assert_null(inspector);
    }
    close_built(image);
}

/* Flags of a GenericParam, or NOT_GENERIC; CONSTRAINED for a row of its own. */
enum { NOT_GENERIC = -1, CONSTRAINED = 0x100 };

static const struct {
    const char *name;
    const char *signature;
    int generic;
    const char *overloads;
} forms[] = {
    {"MyInspector", II_TAKES_OBJECT, NOT_GENERIC, "MyInspector object"},
    {"MyInspector", II_TAKES_NAME, NOT_GENERIC, "MyInspector object name"},
    {"MyInspector", "00 01 01 08", NOT_GENERIC, "MyInspector typed 08"},
    {"MyInspector", "00 02 01 08 0E", NOT_GENERIC, "MyInspector typed 08 name"},
    {"MyInspector", "00 01 08 08", NOT_GENERIC, "MyInspector typed 08 replaces"},
    {"MyInspector", "00 02 08 08 0E", NOT_GENERIC, "MyInspector typed 08 name replaces"},
    {"MyInspector", "00 01 01 0E", NOT_GENERIC, "MyInspector typed 0E"},
    {"MyInspector", "00 02 01 0E 0E", NOT_GENERIC, "MyInspector typed 0E name"},
    {"MyInspector", "00 01 01 1D 1C", NOT_GENERIC, "MyInspector typed 1D 1C"},
    {"MyInspector", "00 01 01 14 08 02 00 02 00 00", NOT_GENERIC,
     "MyInspector typed 14 08 02 00 02 00 00"},
    {"MyInspector", "00 02 15 11 09 01 08 15 11 09 01 08 0E", NOT_GENERIC,
     "MyInspector typed 15 11 09 01 08 name replaces"},
    {"MyInspector", "10 01 01 01 1E 00", 0, "MyInspector generic"},
    {"MyInspector", "10 01 02 01 1E 00 0E", 0, "MyInspector generic name"},
    {"MyInspector", "10 01 01 1E 00 1E 00", 0, "MyInspector generic replaces"},
    {"Inspect", "10 01 01 01 1E 00", 0, "Inspect generic"},
    {"Inspect", "10 01 02 1E 00 1E 00 0E", 0x20, "Inspect generic name replaces ref"},
    {"Inspect", "10 01 01 01 1E 00", 0x20, "Inspect generic ref"},

    {"myinspector", II_TAKES_OBJECT, NOT_GENERIC,
     "!no public class has a method `public static void MyInspector"},
    {"Inspector", II_TAKES_OBJECT, NOT_GENERIC, "!no public class has"},
    {"Inspect", II_TAKES_OBJECT, NOT_GENERIC, "!void Test.A::Inspect(object) is not generic"},
    {"Inspect", "00 01 01 08", NOT_GENERIC, "!void Test.A::Inspect(int32) is not generic"},
    {"MyInspector", "00 01 1C 1C", NOT_GENERIC,
     "!object Test.A::MyInspector(object) returns something"},
    {"MyInspector", "00 01 08 1C", NOT_GENERIC, "!(object) returns something"},
    {"MyInspector", "00 01 0E 08", NOT_GENERIC,
     "!string Test.A::MyInspector(int32) returns something else"},
    {"MyInspector", "10 01 01 08 1E 00", 0, "! returns something else than it takes"},
    {"MyInspector", "00 00 01", NOT_GENERIC, "!MyInspector() takes something else"},
    {"MyInspector", "00 02 01 0E 1C", NOT_GENERIC, "!(string, object) takes something else"},
    {"MyInspector", "00 03 01 1C 0E 0E", NOT_GENERIC,
     "!(object, string, string) takes something else"},
    /* (ref object) */
    {"MyInspector", "00 01 01 10 1C", NOT_GENERIC, "! takes something else"},
    {"MyInspector", "00 01 01 1F 05 10 08", NOT_GENERIC, "! takes something else"}, /* (in int) */
    /* int modopt(..) */
    {"MyInspector", "00 01 01 20 05 08", NOT_GENERIC, "! takes something else"},
    {"MyInspector", "00 01 01 0F 08", NOT_GENERIC, "! takes something else"},
    {"MyInspector", "00 01 01 1B 00 00 01", NOT_GENERIC, "! takes something else"},
    {"MyInspector", "00 01 01 16", NOT_GENERIC, "! takes something else"},
    {"MyInspector", "05 01 01 1C", NOT_GENERIC, "! takes something else"},    /* vararg */
    {"MyInspector", "00 01 01 1E 00", NOT_GENERIC, "! takes something else"}, /* T of no method */
    {"MyInspector", "10 01 01 01 08", 0, "! takes something else"},           /* <T>(int) */
    {"MyInspector", "10 01 01 01 1E 01", 0, "! takes something else"},
    {"MyInspector", "10 02 01 01 1E 00", 0, "! takes something else"},    /* <T, U>(T) */
    {"MyInspector", "10 01 01 01 1D 1E 00", 0, "! takes something else"}, /* <T>(T[]) */
    /* class */
    {"MyInspector", "10 01 01 01 1E 00", 0x04, "! has a type parameter with constraints"},
    /* struct */
    {"MyInspector", "10 01 01 01 1E 00", 0x08, "! has a type parameter with constraints"},
    /* new() */
    {"Inspect", "10 01 01 01 1E 00", 0x10, "! has a type parameter with constraints"},
    {"MyInspector", "10 01 01 01 1E 00", CONSTRAINED, "! has a type parameter with constraints"},
    {"MyInspector", "00 01 01 1C 00", NOT_GENERIC, "! has a signature that is not valid"},
    {"MyInspector", "00 01 01", NOT_GENERIC, "! has a signature that is not valid"},
    {"MyInspector", "", NOT_GENERIC, "! has a signature that is not valid"},
};

static void test_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct ib_image b;
        ii_begin(&b, "I");
        add_class(&b, "A", PUBLIC_CLASS);
        ilp_token method = add_method(&b, forms[i].name, PUBLIC_STATIC, forms[i].signature);
        if (forms[i].generic != NOT_GENERIC) {
            ilp_rid param = IB_ROW(&b, GenericParam, 0, (uint32_t)forms[i].generic & 0xFF, method,
                                   ib_string(&b, "T"));
            if (forms[i].generic == CONSTRAINED) {
                IB_ROW(&b, GenericParamConstraint, param, II_VALUE_TYPE);
            }
        }
        opens(&b, forms[i].overloads);
    }
}

/* All of them at once, in the order of the rows; other methods of the name do no harm, nor do
 * constraints of theirs. */
static void test_many(void **state)
{
    (void)state;
    struct ib_image b;
    ii_begin(&b, "I");
    add_class(&b, "Before", PUBLIC_CLASS);
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_NAME);
    add_method(&b, "MyInspector", PUBLIC_STATIC, "00 01 01 08");
    add_method(&b, "MyInspector", PUBLIC_STATIC, "00 02 08 08 0E");
    add_method(&b, "MyInspector", PUBLIC_STATIC, "00 01 01 09");
    add_method(&b, "MyInspector", PUBLIC_INSTANCE, "20 01 01 1C");
    add_method(&b, "MyInspector", PRIVATE_STATIC, "00 01 01 08");
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    ilp_token generic = add_method(&b, "Inspect", PUBLIC_STATIC, "10 01 01 01 1E 00");
    ilp_token other = add_method(&b, "Other", PUBLIC_STATIC, "10 01 01 01 1E 00");
    IB_ROW(&b, GenericParam, 0, 0, generic, ib_string(&b, "T"));
    ilp_rid param = IB_ROW(&b, GenericParam, 0, 0, other, ib_string(&b, "T"));
    IB_ROW(&b, GenericParamConstraint, param, II_VALUE_TYPE);
    add_class(&b, "After", PUBLIC_CLASS);
    add_method(&b, "MyInspectors", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, "MyInspector object name; MyInspector typed 08; MyInspector typed 08 name replaces; "
              "MyInspector typed 09; "
              "MyInspector object; Inspect generic");
}

static const struct {
    const char *names[2];
    const char *signatures[2];
    const char *overloads;
} pairs[] = {
    {{"MyInspector", "MyInspector"},
     {"00 01 01 1C", "00 01 01 1C"},
     "!Test.A has two methods for object"},
    {{"MyInspector", "MyInspector"},
     {"00 01 01 08", "00 01 08 08"},
     "!Test.A has two methods for one type, MyInspector"},
    {{"MyInspector", "MyInspector"},
     {"00 02 01 08 0E", "00 02 08 08 0E"},
     "!one type and the method's name"},
    {{"MyInspector", "Inspect"},
     {"10 01 01 01 1E 00", "10 01 01 01 1E 00"},
     "!two methods for any type, MyInspector and Inspect: leave one out"},
    {{"MyInspector", "Inspect"},
     {"10 01 01 01 1E 00", "10 01 02 01 1E 00 0E"},
     "MyInspector generic; Inspect generic name"},
    {{"MyInspector", "MyInspector"},
     {"00 01 01 08", "00 02 01 08 0E"},
     "MyInspector typed 08; MyInspector typed 08 name"},
    {{"MyInspector", "MyInspector"},
     {"00 01 01 11 09", "00 01 01 11 0D"},
     "MyInspector typed 11 09; MyInspector typed 11 0D"},
    {{"MyInspector", "MyInspector"},
     {"00 01 01 1D 08", "00 01 01 08"},
     "MyInspector typed 1D 08; MyInspector typed 08"},
    /* an object after all is what came of the arguments */
    {{"MyInspector", "MyInspector"},
     {"00 01 01 1C", "00 03 01 1C 0E 1C"},
     "MyInspector object; MyInspector object name state"},
    {{"MyInspector", "MyInspector"},
     {"00 01 01 08", "00 02 08 08 1C"},
     "MyInspector typed 08; MyInspector typed 08 state replaces"},
    {{"Inspect", "Inspect"},
     {"10 01 01 01 1E 00", "10 01 03 01 1E 00 0A 1C"},
     "Inspect generic; Inspect generic id state"},
    {{"MyInspector", "MyInspector"},
     {"00 02 01 1C 1C", "00 03 01 1C 0E 1C"},
     "! takes something else than a value"},
    {{"MyInspector", "MyArguments"},
     {"00 01 01 1C", "00 01 1C 1D 1C"},
     "MyInspector object; MyArguments arguments"},
    {{"MyInspector", "MyArguments"},
     {"00 01 01 1C", "00 02 1C 1D 1C 0E"},
     "MyInspector object; MyArguments arguments name"},
    {{"MyInspector", "MyException"},
     {"00 01 01 1C", "00 03 01 1C 0E 1C"},
     "MyInspector object; MyException exception name state"},
    {{"MyInspector", "MyException"}, {"00 01 01 1C", "00 01 01 12 09"}, "MyInspector object"},
    {{"MyInspector", "MyException"}, {"00 01 01 1C", "00 01 1C 1C"}, "MyInspector object"},
    {{"MyException", "MyException"}, {"00 01 01 1C", "00 02 01 1C 0E"}, "!no public class has"},
    {{"MyArguments", "MyArguments"},
     {"00 01 1C 1D 1C", "00 02 1C 1D 1C 0E"},
     "!no public class has"},
    {{"MyInspector", "MyArguments"}, {"00 01 01 1C", "00 01 01 1D 1C"}, "MyInspector object"},
    {{"MyInspector", "MyArguments"}, {"00 01 01 1C", "00 01 1C 1D 0E"}, "MyInspector object"},
    {{"MyInspector", "MyArguments"}, {"00 01 01 1C", "00 02 1C 1D 1C 0A"}, "MyInspector object"},
    {{"MyInspector", "MyArguments"}, {"00 01 01 1C", "20 01 1C 1D 1C"}, "MyInspector object"},
    {{"MyInspector", "MyArguments"}, {"00 01 01 1C", "00 00 1C"}, "MyInspector object"},
};

static void test_ambiguous(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct ib_image b;
        ii_begin(&b, "I");
        add_class(&b, "A", PUBLIC_CLASS);
        for (size_t j = 0; j < 2; j++) {
            ilp_token method = add_method(&b, pairs[i].names[j], PUBLIC_STATIC,
                                          pairs[i].signatures[j]);
            if (pairs[i].signatures[j][0] == '1') {
                IB_ROW(&b, GenericParam, 0, 0, method, ib_string(&b, "T"));
            }
        }
        opens(&b, pairs[i].overloads);
    }
}

static const struct {
    uint32_t class_flags;
    uint32_t flags;
    const char *signature;
    const char *says;
} hidden[] = {
    {PRIVATE_CLASS, PUBLIC_STATIC, II_TAKES_OBJECT,
     "!void Test.A::MyInspector(object) is in a class that is not public"},
    {NESTED_PUBLIC, PUBLIC_STATIC, II_TAKES_OBJECT,
     "! is in a class that is not public at top level"},
    {PUBLIC_CLASS, PRIVATE_STATIC, II_TAKES_OBJECT,
     "!void Test.A::MyInspector(object) is not public"},
    {PUBLIC_CLASS, ASSEMBLY_STATIC, "00 01 01 08",
     "!void Test.A::MyInspector(int32) is not public"},
    {PUBLIC_CLASS, PUBLIC_INSTANCE, "20 01 01 1C",
     "!instance void Test.A::MyInspector(object) is not static"},
    {PUBLIC_CLASS, PUBLIC_INSTANCE, II_TAKES_OBJECT, "! is not static"},
    {PUBLIC_CLASS, PUBLIC_STATIC, "20 01 01 1C", "! takes something else"},
};

static void test_hidden(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hidden); i++) {
        struct ib_image b;
        ii_begin(&b, "I");
        add_class(&b, "A", hidden[i].class_flags);
        /* of no interest: it may be anything */
        add_method(&b, "Inspect", PRIVATE_STATIC, "10 01 01 01 1E 00");
        add_method(&b, "MyInspector", hidden[i].flags, hidden[i].signature);
        add_method(&b, "MyInspector", PRIVATE_STATIC, "00 00 01");
        opens(&b, hidden[i].says);
    }
    struct ib_image b; /* a reference would have to say which A it is */
    ii_begin(&b, "I");
    ilp_token type = add_class(&b, "A", PUBLIC_CLASS);
    IB_ROW(&b, GenericParam, 0, 0, type, ib_string(&b, "T"));
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, "! is in a generic class");

    ii_begin(&b, "I");
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "Inspect", PRIVATE_STATIC, "10 01 01 01 1E 00");
    opens(&b, "!no public class has");
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
    opens(&b, "!more than one public class has a method MyInspector");

    ii_begin(&b, "I"); /* one that cannot be called does not count */
    add_class(&b, "B", PRIVATE_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_NAME);
    add_class(&b, "A", PUBLIC_CLASS);
    add_method(&b, "MyInspector", PUBLIC_STATIC, II_TAKES_OBJECT);
    opens(&b, "MyInspector object");
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
    opens(&b, "!a module without an assembly's identity");
}

/* The flag of a reference says whether a whole key is in it; an Assembly row has other
 * flags. */
static void test_identity(void **state)
{
    (void)state;
    for (unsigned with_key = 0; with_key < 2; with_key++) {
        struct ib_image b;
        ii_begin(&b, "I");
        ib_set(&b, ILP_Assembly, 1, ILP_Assembly_Flags, 0x4001);
        ib_set(&b, ILP_Assembly, 1, ILP_Assembly_PublicKey,
               with_key ? ii_blob(&b, "01 02 03 04") : 0);
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
        {ii_type_ref(&b, same, "Test", "Inspector"), "Inspect", true},
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
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
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
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilp_arena arena = {.alloc = &alloc};
    uint8_t *calls = NULL;
    assert_int_equal(
        ilpi_inspector_calls(inspector.inspector, inspector.image, &arena, &calls, NULL), ILP_OK);
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
    ii_type(&b, "N", "C", 0);
    ii_method(&b, "M", "00 00 01");
    ii_serve(assemblies, &b);
}

/* Without code: Facade.Used is in System.Used, Facade.Other in System.Other. */
static void serve_facade(struct ii_assemblies *assemblies)
{
    struct ib_image b;
    ii_begin_bare(&b, "netstandard");
    ilp_token used = ii_assembly_ref(&b, "System.Used"),
              other = ii_assembly_ref(&b, "System.Other");
    IB_ROW(&b, ExportedType, 0x200000, 0, ib_string(&b, "Used"), ib_string(&b, "Facade"), used);
    IB_ROW(&b, ExportedType, 0x200000, 0, ib_string(&b, "Other"), ib_string(&b, "Facade"), other);
    ii_serve(assemblies, &b);
    ii_begin_bare(&b, "System.Used");
    ii_assembly_ref(&b, "System.Deeper");
    ii_type(&b, "Facade", "Used", 0);
    ii_method(&b, "M", "00 00 01");
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
    ii_type_ref(&b, ii_assembly_ref(&b, "netstandard"), "Facade", "Used");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    ii_method(&b, "MyInspector", II_TAKES_OBJECT);
    inspector.image = built_root(&b);
    assert_int_equal(ilp_inspector_open(&inspector.inspector, inspector.image, NULL, NULL), ILP_OK);
    serve_facade(&assemblies);
    serve_chain(&assemblies, "Log", "Format", "Log");
    serve_chain(&assemblies, "Format", "Deep", "Inspector"); /* a circle does not go on for ever */
    serve_chain(&assemblies, "System.Console", "BehindFramework", "System.Collections");

    static const struct {
        const char *target;
        ilp_status with;
        ilp_status without; /* when nothing can be resolved */
    } targets[] = {
        {"Inspector", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        /* runtimes compare without case */
        {"INSPECTOR", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"Log", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"log", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"mscorlib", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"System.Console", ILP_E_SELF_INSPECTION, ILP_E_SELF_INSPECTION},
        {"Format", ILP_E_SELF_INSPECTION, ILP_OK},
        {"Deep", ILP_E_SELF_INSPECTION, ILP_OK},
        {"BehindFramework", ILP_OK, ILP_OK}, /* the framework refers to nothing but itself, */
        {"System.Collections", ILP_E_SELF_INSPECTION, ILP_OK},
        {"Microsoft.Win32.Other", ILP_OK, ILP_OK},
        /* through a facade, by the types that are used */
        {"System.Used", ILP_E_SELF_INSPECTION, ILP_OK},
        {"System.Deeper", ILP_E_SELF_INSPECTION, ILP_OK},
        {"System.Other", ILP_OK, ILP_OK},
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

/* ---- frameworks ---- */

enum { NO_OBJECT, OBJECT, MONO };

struct served {
    const char *name; /* NULL: there is none */
    uint16_t major;
    const char *refers_to;
    unsigned types;
};

static void set_version(struct ib_image *b, unsigned table, ilp_rid rid, unsigned column,
                        uint16_t major)
{
    ib_set(b, table, rid, column, major);
    for (unsigned i = 1; i < 4; i++) {
        ib_set(b, table, rid, column + i, 0);
    }
}

static void reference(struct ib_image *b, const char *name, uint16_t major)
{
    ilp_rid rid = ILP_TOKEN_RID(ii_assembly_ref(b, name));
    set_version(b, ILP_AssemblyRef, rid, ILP_AssemblyRef_MajorVersion, major);
}

static void serve(struct ii_assemblies *assemblies, const struct served *served)
{
    struct ib_image b;
    if (!served->name) {
        return;
    }
    ii_begin_bare(&b, served->name);
    set_version(&b, ILP_Assembly, 1, ILP_Assembly_MajorVersion, served->major);
    if (served->refers_to) {
        reference(&b, served->refers_to, 4);
    }
    if (served->types != NO_OBJECT) {
        ii_type(&b, "System", "Object", 0);
    }
    if (served->types == MONO) {
        ii_type(&b, "Mono", "Runtime", 0);
    }
    ii_serve(assemblies, &b);
}

#define CORELIB "System.Private.CoreLib"
#define RUNTIME "System.Runtime"

static const struct {
    const char *wants; /* what the inspector was built against */
    uint16_t wanted;
    const char *has; /* what the target was built against */
    uint16_t had;
    struct served served[2];
    bool refused;
} frameworks[] = {
    /* .NET */
    {RUNTIME, 10, RUNTIME, 10, {{RUNTIME, 10, CORELIB, NO_OBJECT}}, false},
    {RUNTIME, 10, RUNTIME, 8, {{RUNTIME, 10, CORELIB, NO_OBJECT}}, false},
    {RUNTIME, 10, RUNTIME, 8, {{RUNTIME, 8, CORELIB, NO_OBJECT}}, true},
    {RUNTIME, 8, RUNTIME, 8, {{RUNTIME, 8, CORELIB, NO_OBJECT}}, false},
    {RUNTIME, 8, RUNTIME, 10, {{RUNTIME, 10, CORELIB, NO_OBJECT}}, false},
    {RUNTIME, 10, "netstandard", 2, {{RUNTIME, 8, CORELIB, NO_OBJECT}}, true},
    {RUNTIME, 10, "mscorlib", 4, {{RUNTIME, 8, CORELIB, NO_OBJECT}}, true},
    {RUNTIME, 10, RUNTIME, 8, {{RUNTIME, 8, NULL, OBJECT}}, true}, /* a reference assembly */
    /* which is of no framework */
    {"netstandard", 3, RUNTIME, 8, {{"netstandard", 2, NULL, OBJECT}}, false},
    {CORELIB, 10, RUNTIME, 8, {{CORELIB, 8, NULL, OBJECT}}, true},
    /* what the target requests itself is there when it runs, whatever is found here */
    {RUNTIME, 10, RUNTIME, 10, {{RUNTIME, 8, CORELIB, NO_OBJECT}}, false},
    {RUNTIME, 9, RUNTIME, 10, {{RUNTIME, 8, CORELIB, NO_OBJECT}}, false},
    /* nothing is known */
    {RUNTIME, 10, RUNTIME, 8, {{NULL, 0, NULL, NO_OBJECT}}, false},
    {RUNTIME, 10, "mscorlib", 4, {{"mscorlib", 4, RUNTIME, NO_OBJECT}}, false},
    /* .NET Framework: facades of its own versions */
    {RUNTIME,
     10,
     "mscorlib",
     4,
     {{RUNTIME, 4, "mscorlib", NO_OBJECT}, {"mscorlib", 4, NULL, OBJECT}},
     true},
    {RUNTIME,
     4,
     "mscorlib",
     4,
     {{RUNTIME, 4, "mscorlib", NO_OBJECT}, {"mscorlib", 4, NULL, OBJECT}},
     false},
    {RUNTIME, 10, "mscorlib", 4, {{"mscorlib", 4, NULL, OBJECT}}, true},
    /* the facades were not searched */
    {RUNTIME, 4, "mscorlib", 4, {{"mscorlib", 4, NULL, OBJECT}}, false},
    {"netstandard", 2, "mscorlib", 4, {{"mscorlib", 4, NULL, OBJECT}}, false},
    {"netstandard",
     2,
     "mscorlib",
     4,
     {{"netstandard", 2, "mscorlib", NO_OBJECT}, {"mscorlib", 4, NULL, OBJECT}},
     false},
    /* Mono takes older facades */
    {RUNTIME,
     10,
     "mscorlib",
     4,
     {{RUNTIME, 4, "mscorlib", NO_OBJECT}, {"mscorlib", 4, NULL, MONO}},
     false},
    {RUNTIME, 10, "mscorlib", 4, {{"mscorlib", 4, NULL, MONO}}, false},
    /* mscorlib and netstandard 2.0 are everywhere */
    {"mscorlib", 4, "mscorlib", 2, {{"mscorlib", 2, NULL, OBJECT}}, false},
    {"mscorlib",
     4,
     RUNTIME,
     8,
     {{"mscorlib", 4, CORELIB, NO_OBJECT}, {RUNTIME, 8, CORELIB, NO_OBJECT}},
     false},
    {"netstandard", 2, RUNTIME, 8, {{"netstandard", 2, CORELIB, NO_OBJECT}}, false},
    /* other assemblies are not requested: they may come with the inspector */
    {"System.Text.Json", 10, RUNTIME, 8, {{"System.Text.Json", 8, CORELIB, NO_OBJECT}}, false},
};

static void test_frameworks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frameworks); i++) {
        struct ii_assemblies assemblies = {.count = 0};
        struct ilp_resolver resolver = ii_resolver(&assemblies);
        struct ilp_error error = {.status = ILP_OK};
        struct ilp_inspector *inspector;
        struct ib_image b;
        ii_begin_bare(&b, "Inspector");
        reference(&b, frameworks[i].wants, frameworks[i].wanted);
        ii_type(&b, "Test", "Inspector", 0);
        ii_method(&b, "MyInspector", II_TAKES_OBJECT);
        struct ilp_image *assembly = built_root(&b);
        assert_int_equal(ilp_inspector_open(&inspector, assembly, NULL, NULL), ILP_OK);
        ii_begin_bare(&b, "App");
        reference(&b, frameworks[i].has, frameworks[i].had);
        struct ilp_image *app = built_root(&b);
        serve(&assemblies, &frameworks[i].served[0]);
        serve(&assemblies, &frameworks[i].served[1]);
        ilp_status status = ilpi_inspector_check_target(inspector, app, &resolver, &error);
        if (status != (frameworks[i].refused ? ILP_E_BAD_INSPECTOR : ILP_OK)) {
            fail_msg("%zu: %s", i, error.message);
        }
        if (frameworks[i].refused) {
            assert_non_null(strstr(error.message, "the inspector Inspector needs System."));
            assert_non_null(strstr(error.message, " 10.0.0.0, but in this program's framework "));
            assert_non_null(strstr(error.message, "netstandard2.0"));
            assert_non_null(strstr(error.message, "as a reference path"));
        }
        /* without a resolver nothing is known */
        assert_int_equal(ilpi_inspector_check_target(inspector, app, NULL, NULL), ILP_OK);
        ilp_inspector_close(inspector);
        close_built(assembly);
        close_built(app);
        ii_close(&assemblies);
    }
}

/* ---- memory ---- */

/* The n-th allocation fails, for an inspector that opens and for one of which there is something to
 * say. */
static void test_memory(void **state)
{
    (void)state;
    static const struct {
        const char *signature;
        ilp_status status;
    } rounds[] = {{II_TAKES_OBJECT, ILP_OK},
                  {"00 01 01 15 12 05 01 08", ILP_OK},
                  {"00 01 08 1C", ILP_E_BAD_INSPECTOR}};
    for (size_t i = 0; i < COUNT(rounds); i++) {
        struct ib_image b;
        ii_begin(&b, "I");
        add_class(&b, "A", PUBLIC_CLASS);
        add_method(&b, "MyInspector", PUBLIC_STATIC, rounds[i].signature);
        struct ilp_image *image = built_root(&b);
        for (size_t fail_at = 1;; fail_at++) {
            struct memory memory = {.fail_at = fail_at};
            struct ilp_allocator allocator = memory_allocator(&memory);
            struct ilp_inspector *opened;
            ilp_status status = ilp_inspector_open(&opened, image, &allocator, NULL);
            ilp_inspector_close(opened);
            memory_is_empty(&memory);
            if (status != ILP_E_NO_MEMORY) {
                assert_true(fail_at > 2);
                assert_int_equal(status, rounds[i].status);
                break;
            }
        }
        close_built(image);
    }
    ilp_inspector_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_ambiguous),   cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_two_classes), cmocka_unit_test(test_module),
        cmocka_unit_test(test_identity),    cmocka_unit_test(test_calls),
        cmocka_unit_test(test_no_calls),    cmocka_unit_test(test_targets),
        cmocka_unit_test(test_frameworks),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
