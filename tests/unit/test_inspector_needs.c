/* src/inspect/inspector_needs.c: what the stock inspectors use, looked up in programs that have
 * little of it; and that no bytes of an inspector lead astray. What a real trimmed program lacks is
 * in tests/runtime/trimmed. */
#include "tests/unit/inspect_image.h"

static struct ilp_bytes load_file(const char *path)
{
    struct ib_bytes bytes = {0};
    uint8_t piece[4096];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s: run from the project's root", path);
    }
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) != 0;) {
        ib_put(&bytes, piece, n);
    }
    fclose(file);
    return taken(bytes);
}

struct found {
    unsigned count;
    char text[4096];
};

static void take(void *user, const char *what)
{
    struct found *found = user;
    found->count++;
    size_t used = strlen(found->text);
    snprintf(found->text + used, sizeof found->text - used, "%s\n", what);
}

/* A resolver that has one image under each name, or none. */
static struct ilp_image *open_any(void *user, const struct ilp_assembly_name *name)
{
    (void)name;
    return user;
}

static struct found check(struct ilp_image *assembly, struct ilp_image *program, bool closed)
{
    struct found found = {.count = 0};
    struct ilp_needs needs = {.closed = closed, .user = &found, .missing = take};
    struct ilp_resolver resolver = {.user = program, .open = open_any};
    struct ilp_inspector *inspector;
    if (ilp_inspector_open(&inspector, assembly, NULL, NULL) == ILP_OK) {
        assert_int_equal(
            ilp_inspector_check_needs(inspector, assembly, &resolver, &needs, NULL, NULL), ILP_OK);
        ilp_inspector_close(inspector);
    }
    return found;
}

static struct ilp_image *open_edition(const char *path)
{
    return open_image(load_file(path), ILP_LAYOUT_FILE);
}

static void test_no_assembly(void **state)
{
    (void)state;
    struct ilp_image *full = open_edition("data/inspector/MyProfiler.dll");
    struct ilp_image *small = open_edition("data/inspector/small/MyProfiler.dll");
    assert_string_equal(check(full, NULL, true).text, "assembly mscorlib\n");
    assert_string_equal(check(small, NULL, true).text, "assembly System.Private.CoreLib\n");
    assert_int_equal(check(full, NULL, false).count, 0); /* it may be there when the program runs */
    close_built(small);
    close_built(full);
}

/* Each type once, whatever follows it: its members are not looked up. */
static void test_no_types(void **state)
{
    (void)state;
    struct ilp_image *full = open_edition("data/inspector/MyProfiler.dll");
    struct ilp_image *small = open_edition("data/inspector/small/MyProfiler.dll");
    struct found found = check(small, full, true);
    assert_non_null(strstr(found.text, "System.Reflection.FieldInfo\n"));
    assert_null(strstr(found.text, "::"));
    char *first = strstr(found.text, "System.Object\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\nSystem.Object\n"));
    close_built(small);
    close_built(full);
}

/* One byte after the other is changed; what is found is of no matter. */
static void test_any_bytes(void **state)
{
    (void)state;
    struct ilp_bytes file = load_file("data/inspector/small/MyProfiler.dll");
    uint32_t seed = 1;
    for (unsigned round = 0; round < 1500; round++) {
        struct ilp_image *image;
        uint8_t *bytes = malloc(file.size);
        assert_non_null(bytes);
        memcpy(bytes, file.data, file.size);
        for (unsigned i = 0; i < 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[(seed >> 8) % file.size] = (uint8_t)(seed >> 3);
        }
        if (ilp_image_open(&image, (struct ilp_bytes){bytes, file.size}, ILP_LAYOUT_FILE, "any",
                           NULL, NULL) == ILP_OK) {
            check(image, round % 2 == 0 ? NULL : image, true);
            ilp_image_close(image);
        }
        free(bytes);
    }
    free((void *)file.data);
}

/* ---- one thing missing ---- */

/* What an inspector uses of the core library, and how it is reported where it is missing. Members
 * follow their types. */
enum core_part {
    CONSOLE,
    WRITE_LINE,
    OUTER,
    INNER,
    INNER_CALL,
    LIST,
    LIST_ADD,
    ARRAY,
    ARRAY_EMPTY,
    DISPOSABLE,
    EXCEPTION,
    LOCAL,
    PART_COUNT
};

