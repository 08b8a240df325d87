/* src/types/closed_type.c: substitution, and whether types of two images are one. The images name
 * them by other references: one by mscorlib, which forwards to Core, the other by System.Runtime,
 * which forwards to mscorlib. */
#include "types/closed_type.h"

#include "tests/unit/inspect_image.h"

struct bench {
    struct ii_assemblies assemblies;
    struct ilp_resolver resolver;
    struct ilp_image *left;
    struct ilp_image *right;
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
};

/* What Core defines, in this order from TypeDef 2 on; Enumerator is in List`1. */
static void build_core(struct ib_image *b)
{
    ii_begin_bare(b, "Core");
    ii_type(b, "System", "Decimal", 0);
    ii_type(b, "System", "Guid", 0);
    ilp_token list = ii_type(b, "G", "List`1", 0);
    ilp_token nested = ii_type(b, "", "Enumerator", 0);
    IB_ROW(b, NestedClass, ILP_TOKEN_RID(nested), ILP_TOKEN_RID(list));
    ii_type(b, "System", "Modifier", 0);
    ii_type(b, "", "Enumerator", 0); /* at top level: another */
}

static void forward(struct ib_image *b, const char *assembly, const char *to)
{
    ii_begin_bare(b, assembly);
    ilp_token scope = ii_assembly_ref(b, to);
    static const char *const types[][2] = {
        {"System", "Decimal"}, {"System", "Guid"}, {"G", "List`1"}, {"System", "Modifier"}};
    for (size_t i = 0; i < COUNT(types); i++) {
        IB_ROW(b, ExportedType, 0x200000, 0, ib_string(b, types[i][1]), ib_string(b, types[i][0]),
               scope);
    }
}

/* TypeRefs, and how a signature names them. Both have TypeDef 2 Own.S, 08. */
static void build_left(struct ib_image *b, const char *name)
{
    ii_begin_bare(b, name);
    ilp_token scope = ii_assembly_ref(b, "mscorlib");
    ii_type_ref(b, scope, "System", "Decimal");              /* 05 */
    ii_type_ref(b, scope, "System", "Guid");                 /* 09 */
    ilp_token list = ii_type_ref(b, scope, "G", "List`1");   /* 0D */
    ii_type_ref(b, list, "", "Enumerator");                  /* 11 */
    ii_type_ref(b, ii_assembly_ref(b, "Gone"), "X", "Gone"); /* 15 */
    ii_type_ref(b, scope, "System", "Modifier");             /* 19 */
    ii_type_ref(b, scope, "X", "Missing");                   /* 1D */
    ii_type(b, "Own", "S", 0);
}

static void build_right(struct ib_image *b)
{
    ii_begin_bare(b, "Right");
    ilp_token scope = ii_assembly_ref(b, "System.Runtime");
    ilp_token list = ii_type_ref(b, scope, "G", "List`1");           /* 05 */
    ii_type_ref(b, list, "", "Enumerator");                          /* 09 */
    ii_type_ref(b, scope, "System", "Guid");                         /* 0D */
    ii_type_ref(b, scope, "System", "Decimal");                      /* 11 */
    ii_type_ref(b, ii_assembly_ref(b, "Gone"), "X", "Gone");         /* 15 */
    ii_type_ref(b, scope, "System", "Modifier");                     /* 19 */
    ii_type_ref(b, ii_assembly_ref(b, "Left"), "Own", "S");          /* 1D */
    ii_type_ref(b, ii_assembly_ref(b, "Core"), "", "Enumerator");    /* 21 */
    ii_type_ref(b, ii_assembly_ref(b, "Core"), "System", "Decimal"); /* 25 */
    ii_type_ref(b, scope, "X", "Missing");                           /* 29 */
    ii_type(b, "Own", "S", 0);
}

