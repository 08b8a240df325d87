/* Fuzzes everything from a file's bytes to a file's bytes: open (as a file and as a mapped module),
 * walk, inspect the returns of all methods, write, read back and compare (tests/unit/image_walk.h);
 * and rows added to tables that have to be sorted again.
 *
 * The input is a file, nothing else. What is promised: no crash, no leak, no memory out of
 * proportion to the input, and rows and heaps that come back as they were.
 */
#include "tests/fuzz/memory.h"
#include "tests/unit/image_walk.h"
#include "tests/unit/pe_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Methods may share one body, so the work grows with the square of the size: this keeps a run
 * short. */
#define IMAGE_MOST_INPUT ((size_t)32 * 1024)
#define IMAGE_MOST_ROWS  400u
#define IMAGE_MOST_BYTES ((size_t)8 * 1024 * 1024)

/* ---- the inspector, made once ---- */

static const struct ilp_inspector *image_inspector(void)
{
    static struct ilp_inspector *inspector;
    static struct ilp_image *image;
    if (!inspector) {
        static struct ib_image b;
        ib_begin(&b);
        ib_inspector(&b);
        struct ib_file file = ib_pe_file(&b, (struct ib_pe){0}); /* lives as long as the program */
        struct ilp_bytes bytes = {file.data, file.size};
        FUZZ_CHECK(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, "inspector", NULL, NULL) ==
                   ILP_OK);
        FUZZ_CHECK(ilp_inspector_open(&inspector, image, NULL, NULL) == ILP_OK);
        ib_end(&b);
    }
    return inspector;
}

/* ---- rows in front ---- */

/* Adds a row with the smallest key to every sorted table, renews the MVID, writes, and counts. */
static void add_sorted_rows(struct ilp_image *image)
{
    struct ilp_edit *edit;
    struct ilp_error error = {0};
    FUZZ_CHECK(ilp_edit_open(&edit, image, NULL, NULL) == ILP_OK);
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const uint32_t cells[ILP_MAX_COLUMNS] = {0};
        ilp_rid rid;
        /* not where #Pdb counts the rows of another file's table */
        bool own = image->sizes.rows[table] == ilp_row_count(image, table);
        if (ilpi_tables[table].name && ilpi_tables[table].key >= 0 && own) {
            ilp_status status = ilp_edit_add_row(edit, table, cells, &rid, &error);
            FUZZ_CHECK(status == ILP_OK || status == ILP_E_TOO_MANY);
        }
    }
    FUZZ_CHECK(ilp_edit_renew_mvid(edit, NULL) == ILP_OK);
    struct walk_sink sink = {.most = IMAGE_MOST_BYTES};
    struct ilp_sink to = {&sink, walk_write};
    ilp_status status = ilp_edit_write(edit, NULL, &to, NULL, &error);
    FUZZ_CHECK(ilp_status_class(status) != ILP_CLASS_BUG);
    if (status == ILP_OK) {
        struct ilp_image *after = NULL;
        struct ilp_bytes bytes = {sink.data, sink.size};
        if (ilp_image_open(&after, bytes, image->pe.layout, NULL, NULL, &error) != ILP_OK) {
            fprintf(stderr, "what was written cannot be opened: %s\n", error.message);
            abort();
        }
        for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
            FUZZ_CHECK(ilp_row_count(after, table) == ilp_edit_row_count(edit, table));
            if (ilpi_tables[table].key >= 0 && (image->sorted >> table & 1) != 0) {
                uint32_t last = 0;
                for (ilp_rid rid = 1; rid <= ilp_row_count(after, table); rid++) {
                    uint32_t key = ilpi_cell_raw(&after->tables[table], rid,
                                                 (unsigned)ilpi_tables[table].key);
                    FUZZ_CHECK(key >= last);
                    last = key;
                }
            }
        }
        ilp_image_close(after);
    }
    free(sink.data);
    ilp_edit_close(edit);
}

static void use_image(const uint8_t *data, size_t size, enum ilp_layout layout)
{
    struct fuzz_memory memory = {0};
    struct ilp_allocator allocator = {.resize = fuzz_resize, .user = &memory};
    struct ilp_error error = {0};
    struct ilp_image *image = NULL;
    struct ilp_bytes bytes = {data, size};
    ilp_status status = ilp_image_open(&image, bytes, layout, "fuzz", &allocator, &error);
    FUZZ_CHECK(memory.most <= 16 * size + 64 * 1024);
    if (status == ILP_OK) {
        walk_image(image, IMAGE_MOST_ROWS);
        walk_rewrite(image, image_inspector(), IMAGE_MOST_BYTES);
        add_sorted_rows(image);
        walk_compact(image, IMAGE_MOST_BYTES);
        ilp_image_close(image);
    } else {
        FUZZ_CHECK(ilp_status_class(status) == ILP_CLASS_DATA);
        FUZZ_CHECK(error.status == status && error.message[0] != '\0' && error.offset <= size);
    }
    FUZZ_CHECK(memory.out == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= IMAGE_MOST_INPUT) {
        use_image(data, size, ILP_LAYOUT_FILE);
        use_image(data, size, ILP_LAYOUT_MAPPED);
    }
    return 0;
}
