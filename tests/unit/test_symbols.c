/* Portable PDBs, moved along: maps of offsets, each kind of blob, and a whole PDB that is cut,
 * changed byte by byte, or made while memory runs out. */
#include "metadata_test.h"

#include "symbols/symbols.h"

/* ---- maps ---- */

static struct memory memory;
static struct ilpi_alloc alloc;
static struct ilp_arena arena;

static int begin(void **state)
{
    (void)state;
    memory = (struct memory){0};
    struct ilp_allocator allocator = memory_allocator(&memory);
    ilpi_alloc_init(&alloc, &allocator);
    arena = (struct ilp_arena){.alloc = &alloc};
    return 0;
}

static int end(void **state)
{
    (void)state;
    ilpi_arena_free(&arena);
    memory_is_empty(&memory);
    return 0;
}

/* What is at 0 stays; 5 bytes in front of 2; 3 more in front of 10; the end is at 12. */
static const struct ilp_il_map map[] = {{0, 0}, {1, 1}, {2, 7}, {6, 11}, {10, 18}, {12, 20}};

static struct ilpi_moves moves_of(const struct ilp_il_map *entries, size_t count)
{
    struct ilpi_moves moves;
    assert_int_equal(ilpi_moves_make(&moves, entries, count, &arena, NULL), ILP_OK);
    return moves;
}

static void offsets_move(void **state)
{
    static const uint32_t to[] = {0, 1, 7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 21};
    (void)state;
    struct ilpi_moves moves = moves_of(map, COUNT(map));
    assert_int_equal(moves.count, 3);
    for (uint32_t i = 0; i < COUNT(to); i++) {
        assert_int_equal(ilpi_moved(&moves, i), to[i]);
    }
    struct ilpi_moves same = moves_of(NULL, 0);
    struct ilpi_moves none = {NULL, 0};
    assert_non_null(same.shifts);
    assert_int_equal(ilpi_moved(&same, 77), 77);
    assert_int_equal(ilpi_moved(&none, 77), 77);
}

/* What is inserted in front of the first instruction is entered at 0, wherever labels lead. */
static void the_start_stays(void **state)
{
    static const struct ilp_il_map front[] = {{0, 3}, {1, 4}, {2, 9}};
    (void)state;
    struct ilpi_moves moves = moves_of(front, COUNT(front));
    assert_int_equal(ilpi_moved(&moves, 0), 0);
    assert_int_equal(ilpi_moved(&moves, 1), 4);
    assert_int_equal(ilpi_moved(&moves, 2), 9);
}

static void maps_that_are_none(void **state)
{
    static const struct ilp_il_map bad[][2] = {
        {{0, 0}, {0, 1}},                   /* twice the same */
        {{4, 4}, {2, 6}},                   /* back */
        {{0, 5}, {4, 5}},                   /* two at one place */
        {{0, 5}, {4, 8}},                   /* closer than they were */
        {{0, 5}, {4, 1}},                   /* in another order */
        {{0, 0}, {0x80000000, 0x80000000}}, /* after all code */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct ilpi_moves moves;
        assert_int_equal(ilpi_moves_make(&moves, bad[i], 2, &arena, NULL), ILP_E_MISUSE);
    }
}

/* ---- blobs ---- */

typedef ilp_status (*move_blob)(struct ilp_bytes blob, struct ilpi_buf *to,
                                struct ilp_error *error);

static struct ilpi_moves of[3];
static struct ilpi_moved_methods methods = {of, 2};

static ilp_status move_points(struct ilp_bytes blob, struct ilpi_buf *to, struct ilp_error *error)
{
    return ilpi_points_move(blob, 100, &of[1], false, 0x234, to, error);
}

static ilp_status move_custom(unsigned kind, struct ilp_bytes blob, struct ilpi_buf *to,
                              struct ilp_error *error)
{
    return ilpi_custom_move(kind, blob, 100, &methods, 1, to, error);
}

static ilp_status move_hoisted(struct ilp_bytes blob, struct ilpi_buf *to, struct ilp_error *error)
{
    return move_custom(0, blob, to, error);
}

static ilp_status move_steps(struct ilp_bytes blob, struct ilpi_buf *to, struct ilp_error *error)
{
    return move_custom(1, blob, to, error);
}

