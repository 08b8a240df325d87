/* What the tests of src/metadata share: memory that is counted and can fail, sinks, files of
 * tests/files, and comparisons of whole images. */
#ifndef METADATA_TEST_H
#define METADATA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metadata/edit.h"
#include "tests/unit/pe_builder.h"

#ifndef ILP_TEST_FILES
#define ILP_TEST_FILES "tests/files" /* tests are run from the project's root */
#endif

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- memory ---- */

/* Counts what is out, checks the sizes that it gets, and fails the `fail_at`-th allocation or
 * growth, counted from 1; 0: none. */
struct memory {
    size_t calls;
    size_t fail_at;
    size_t blocks;
    size_t bytes;
    size_t most; /* bytes out at one time */
};

#define MEMORY_HEAD 16u /* a block's size is before it */

static inline void *memory_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    struct memory *memory = user;
    uint8_t *old = block ? (uint8_t *)block - MEMORY_HEAD : NULL;
    if (old) {
        size_t known;
        memcpy(&known, old, sizeof known);
        assert_int_equal(known, old_size);
    } else {
        assert_int_equal(old_size, 0);
    }
    if (new_size == 0) {
        memory->blocks -= old ? 1 : 0;
        memory->bytes -= old_size;
        free(old);
        return NULL;
    }
    if (++memory->calls == memory->fail_at) {
        return NULL;
    }
    /* always moves, so that a pointer kept over a growth shows under ASan */
    uint8_t *moved = malloc(MEMORY_HEAD + new_size);
    assert_non_null(moved);
    memcpy(moved, &new_size, sizeof new_size);
    memset(moved + MEMORY_HEAD, 0xA5, new_size);
    if (old) {
        memcpy(moved + MEMORY_HEAD, block, old_size < new_size ? old_size : new_size);
        free(old);
    }
    memory->blocks += old ? 0 : 1;
    memory->bytes += new_size - old_size;
    memory->most = memory->bytes > memory->most ? memory->bytes : memory->most;
    return moved + MEMORY_HEAD;
}

static inline struct ilp_allocator memory_allocator(struct memory *memory)
{
    return (struct ilp_allocator){.resize = memory_resize, .user = memory};
}

static inline void memory_is_empty(const struct memory *memory)
{
    assert_int_equal(memory->blocks, 0);
    assert_int_equal(memory->bytes, 0);
}

/* ---- bytes ---- */

/* A copy with nothing after it: one byte too far shows under ASan. */
static inline struct ilp_bytes exact(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return (struct ilp_bytes){copy, size};
}

static inline void drop(struct ilp_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* Takes over what a builder made. */
static inline struct ilp_bytes taken(struct ib_bytes bytes)
{
    struct ilp_bytes copy = exact(bytes.data, bytes.size);
    free(bytes.data);
    return copy;
}

static inline struct ilp_bytes taken_file(struct ib_file file)
{
    struct ilp_bytes copy = exact(file.data, file.size);
    free(file.data);
    return copy;
}

static inline struct ilp_bytes load_path(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s: run from the project's root", path);
    }
    struct ib_bytes bytes = {0};
    uint8_t piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) != 0;) {
        ib_put(&bytes, piece, n);
    }
    fclose(file);
    return taken(bytes);
}

/* A file of tests/files. */
static inline struct ilp_bytes load(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", ILP_TEST_FILES, name);
    return load_path(path);
}

static inline void same_bytes(struct ilp_bytes a, struct ilp_bytes b)
{
    assert_int_equal(a.size, b.size);
    if (a.size != 0) {
        assert_memory_equal(a.data, b.data, a.size);
    }
}

/* ---- opening and writing ---- */

static inline struct ilp_image *open_image(struct ilp_bytes bytes, enum ilp_layout layout)
{
    struct ilp_error error = {0};
    struct ilp_image *image;
    ilp_status status = ilp_image_open(&image, bytes, layout, NULL, NULL, &error);
    if (status != ILP_OK) {
        fail_msg("%s: %s", ilp_status_name(status), error.message);
    }
    return image;
}

static inline struct ilp_edit *open_edit(struct ilp_image *image)
{
    struct ilp_edit *edit;
    assert_int_equal(ilp_edit_open(&edit, image, NULL, NULL), ILP_OK);
    return edit;
}

/* Opens what the builder holds as bare metadata, and ends the builder; close with close_built(). */
static inline struct ilp_image *built_root(struct ib_image *b)
{
    struct ilp_image *image = open_image(taken(ib_root(b)), ILP_LAYOUT_METADATA);
    ib_end(b);
    return image;
}

static inline struct ilp_image *built_pe(struct ib_image *b, struct ib_pe pe)
{
    struct ilp_image *image = open_image(taken_file(ib_pe_file(b, pe)), ILP_LAYOUT_FILE);
    ib_end(b);
    return image;
}

static inline void close_built(struct ilp_image *image)
{
    struct ilp_bytes bytes = image->pe.bytes;
    ilp_image_close(image);
    drop(bytes);
}

