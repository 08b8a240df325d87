/* The mutator of the targets whose input is an assembly or a Portable PDB: the library's own reader
 * says where rows, heaps and bodies are, and one thing in them becomes another one that is nearly
 * right. Now and then an edit makes the image larger, by rows, blobs and bodies. What is no image,
 * and every fourth time, is left to libFuzzer. */
#include "metadata/edit.h"
#include "tests/fuzz/mutate.h"

struct mutant {
    uint8_t *data;
    struct ilp_image *image; /* of those bytes */
    struct choices *choices;
};

/* ---- tables ---- */

/* A table with rows, or 0, which has none only where no other has any. */
static unsigned a_table(const struct mutant *mutant)
{
    unsigned from = choose(mutant->choices, ILP_TABLE_COUNT);
    for (unsigned i = 0; i < ILP_TABLE_COUNT; i++) {
        unsigned table = (from + i) % ILP_TABLE_COUNT;
        if (mutant->image->tables[table].count != 0) {
            return table;
        }
    }
    return 0;
}

/* The highest value that a column may have. */
static uint32_t most_of(const struct mutant *mutant, const struct ilpi_column_def *column)
{
    const struct ilp_image *image = mutant->image;
    switch ((enum ilpi_column_kind)column->kind) {
    case ILPI_STR: return (uint32_t)image->strings.size;
    case ILPI_BLOB: return (uint32_t)image->blobs.size;
    case ILPI_GUID: return (uint32_t)image->guids.size / 16;
    case ILPI_ROW:
    case ILPI_LIST: return image->sizes.rows[column->target];
    case ILPI_CODED: return 1u << ilpi_codeds[column->target].bits << 4;
    default: return UINT16_MAX;
    }
}

static uint8_t *a_row(const struct mutant *mutant, unsigned table)
{
    const struct ilpi_table *rows = &mutant->image->tables[table];
    return writable(mutant->data, rows->rows) +
           (size_t)rows->shape.size * choose(mutant->choices, rows->count);
}

/* To a value near by, or to that of another row. */
static bool change_cell(struct mutant *mutant)
{
    unsigned table = a_table(mutant);
    const struct ilpi_table *rows = &mutant->image->tables[table];
    unsigned column = choose(mutant->choices, ilpi_tables[table].columns);
    if (rows->count == 0) {
        return false;
    }
    unsigned at = rows->shape.at[column];
    unsigned width = rows->shape.at[column + 1] - at;
    uint8_t *cell = a_row(mutant, table) + at;
    if (choose(mutant->choices, 3) == 0) {
        memmove(cell, a_row(mutant, table) + at, width);
        return true;
    }
    uint32_t old = width == 4 ? ilpi_load_u32(cell) : ilpi_load_u16(cell);
    uint32_t new = choose_near(mutant->choices, old,
                               most_of(mutant, &ilpi_tables[table].column[column]));
    if (width == 4) {
        ilpi_store_u32(cell, new);
    } else {
        ilpi_store_u16(cell, (uint16_t) new);
    }
    return true;
}

static bool copy_row(struct mutant *mutant)
{
    unsigned table = a_table(mutant);
    const struct ilpi_table *rows = &mutant->image->tables[table];
    if (rows->count != 0) {
        memmove(a_row(mutant, table), a_row(mutant, table), rows->shape.size);
    }
    return rows->count != 0;
}

/* The counts of rows follow a head of 24 bytes (II.24.2.6). */
static bool change_count(struct mutant *mutant)
{
    const struct ilpi_stream *stream = mutant->image->table_stream;
    uint8_t *head = writable(mutant->data, stream->bytes.data);
    uint64_t valid = ilpi_load_u32(head + 8) | (uint64_t)ilpi_load_u32(head + 12) << 32;
    unsigned tables = (unsigned)__builtin_popcountll(valid);
    uint8_t *count = head + 24 + 4 * (size_t)choose(mutant->choices, tables);
    if (choose(mutant->choices, 8) == 0) { /* other heap sizes, versions, sorted tables */
        head[choose(mutant->choices, 24)] ^= (uint8_t)(1u << choose(mutant->choices, 8));
    } else if (tables != 0) {
        uint32_t old = ilpi_load_u32(count);
        ilpi_store_u32(count, choose(mutant->choices, 2) ? old + 1 : old - 1);
    }
    return true;
}

