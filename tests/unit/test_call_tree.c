/* Calls merged by path: counts and times add up, the rest has a place, and values are counted
 * within bounds. */
#include "spool_builder.h"

#include <sys/mman.h>
#include <unistd.h>

#include "trace/call_tree.h"

struct grown {
    struct ilp_bytes bytes;
    struct ilpi_spool_file file;
    struct ilpi_call_tree tree;
};

static void grow(struct grown *grown, struct ilp_bytes bytes, size_t limit)
{
    struct ilp_error error;
    grown->bytes = bytes;
    assert_int_equal(ilpi_spool_open(&grown->file, bytes, NULL, &error), ILP_OK);
    assert_int_equal(ilpi_call_tree_open(&grown->tree, &grown->file,
                                         &grown->file.processes.items[0], false, limit, &error),
                     ILP_OK);
}

static void fell(struct grown *grown)
{
    ilpi_call_tree_close(&grown->tree);
    ilpi_spool_close(&grown->file);
    drop(grown->bytes);
}

/* Own times below a node are its whole time, for threads too; children follow their
 * parents. */
static void adds_up(const struct ilpi_call_tree *tree)
{
    uint64_t exclusive = 0;
    for (size_t i = 0; i < tree->nodes.count; i++) {
        assert_true(i == 0 || tree->nodes.items[i].parent < i);
        exclusive += tree->nodes.items[i].exclusive;
    }
    assert_int_equal(exclusive, tree->nodes.items[0].inclusive);
    exclusive = 0;
    for (size_t i = 0; i <= tree->process->methods.count; i++) {
        exclusive += tree->methods[i].exclusive;
    }
    assert_int_equal(exclusive, tree->nodes.items[0].inclusive);
}

/* The tree as text: "method:calls/inclusive(children)", "*" for the rest. */
static size_t write_node(const struct ilpi_call_tree *tree, uint32_t at, char *text)
{
    size_t size = 0;
    for (uint32_t child = tree->nodes.items[at].first; child != 0;
         child = tree->nodes.items[child].next) {
        const struct ilpi_call_node *node = &tree->nodes.items[child];
        size += node->method == ILPI_OTHER ? (size_t)sprintf(text + size, " *")
                                           : (size_t)sprintf(text + size, " %u", node->method + 1);
        size += (size_t)sprintf(text + size, ":%llu/%llu", (unsigned long long)node->calls,
                                (unsigned long long)node->inclusive);
        if (node->first != 0) {
            text[size++] = '(';
            size += write_node(tree, child, text + size);
            text[size++] = ')';
        }
    }
    text[size] = '\0';
    return size;
}

static void tree_is(const char *events, size_t limit, const char *expected)
{
    struct grown grown;
    char text[512];
    grow(&grown, built_from(events), limit);
    write_node(&grown.tree, grown.tree.threads[0].node, text);
    assert_string_equal(text, expected);
    adds_up(&grown.tree);
    fell(&grown);
}

static void paths_are_merged(void **state)
{
    (void)state;
    tree_is("1 2 -2 2 -2 3 2 -2 -3 -1", 0, " 1:1/90( 2:2/20 3:1/30( 2:1/10))");
    tree_is("1 1 1 -1 -1 -1", 0, " 1:1/50( 1:1/30( 1:1/10))");
    tree_is("1 2 t2 3 u3 -1", 0, " 1:1/50( 2:1/10 3:1/10)");
}

static void the_rest_has_a_place(void **state)
{
    (void)state;
    tree_is("1 2 -2 3 4 -4 -3 5 -5 2 -2 -1", 4, " 1:1/110( *:5/60)");
    struct grown grown;
    grow(&grown, built_from("1 2 -2 3 4 -4 -3 5 -5 2 -2 -1"), 4);
    assert_int_equal(grown.tree.rest, 5);
    assert_int_equal(grown.tree.methods[3].calls, 1); /* methods are counted all the same */
    fell(&grown);
}

static void pruned_is(const char *events, size_t limit, const char *expected, uint64_t rest)
{
    struct grown grown;
    struct ilp_error error;
    char text[512];
    grow(&grown, built_from(events), 0);
    assert_int_equal(ilpi_call_tree_prune(&grown.tree, limit, &error), ILP_OK);
    write_node(&grown.tree, grown.tree.threads[0].node, text);
    assert_string_equal(text, expected);
    assert_int_equal(grown.tree.rest, rest);
    adds_up(&grown.tree);
    fell(&grown);
}

