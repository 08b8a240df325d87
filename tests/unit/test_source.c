/* src/rules/source.c and src/symbols/documents.c: which source file a method is of, by the PDB of a
 * C# assembly, and what is reported where that is not known. */
#include "tests/unit/rules_test.h"

#include "symbols/symbols.h"

#define SOURCE "/src/good-csharp.cs"

struct world {
    struct rt_app app;
    struct ilp_bytes assembly, pdb;
    struct ilp_symbols *symbols;
    unsigned opened;
};

static struct ilp_symbols *give(void *user, const struct ilp_image *image, struct ilp_error *error)
{
    struct world *world = user;
    assert_ptr_equal(image, world->app.image);
    world->opened++;
    snprintf(error->message, sizeof error->message, "the PDB is at home");
    return world->symbols;
}

static struct ilp_image *find_none(void *user, const struct ilp_assembly_name *name)
{
    (void)user, (void)name;
    return NULL;
}

static void open_symbols(struct world *world)
{
    assert_int_equal(ilp_symbols_open(&world->symbols, world->app.image, world->pdb, NULL, NULL),
                     ILP_OK);
}

static void begin(struct world *world)
{
    *world = (struct world){.assembly = load("good-csharp.dll"), .pdb = load("good-portable.pdb")};
    world->app.image = open_image(world->assembly, ILP_LAYOUT_FILE);
    world->app.resolver =
        (struct ilp_resolver){.user = world, .open = find_none, .open_symbols = give};
}

static void end(struct world *world)
{
    ilp_symbols_close(world->symbols);
    ilp_image_close(world->app.image);
    drop(world->assembly);
    drop(world->pdb);
}

/* Later is async and Count an iterator: their lines are those of MoveNext. The constructor of Box
 * is the compiler's, and of no line. */
static void test_files(void **state)
{
    static const struct rt_case cases[] = {
        {"Twice", "<source file='good-csharp.cs'/>", ILP_YES},
        {"Twice", "<source file='src/good-csharp.cs'/>", ILP_YES},
        {"Twice", "<source file='" SOURCE "'/>", ILP_YES},
        {"Twice", "<source file='csharp.cs'/>", ILP_NO},
        {"Twice", "<source like='*/GOOD-*'/>", ILP_NO},
        {"Twice", "<source like='*/good-*'/>", ILP_YES},
        {"Twice", "<source regex='^/src/.*\\.cs$'/>", ILP_YES},
        {"Twice", "<source regex='^/src$'/>", ILP_NO},
        {"Later", "<source file='good-csharp.cs'/>", ILP_YES},
        {"Count", "<source file='good-csharp.cs'/>", ILP_YES},
        {"Count", "<source file='other.cs'/>", ILP_NO},
        {"SetStateMachine", "<source like='*'/>", ILP_NO},
    };
    struct world world;
    (void)state;
    begin(&world);
    open_symbols(&world);
    RT_CHECK(&world.app, cases);
    assert_true(world.opened >= COUNT(cases));
    end(&world);
}

/* The caller is called once, whatever it returns. */
static void test_not_known(void **state)
{
    struct world world;
    struct ilp_selection selection;
    (void)state;
    begin(&world);
    struct ilp_rules *rules = rt_rules("<rules><include><source like='*'/></include></rules>");
    struct ilp_selector *selector = rt_selector(&world.app, rules, ILP_TARGET_AUTO);
    for (ilp_rid rid = 1; rid <= 5; rid++) {
        assert_int_equal(ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL),
                         ILP_OK);
        assert_int_equal(selection.included, ILP_UNKNOWN);
        assert_non_null(
            strstr(selection.detail, "its source file is not known: the PDB is at home"));
    }
    assert_int_equal(world.opened, 1);
    ilp_selector_close(selector);
    ilp_rules_close(rules);
    world.app.resolver.open_symbols = NULL;
    rt_select(&world.app, "Twice", "<source like='*'/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_UNKNOWN);
    assert_non_null(strstr(selection.detail, "no symbols are at hand"));
    end(&world);
}

/* ---- PDBs that are not valid ---- */

static uint8_t *blob_in(struct world *world, uint32_t offset)
{
    struct ilp_bytes blob = ilp_blob(world->symbols->pdb, offset);
    assert_true(blob.size != 0);
    return (uint8_t *)(uintptr_t)blob.data;
}

static uint8_t *name_in(struct world *world)
{
    return blob_in(world, ilp_cell(world->symbols->pdb, ILP_Document, 1, ILP_Document_Name));
}