/* ---- heaps ---- */

/* A stream's header: its offset or its size (II.24.2.2). */
static bool change_stream(struct mutant *mutant)
{
    const struct ilp_image *image = mutant->image;
    size_t at = 16 + ((ilpi_load_u32(image->root.data + 12) + 3u) & ~3u) + 4;
    unsigned which = choose(mutant->choices, image->stream_count);
    for (unsigned i = 0; i < which; i++) {
        at += 8 + ((strlen(image->streams[i].name) + 4) & ~(size_t)3);
    }
    if (at + 8 > image->root.size) {
        return false;
    }
    uint8_t *header = writable(mutant->data, image->root.data) + at +
                      4 * choose(mutant->choices, 2);
    uint32_t old = ilpi_load_u32(header);
    uint32_t by = 4 * choose(mutant->choices, 8);
    ilpi_store_u32(header, choose(mutant->choices, 2) ? old + by : old - by);
    return true;
}

/* Columns whose blobs are signatures or what else has a grammar. */
static const uint8_t blob_columns[][2] = {
    {ILP_MethodDef, ILP_MethodDef_Signature},
    {ILP_Field, ILP_Field_Signature},
    {ILP_MemberRef, ILP_MemberRef_Signature},
    {ILP_StandAloneSig, ILP_StandAloneSig_Signature},
    {ILP_TypeSpec, ILP_TypeSpec_Signature},
    {ILP_MethodSpec, ILP_MethodSpec_Instantiation},
    {ILP_Property, ILP_Property_Type},
    {ILP_CustomAttribute, ILP_CustomAttribute_Value},
    {ILP_Constant, ILP_Constant_Value},
    {ILP_MethodDebugInformation, ILP_MethodDebugInformation_SequencePoints},
    {ILP_LocalConstant, ILP_LocalConstant_Signature},
    {ILP_ImportScope, ILP_ImportScope_Imports},
    {ILP_Document, ILP_Document_Name},
    {ILP_CustomDebugInformation, ILP_CustomDebugInformation_Value},
};

/* Gives the blob's cell as table, rid and column. */
static struct ilp_bytes a_blob(const struct mutant *mutant, unsigned *table, ilp_rid *rid,
                               unsigned *column)
{
    enum { COLUMNS = sizeof blob_columns / sizeof blob_columns[0] };
    unsigned from = choose(mutant->choices, COLUMNS);
    for (unsigned i = 0; i < COLUMNS; i++) {
        *table = blob_columns[(from + i) % COLUMNS][0];
        *column = blob_columns[(from + i) % COLUMNS][1];
        *rid = 1 + choose(mutant->choices, ilp_row_count(mutant->image, *table));
        struct ilp_bytes blob = ilp_blob(mutant->image,
                                         ilp_cell(mutant->image, *table, *rid, *column));
        if (blob.size != 0) {
            return blob;
        }
    }
    return (struct ilp_bytes){NULL, 0};
}

static uint8_t an_element(struct choices *choices)
{
    static const uint8_t elements[] = {
#define ILP_ELEMENT(number, name, text, form) number,
#include "ilpatch/elements.def"
    };
    return elements[choose(choices, sizeof elements)];
}

static void change_blob_byte(struct choices *choices, uint8_t *byte)
{
    switch (choose(choices, 4)) {
    case 0: *byte = (uint8_t)choose_near(choices, *byte, 0x7F); break;
    case 1: *byte = (uint8_t)choose(choices, 256); break;
    default: *byte = an_element(choices);
    }
}

static bool change_blob(struct mutant *mutant)
{
    unsigned table;
    unsigned column;
    ilp_rid rid;
    struct ilp_bytes blob = a_blob(mutant, &table, &rid, &column);
    if (blob.size != 0) {
        uint32_t at = choose(mutant->choices, (uint32_t)blob.size + 1);
        /* the byte before the contents belongs to their length */
        change_blob_byte(mutant->choices, writable(mutant->data, blob.data) + at - 1);
    }
    return blob.size != 0;
}