/* However late it came, what took longest stays; the process and its thread are nodes, too. */
static void what_took_longest_stays(void **state)
{
    static const char events[] = "1 2 -2 3 4 -4 -3 5 +90 6 -6 t5 2 -2 -1";
    (void)state;
    pruned_is(events, 8, " 1:1/220( 2:2/20 3:1/30( 4:1/10) 5:1/120( 6:1/10))", 0);
    pruned_is(events, 7, " 1:1/220( 2:2/20 3:1/30( 4:1/10) 5:1/120( *:1/10))", 1);
    pruned_is(events, 6, " 1:1/220( 2:2/20 3:1/30( *:1/10) 5:1/120( *:1/10))", 2);
    pruned_is(events, 5, " 1:1/220( *:2/20 3:1/30( *:1/10) 5:1/120( *:1/10))", 4);
    pruned_is(events, 4, " 1:1/220( *:4/50 5:1/120( *:1/10))", 5);
    pruned_is(events, 3, " 1:1/220( *:6/170)", 6);
    pruned_is(events, 1, " *:7/220", 7);
    pruned_is("1 1 1 1 -1 -1 -1 -1", 4, " 1:1/70( 1:1/50( *:2/30))", 2);
    pruned_is("1 2 3 4 +1 -4 -3 -2 -1 g", 1, " *:4/71", 4);
}

/* Of what took the same time the first stay, and each below one that stays. */
static void what_took_as_long_goes_in_order(void **state)
{
    (void)state;
    pruned_is("1 2 -2 3 -3 4 -4 -1", 5, " 1:1/70( 2:1/10 3:1/10 *:1/10)", 1);
    struct built *built = built_begin();
    for (unsigned id = 1; id <= 3; id++) { /* at one time */
        ilpi_spool_enter(&built->thread, built->now, id, text_bytes(NULL));
    }
    for (unsigned id = 3; id >= 1; id--) {
        ilpi_spool_leave(&built->thread, built->now, id, text_bytes(NULL));
    }
    struct grown grown;
    char text[512];
    grow(&grown, built_end(built), 0);
    assert_int_equal(ilpi_call_tree_prune(&grown.tree, 3, NULL), ILP_OK);
    write_node(&grown.tree, grown.tree.threads[0].node, text);
    assert_string_equal(text, " 1:1/0( *:2/0)");
    fell(&grown);
}

static void threads_stay(void **state)
{
    (void)state;
    struct grown grown;
    char text[512];
    struct built *built = built_begin();
    built_events(built, "1 2 -2 3 -3 -1");
    ilpi_spool_thread_end(&built->thread, built->now);
    ilpi_spool_thread_begin(&built->thread, &built->spool, 2, built->now, 71);
    built_events(built, "4 +90 5 -5 -4");
    grow(&grown, built_end(built), 0);
    assert_int_equal(ilpi_call_tree_prune(&grown.tree, 3, NULL), ILP_OK);
    write_node(&grown.tree, grown.tree.threads[0].node, text);
    assert_string_equal(text, " *:3/50");
    write_node(&grown.tree, grown.tree.threads[1].node, text);
    assert_string_equal(text, " 4:1/120( *:1/10)");
    adds_up(&grown.tree);
    fell(&grown);
}

/* What comes late has room as well: what took little makes it, whether it has ended or not. */
static void room_is_made(void **state)
{
    (void)state;
    tree_is("1 2 -2 3 -3 4 -4 5 -5 6 -6 -1 7 8 +1000 -8 -7", 8,
            " 1:1/110( 2:1/10 *:4/40) 7:1/1030( 8:1/1010)");
    tree_is("1 2 -2 3 -3 4 -4 5 -5 6 -6 7 8 +1000 -8 -7 -1", 8,
            " 1:1/1150( 2:1/10 *:4/40 7:1/1030( 8:1/1010))");
    tree_is("1 2 3 4 5 6 7 +1000 -7 +500 -6 -5 -4 -3 -2 -1 1 2 -2 -1", 8,
            " 1:2/1660( 2:2/1620( *:5/1590))");
    tree_is("1 2 3 3 3 3 2 +90 -2 -3 t3 -3 u3 9 -9 -2 g 4 -4", 8,
            " 1:1/240( 2:1/220( *:5/180 9:1/10)) 4:1/10");
}