static const struct {
    const char *name, *signature; /* of a member; NULL: a type */
    enum core_part outer;         /* of a nested type */
    const char *missing;
} core_parts[] = {
    [CONSOLE] = {"Console", NULL, 0, "System.Console\n"},
    [WRITE_LINE] = {"WriteLine", "00 01 01 1C", 0, "void System.Console::WriteLine(object)\n"},
    [OUTER] = {"Outer", NULL, 0, "System.Outer\n"},
    [INNER] = {"Inner", NULL, OUTER, "System.Outer/Inner\n"},
    [INNER_CALL] = {"Call", "00 00 01", 0, "void System.Outer/Inner::Call()\n"},
    [LIST] = {"List`1", NULL, 0, "System.List`1\n"},
    [LIST_ADD] = {"Add", "20 01 01 13 00", 0, "instance void System.List`1::Add(!0)\n"},
    [ARRAY] = {"Array", NULL, 0, "System.Array\n"},
    [ARRAY_EMPTY] = {"Empty", "10 01 00 1D 1E 00", 0, "!!0[] System.Array::Empty<1>()\n"},
    [DISPOSABLE] = {"IDisposable", NULL, 0, "System.IDisposable\n"},
    [EXCEPTION] = {"Exception", NULL, 0, "System.Exception\n"},
    [LOCAL] = {"Local", NULL, 0, "System.Local\n"},
};

static bool is_missing(enum core_part part, unsigned missing)
{
    return part == missing || (core_parts[part].outer != 0 && core_parts[part].outer == missing);
}

/* The core library without one of these, which another assembly may have. */
static void serve_core(struct ii_assemblies *assemblies, unsigned missing, bool forwarded)
{
    struct ib_image b;
    ilp_token types[PART_COUNT] = {0};
    bool there = false;
    ii_begin_bare(&b, "mscorlib");
    ilp_token object = ii_type(&b, "System", "Object", 0);
    ii_type(&b, "System", "ValueType", object);
    ii_type(&b, "System", "String", object);
    for (enum core_part part = 0; part < PART_COUNT; part++) {
        if (!core_parts[part].signature) {
            bool nested = core_parts[part].outer != 0;
            there = !is_missing(part, missing);
            if (there) {
                types[part] = ii_type(&b, nested ? "" : "System", core_parts[part].name, object);
            }
            if (there && nested) {
                IB_ROW(&b, NestedClass, ILP_TOKEN_RID(types[part]),
                       ILP_TOKEN_RID(types[core_parts[part].outer]));
            }
        } else if (there && part != missing) {
            ii_method(&b, core_parts[part].name, core_parts[part].signature);
        }
    }
    if (forwarded) {
        IB_ROW(&b, ExportedType, 0x200000, 0, ib_string(&b, core_parts[missing].name),
               ib_string(&b, "System"), ii_assembly_ref(&b, "Elsewhere"));
    }
    ii_serve(assemblies, &b);
}

/* Class Test.Inspector, whose method uses all of it; Test.Helper is an IDisposable. */
static struct ilp_image *make_inspector(void)
{
    static const char code[] =
        "1B 30 08 00 20 00 00 00 01 00 00 11 " /* locals: StandAloneSig 1 */
        "02 28 01 00 00 0A "                   /* Console::WriteLine */
        "28 02 00 00 0A "                      /* Inner::Call */
        "14 16 6F 03 00 00 0A "                /* List<int>::Add */
        "28 01 00 00 2B 26 "                   /* Array::Empty<int> */
        "73 02 00 00 06 26 "                   /* new Helper() */
        "00 2A "
        "01 10 00 00 00 00 00 00 01 1F 00 01 %02X 00 00 01"; /* catch (Exception) */
    struct ib_image b;
    ilp_token refs[PART_COUNT];
    char text[400], signature[32];
    ii_begin(&b, "Inspector");
    for (enum core_part part = 0; part < PART_COUNT; part++) {
        bool nested = core_parts[part].outer != 0;
        if (!core_parts[part].signature) {
            refs[part] = ii_type_ref(&b, nested ? refs[core_parts[part].outer] : II_MSCORLIB,
                                     nested ? "" : "System", core_parts[part].name);
        }
    }
    snprintf(signature, sizeof signature, "15 12 %02X 01 08", ILP_TOKEN_RID(refs[LIST]) << 2 | 1);
    const ilp_token parents[] = {
        refs[CONSOLE], refs[INNER],
        ILP_TOKEN(ILP_TypeSpec, IB_ROW(&b, TypeSpec, ii_blob(&b, signature))), refs[ARRAY]};
    const enum core_part members[] = {WRITE_LINE, INNER_CALL, LIST_ADD, ARRAY_EMPTY};
    for (size_t i = 0; i < COUNT(members); i++) {
        IB_ROW(&b, MemberRef, parents[i], ib_string(&b, core_parts[members[i]].name),
               ii_blob(&b, core_parts[members[i]].signature));
    }
    IB_ROW(&b, MethodSpec, ILP_TOKEN(ILP_MemberRef, 4), ii_blob(&b, "0A 01 08"));
    snprintf(signature, sizeof signature, "07 01 12 %02X", ILP_TOKEN_RID(refs[LOCAL]) << 2 | 1);
    IB_ROW(&b, StandAloneSig, ii_blob(&b, signature));
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    snprintf(text, sizeof text, code, ILP_TOKEN_RID(refs[EXCEPTION]));
    ii_body(&b, ii_method(&b, "MyInspector", II_TAKES_OBJECT), text);
    ilp_token helper = ii_type(&b, "Test", "Helper", II_OBJECT);
    ii_body(&b, ii_method(&b, ".ctor", "20 00 01"), "06 2A");
    IB_ROW(&b, InterfaceImpl, ILP_TOKEN_RID(helper), refs[DISPOSABLE]);
    return built_pe(&b, (struct ib_pe){0});
}