static void begin(struct bench *bench)
{
    struct ib_image b;
    *bench = (struct bench){.assemblies = {.count = 0}};
    ilpi_alloc_init(&bench->alloc, NULL);
    bench->arena.alloc = &bench->alloc;
    build_core(&b);
    ii_serve(&bench->assemblies, &b);
    forward(&b, "mscorlib", "Core");
    ii_serve(&bench->assemblies, &b);
    forward(&b, "System.Runtime", "mscorlib");
    ii_serve(&bench->assemblies, &b);
    build_left(&b, "Left");
    ii_serve(&bench->assemblies, &b);
    bench->left = bench->assemblies.images[3];
    build_right(&b);
    bench->right = built_root(&b);
    bench->resolver = ii_resolver(&bench->assemblies);
}

static void end(struct bench *bench)
{
    ilpi_arena_free(&bench->arena);
    assert_int_equal(bench->alloc.used, 0);
    close_built(bench->right);
    ii_close(&bench->assemblies);
}

static struct ilpi_closed_type placed(struct bench *bench, struct ilp_image *image, const char *hex)
{
    struct ii_hex bytes = ii_hex(hex);
    struct ilp_sig *sig;
    const uint8_t *copy = ilpi_arena_copy(&bench->arena, bytes.data, bytes.size);
    assert_int_equal(ilp_sig_read(&sig, (struct ilp_bytes){copy, bytes.size}, ILP_SIG_TYPE_SPEC, 0,
                                  &bench->arena, NULL),
                     ILP_OK);
    return (struct ilpi_closed_type){image, sig->ret, NULL};
}

/* Queried both ways round. */
static bool is_same(struct bench *bench, struct ilp_image *left_image, const char *left,
                    const char *right, const struct ilp_resolver *resolver)
{
    struct ilpi_closed_type types[2] = {placed(bench, left_image, left),
                                        placed(bench, bench->right, right)};
    struct ilpi_type_equality equality = {ILPI_NAMES_RESOLVED, true, resolver};
    bool same = ilpi_same_type(&equality, types[0], types[1]);
    assert_int_equal(ilpi_same_type(&equality, types[1], types[0]), same);
    return same;
}

/* Types that one byte names: the same only as themselves. */
static void test_elements(void **state)
{
    (void)state;
    static const char *const elements[] = {"02", "03", "04", "05",    "06",   "07", "08",
                                           "09", "0A", "0B", "0C",    "0D",   "0E", "16",
                                           "18", "19", "1C", "11 05", "12 05"};
    /* the same, in the numbers of the right image */
    const char *rights[COUNT(elements)];
    struct bench bench;
    memcpy(rights, elements, sizeof elements);
    rights[COUNT(elements) - 2] = "11 11";
    rights[COUNT(elements) - 1] = "12 11";
    begin(&bench);
    for (size_t i = 0; i < COUNT(elements); i++) {
        for (size_t j = 0; j < COUNT(elements); j++) {
            assert_int_equal(is_same(&bench, bench.left, elements[i], rights[j], &bench.resolver),
                             i == j);
        }
    }
    end(&bench);
}