static void the_rest_of_the_rest_is_one(void **state)
{
    (void)state;
    struct grown grown;
    char text[512];
    grow(&grown, built_from("1 2 -2 3 4 -4 -3 5 -5 2 -2 -1"), 4);
    assert_int_equal(ilpi_call_tree_prune(&grown.tree, 3, NULL), ILP_OK);
    write_node(&grown.tree, grown.tree.threads[0].node, text);
    assert_string_equal(text, " 1:1/110( *:5/60)");
    assert_int_equal(grown.tree.rest, 5);
    fell(&grown);
}

static void ends_are_counted(void **state)
{
    (void)state;
    struct grown grown;
    grow(&grown, built_from("1 2 t2 2 u2 2 -1 2"), 0);
    const struct ilpi_call_node *inner = &grown.tree.nodes.items[3];
    assert_int_equal(inner->calls, 3);
    assert_int_equal(inner->tailcalls, 1);
    assert_int_equal(inner->unwound, 1);
    assert_int_equal(inner->unknown, 1);
    assert_int_equal(grown.tree.nodes.items[4].unknown, 1);
    adds_up(&grown.tree);
    fell(&grown);
}

/* What is within another call of the same method is not counted twice. */
/* Calls of a path at once: time is a number of calls then, so that what counts most stays. */
static void counted_calls_are_many(void **state)
{
    (void)state;
    struct grown grown;
    struct built *built = built_begin();
    struct ilpi_spool_thread *thread = &built->thread;
    ilpi_spool_untimed(&built->spool, built->now);
    ilpi_spool_calls(thread, 0, 1, &(struct ilpi_spool_counts){.calls = 2, .open = 1});
    ilpi_spool_calls(thread, 0, 2, &(struct ilpi_spool_counts){100, 10, 20, 0});
    ilpi_spool_calls(thread, 0, 1, &(struct ilpi_spool_counts){.calls = 7});
    ilpi_spool_leave(thread, 0, 1, text_bytes(NULL));
    ilpi_spool_leave(thread, 0, 2, text_bytes(NULL));
    ilpi_spool_calls(thread, 0, 3, &(struct ilpi_spool_counts){.calls = 1});
    ilpi_spool_leave(thread, 0, 3, text_bytes(NULL));
    ilpi_spool_leave(thread, 0, 1, text_bytes(NULL));
    grow(&grown, built_end(built), 0);
    char text[256] = "";
    write_node(&grown.tree, grown.tree.threads[0].node, text);
    assert_string_equal(text, " 1:2/110( 2:100/107( 1:7/7) 3:1/1)");
    adds_up(&grown.tree);
    const struct ilpi_call_node *node = &grown.tree.nodes.items[3]; /* the process, the thread, 1 */
    assert_int_equal(node->tailcalls, 10);
    assert_int_equal(node->unwound, 20);
    assert_int_equal(grown.tree.nodes.items[2].unknown, 1);
    assert_int_equal(grown.tree.methods[0].calls, 9);
    assert_int_equal(grown.tree.methods[1].calls, 100);
    assert_int_equal(grown.tree.threads[0].story.calls, 110);
    assert_int_equal(grown.tree.threads[0].story.deepest, 3);
    fell(&grown);
}

static void methods_are_summed(void **state)
{
    (void)state;
    struct grown grown;
    grow(&grown, built_from("1 2 1 -1 -2 -1 2 +90 -2"), 0);
    assert_int_equal(grown.tree.methods[0].calls, 2);
    assert_int_equal(grown.tree.methods[0].inclusive, 50);
    assert_int_equal(grown.tree.methods[0].exclusive, 30);
    assert_int_equal(grown.tree.methods[0].least, 10);
    assert_int_equal(grown.tree.methods[0].most, 50);
    assert_int_equal(grown.tree.methods[1].inclusive, 130);
    assert_int_equal(grown.tree.methods[1].most, 100);
    adds_up(&grown.tree);
    fell(&grown);
}