static const struct blob_case {
    move_blob move;
    size_t old_size;
    size_t new_size;
    uint8_t old[64];
    uint8_t new[64];
} cases[] = {
    /* locals 5, document 1; 0: line 10 column 5 to column 20; 2: hidden; document 2; 6: lines 2,
     * signed columns; 10: hidden */
    {move_points,
     20,
     21,
     {5, 1, 0, 0, 15, 10, 5, 2, 0, 0, 0, 2, 4, 2, 0x7D, 2, 0x7B, 4, 0, 0},
     {0x82, 0x34, 1, 0, 0, 15, 10, 5, 7, 0, 0, 0, 2, 4, 2, 0x7D, 2, 0x7B, 7, 0, 0}},
    {move_hoisted,
     24,
     24,
     {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 10, 0, 0, 0},
     {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0, 7, 0, 0, 0, 13, 0, 0, 0}},
    /* a handler at 6; yields at 2, resumes at 10 of the same method, at 2 of one that did not
     * move */
    {move_steps,
     22,
     22,
     {7, 0, 0, 0, 2, 0, 0, 0, 10, 0, 0, 0, 1, 6, 0, 0, 0, 2, 0, 0, 0, 2},
     {12, 0, 0, 0, 7, 0, 0, 0, 18, 0, 0, 0, 1, 11, 0, 0, 0, 2, 0, 0, 0, 2}},
    {move_steps, 4, 4, {0, 0, 0, 0}, {0, 0, 0, 0}},
};

static void blobs_move(void **state)
{
    (void)state;
    of[1] = moves_of(map, COUNT(map));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ilpi_buf to = {.alloc = &alloc};
        struct ilp_bytes blob = exact(cases[i].old, cases[i].old_size);
        struct ilp_error error;
        assert_int_equal(cases[i].move(blob, &to, &error), ILP_OK);
        same_bytes(ilpi_buf_bytes(&to), (struct ilp_bytes){cases[i].new, cases[i].new_size});
        ilpi_buf_free(&to);
        drop(blob);
    }
}

/* A cut or changed blob moves or is refused; nothing is read beyond it. */
static void blobs_that_lie(void **state)
{
    (void)state;
    of[1] = moves_of(map, COUNT(map));
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t at = 0; at < cases[i].old_size; at++) {
            for (unsigned change = 0; change < 5; change++) {
                static const uint8_t bytes[] = {0xFF, 0x7F, 0xC0, 0x80};
                struct ilpi_buf to = {.alloc = &alloc};
                struct ilp_bytes blob = exact(cases[i].old, change == 4 ? at : cases[i].old_size);
                if (change < 4) {
                    ((uint8_t *)(uintptr_t)blob.data)[at] = bytes[change];
                }
                struct ilp_error error = {.status = ILP_OK};
                ilp_status status = cases[i].move(blob, &to, &error);
                assert_true(status == ILP_OK || status == ILP_E_BAD_SYMBOLS);
                assert_true(status == ILP_OK || (error.status == status && error.offset >= 100));
                ilpi_buf_free(&to);
                drop(blob);
            }
        }
    }
}

static void scopes_move(void **state)
{
    (void)state;
    struct ilpi_moves moves = moves_of(map, COUNT(map));
    uint32_t start = 1;
    uint32_t length = 9;
    assert_int_equal(ilpi_scope_move(&moves, &start, &length, 0, NULL), ILP_OK);
    assert_int_equal(start, 1);
    assert_int_equal(length, 17);
    start = 0x7FFFFFFF;
    length = 1;
    assert_int_equal(ilpi_scope_move(&moves, &start, &length, 0, NULL), ILP_E_BAD_SYMBOLS);
    start = 0xFFFFFFFF;
    assert_int_equal(ilpi_scope_move(&moves, &start, &length, 0, NULL), ILP_E_BAD_SYMBOLS);
}

/* ---- a whole PDB ---- */

static struct ilp_bytes assembly_bytes;
static struct ilp_bytes pdb_bytes;

/* Gives every body of the assembly again, as if something were before its second
 * instruction. */
static struct ilp_edit *changed(struct ilp_image *image)
{
    struct ilp_edit *edit = open_edit(image);
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        struct ilp_body body;
        struct ilp_arena bodies = {.alloc = &alloc};
        uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        struct ilp_bytes bytes = ilp_image_rva(image, rva, NULL);
        if (rva != 0 && ilp_body_read(&body, bytes, 0, &bodies, NULL) == ILP_OK) {
            bytes.size = body.size;
            assert_int_equal(ilp_edit_set_body(edit, rid, bytes, NULL), ILP_OK);
        }
        ilpi_arena_free(&bodies);
    }
    return edit;
}

static const struct ilp_il_map shifted[] = {{0, 0}, {1, 201}};