static struct found check_part(unsigned missing, bool forwarded, struct ilp_needs needs)
{
    struct found found = {.count = 0};
    struct ii_assemblies assemblies = {.count = 0};
    struct ilp_resolver resolver = ii_resolver(&assemblies);
    struct ilp_inspector *inspector;
    struct ib_image b;
    struct ilp_image *assembly = make_inspector();
    serve_core(&assemblies, missing, forwarded);
    ii_begin(&b, "App");
    struct ilp_image *app = built_root(&b);
    needs.user = &found;
    needs.missing = take;
    assert_int_equal(ilp_inspector_open(&inspector, assembly, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_inspector_check_needs(inspector, app, &resolver, &needs, NULL, NULL),
                     ILP_OK);
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct found again = {.count = 0};
        needs.user = &again;
        status = ilp_inspector_check_needs(inspector, app, &resolver, &needs, &allocator, NULL);
        memory_is_empty(&memory);
        assert_true(status == ILP_E_NO_MEMORY || (status == ILP_OK && n > 1));
        assert_true(again.count <= found.count);
    }
    ilp_inspector_close(inspector);
    close_built(app);
    close_built(assembly);
    ii_close(&assemblies);
    return found;
}

/* Each in turn, by the inspector's own reference and in the module's core library. A nested type
 * goes with the one around it, and no member of what is missing is reported. */
static void test_one_missing(void **state)
{
    (void)state;
    for (unsigned embed = 0; embed < 2; embed++) {
        struct ilp_needs needs = {.embed = embed};
        assert_string_equal(check_part(PART_COUNT, false, needs).text, "");
        for (unsigned part = 0; part < PART_COUNT; part++) {
            struct found found = check_part(part, false, needs);
            if (strncmp(found.text, core_parts[part].missing, strlen(core_parts[part].missing)) !=
                    0 ||
                found.count != (part == OUTER && !embed ? 2 : 1)) {
                fail_msg("%s (embed %u): %s", core_parts[part].name, embed, found.text);
            }
        }
    }
}

/* A type that another assembly has now is there, unless the program is known to lack that one. */
static void test_forwarded(void **state)
{
    (void)state;
    assert_int_equal(check_part(CONSOLE, true, (struct ilp_needs){.closed = false}).count, 0);
    assert_string_equal(check_part(CONSOLE, true, (struct ilp_needs){.closed = true}).text,
                        "System.Console\n");
}

/* Without a resolver nothing can be looked up, and a native function uses nothing. */
static void test_nothing_to_look_up(void **state)
{
    static const struct ilp_native native = {.library = "lib.so", .symbol = "f"};
    (void)state;
    struct found found = {.count = 0};
    struct ilp_needs needs = {.closed = true, .user = &found, .missing = take};
    struct ilp_resolver resolver = {.user = NULL, .open = open_any};
    struct ilp_image *assembly = make_inspector();
    struct ilp_inspector *inspector;
    assert_int_equal(ilp_inspector_open(&inspector, assembly, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_inspector_check_needs(inspector, assembly, NULL, &needs, NULL, NULL),
                     ILP_OK);
    ilp_inspector_close(inspector);
    assert_int_equal(ilp_inspector_open_native(&inspector, &native, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_inspector_check_needs(inspector, assembly, &resolver, &needs, NULL, NULL),
                     ILP_OK);
    ilp_inspector_close(inspector);
    assert_int_equal(found.count, 0);
    close_built(assembly);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_assembly), cmocka_unit_test(test_no_types),
        cmocka_unit_test(test_any_bytes),   cmocka_unit_test(test_one_missing),
        cmocka_unit_test(test_forwarded),   cmocka_unit_test(test_nothing_to_look_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