static bool change_string(struct mutant *mutant)
{
    struct ilp_bytes heap = choose(mutant->choices, 4) ? mutant->image->strings
                                                       : mutant->image->user_strings;
    if (heap.size != 0) {
        uint8_t *byte = writable(mutant->data, heap.data) +
                        choose(mutant->choices, (uint32_t)heap.size);
        static const char letters[] = "\0.`<>/+:aAzZ_$1|\x7F\x80\xC3\xFF";
        *byte = (uint8_t)letters[choose(mutant->choices, sizeof letters)];
    }
    return heap.size != 0;
}

/* ---- bodies and headers ---- */

static struct ilp_bytes a_body(const struct mutant *mutant, ilp_rid *rid)
{
    uint32_t count = ilp_row_count(mutant->image, ILP_MethodDef);
    uint32_t from = choose(mutant->choices, count);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        *rid = 1 + (from + i) % count;
        uint32_t rva = ilp_cell(mutant->image, ILP_MethodDef, *rid, ILP_MethodDef_RVA);
        struct ilp_bytes bytes = ilp_image_rva(mutant->image, rva, NULL);
        if (rva != 0 && bytes.size != 0) {
            return bytes;
        }
    }
    return (struct ilp_bytes){NULL, 0};
}

static bool change_body(struct mutant *mutant)
{
    ilp_rid rid;
    struct ilp_bytes bytes = a_body(mutant, &rid);
    return bytes.size != 0 && mutate_il(writable(mutant->data, bytes.data), bytes.size,
                                        mutant->image->sizes.rows, mutant->choices);
}

/* A number in the PE, section or CLI headers. */
static bool change_header(struct mutant *mutant)
{
    const struct ilpi_pe *pe = &mutant->image->pe;
    if (pe->section_count == 0) {
        return false;
    }
    uint32_t end = pe->section_table_offset + ILPI_SECTION_HEADER_BYTES * pe->section_count;
    bool cli = choose(mutant->choices, 3) == 0;
    uint64_t at = cli ? pe->cli_offset + 4 * choose(mutant->choices, 18)
                      : pe->coff_offset + 4 * choose(mutant->choices, (end - pe->coff_offset) / 4);
    if (at + 4 > pe->bytes.size) {
        return false;
    }
    uint32_t old = ilpi_load_u32(mutant->data + at);
    static const uint32_t steps[] = {1, 2, 4, 8, 16, 0x200, 0x1000, 0x2000};
    uint32_t step = steps[choose(mutant->choices, 8)];
    ilpi_store_u32(mutant->data + at, choose(mutant->choices, 2) ? old + step : old - step);
    return true;
}

/* ---- larger ---- */

static void add_row(struct mutant *mutant, struct ilp_edit *edit)
{
    unsigned table = a_table(mutant);
    ilp_rid like = 1 + choose(mutant->choices, ilp_row_count(mutant->image, table));
    uint32_t cells[ILP_MAX_COLUMNS];
    ilp_rid rid;
    for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
        cells[i] = ilp_cell(mutant->image, table, like, i);
    }
    if (ilpi_tables[table].name) {
        ilp_edit_add_row(edit, table, cells, &rid, NULL);
    }
}

/* A blob with one byte more, or one less. */
static void add_blob(struct mutant *mutant, struct ilp_edit *edit)
{
    unsigned table;
    unsigned column;
    ilp_rid rid;
    uint32_t offset;
    uint8_t bytes[256];
    struct ilp_bytes blob = a_blob(mutant, &table, &rid, &column);
    if (blob.size < 2 || blob.size >= sizeof bytes) {
        return;
    }
    size_t at = choose(mutant->choices, (uint32_t)blob.size);
    bool longer = choose(mutant->choices, 3) != 0;
    memcpy(bytes, blob.data, at);
    memcpy(bytes + at + longer, blob.data + at + !longer, blob.size - at - !longer);
    if (longer) {
        change_blob_byte(mutant->choices, bytes + at);
    }
    struct ilp_bytes changed = {bytes, longer ? blob.size + 1 : blob.size - 1};
    if (ilp_edit_add_blob(edit, changed, &offset, NULL) == ILP_OK) {
        ilp_edit_set_cell(edit, table, rid, column, offset, NULL);
    }
}