/* A rule that requests a file is not decided; nothing else is wrong. */
static void check_unknown(struct world *world, const char *why)
{
    struct ilp_selection selection;
    rt_select(&world->app, "Twice", "<source like='*'/>", ILP_TARGET_AUTO, &selection);
    if (selection.included != ILP_UNKNOWN || !strstr(selection.detail, why)) {
        fail_msg("%d: %s", selection.included, selection.detail);
    }
    assert_non_null(strstr(selection.detail, "its symbols are not valid"));
    rt_select(&world->app, "Twice", "<method name='Twice'/>", ILP_TARGET_AUTO, &selection);
    assert_int_equal(selection.included, ILP_YES);
}

static void test_bad_names(void **state)
{
    static const struct {
        unsigned at;
        uint8_t byte;
        const char *why;
    } faults[] = {{0, 0x80, "separator that is not ASCII"},
                  {1, 0xFF, "document name"},
                  {2, 0xBF, "part outside of #Blob"}};
    (void)state;
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct world world;
        begin(&world);
        open_symbols(&world);
        name_in(&world)[faults[i].at] = faults[i].byte;
        check_unknown(&world, faults[i].why);
        end(&world);
    }
}

/* Without a separator parts follow each other; with a backslash they are folders all the same. */
static void test_separators(void **state)
{
    static const struct {
        uint8_t separator;
        const char *condition;
    } names[] = {{0, "<source file='srcgood-csharp.cs'/>"},
                 {'\\', "<source file='src/good-csharp.cs'/>"},
                 {':', "<source like=':src:good-csharp.cs'/>"}};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct world world;
        struct ilp_selection selection;
        begin(&world);
        open_symbols(&world);
        assert_int_equal(name_in(&world)[0], '/');
        name_in(&world)[0] = names[i].separator;
        rt_select(&world.app, "Twice", names[i].condition, ILP_TARGET_AUTO, &selection);
        if (selection.included != ILP_YES) {
            fail_msg("%s: %s", names[i].condition, selection.detail);
        }
        end(&world);
    }
}

/* Points that end within a number, and those of a document that is not there. */
static void test_bad_points(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    open_symbols(&world);
    ilp_rid rid = ILP_TOKEN_RID(rt_method(world.app.image, "Twice"));
    uint8_t *points = blob_in(&world, ilp_cell(world.symbols->pdb, ILP_MethodDebugInformation, rid,
                                               ILP_MethodDebugInformation_SequencePoints));
    points[0] = 0xFF;
    check_unknown(&world, "sequence points");
    end(&world);
}

/* Any byte of the PDB may lie: each method is of a file, of none, or not decided. */
static void test_any_byte(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    struct ilp_rules *rules = rt_rules("<rules><include><source file='x.cs'/></include></rules>");
    for (size_t at = 0; at < world.pdb.size; at++) {
        uint8_t *byte = (uint8_t *)(uintptr_t)world.pdb.data + at;
        *byte ^= 0xFF;
        if (ilp_symbols_open(&world.symbols, world.app.image, world.pdb, NULL, NULL) == ILP_OK) {
            struct ilp_selector *selector = rt_selector(&world.app, rules, ILP_TARGET_AUTO);
            for (ilp_rid rid = 1; rid <= ilp_row_count(world.app.image, ILP_MethodDef); rid++) {
                struct ilp_selection selection;
                assert_int_equal(
                    ilp_select(selector, ILP_TOKEN(ILP_MethodDef, rid), &selection, NULL), ILP_OK);
                assert_int_not_equal(selection.included, ILP_YES);
            }
            ilp_selector_close(selector);
        }
        ilp_symbols_close(world.symbols);
        world.symbols = NULL;
        *byte ^= 0xFF;
    }
    ilp_rules_close(rules);
    end(&world);
}

/* Fails at every allocation in turn. */
static void test_memory(void **state)
{
    (void)state;
    struct world world;
    begin(&world);
    open_symbols(&world);
    struct ilp_rules *rules = rt_rules("<rules><include><source like='*'/></include></rules>");
    ilp_token method = rt_method(world.app.image, "Later");
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory failing = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&failing);
        struct ilp_selector *selector;
        struct ilp_selection selection;
        status = ilp_selector_open(&selector, rules, world.app.image, &world.app.resolver,
                                   ILP_TARGET_AUTO, &allocator, NULL);
        if (status == ILP_OK) {
            status = ilp_select(selector, method, &selection, NULL);
            assert_true(status != ILP_OK || selection.included == ILP_YES);
            ilp_selector_close(selector);
        }
        assert_true(status == ILP_E_NO_MEMORY || (status == ILP_OK && failing.calls < n));
        memory_is_empty(&failing);
    }
    ilp_rules_close(rules);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),      cmocka_unit_test(test_not_known),
        cmocka_unit_test(test_bad_names),  cmocka_unit_test(test_separators),
        cmocka_unit_test(test_bad_points), cmocka_unit_test(test_any_byte),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
