/* Editing an image: rows, cells, heap entries, bodies. See edit.h for the states of a table.
 *
 * A change is made after its last possible failure, so that a failed call leaves the edit
 * unchanged. Nothing is written here: layout.c and image_write.c take the edit as it is. */
#include "metadata/edit.h"

#include <string.h>

#include "base/hash.h"
#include "metadata/flags.h"

/* Offsets in heaps are 32 bits; some readers in runtimes treat them as signed. A #US offset is the
 * lower three bytes of a token (III.1.9), so that heap has less room. */
#define MAX_HEAP         ((size_t)0x7FFFFFFF)
#define MAX_USER_STRINGS ((size_t)0xFFFFFF)

/* Nothing is copied: heaps and tables of the image are the base, and only what is added or changed
 * takes memory. */
ilp_status ilp_edit_open(struct ilp_edit **out, struct ilp_image *image,
                         const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    struct ilp_edit *edit = ilpi_object_open(sizeof *edit, allocator, error);
    if (!edit) {
        return ILP_E_NO_MEMORY;
    }
    edit->image = image;
    ilpi_heap_edit_init(&edit->strings, &edit->alloc, image->strings, MAX_HEAP);
    ilpi_heap_edit_init(&edit->user_strings, &edit->alloc, image->user_strings, MAX_USER_STRINGS);
    ilpi_heap_edit_init(&edit->blobs, &edit->alloc, image->blobs, MAX_HEAP);
    edit->bodies.alloc = &edit->alloc;
    edit->pdb.alloc = &edit->alloc;
    edit->entry.alloc = &edit->alloc;
    *out = edit;
    return ILP_OK;
}

static size_t base_bytes(const struct ilp_edit *edit, unsigned table)
{
    return (size_t)edit->image->tables[table].count * ilpi_tables[table].columns * sizeof(uint32_t);
}

static size_t places_bytes(const struct ilpi_places *places)
{
    return places->count * sizeof *places->at;
}

void ilp_edit_close(struct ilp_edit *edit)
{
    if (!edit) {
        return;
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        struct ilpi_table_edit *rows = &edit->tables[table];
        ilpi_resize(&edit->alloc, rows->base, rows->base ? base_bytes(edit, table) : 0, 0);
        ILPI_LIST_FREE(&edit->alloc, &rows->added);
    }
    ilpi_heap_edit_free(&edit->strings);
    ilpi_heap_edit_free(&edit->user_strings);
    ilpi_heap_edit_free(&edit->blobs);
    ilpi_resize(&edit->alloc, edit->guids, edit->guids ? edit->image->guids.size : 0, 0);
    ilpi_buf_free(&edit->bodies);
    ilpi_buf_free(&edit->pdb);
    ilpi_buf_free(&edit->entry);
    ilpi_resize(&edit->alloc, edit->body_at.at, places_bytes(&edit->body_at), 0);
    ilpi_resize(&edit->alloc, edit->data_at.at, places_bytes(&edit->data_at), 0);
    ilpi_object_close(&edit->alloc, sizeof *edit);
}

/* A kept MVID is not a change: ilp_edit_keep_mvid() says only what a change would do. */
bool ilp_edit_is_empty(const struct ilp_edit *edit)
{
    bool empty = !edit->native_code_dropped && !edit->guids && edit->bodies.size == 0 &&
                 edit->pdb.size == 0 && edit->strings.added.size == 0 &&
                 edit->user_strings.added.size == 0 && edit->blobs.added.size == 0;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        empty = empty && !edit->tables[table].base && edit->tables[table].added_count == 0;
    }
    return empty;
}

/* ---- rows ---- */

uint32_t ilp_edit_row_count(const struct ilp_edit *edit, unsigned table)
{
    return ilp_row_count(edit->image, table) +
           (table < ILP_TABLE_COUNT ? edit->tables[table].added_count : 0);
}

/* Where a cell is read from depends on its row and the state of its table:
 *
 *   rid    1 ................ count   count + 1 ............
 *          the image, or `base`       `added` */
