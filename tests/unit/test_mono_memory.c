/* profiler/mono/ without memory: the n-th allocation fails, alone or with all that follow, for
 * every n until a run makes fewer. The process goes on, what was not done is reported, and all
 * memory comes back. */
#include "base/sanitizers.h"

#ifdef HAS_ADDRESS_SANITIZER /* its malloc() is its own */
#include <stdio.h>

int main(void)
{
    puts("AddressSanitizer has a malloc() of its own");
    return 77; /* skipped */
}
#else
#include "tests/unit/failing_malloc.h"
#include "tests/unit/mono_process.h"

#define OWN_INSPECTOR "tests/command/files/good-inspector-passes.dll"

static struct ilp_bytes csharp;

/* What of the process was done. */
struct outcome {
    bool opened;
    bool started; /* the stock inspector, with the addresses */
    bool wanted;  /* the other inspector was found */
    bool has_report, has_ids;
    unsigned patched, symbols;
    long kept;   /* blocks */
    bool is_out; /* memory has run out */
};

/* ---- Mono, which has memory ---- */

static mono_image *open_from_data(char *data, uint32_t size, int32_t copied, int *status,
                                  int32_t reflection_only, const char *name)
{
    failing.counts = false;
    mono_image *image = mono_image_open_from_data_with_name(data, size, copied, status,
                                                            reflection_only, name);
    failing.counts = true;
    return image;
}

static void report(mono_image_event event, mono_image *image)
{
    failing.counts = true;
    event(played.user, image);
    failing.counts = false;
}

static void load_file(const char *name, struct ilp_bytes bytes, struct outcome *outcome)
{
    mono_image *image = played_image(name, bytes);
    report(played.image_loading, image);
    assert_true(played_read(image));
    report(played.image_loaded, image);
    outcome->patched += played_bytes(image).data != bytes.data;
    outcome->symbols += image->symbols.size != 0;
    report(played.image_unloaded, image);
    played_free(image);
}

static void drop_image(mono_image *image)
{
    if (image) {
        played_free(image);
    }
}

/* ---- one process ---- */

static void play(struct outcome *outcome)
{
    failing.counts = true;
    played.runtime_initialized(played.user);
    failing.counts = false;
    load_file(tree_path(&tree, "App.exe"), app, outcome);
    load_file(tree_path(&tree, "Lib.dll"), csharp, outcome);
    load_file("/mono/4.5/mscorlib.dll", app, outcome);
    load_file("/mono/4.5/System.dll", app, outcome);
    load_file("data-0x7f", app, outcome);
    failing.counts = true;
    mono_image *own = played_want("Passes");
    failing.counts = false;
    outcome->started = played.addresses[0] != '\0';
    outcome->wanted = own != NULL;
    drop_image(own);
    drop_image(process.stock);
}

/* The whole of it, with the n-th allocation failing. */
static struct outcome run(const char *options, unsigned long fails_at, bool for_good)
{
    struct outcome outcome = {.opened = false};
    unlink(tree_path(&tree, "status"));
    unlink(tree_path(&tree, "report.json"));
    unlink(tree_path(&tree, "ids"));
    begin_environment(options);
    setenv(ENV_REPORT, tree_path(&tree, "report.json"), 1);
    process.mono.image_open_from_data_with_name = open_from_data;
    failing_begin(fails_at, for_good);
    outcome.opened = open_process();
    failing.counts = false;
    if (outcome.opened) {
        play(&outcome);
    }
    failing.counts = true;
    close_process();
    failing.counts = false;
    outcome.kept = failing.blocks;
    outcome.is_out = fails_at != 0 && failing.calls >= fails_at;
    read_files();
    outcome.has_report = access(tree_path(&tree, "report.json"), F_OK) == 0;
    outcome.has_ids = access(tree_path(&tree, "ids"), F_OK) == 0;
    return outcome;
}

static bool is_same(const struct outcome *outcome, const struct outcome *whole)
{
    return outcome->opened == whole->opened && outcome->started == whole->started &&
           outcome->wanted == whole->wanted && outcome->has_report == whole->has_report &&
           outcome->has_ids == whole->has_ids && outcome->patched == whole->patched &&
           outcome->symbols == whole->symbols;
}

static void fail_each(const char *options, bool for_good)
{
    struct outcome outcome = {.is_out = true};
    unsigned long n = 1;
    run(options, 0, false); /* what is opened once for all */
    const struct outcome whole = run(options, 0, false);
    if (!whole.opened || !whole.has_report || whole.patched < 3) {
        fail_msg("%s: %u patched: %s%s", options, whole.patched, status_text, reported);
    }
    assert_int_equal(whole.symbols, 1);
    assert_true(whole.started != whole.wanted);
    assert_int_equal(whole.has_ids, whole.wanted);
    for (; outcome.is_out; n++) {
        outcome = run(options, n, for_good);
        bool says_why = strstr(status_text, "memory") ||
                        strstr(status_text, "could not be started");
        if ((!is_same(&outcome, &whole) && !says_why) || outcome.kept > whole.kept) {
            fail_msg("%s: allocation %lu%s: opened %d, started %d, wanted %d, %u patched, "
                     "%u symbols, report %d, ids %d, %ld blocks kept after %ld: %s",
                     options, n, for_good ? " and all that follow" : "", outcome.opened,
                     outcome.started, outcome.wanted, outcome.patched, outcome.symbols,
                     outcome.has_report, outcome.has_ids, outcome.kept, whole.kept, status_text);
        }
    }
    assert_true(n > 100);
}

static void test_stock(void **state)
{
    (void)state;
    fail_each("--inspect-returns", false);
    fail_each("--inspect-returns", true);
}

static void test_own(void **state)
{
    char options[640];
    (void)state;
    tree_file(&tree, "rules.xml", "<rules><include pass='id'><type like='*'/></include></rules>");
    snprintf(options, sizeof options, "--rules %s --id-map %s --inspector " OWN_INSPECTOR,
             tree_path(&tree, "rules.xml"), tree_path(&tree, "ids"));
    fail_each(options, false);
    fail_each(options, true);
}

static int begin_files(void **state)
{
    make_app(state);
    csharp = load("good-csharp.dll");
    uint8_t mvid[16];
    mvid_of(app, mvid);
    struct ilp_bytes mdb = make_mdb(mvid);
    tree_begin(&tree);
    tree_bytes(&tree, "App.exe.mdb", mdb.data, mdb.size);
    drop(mdb);
    return 0;
}

static int end_files(void **state)
{
    tree_end(&tree);
    drop(csharp);
    return drop_app(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stock), cmocka_unit_test(test_own)};
    return cmocka_run_group_tests(tests, begin_files, end_files);
}
#endif