static ilp_status move_all(struct ilp_symbols *symbols, const struct ilp_image *image,
                           struct ilp_error *error)
{
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        ILPI_TRY(ilp_symbols_move(symbols, ILP_TOKEN(ILP_MethodDef, rid), shifted, COUNT(shifted),
                                  error));
    }
    return ILP_OK;
}

/* Opens, moves and writes; what comes out has to open, with the id that the link says. */
static ilp_status make(struct ilp_edit *edit, struct ilp_bytes bytes,
                       const struct ilp_allocator *allocator, uint8_t id[20])
{
    struct ilp_symbols *symbols;
    struct ilp_symbols_link link;
    struct ilp_bytes pdb;
    struct ilp_error error = {.status = ILP_OK};
    ilp_status status = ilp_symbols_open(&symbols, edit->image, bytes, allocator, &error);
    if (status == ILP_OK) {
        status = move_all(symbols, edit->image, &error);
        status = status == ILP_OK ? ilp_symbols_write(symbols, edit, &pdb, &link, &error) : status;
        if (status == ILP_OK) {
            struct ilp_image *written = open_image(pdb, ILP_LAYOUT_METADATA);
            assert_memory_equal(written->pdb_stream->bytes.data, link.id, 20);
            memcpy(id, link.id, 20);
            ilp_image_close(written);
        }
        ilp_symbols_close(symbols);
    }
    assert_int_equal(error.status, status);
    return status;
}

static struct ilp_image *load_both(void)
{
    assembly_bytes = load("../command/files/Sample.dll");
    pdb_bytes = load("../command/files/Sample.pdb");
    return open_image(assembly_bytes, ILP_LAYOUT_FILE);
}

static void drop_both(struct ilp_edit *edit, struct ilp_image *image)
{
    ilp_edit_close(edit);
    ilp_image_close(image);
    drop(assembly_bytes);
    drop(pdb_bytes);
}

static void a_pdb_moves(void **state)
{
    (void)state;
    uint8_t first[20];
    uint8_t second[20];
    struct ilp_image *image = load_both();
    struct ilp_edit *edit = changed(image);
    struct ilp_symbols_info info;
    ilp_image_symbols(image, &info);
    assert_int_equal(info.kind, ILP_SYMBOLS_BESIDE);
    assert_int_equal(make(edit, pdb_bytes, NULL, first), ILP_OK);
    assert_int_equal(make(edit, pdb_bytes, NULL, second), ILP_OK);
    assert_memory_equal(first, second, 20);
    assert_memory_not_equal(first, info.id, 20);
    drop_both(edit, image);
}

/* The assembly that is written leads to the new PDB: with another path where one is given, and back
 * to nothing where the symbols are dropped. */
static void the_assembly_follows(void **state)
{
    (void)state;
    struct ilp_image *image = load_both();
    struct ilp_edit *edit = changed(image);
    static const uint8_t path[] = "there/Sample.pdb";
    struct ilp_symbols_link link = {.path = {path, sizeof path - 1}};
    for (unsigned i = 0; i < sizeof link.id; i++) {
        link.id[i] = (uint8_t)(i + 1);
    }
    for (int entries = ILP_SYMBOLS_DROP; entries <= ILP_SYMBOLS_UPDATE; entries++) {
        struct ilp_write_options options = {.symbols = (enum ilp_symbols_entries)entries,
                                            .link = &link};
        struct ilp_write_info info;
        struct ilp_symbols_info before;
        struct ilp_symbols_info after;
        struct collector written = {.fail_after = 0};
        struct ilp_sink sink = {&written, collect};
        assert_int_equal(ilp_edit_write(edit, &options, &sink, &info, NULL), ILP_OK);
        struct ilp_bytes bytes = taken(written.bytes);
        struct ilp_image *again = open_image(bytes, ILP_LAYOUT_FILE);
        ilp_image_symbols(image, &before);
        ilp_image_symbols(again, &after);
        assert_int_equal(info.symbols_dropped, entries == ILP_SYMBOLS_DROP);
        assert_int_equal(info.symbols_stale, entries == ILP_SYMBOLS_KEEP);
        assert_int_equal(info.symbols_updated, entries == ILP_SYMBOLS_UPDATE);
        if (entries == ILP_SYMBOLS_DROP) {
            assert_int_equal(after.kind, ILP_SYMBOLS_NONE);
        } else {
            bool updated = entries == ILP_SYMBOLS_UPDATE;
            assert_int_equal(after.kind, ILP_SYMBOLS_BESIDE);
            assert_memory_equal(after.id, updated ? link.id : before.id, 20);
            same_bytes(after.path, updated ? link.path : before.path);
        }
        ilp_image_close(again);
        drop(bytes);
    }
    drop_both(edit, image);
}