static void values_are_counted(void **state)
{
    (void)state;
    struct grown grown;
    grow(
        &grown,
        built_from(
            "1 =1:5 1 =1:7 1 =1:5 1 =1:-0.5e1 1 =1:\"x\" 1 =1:0x10 1 =1:NaN 1 =1: 1 =1:1e308 1 -1"),
        0);
    const struct ilpi_values *values = &grown.tree.methods[0].values;
    assert_int_equal(values->total, 9);
    assert_int_equal(values->kept.count, 8);
    assert_int_equal(values->numbers, 4);
    assert_true(values->least == -5 && values->greatest == 7 && values->sum == 12);
    same_bytes(values->kept.items[0].text, text_bytes("5"));
    assert_int_equal(values->kept.items[0].count, 2);
    fell(&grown);
}

/* A value that is met often is found among any number of others. */
static void values_are_bounded(void **state)
{
    (void)state;
    struct built *built = built_begin();
    for (unsigned i = 0; i < 10000; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i % 10 == 0 ? 7777777 : i);
        ilpi_spool_enter(&built->thread, built->now, 1, text_bytes(NULL));
        ilpi_spool_leave(&built->thread, built->now, 1, text_bytes(text));
    }
    struct grown grown;
    grow(&grown, built_end(built), 0);
    const struct ilpi_values *values = &grown.tree.methods[0].values;
    assert_int_equal(values->kept.count, ILPI_KEPT_VALUES);
    assert_int_equal(values->total, 10000);
    same_bytes(values->kept.items[0].text, text_bytes("7777777"));
    assert_true(values->kept.items[0].count - values->kept.items[0].over <= 1000 &&
                values->kept.items[0].count >= 1000);
    fell(&grown);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct ilp_bytes bytes = built_from("1 2 =2:1 3 =3:2 -1");
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory memory = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&memory);
        struct ilpi_spool_file file;
        struct ilpi_call_tree tree;
        struct ilp_error error;
        status = ilpi_spool_open(&file, bytes, &allocator, &error);
        if (status == ILP_OK) {
            status = ilpi_call_tree_open(&tree, &file, &file.processes.items[0], false, 4, &error);
            if (status == ILP_OK) {
                status = ilpi_call_tree_prune(&tree, 3, &error);
            }
            ilpi_call_tree_close(&tree);
        }
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        ilpi_spool_close(&file);
        memory_is_empty(&memory);
        assert_true(n < 50);
    }
    drop(bytes);
}

/* A recursion so deep, with a node for each call, then all back. */
static struct ilp_bytes recursion(unsigned depth)
{
    struct built *built = built_begin();
    for (unsigned i = 0; i < depth; i++) {
        ilpi_spool_enter(&built->thread, ++built->now, 1, text_bytes(NULL));
    }
    for (unsigned i = 0; i < depth; i++) {
        ilpi_spool_leave(&built->thread, ++built->now, 1, text_bytes(NULL));
    }
    return built_end(built);
}

/* The file, its tree and the open calls together stay within what a report may take. */
static void a_tree_has_the_nodes_that_there_is_room_for(void **state)
{
    (void)state;
    static const unsigned depths[] = {30000, 200000};
    size_t limits[2];
    for (size_t i = 0; i < 2; i++) {
        struct grown grown;
        grow(&grown, recursion(depths[i]), 0);
        const struct ilpi_call_tree *tree = &grown.tree;
        limits[i] = tree->limit;
        adds_up(tree);
        assert_int_equal(tree->methods[0].calls, depths[i]);
        assert_int_equal(tree->nodes.count == depths[i] + 2, i == 0);
        assert_int_equal(tree->rest != 0, i == 1);
        size_t most = ILPI_REPORT_BYTES + 2 * grown.bytes.size;
        assert_true(tree->limit * sizeof *tree->nodes.items < most);
        assert_true(tree->nodes.count * sizeof *tree->nodes.items +
                        depths[i] * sizeof(struct ilpi_call) <
                    most);
        fell(&grown);
    }
    assert_true(limits[0] < limits[1]); /* of a larger file */
}

