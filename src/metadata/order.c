/* Images that are not in order: tables with a key that are not sorted by it (edit-and-continue,
 * some obfuscators), and rows that are reached through *Ptr tables. One pass while opening computes
 * an order, so that no look-up has to walk a table.
 *
 * Costs nothing for the usual file, whose Sorted bits are set (II.24.2.6): one test of a bit per
 * table. A table without its bit is walked once, and gets an order only if its keys fall somewhere:
 *
 *   Sorted bit set      order = NULL                trusted, as the runtimes do
 *   not set, in order   order = NULL                Mono's ilasm sets no bits, but sorts
 *   not set, not so     order[position] = rid       rows of one key keep the file's order */
#include "metadata/image.h"

#include <stdlib.h>
#include <string.h>

/* The rid breaks ties, which makes qsort() stable: it promises no order for equal elements. */
static int compare_keyed(const void *left, const void *right)
{
    const struct ilpi_keyed *a = left;
    const struct ilpi_keyed *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->rid < b->rid ? -1 : a->rid > b->rid;
}

void ilpi_keyed_sort(struct ilpi_keyed *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, compare_keyed);
}

/* One radix pass by one byte of the key; false: it is the same in all. Counts are shifted by one,
 * so that starts[b] becomes the number of rows whose byte is below b, the first free place for
 * b. */
static bool sort_by_byte(const struct ilpi_keyed *from, struct ilpi_keyed *to, size_t count,
                         unsigned shift)
{
    size_t starts[257] = {0};
    for (size_t i = 0; i < count; i++) {
        starts[(from[i].key >> shift & 0xFF) + 1]++;
    }
    if (starts[(from[0].key >> shift & 0xFF) + 1] == count) {
        return false;
    }
    for (unsigned byte = 1; byte < 256; byte++) {
        starts[byte] += starts[byte - 1];
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[from[i].key >> shift & 0xFF]++] = from[i];
    }
    return true;
}

/* Four passes at most, and a pass whose byte does not vary copies nothing: keys below 2^16 take
 * two. Each pass is stable, and rows begin by rising rids, so the result is ordered by key, then
 * rid. */
void ilpi_keyed_sort_table(struct ilpi_keyed *rows, struct ilpi_keyed *room, size_t count)
{
    struct ilpi_keyed *from = rows;
    struct ilpi_keyed *to = room;
    for (unsigned shift = 0; shift < 32 && count != 0; shift += 8) {
        if (sort_by_byte(from, to, count, shift)) {
            struct ilpi_keyed *sorted = to;
            to = from;
            from = sorted;
        }
    }
    if (from != rows) {
        memcpy(rows, from, count * sizeof *rows);
    }
}

/* Not stated by Sorted, but in order all the same, as most tables are: no index is needed. */
static bool is_in_order(const struct ilpi_table *rows, unsigned column)
{
    uint32_t last = 0;
    for (ilp_rid rid = 1; rid <= rows->count; rid++) {
        uint32_t key = ilpi_cell_raw(rows, rid, column);
        if (key < last) {
            return false;
        }
        last = key;
    }
    return true;
}

/* The working memory is given back at once, not left to the arena, which lives as long as the
 * image: it is four times as large as the order. */
static ilp_status build_order(struct ilp_image *image, unsigned table, struct ilp_error *error)
{
    const struct ilpi_table *rows = &image->tables[table];
    unsigned column = (unsigned)ilpi_tables[table].key;
    size_t bytes = 2 * (size_t)rows->count * sizeof(struct ilpi_keyed);
    struct ilpi_keyed *keyed = ilpi_resize(&image->alloc, NULL, 0, bytes);
    ilp_rid *order = ilpi_arena_array(&image->arena, (size_t)rows->count + 1, sizeof *order);
    if (keyed && order) {
        for (uint32_t i = 0; i < rows->count; i++) {
            keyed[i] = (struct ilpi_keyed){ilpi_cell_raw(rows, i + 1, column), i + 1};
        }
        ilpi_keyed_sort_table(keyed, keyed + rows->count, rows->count);
        for (uint32_t i = 0; i < rows->count; i++) {
            order[i + 1] = keyed[i].rid;
        }
        image->order[table] = order;
    }
    bool failed = !keyed || !order;
    if (keyed) {
        ilpi_resize(&image->alloc, keyed, bytes, 0);
    }
    return failed ? ilpi_fail_memory(error, bytes) : ILP_OK;
}

/* Positions by member, the inverse of the *Ptr table, for owner_of(). Of several pointers to one
 * member the last counts; a pointer to a row that does not exist is ignored. */
static ilp_status invert(struct ilp_image *image, unsigned pointers, unsigned target,
                         ilp_rid **positions, struct ilp_error *error)
{
    const struct ilpi_table *rows = &image->tables[pointers];
    uint32_t members = image->tables[target].count;
    if (rows->count == 0) {
        return ILP_OK;
    }
    *positions = ilpi_arena_array(&image->arena, (size_t)members + 1, sizeof **positions);
    if (!*positions) {
        return ilpi_fail_memory(error, ((size_t)members + 1) * sizeof **positions);
    }
    for (ilp_rid position = 1; position <= rows->count; position++) {
        ilp_rid member = ilpi_cell_raw(rows, position, 0);
        if (member != 0 && member <= members) {
            (*positions)[member] = position;
        }
    }
    return ILP_OK;
}

/* Only tables with a key that are out of order get an order: binary search by key needs it (II.22:
 * tables sorted by a column). */
ilp_status ilpi_orders_build(struct ilp_image *image, struct ilp_error *error)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        if (ilpi_tables[table].key >= 0 && (image->sorted >> table & 1) == 0 &&
            !is_in_order(&image->tables[table], (unsigned)ilpi_tables[table].key)) {
            ILPI_TRY(build_order(image, table, error));
        }
    }
    ILPI_TRY(invert(image, ILP_MethodPtr, ILP_MethodDef, &image->method_position, error));
    return invert(image, ILP_FieldPtr, ILP_Field, &image->field_position, error);
}