static void what_is_refused(void **state)
{
    (void)state;
    uint8_t id[20];
    struct ilp_image *image = load_both();
    struct ilp_edit *edit = changed(image);
    struct ilp_symbols *symbols;
    struct ilp_symbols_link link;
    struct ilp_bytes pdb;
    struct ilp_bytes none = {NULL, 0};
    struct ilp_bytes other = load("good-portable.pdb");
    struct ilp_bytes windows = {(const uint8_t *)"Microsoft C/C++ MSF 7.00\r\n\x1A"
                                                 "DS",
                                29};
    assert_int_equal(make(edit, other, NULL, id), ILP_E_OTHER_SYMBOLS);
    assert_int_equal(make(edit, windows, NULL, id), ILP_E_SYMBOLS_KIND);
    assert_int_equal(make(edit, assembly_bytes, NULL, id), ILP_E_SYMBOLS_KIND);
    assert_int_equal(make(edit, none, NULL, id), ILP_E_MISUSE); /* nothing is embedded */
    assert_int_equal(ilp_symbols_open(&symbols, image, pdb_bytes, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_symbols_move(symbols, ILP_TOKEN(ILP_MethodDef, 0), NULL, 0, NULL),
                     ILP_E_MISUSE);
    assert_int_equal(ilp_symbols_move(symbols, ILP_TOKEN(ILP_TypeDef, 1), NULL, 0, NULL),
                     ILP_E_MISUSE);
    /* what moved is not known */
    assert_int_equal(ilp_symbols_write(symbols, edit, &pdb, &link, NULL), ILP_E_MISUSE);
    ilp_symbols_close(symbols);
    drop(other);
    drop_both(edit, image);
}

static void check_damaged(struct ilp_edit *edit, struct ilp_bytes bytes)
{
    uint8_t id[20];
    enum ilp_class class = ilp_status_class(make(edit, bytes, NULL, id));
    assert_true(class == ILP_CLASS_OK || class == ILP_CLASS_DATA ||
                class == ILP_CLASS_UNSUPPORTED || class == ILP_CLASS_LIMIT);
}

static void damaged_pdbs(void **state)
{
    static const uint8_t masks[] = {0xFF, 0x01, 0x80};
    (void)state;
    struct ilp_image *image = load_both();
    struct ilp_edit *edit = changed(image);
    for (size_t at = 0; at < pdb_bytes.size; at++) {
        struct ilp_bytes cut = exact(pdb_bytes.data, at);
        if (at != 0) {
            check_damaged(edit, cut);
        }
        drop(cut);
        for (size_t i = 0; i < COUNT(masks); i++) {
            struct ilp_bytes damaged = exact(pdb_bytes.data, pdb_bytes.size);
            ((uint8_t *)(uintptr_t)damaged.data)[at] ^= masks[i];
            check_damaged(edit, damaged);
            drop(damaged);
        }
    }
    drop_both(edit, image);
}

static void failing_allocations(void **state)
{
    (void)state;
    uint8_t id[20];
    struct ilp_image *image = load_both();
    struct ilp_edit *edit = changed(image);
    ilp_status status = ILP_E_NO_MEMORY;
    for (size_t n = 1; status != ILP_OK; n++) {
        struct memory failing = {.fail_at = n};
        struct ilp_allocator allocator = memory_allocator(&failing);
        status = make(edit, pdb_bytes, &allocator, id);
        assert_true(status == ILP_OK || status == ILP_E_NO_MEMORY);
        memory_is_empty(&failing);
        assert_true(n < 10000);
    }
    drop_both(edit, image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(offsets_move, begin, end),
        cmocka_unit_test_setup_teardown(the_start_stays, begin, end),
        cmocka_unit_test_setup_teardown(maps_that_are_none, begin, end),
        cmocka_unit_test_setup_teardown(blobs_move, begin, end),
        cmocka_unit_test_setup_teardown(blobs_that_lie, begin, end),
        cmocka_unit_test_setup_teardown(scopes_move, begin, end),
        cmocka_unit_test_setup_teardown(a_pdb_moves, begin, end),
        cmocka_unit_test_setup_teardown(the_assembly_follows, begin, end),
        cmocka_unit_test_setup_teardown(what_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(damaged_pdbs, begin, end),
        cmocka_unit_test_setup_teardown(failing_allocations, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