static const struct {
    const char *left;
    const char *right;
    bool same;
} cases[] = {
    /* by definition: through one and two forwards, and directly */
    {"11 05", "11 11", true},
    {"11 05", "11 25", true},
    {"11 09", "11 0D", true},
    {"11 05", "11 0D", false},
    {"11 05", "12 11", false}, /* a value type is no class */
    {"12 11", "12 09", true},  /* nested */
    {"12 11", "12 21", false}, /* the same name at top level */
    {"12 0D", "12 09", false},
    {"12 15", "12 15", false}, /* what cannot be found is nothing */
    {"12 1D", "12 29", false},
    {"11 08", "11 1D", true},  /* a definition of one, a reference of the other */
    {"11 08", "11 08", false}, /* two definitions */
    {"11 20", "11 20", false}, /* no rows */
    {"11 81 01", "11 11", false},
    /* instances */
    {"15 12 0D 01 08", "15 12 05 01 08", true},
    {"15 12 0D 01 08", "15 12 05 01 09", false},
    {"15 12 0D 01 11 05", "15 12 05 01 11 11", true},
    {"15 12 0D 01 11 05", "15 12 05 01 11 0D", false},
    {"15 12 0D 01 12 15", "15 12 05 01 12 15", false},
    {"15 12 0D 02 08 0E", "15 12 05 02 08 0E", true},
    {"15 12 0D 02 08 0E", "15 12 05 02 0E 08", false},
    {"15 12 0D 01 08", "15 12 05 02 08 08", false},
    {"15 12 0D 01 15 12 0D 01 15 11 11 01 1C", "15 12 05 01 15 12 05 01 15 11 09 01 1C", true},
    {"15 12 0D 01 15 12 0D 01 15 11 11 01 1C", "15 12 05 01 15 12 05 01 15 11 09 01 0E", false},
    {"15 11 11 01 08", "15 12 09 01 08", false},
    {"15 12 0D 01 08", "12 05", false},
    /* arrays */
    {"1D 08", "1D 08", true},
    {"1D 08", "1D 09", false},
    {"1D 1D 11 05", "1D 1D 11 11", true},
    {"1D 11 05", "1D 11 0D", false},
    {"1D 08", "14 08 01 00 00", false},
    {"14 08 02 00 00", "14 08 02 00 00", true},
    {"14 08 02 00 02 00 00", "14 08 02 00 02 00 00", true},
    {"14 08 02 00 02 00 00", "14 08 02 00 00", false},
    {"14 08 02 00 02 00 00", "14 08 02 00 02 00 02", false},
    {"14 08 02 01 03 00", "14 08 02 01 03 00", true},
    {"14 08 02 01 03 00", "14 08 02 01 04 00", false},
    {"14 08 02 01 03 00", "14 08 02 02 03 04 00", false},
    {"14 08 02 00 00", "14 08 03 00 00", false},
    {"14 08 02 00 00", "14 09 02 00 00", false},
    {"14 11 05 02 00 00", "14 11 11 02 00 00", true},
    /* pointers and references */
    {"0F 08", "0F 08", true},
    {"0F 08", "0F 09", false},
    {"0F 01", "0F 01", true},
    {"0F 11 05", "0F 11 11", true},
    {"0F 08", "18", false},
    {"1D 0F 08", "1D 0F 08", true},
    /* modifiers count, by what they are and in their order */
    {"1D 20 19 08", "1D 20 19 08", true},
    {"1D 20 19 08", "1D 08", false},
    {"1D 20 19 08", "1D 1F 19 08", false},
    {"1D 20 19 08", "1D 20 11 08", false},
    {"1D 20 19 08", "1D 20 19 09", false},
    {"1D 20 15 08", "1D 20 15 08", false}, /* not found */
    /* parameters mean something else in each image */
    {"13 00", "13 00", false},
    {"1E 00", "1E 00", false},
    {"1D 13 00", "1D 13 00", false},
    {"15 12 0D 01 1E 00", "15 12 05 01 1E 00", false},
    {"1B 00 00 01", "1B 00 00 01", false}, /* function pointers are not compared */
};

static void test_cases(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (is_same(&bench, bench.left, cases[i].left, cases[i].right, &bench.resolver) !=
            cases[i].same) {
            fail_msg("%s and %s", cases[i].left, cases[i].right);
        }
    }
    end(&bench);
}

/* Without a resolver, only what needs none. */
static void test_no_resolver(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    assert_true(is_same(&bench, bench.left, "1D 08", "1D 08", NULL));
    assert_false(is_same(&bench, bench.left, "11 05", "11 11", NULL));
    assert_false(is_same(&bench, bench.left, "11 08", "11 1D", NULL));
    end(&bench);
}

/* A file that was read twice is one module; one with another name, identity or place of the type is
 * another. */