uint32_t ilpi_edit_cell_raw(const struct ilp_edit *edit, unsigned table, ilp_rid rid,
                            unsigned column)
{
    const struct ilpi_table *original = &edit->image->tables[table];
    const struct ilpi_table_edit *rows = &edit->tables[table];
    size_t columns = ilpi_tables[table].columns;
    if (rid > original->count) {
        return rows->added.items[(rid - original->count - 1) * columns + column];
    }
    return rows->base ? rows->base[(rid - 1) * columns + column]
                      : ilpi_cell_raw(original, rid, column);
}

uint32_t ilp_edit_cell(const struct ilp_edit *edit, unsigned table, ilp_rid rid, unsigned column)
{
    if (rid == 0 || rid > ilp_edit_row_count(edit, table) || column >= ilpi_tables[table].columns) {
        return 0;
    }
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    uint32_t raw = ilpi_edit_cell_raw(edit, table, rid, column);
    if (def->kind == ILPI_CODED) {
        return ilpi_coded_to_token((enum ilpi_coded)def->target, raw);
    }
    return def->kind == ILPI_U8PAD ? raw & 0xFF : raw;
}

/* Encodes a cell of ilp_cell() as it is stored in a file, and checks it against the column. */
static ilp_status encode_cell(const struct ilp_edit *edit, unsigned table, unsigned column,
                              uint32_t value, uint32_t *raw, struct ilp_error *error)
{
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    bool fits = true;
    *raw = value;
    switch ((enum ilpi_column_kind)def->kind) {
    case ILPI_U8PAD: fits = value <= 0xFF; break;
    case ILPI_U16: fits = value <= 0xFFFF; break;
    case ILPI_ROW:
    case ILPI_LIST: fits = value <= ILPI_MAX_RID; break;
    case ILPI_CODED:
        *raw = ilpi_token_to_coded((enum ilpi_coded)def->target, value);
        fits = *raw != ILPI_NO_CODED;
        break;
    case ILPI_STR: fits = value == 0 || value < ilpi_heap_edit_size(&edit->strings); break;
    case ILPI_BLOB: fits = value == 0 || value < ilpi_heap_edit_size(&edit->blobs); break;
    case ILPI_GUID: fits = value <= edit->image->guids.size / 16; break;
    case ILPI_U32: break;
    }
    if (!fits) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, ILP_TOKEN(table, 0),
                         "0x%08X does not fit into %s.%s", value, ilpi_tables[table].name,
                         def->name);
    }
    return ILP_OK;
}

/* All cells are encoded before the first is stored, so that a bad one leaves the table as it was.
 * The number of rows is compared with ILPI_MAX_RID here, which keeps every later product of rows
 * and columns within a size_t. */
ilp_status ilp_edit_add_row(struct ilp_edit *edit, unsigned table, const uint32_t *cells,
                            ilp_rid *rid, struct ilp_error *error)
{
    if (table >= ILP_TABLE_COUNT || !ilpi_tables[table].name) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "table 0x%02X does not exist",
                         table);
    }
    struct ilpi_table_edit *rows = &edit->tables[table];
    size_t columns = ilpi_tables[table].columns;
    if (ilp_edit_row_count(edit, table) >= ILPI_MAX_RID) {
        return ilpi_fail(error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, ILP_TOKEN(table, 0),
                         "%s has no room for one more row", ilpi_tables[table].name);
    }
    uint32_t raw[ILP_MAX_COLUMNS];
    for (unsigned i = 0; i < columns; i++) {
        ILPI_TRY(encode_cell(edit, table, i, cells[i], &raw[i], error));
    }
    ILPI_TRY(ILPI_LIST_RESERVE(&edit->alloc, &rows->added, rows->added.count + columns, error));
    memcpy(rows->added.items + rows->added.count, raw, columns * sizeof *raw);
    rows->added.count += columns;
    rows->added_count++;
    *rid = ilp_edit_row_count(edit, table);
    return ILP_OK;
}