/* The beginning of a body's code, and all from an instruction on, which may be before it. */
static void add_body(struct mutant *mutant, struct ilp_edit *edit, struct ilp_arena *arena)
{
    ilp_rid rid;
    struct ilp_body body;
    struct ilp_bytes written;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_code code = {.alloc = &alloc};
    struct ilpi_buf both = {.alloc = &alloc};
    struct ilp_bytes bytes = a_body(mutant, &rid);
    if (bytes.size != 0 && ilp_body_read(&body, bytes, 0, arena, NULL) == ILP_OK &&
        ilpi_code_decode(&code, &body, NULL) == ILP_OK && code.count != 0) {
        size_t first = code.insns[choose(mutant->choices, (uint32_t)code.count)].offset;
        size_t second = code.insns[choose(mutant->choices, (uint32_t)code.count)].offset;
        ilpi_buf_bytes_add(&both, body.code.data, first);
        ilpi_buf_bytes_add(&both, body.code.data + second, body.code.size - second);
        body.code = ilpi_buf_bytes(&both);
        if (ilp_body_write(&written, &body, arena, NULL) == ILP_OK) {
            ilp_edit_set_body(edit, rid, written, NULL);
        }
    }
    ilpi_buf_free(&both);
    ilpi_code_free(&code);
}

/* Returns the new size, or 0. */
static size_t grow(struct mutant *mutant, size_t max_size)
{
    struct ilp_edit *edit;
    struct ilp_arena *arena;
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf written = {.alloc = &alloc};
    struct ilp_sink sink = ilpi_buf_sink(&written);
    struct ilp_write_options options = {
        .layout = choose(mutant->choices, 8) != 0 ? ILP_WRITE_COMPACT : ILP_WRITE_KEEP};
    size_t size = 0;
    if (ilp_arena_open(&arena, NULL, NULL) != ILP_OK) {
        return 0;
    }
    if (ilp_edit_open(&edit, mutant->image, NULL, NULL) == ILP_OK) {
        for (unsigned i = choose(mutant->choices, 4) + 1; i != 0; i--) {
            switch (choose(mutant->choices, 3)) {
            case 0: add_row(mutant, edit); break;
            case 1: add_blob(mutant, edit); break;
            default: add_body(mutant, edit, arena);
            }
        }
        if (ilp_edit_write(edit, &options, &sink, NULL, NULL) == ILP_OK &&
            written.size <= max_size) {
            memcpy(mutant->data, written.data, written.size);
            size = written.size;
        }
        ilp_edit_close(edit);
    }
    ilpi_buf_free(&written);
    ilp_arena_close(arena);
    return size;
}

/* ---- all together ---- */

static bool change(struct mutant *mutant)
{
    switch (choose(mutant->choices, 16)) {
    case 0: return change_stream(mutant);
    case 1: return change_count(mutant);
    case 2: return change_header(mutant);
    case 3: return copy_row(mutant);
    case 4: return change_string(mutant);
    case 5:
    case 6:
    case 7: return change_blob(mutant);
    case 8:
    case 9:
    case 10:
    case 11: return change_body(mutant);
    default: return change_cell(mutant);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    struct choices choices = {seed};
    struct mutant mutant = {.data = data, .choices = &choices};
    struct ilp_bytes bytes = {data, size};
    size_t new_size = 0;
    if (choose(&choices, 4) == 0 ||
        ilp_image_open(&mutant.image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) != ILP_OK) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (choose(&choices, 16) == 0) {
        new_size = grow(&mutant, max_size);
    } else if (change(&mutant)) {
        new_size = size;
    }
    ilp_image_close(mutant.image);
    /* another change, of the image that this one has made */
    if (new_size != 0 && choose(&choices, 3) == 0) {
        return LLVMFuzzerCustomMutator(data, new_size, max_size, seed * 31 + 7);
    }
    return new_size != 0 ? new_size : LLVMFuzzerMutate(data, size, max_size);
}