static void test_read_twice(void **state)
{
    (void)state;
    struct bench bench;
    struct ib_image b;
    begin(&bench);
    static const struct {
        const char *name;
        unsigned guid; /* 0x5A is that of all others here */
        bool same;
    } copies[] = {{"Left", 0x5A, true}, {"Copy", 0x5A, false}, {"Left", 0x5B, false}};
    for (size_t i = 0; i < COUNT(copies); i++) {
        build_left(&b, copies[i].name);
        ib_set(&b, ILP_Module, 1, ILP_Module_Mvid, ib_guid(&b, (uint8_t)copies[i].guid));
        struct ilp_image *copy = built_root(&b);
        assert_int_equal(is_same(&bench, copy, "11 08", "11 1D", &bench.resolver), copies[i].same);
        close_built(copy);
    }
    struct ilp_image *unknown[2]; /* without an identity nothing can be said */
    for (size_t i = 0; i < 2; i++) {
        build_left(&b, "Left");
        ib_set(&b, ILP_Module, 1, ILP_Module_Mvid, 0);
        unknown[i] = built_root(&b);
    }
    static const struct ilpi_type_equality equality = {ILPI_NAMES_RESOLVED, true, NULL};
    assert_false(ilpi_same_type(&equality, placed(&bench, unknown[0], "11 08"),
                                placed(&bench, unknown[1], "11 08")));
    assert_true(ilpi_same_type(&equality, placed(&bench, unknown[0], "11 08"),
                               placed(&bench, unknown[0], "11 08")));
    close_built(unknown[0]);
    close_built(unknown[1]);
    end(&bench);
}

/* ---- by name, and in one image ---- */

static const struct {
    const char *left;
    const char *right;
    bool same_text;     /* of Left and Right */
    bool same_in_image; /* both of Left, without modifiers */
} other_cases[] = {
    {"11 05", "11 11", true, false},
    {"11 05", "11 05", false, true},
    {"11 11", "11 05", false, false},
    {"12 15", "12 15", true, true}, /* what cannot be found has a name */
    {"13 00", "13 00", true, true},
    {"13 00", "13 01", false, false},
    {"13 00", "1E 00", false, false},
    {"15 12 0D 01 13 00", "15 12 05 01 13 00", true, false},
    {"15 12 0D 02 13 00 08", "15 12 0D 02 13 00 08", false, true},
    {"15 12 0D 02 13 00 08", "15 12 0D 01 13 00", false, false},
    {"20 19 08", "08", false, true},
    {"20 19 08", "20 19 08", true, true},
    {"20 19 08", "1F 19 08", false, true},
    {"14 08 02 00 00", "14 08 02 00 00", true, true},
    {"14 08 02 00 00", "14 08 02 00 02 00 00", false, false},
    {"1B 00 01 01 08", "1B 00 01 01 08", true, true},
    {"1B 00 01 01 08", "1B 00 01 01 09", false, false},
    {"1B 00 01 01 08", "1B 00 00 01", false, false},
    {"1B 00 00 08", "1B 00 00 09", false, false},
    {"1B 09 00 01", "1B 00 00 01", false, false},
    {"1B 09 00 20 19 01", "1B 09 00 20 19 01", true, true},
    {"1B 09 00 20 19 01", "1B 09 00 01", false, false}, /* part of how it is called */
};

static void test_other_names(void **state)
{
    (void)state;
    static const struct ilpi_type_equality text = {ILPI_NAMES_AS_TEXT, true, NULL};
    static const struct ilpi_type_equality rows = {.names = ILPI_NAMES_OF_ONE_IMAGE};
    struct bench bench;
    begin(&bench);
    for (size_t i = 0; i < COUNT(other_cases); i++) {
        struct ilpi_closed_type left = placed(&bench, bench.left, other_cases[i].left);
        struct ilpi_closed_type right = placed(&bench, bench.right, other_cases[i].right);
        struct ilpi_closed_type own = placed(&bench, bench.left, other_cases[i].right);
        if (ilpi_same_type(&text, left, right) != other_cases[i].same_text ||
            ilpi_same_type(&rows, left, own) != other_cases[i].same_in_image) {
            fail_msg("%s and %s", other_cases[i].left, other_cases[i].right);
        }
    }
    end(&bench);
}