/* From viewing to editing: decodes the original rows once. */
static ilp_status touch(struct ilp_edit *edit, unsigned table, struct ilp_error *error)
{
    struct ilpi_table_edit *rows = &edit->tables[table];
    if (rows->base) {
        return ILP_OK;
    }
    uint32_t *base = ilpi_resize(&edit->alloc, NULL, 0, base_bytes(edit, table));
    if (!base) {
        return ilpi_fail_memory(error, base_bytes(edit, table));
    }
    uint32_t *to = base;
    for (ilp_rid rid = 1; rid <= edit->image->tables[table].count; rid++) {
        for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
            *to++ = ilpi_cell_raw(&edit->image->tables[table], rid, column);
        }
    }
    rows->base = base;
    return ILP_OK;
}

/* A row appended by this edit is changed in `added`, without touch(): its table may stay a view of
 * the original rows. */
ilp_status ilp_edit_set_cell(struct ilp_edit *edit, unsigned table, ilp_rid rid, unsigned column,
                             uint32_t value, struct ilp_error *error)
{
    if (rid == 0 || rid > ilp_edit_row_count(edit, table) || column >= ilpi_tables[table].columns) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "no such cell: table 0x%02X row %u", table, rid);
    }
    uint32_t raw;
    ILPI_TRY(encode_cell(edit, table, column, value, &raw, error));
    uint32_t count = edit->image->tables[table].count;
    size_t columns = ilpi_tables[table].columns;
    if (rid > count) {
        edit->tables[table].added.items[(rid - count - 1) * columns + column] = raw;
        return ILP_OK;
    }
    ILPI_TRY(touch(edit, table, error));
    edit->tables[table].base[(rid - 1) * columns + column] = raw;
    return ILP_OK;
}

/* ---- heaps ---- */

/* `entry` is reused for each entry, so its size and status are reset first. Offset 0 is the empty
 * name, blob or user string of every heap (II.24.2.3, II.24.2.4) and needs no entry. */
ilp_status ilp_edit_add_string(struct ilp_edit *edit, const char *text, uint32_t *offset,
                               struct ilp_error *error)
{
    if (text[0] == '\0') {
        *offset = 0;
        return ILP_OK;
    }
    edit->entry.size = 0;
    edit->entry.status = ILP_OK;
    ilpi_entry_string(&edit->entry, text);
    return ilpi_heap_edit_add(&edit->strings, &edit->entry, offset, error);
}

/* Offset 0 is the empty blob, by definition (II.24.2.4). */
ilp_status ilp_edit_add_blob(struct ilp_edit *edit, struct ilp_bytes blob, uint32_t *offset,
                             struct ilp_error *error)
{
    if (blob.size == 0) {
        *offset = 0;
        return ILP_OK;
    }
    edit->entry.size = 0;
    edit->entry.status = ILP_OK;
    ilpi_entry_blob(&edit->entry, blob);
    return ilpi_heap_edit_add(&edit->blobs, &edit->entry, offset, error);
}

ilp_status ilp_edit_add_user_string(struct ilp_edit *edit, struct ilp_bytes text, ilp_token *token,
                                    struct ilp_error *error)
{
    edit->entry.size = 0;
    edit->entry.status = ILP_OK;
    ilpi_entry_user_string(&edit->entry, text);
    uint32_t offset;
    ILPI_TRY(ilpi_heap_edit_add(&edit->user_strings, &edit->entry, &offset, error));
    *token = ILP_TOKEN(ILP_TOKEN_USER_STRING, offset);
    return ILP_OK;
}

/* GUIDs are replaced in their place and never appended, so the #GUID stream keeps its length and
 * all indexes keep their meaning. The whole stream is copied: it is small. */
ilp_status ilp_edit_set_guid(struct ilp_edit *edit, uint32_t index, const uint8_t guid[16],
                             struct ilp_error *error)
{
    struct ilp_bytes original = edit->image->guids;
    if (index == 0 || index > original.size / 16) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "GUID %u does not exist", index);
    }
    if (!edit->guids) {
        uint8_t *guids = ilpi_resize(&edit->alloc, NULL, 0, original.size);
        if (!guids) {
            return ilpi_fail_memory(error, original.size);
        }
        memcpy(guids, original.data, original.size);
        edit->guids = guids;
    }
    memcpy(edit->guids + (size_t)(index - 1) * 16, guid, 16);
    return ILP_OK;
}