/* What no more memory is left for counts in another way: nothing fails. */
static void values_are_counted_within_a_limit(void **state)
{
    (void)state;
    static const char digits[] = "0123456789";
    struct ilpi_alloc outer;
    struct ilpi_alloc alloc;
    struct ilpi_values values[2] = {{.total = 0}};
    ilpi_alloc_init(&outer, NULL);
    ilpi_alloc_init_within(&alloc, &outer, 5 * sizeof(struct ilpi_kept_value));
    for (size_t of = 0; of < 2; of++) {
        for (size_t i = 0; i < 10; i++) {
            struct ilp_bytes text = {(const uint8_t *)digits + i, 1};
            assert_int_equal(ilpi_values_add(&values[of], &alloc, text, NULL), ILP_OK);
        }
        assert_int_equal(values[of].total, 10);
        assert_int_equal(values[of].numbers, 10);
        assert_true(values[of].least == 0 && values[of].greatest == 9);
    }
    assert_int_equal(values[0].kept.count, 4);
    assert_int_equal(values[1].kept.count, 1);
    assert_int_equal(values[1].kept.items[0].count, 10);
    assert_int_equal(values[1].kept.items[0].over, 9);
    ilpi_values_free(&values[0], &alloc);
    ilpi_values_free(&values[1], &alloc);
    assert_int_equal(outer.used, 0);
}

/* Cut between characters, reported, and not taken for a whole one that is as long. */
static void long_values_are_cut(void **state)
{
    (void)state;
    char text[ILPI_VALUE_TEXT + 2];
    struct ilpi_alloc alloc;
    struct ilpi_values values = {.total = 0};
    ilpi_alloc_init(&alloc, NULL);
    memset(text, 'a', sizeof text);
    for (size_t size = ILPI_VALUE_TEXT - 1; size < sizeof text; size++) {
        /* two of them end in the same way */
        assert_int_equal(
            ilpi_values_add(&values, &alloc, (struct ilp_bytes){(uint8_t *)text, size}, NULL),
            ILP_OK);
    }
    assert_int_equal(values.kept.count, 3);
    assert_true(!values.kept.items[0].cut && !values.kept.items[1].cut && values.kept.items[2].cut);
    memcpy(text + ILPI_VALUE_TEXT - 2,
           "\xE2\x82\xAC"
           "a",
           4); /* a euro sign across the end */
    assert_int_equal(
        ilpi_values_add(&values, &alloc, (struct ilp_bytes){(uint8_t *)text, sizeof text}, NULL),
        ILP_OK);
    assert_int_equal(values.kept.items[3].text.size, ILPI_VALUE_TEXT - 2);
    memset(text, 0x80, sizeof text);
    assert_int_equal(
        ilpi_values_add(&values, &alloc, (struct ilp_bytes){(uint8_t *)text, sizeof text}, NULL),
        ILP_OK);
    assert_int_equal(values.kept.items[4].text.size, ILPI_VALUE_TEXT);
    ilpi_values_free(&values, &alloc);
}

/* The last text of a spool may end with the file, which is mapped: nothing may be read after
 * it. */
static void a_value_may_be_the_last_of_all(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                          0);
    struct ilpi_alloc alloc;
    struct ilpi_values values = {.total = 0};
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    ilpi_alloc_init(&alloc, NULL);
    memcpy(pages + page - 3, "123", 3);
    for (size_t size = 1; size <= 3; size++) {
        struct ilp_bytes text = {pages + page - size, size};
        assert_int_equal(ilpi_values_add(&values, &alloc, text, NULL), ILP_OK);
    }
    assert_true(values.numbers == 3 && values.sum == 3 + 23 + 123);
    ilpi_values_free(&values, &alloc);
    munmap(pages, 2 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_merged),
        cmocka_unit_test(the_rest_has_a_place),
        cmocka_unit_test(ends_are_counted),
        cmocka_unit_test(counted_calls_are_many),
        cmocka_unit_test(methods_are_summed),
        cmocka_unit_test(values_are_counted),
        cmocka_unit_test(values_are_bounded),
        cmocka_unit_test(what_took_longest_stays),
        cmocka_unit_test(what_took_as_long_goes_in_order),
        cmocka_unit_test(the_rest_of_the_rest_is_one),
        cmocka_unit_test(threads_stay),
        cmocka_unit_test(room_is_made),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(a_value_may_be_the_last_of_all),
        cmocka_unit_test(a_tree_has_the_nodes_that_there_is_room_for),
        cmocka_unit_test(values_are_counted_within_a_limit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