/* Collects what is written; `fail_after` bytes (0: never) the sink says ILP_E_CALLBACK. */
struct collector {
    struct ib_bytes bytes;
    size_t fail_after;
};

static inline ilp_status collect(void *user, const void *bytes, size_t size)
{
    struct collector *collector = user;
    if (collector->fail_after != 0 && collector->bytes.size + size >= collector->fail_after) {
        return ILP_E_CALLBACK;
    }
    ib_put(&collector->bytes, bytes, size);
    return ILP_OK;
}

static inline ilp_status write_edit(struct ilp_edit *edit, struct ilp_bytes *written,
                                    struct ilp_write_info *info, struct ilp_error *error)
{
    struct collector collector = {0};
    struct ilp_sink sink = {&collector, collect};
    ilp_status status = ilp_edit_write(edit, NULL, &sink, info, error);
    *written = taken(collector.bytes);
    return status;
}

/* Writes and opens again; what is written must please a loader and say its own size. */
static inline struct ilp_image *rewritten(struct ilp_edit *edit, struct ilp_write_info *info)
{
    struct ilp_bytes written;
    struct ilp_write_info unused;
    struct ilp_error error = {0};
    info = info ? info : &unused;
    ilp_status status = write_edit(edit, &written, info, &error);
    if (status != ILP_OK) {
        fail_msg("%s: %s", ilp_status_name(status), error.message);
    }
    assert_int_equal(info->size, written.size);
    if (edit->image->pe.layout == ILP_LAYOUT_FILE) {
        const char *complaint = ib_complaint(written.data, written.size);
        if (complaint) {
            fail_msg("the written file: %s", complaint);
        }
    }
    return open_image(written, edit->image->pe.layout);
}

/* ---- comparisons ---- */

/* Every row of `before` is at the same rid in `after`, cell for cell, whatever the widths
 * became. The MethodDef RVAs are left out where `bodies` is set. */
static inline void same_rows(const struct ilp_image *before, const struct ilp_image *after,
                             bool bodies)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const struct ilpi_table *old = &before->tables[table];
        const struct ilpi_table *new = &after->tables[table];
        if (new->count < old->count) {
            fail_msg("%s has lost rows: %u < %u", ilp_table_name(table), new->count, old->count);
        }
        for (ilp_rid rid = 1; rid <= old->count; rid++) {
            for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
                uint32_t a = ilpi_cell_raw(old, rid, i);
                uint32_t b = ilpi_cell_raw(new, rid, i);
                bool rva = table == ILP_MethodDef && i == ILP_MethodDef_RVA && bodies;
                if (a != b && !rva) {
                    fail_msg("%s row %u, %s: 0x%X became 0x%X", ilp_table_name(table), rid,
                             ilpi_tables[table].column[i].name, a, b);
                }
            }
        }
    }
}

static inline void begins_with(struct ilp_bytes whole, struct ilp_bytes begin)
{
    assert_true(whole.size >= begin.size);
    same_bytes((struct ilp_bytes){whole.data, begin.size}, begin);
}

/* Every heap begins with what it was before. */
static inline void same_heaps(const struct ilp_image *before, const struct ilp_image *after)
{
    begins_with(after->strings, before->strings);
    begins_with(after->user_strings, before->user_strings);
    begins_with(after->blobs, before->blobs);
    begins_with(after->guids, before->guids);
}

static inline const char *name_at(const struct ilp_image *image, unsigned table, ilp_rid rid,
                                  unsigned column)
{
    return ilp_string(image, ilp_cell(image, table, rid, column));
}

/* ---- edits that must succeed ---- */

static inline uint32_t add_string(struct ilp_edit *edit, const char *text)
{
    uint32_t offset = 0;
    assert_int_equal(ilp_edit_add_string(edit, text, &offset, NULL), ILP_OK);
    return offset;
}

static inline uint32_t add_blob(struct ilp_edit *edit, const void *bytes, size_t size)
{
    uint32_t offset = 0;
    assert_int_equal(ilp_edit_add_blob(edit, (struct ilp_bytes){bytes, size}, &offset, NULL),
                     ILP_OK);
    return offset;
}

static inline ilp_token add_user_string(struct ilp_edit *edit, const char *text)
{
    ilp_token token = 0;
    assert_int_equal(
        ilp_edit_add_user_string(edit, (struct ilp_bytes){(const uint8_t *)text, strlen(text)},
                                 &token, NULL),
        ILP_OK);
    return token;
}

static inline ilp_rid add_row(struct ilp_edit *edit, unsigned table, const uint32_t *cells,
                              size_t count)
{
    ilp_rid rid = 0;
    struct ilp_error error = {0};
    assert_int_equal(count, ilpi_tables[table].columns);
    ilp_status status = ilp_edit_add_row(edit, table, cells, &rid, &error);
    if (status != ILP_OK) {
        fail_msg("%s: %s", ilp_status_name(status), error.message);
    }
    return rid;
}

#define ADD_ROW(edit, table, ...)                               \
    add_row(edit, ILP_##table, (const uint32_t[]){__VA_ARGS__}, \
            sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

#endif