/* Offsets below base.size belong to the original; an added entry is whole (heap_build.c), so its
 * name is terminated and its blob ends in `added`. */
const char *ilpi_edit_string(const struct ilp_edit *edit, uint32_t offset)
{
    const struct ilpi_heap_edit *heap = &edit->strings;
    if (offset < heap->base.size) {
        return ilp_string(edit->image, offset);
    }
    return offset < ilpi_heap_edit_size(heap)
               ? (const char *)heap->added.data + (offset - heap->base.size)
               : "";
}

/* In the old heap, or in what was added: the image's reader knows only the first. */
struct ilp_bytes ilpi_edit_blob(const struct ilp_edit *edit, uint32_t offset)
{
    const struct ilpi_heap_edit *heap = &edit->blobs;
    if (offset < heap->base.size || offset >= ilpi_heap_edit_size(heap)) {
        return ilp_blob(edit->image, offset);
    }
    size_t at = offset - heap->base.size;
    struct ilp_bytes rest = {heap->added.data + at, heap->added.size - at};
    struct ilpi_cursor cursor = ilpi_cursor_over(rest, 0, "blob", NULL);
    uint32_t size = ilpi_read_packed(&cursor);
    return ilpi_read_bytes(&cursor, size);
}

/* ---- bodies and data ---- */

/* Room for all current rows of the table. */
static ilp_status reserve_places(struct ilp_edit *edit, struct ilpi_places *places, unsigned table,
                                 struct ilp_error *error)
{
    size_t count = (size_t)ilp_edit_row_count(edit, table) + 1;
    if (places->count >= count) {
        return ILP_OK;
    }
    uint32_t *at = ilpi_resize(&edit->alloc, places->at, places_bytes(places), count * sizeof *at);
    if (!at) {
        return ilpi_fail_memory(error, count * sizeof *at);
    }
    memset(at + places->count, 0, (count - places->count) * sizeof *at);
    *places = (struct ilpi_places){at, count};
    return ILP_OK;
}

/* Appends new contents of a row, and records their offset. A row whose contents are replaced twice
 * leaves the first ones in `bodies`: they are written, but no row refers to them. */
static ilp_status place(struct ilp_edit *edit, struct ilpi_places *places, unsigned table,
                        ilp_rid rid, struct ilp_bytes bytes, size_t alignment,
                        struct ilp_error *error)
{
    if (rid == 0 || rid > ilp_edit_row_count(edit, table) || bytes.size == 0) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, ILP_TOKEN(table, rid),
                         "%s row %u does not exist, or its new target is empty",
                         ilpi_tables[table].name, rid);
    }
    size_t padding = (alignment - edit->bodies.size % alignment) % alignment;
    if (bytes.size > MAX_HEAP - padding || edit->bodies.size > MAX_HEAP - padding - bytes.size) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, ILP_TOKEN(table, rid),
                         "the new bodies are larger than 2 GB");
    }
    ILPI_TRY(reserve_places(edit, places, table, error));
    uint8_t *to = ilpi_buf_reserve(&edit->bodies, padding + bytes.size);
    /* The buffer's error sticks; clear it, since this call changed nothing and the edit stays
     * usable. */
    if (!to) {
        edit->bodies.status = ILP_OK;
        return ilpi_fail_memory(error, padding + bytes.size);
    }
    memset(to, 0, padding);
    memcpy(to + padding, bytes.data, bytes.size);
    places->at[rid] = (uint32_t)(edit->bodies.size - bytes.size) + 1;
    return ILP_OK;
}