/* Type parameters with arguments, which have parameters in turn. */
static void test_arguments(void **state)
{
    (void)state;
    static const struct ilpi_type_equality rows = {.names = ILPI_NAMES_OF_ONE_IMAGE};
    static const struct {
        const char *left;
        const char *right;
        bool same;
    } substitutions[] = {
        {"13 00", "0E", true},
        {"13 01", "1D 0D", true}, /* !1 is !0[] of the outer ones, which is float64[] */
        {"13 01", "1D 0E", false},
        {"13 02", "13 02", false}, /* too few arguments */
        {"1E 00", "13 00", false}, /* a list of its own, */
        {"1E 00", "08", true},     /* with a modifier that does not count */
        {"15 12 0D 01 13 01", "15 12 0D 01 1D 0D", true},
        {"14 13 00 02 00 00", "14 0E 02 00 00", true},
        {"1B 00 01 13 00 1E 00", "1B 00 01 0E 20 19 08", true},
    };
    struct bench bench;
    begin(&bench);
    struct ilpi_type_arguments outer = {
        .image = bench.left,
        .types = placed(&bench, bench.left, "15 12 0D 01 0D").type->inner->next,
    };
    struct ilpi_type_arguments arguments = {
        .image = bench.left,
        .types = placed(&bench, bench.left, "15 12 0D 02 0E 1D 13 00").type->inner->next,
        .methods = placed(&bench, bench.left, "15 12 0D 01 20 19 08").type->inner->next,
        .outer = &outer,
    };
    for (size_t i = 0; i < COUNT(substitutions); i++) {
        struct ilpi_closed_type left = placed(&bench, bench.left, substitutions[i].left);
        struct ilpi_closed_type right = placed(&bench, bench.left, substitutions[i].right);
        left.arguments = &arguments;
        if (ilpi_same_type(&rows, left, right) != substitutions[i].same) {
            fail_msg("%s and %s", substitutions[i].left, substitutions[i].right);
        }
    }
    struct ilpi_closed_type bound = placed(&bench, bench.left, "20 19 1E 00");
    bound.arguments = &arguments;
    assert_int_equal(ilpi_type_bound(bound).type->element, ILP_ELEMENT_I4);
    bound.type = placed(&bench, bench.left, "13 02").type;
    assert_null(ilpi_type_bound(bound).type);
    end(&bench);
}

/* Looking a type up builds an index in its image, which may fail. */
static void test_memory(void **state)
{
    (void)state;
    struct ib_image b;
    size_t failed = 0;
    for (size_t fail_at = 1;; fail_at++) {
        struct memory memory = {.fail_at = fail_at};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct bench bench;
        struct ilp_image *core;
        begin(&bench);
        build_core(&b);
        for (unsigned i = 0; i < 5000; i++) { /* an index of some size */
            ii_type(&b, "Many", "Types", 0);
        }
        struct ilp_bytes root = taken(ib_root(&b));
        ib_end(&b);
        ilp_status status = ilp_image_open(&core, root, ILP_LAYOUT_METADATA, "Core", &allocator,
                                           NULL);
        if (status == ILP_OK) {
            struct ilp_image *before = bench.assemblies.images[0];
            bench.assemblies.images[0] = core;
            status = ilp_image_index(core, NULL);
            failed += status != ILP_OK;
            /* with the index and without it */
            struct ilpi_type_equality equality = {ILPI_NAMES_RESOLVED, true, &bench.resolver};
            assert_true(ilpi_same_type(&equality, placed(&bench, bench.left, "15 12 0D 01 11 05"),
                                       placed(&bench, bench.right, "15 12 05 01 11 11")));
            bench.assemblies.images[0] = before;
            ilp_image_close(core);
        }
        memory_is_empty(&memory);
        drop(root);
        end(&bench);
        if (status == ILP_OK) {
            break;
        }
        assert_int_equal(status, ILP_E_NO_MEMORY);
    }
    assert_true(failed != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),    cmocka_unit_test(test_cases),
        cmocka_unit_test(test_no_resolver), cmocka_unit_test(test_read_twice),
        cmocka_unit_test(test_memory),      cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