ilp_status ilp_edit_set_body(struct ilp_edit *edit, ilp_rid method, struct ilp_bytes body,
                             struct ilp_error *error)
{
    /* In a mixed-mode image native code is called where it is: IL must not replace it. */
    uint32_t flags = method - 1 < ilp_edit_row_count(edit, ILP_MethodDef)
                         ? ilpi_edit_cell_raw(edit, ILP_MethodDef, method, ILP_MethodDef_ImplFlags)
                         : 0;
    if ((flags & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == ILPI_METHOD_IMPL_NATIVE) {
        return ilpi_fail(error, ILP_E_MIXED_MODE, ILPI_NO_OFFSET, ILP_TOKEN(ILP_MethodDef, method),
                         "the method is native code, which cannot be replaced");
    }
    return place(edit, &edit->body_at, ILP_MethodDef, method, body, 4, error); /* II.25.4.3 */
}

ilp_status ilp_edit_set_data(struct ilp_edit *edit, ilp_rid field_rva, struct ilp_bytes data,
                             struct ilp_error *error)
{
    return place(edit, &edit->data_at, ILP_FieldRVA, field_rva, data, 8, error);
}

/* ---- identity ---- */

/* Hashes everything that distinguishes this change from others. The new MVID is a function of the
 * old one and of the change, so the same input gives the same output, and two changes of one file
 * differ. */
static void digest_changes(XXH3_state_t *state, const struct ilp_edit *edit, uint32_t mvid)
{
    const struct ilpi_heap_edit *heaps[] = {&edit->strings, &edit->user_strings, &edit->blobs};
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const struct ilpi_table_edit *rows = &edit->tables[table];
        uint32_t head[2] = {table, rows->added_count};
        XXH3_128bits_update(state, head, sizeof head);
        XXH3_128bits_update(state, rows->added.items, rows->added.count * sizeof(uint32_t));
        XXH3_128bits_update(state, rows->base, rows->base ? base_bytes(edit, table) : 0);
    }
    for (unsigned i = 0; i < sizeof heaps / sizeof heaps[0]; i++) {
        uint64_t size = heaps[i]->added.size; /* the same bytes may be a name or a blob */
        XXH3_128bits_update(state, &size, sizeof size);
        XXH3_128bits_update(state, heaps[i]->added.data, heaps[i]->added.size);
    }
    const uint8_t *guids = edit->guids ? edit->guids : edit->image->guids.data;
    for (size_t i = 0; i < edit->image->guids.size / 16; i++) {
        if (i + 1 != mvid) { /* the MVID is derived from the rest */
            XXH3_128bits_update(state, guids + i * 16, 16);
        }
    }
    XXH3_128bits_update(state, edit->bodies.data, edit->bodies.size);
    XXH3_128bits_update(state, edit->body_at.at, places_bytes(&edit->body_at));
    XXH3_128bits_update(state, edit->data_at.at, places_bytes(&edit->data_at));
}

void ilp_edit_keep_mvid(struct ilp_edit *edit)
{
    edit->mvid_kept = true;
}

ilp_status ilp_edit_drop_native_code(struct ilp_edit *edit, struct ilp_error *error)
{
    if (edit->image->pe.managed_native_header.rva != 0) {
        ILPI_TRY(ilp_image_can_be_written(edit->image, error));
        edit->native_code_dropped = true;
    }
    return ILP_OK;
}

/* Whether this is a component of a composite ReadyToRun image, which records its MVID: CoreCLR ends
 * the process when it finds another one, so a component keeps its own. */
static bool is_component(const struct ilp_image *image)
{
    struct ilp_ready_to_run r2r;
    return image->pe.managed_native_header.rva != 0 &&
           ilp_image_ready_to_run(image, &r2r, NULL) == ILP_OK && r2r.component;
}

/* A new MVID that follows from the changes: equal changes of equal files give equal files, and
 * symbols or caches of the old one do not match. */
ilp_status ilp_edit_renew_mvid(struct ilp_edit *edit, struct ilp_error *error)
{
    uint32_t index = ilp_cell(edit->image, ILP_Module, 1, ILP_Module_Mvid);
    struct ilp_bytes old = ilp_guid(edit->image, index);
    if (old.size == 0 || edit->mvid_kept || is_component(edit->image)) {
        return ILP_OK; /* a module without an MVID cannot be matched by it */
    }
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, old.data, old.size);
    digest_changes(&state, edit, index);
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(&state));
    uint8_t *guid = digest.digest;
    guid[7] = (uint8_t)((guid[7] & 0x0F) | 0x80); /* RFC 9562, version 8: made by our own rule */
    guid[8] = (uint8_t)((guid[8] & 0x3F) | 0x80);
    return ilp_edit_set_guid(edit, index, guid, error);
}
