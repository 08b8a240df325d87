/* Uses everything of an image that can be used, whether its bytes are right or not, and checks what
 * holds for every image: results lie within the input, look-ups agree with the rows, and what is
 * written is read back equal. Shared by test_image_bytes.c and tests/fuzz/fuzz_image.c; a broken
 * promise aborts.
 */
#ifndef IMAGE_WALK_H
#define IMAGE_WALK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il/body_format.h"
#include "il/body.h"
#include "il/patch.h"
#include "il/stack.h"
#include "metadata/edit.h"
#include "metadata/resolve.h"
#include "sig/sig.h"
#include "tests/unit/one_request.h"
#include "tests/fuzz/check.h"

struct walk {
    struct ilp_image *image;
    struct ilp_resolver resolver; /* gives the image itself, whatever is requested */
    struct ilp_arena *arena;      /* reset for each row */
    struct ilpi_buf text;
    struct ilpi_code code;
    uint32_t most_rows; /* of each table */
    uint32_t sum;       /* of all that was seen, so that no compiler leaves it out */
};

static inline struct ilp_image *walk_open(void *user, const struct ilp_assembly_name *name)
{
    FUZZ_CHECK(name->name && name->culture);
    return user;
}

static inline void walk_bytes(struct walk *walk, struct ilp_bytes bytes)
{
    const struct ilp_image *image = walk->image;
    if (bytes.size == 0) {
        return;
    }
    FUZZ_CHECK(bytes.data >= image->pe.bytes.data &&
               bytes.size <= (size_t)(image->pe.bytes.data + image->pe.bytes.size - bytes.data));
    walk->sum += bytes.data[0] + bytes.data[bytes.size - 1];
}

static inline void walk_text(struct walk *walk, const char *text)
{
    walk->sum += (uint32_t)strlen(text);
}

/* ---- cells ---- */

static inline void walk_cell(struct walk *walk, unsigned table, ilp_rid rid, unsigned column)
{
    struct ilp_image *image = walk->image;
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    uint32_t cell = ilp_cell(image, table, rid, column);
    bool exists = rid >= 1 && rid <= ilp_row_count(image, table);
    FUZZ_CHECK(exists || cell == 0);
    walk->sum += cell;
    switch ((enum ilpi_column_kind)def->kind) {
    case ILPI_STR:
        walk_text(walk, ilp_string(image, cell));
        FUZZ_CHECK(ilp_string(image, cell)[0] == '\0' ||
                   ilpi_string_is(image, cell, ilp_string(image, cell)));
        break;
    case ILPI_BLOB:
        walk_bytes(walk, ilp_blob(image, cell));
        FUZZ_CHECK(ilp_blob(image, cell).size == 0 ||
                   image->pe.bytes.data + ilpi_blob_offset(image, cell) ==
                       ilp_blob(image, cell).data);
        break;
    case ILPI_GUID: walk_bytes(walk, ilp_guid(image, cell)); break;
    case ILPI_LIST: {
        ilp_rid first;
        ilp_rid end;
        ilpi_list(image, table, rid, column, &first, &end);
        FUZZ_CHECK(first <= end);
        if (first < end) {
            walk->sum += ilpi_list_row(image, def->target, first);
            walk->sum += ilpi_list_row(image, def->target, end - 1);
        }
        break;
    }
    case ILPI_CODED: FUZZ_CHECK(cell == 0 || ilp_table_name(ILP_TOKEN_TABLE(cell)) != NULL); break;
    case ILPI_U8PAD: FUZZ_CHECK(cell <= 0xFF); break;
    case ILPI_U16:
    case ILPI_U32:
    case ILPI_ROW: break;
    }
}

/* The rows of one key, found by halves, are a row of that key each. */
static inline void walk_key(struct walk *walk, unsigned table, ilp_rid rid)
{
    struct ilp_image *image = walk->image;
    unsigned column = (unsigned)ilpi_tables[table].key;
    uint32_t key = ilpi_cell_raw(&image->tables[table], rid, column);
    uint32_t position = 0;
    for (unsigned i = 0; i < 4; i++) {
        ilp_rid row = ilpi_next_with_key(image, table, key, &position);
        if (row == 0) {
            break;
        }
        FUZZ_CHECK(row <= ilp_row_count(image, table) &&
                   ilpi_cell_raw(&image->tables[table], row, column) == key);
    }
}

static inline void walk_tables(struct walk *walk)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT + 2; table++) {
        uint32_t count = ilp_row_count(walk->image, table);
        FUZZ_CHECK(count == 0 || ilp_table_name(table) != NULL);
        unsigned columns = table < ILP_TABLE_COUNT ? ilpi_tables[table].columns : 0;
        for (ilp_rid rid = 0; rid <= count + 1 && rid <= walk->most_rows; rid++) {
            for (unsigned i = 0; i < columns; i++) {
                walk_cell(walk, table, rid, i);
            }
            FUZZ_CHECK(ilp_cell(walk->image, table, rid, columns) == 0);
            if (columns != 0 && ilpi_tables[table].key >= 0) {
                walk_key(walk, table, rid);
            }
        }
    }
}

/* ---- heaps ---- */

static inline void walk_heaps(struct walk *walk)
{
    struct ilp_image *image = walk->image;
    for (uint32_t i = 0; i < 40; i++) {
        walk_bytes(walk, ilp_user_string(image, i));
        walk_bytes(walk, ilp_guid(image, i));
        walk_bytes(walk, ilp_blob(image, (uint32_t)image->blobs.size - 20 + i));
        walk_text(walk, ilp_string(image, (uint32_t)image->strings.size - 20 + i));
        walk_bytes(walk, ilp_user_string(image, (uint32_t)image->user_strings.size - 20 + i));
    }
    walk_bytes(walk, ilp_blob(image, UINT32_MAX));
    walk_text(walk, ilp_string(image, UINT32_MAX));
    walk_bytes(walk, ilp_guid(image, UINT32_MAX));
}

/* ---- look-ups ---- */

static inline void walk_types(struct walk *walk)
{
    struct ilp_image *image = walk->image;
    for (ilp_rid type = 0; type <= ilp_row_count(image, ILP_TypeDef) + 1 && type <= walk->most_rows;
         type++) {
        ilp_token token = ILP_TOKEN(ILP_TypeDef, type);
        const char *name_space;
        const char *name;
        ilpi_type_name(image, token, &name_space, &name);
        ilp_rid outer = ilp_enclosing_type(image, type);
        ilp_rid found = ilpi_find_type(image, outer, name_space, name);
        if (found != 0) {
            const char *found_space;
            const char *found_name;
            ilpi_type_name(image, ILP_TOKEN(ILP_TypeDef, found), &found_space, &found_name);
            FUZZ_CHECK(strcmp(found_space, name_space) == 0 && strcmp(found_name, name) == 0);
        }
        walk->sum += ilpi_find_generic_param(image, token, 0);
        walk->sum += ilpi_has_attribute(image, token, "System", "ObsoleteAttribute");
    }
    for (ilp_rid ref = 0; ref <= ilp_row_count(image, ILP_TypeRef) + 1 && ref <= walk->most_rows;
         ref++) {
        struct ilpi_type_def found = ilpi_resolve_type(image, ILP_TOKEN(ILP_TypeRef, ref),
                                                       &walk->resolver);
        FUZZ_CHECK(!found.image || (found.image == image && found.rid >= 1 &&
                                    found.rid <= ilp_row_count(image, ILP_TypeDef)));
    }
}

static inline void walk_owners(struct walk *walk)
{
    struct ilp_image *image = walk->image;
    for (ilp_rid rid = 0; rid <= walk->most_rows; rid++) {
        ilp_rid of_method = ilp_owner_of_method(image, rid);
        ilp_rid of_field = ilp_owner_of_field(image, rid);
        bool method = rid >= 1 && rid <= ilp_row_count(image, ILP_MethodDef);
        bool field = rid >= 1 && rid <= ilp_row_count(image, ILP_Field);
        FUZZ_CHECK(of_method <= ilp_row_count(image, ILP_TypeDef) && (method || of_method == 0));
        FUZZ_CHECK(of_field <= ilp_row_count(image, ILP_TypeDef) && (field || of_field == 0));
        if (of_method != 0 && ilp_row_count(image, ILP_MethodPtr) == 0) {
            ilp_rid first;
            ilp_rid end;
            ilpi_list(image, ILP_TypeDef, of_method, ILP_TypeDef_MethodList, &first, &end);
            FUZZ_CHECK(first <= rid && rid < end);
        }
        if (!method && !field) {
            break;
        }
    }
}

/* ---- signatures, bodies, text ---- */

static inline void walk_signatures(struct walk *walk)
{
    static const struct {
        uint8_t table;
        uint8_t column;
        enum ilp_sig_kind kind;
    } columns[] = {
        {ILP_MethodDef, ILP_MethodDef_Signature, ILP_SIG_METHOD},
        {ILP_Field, ILP_Field_Signature, ILP_SIG_FIELD},
        {ILP_Property, ILP_Property_Type, ILP_SIG_PROPERTY},
        {ILP_MemberRef, ILP_MemberRef_Signature, ILP_SIG_METHOD},
        {ILP_StandAloneSig, ILP_StandAloneSig_Signature, ILP_SIG_STANDALONE},
        {ILP_TypeSpec, ILP_TypeSpec_Signature, ILP_SIG_TYPE_SPEC},
        {ILP_MethodSpec, ILP_MethodSpec_Instantiation, ILP_SIG_METHOD_SPEC},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        uint32_t count = ilp_row_count(walk->image, columns[i].table);
        for (ilp_rid rid = 1; rid <= count && rid <= walk->most_rows; rid++) {
            uint32_t offset = ilp_cell(walk->image, columns[i].table, rid, columns[i].column);
            struct ilp_bytes blob = ilp_blob(walk->image, offset);
            struct ilp_sig *sig;
            ilp_arena_reset(walk->arena);
            if (ilp_sig_read(&sig, blob, columns[i].kind, 0, walk->arena, NULL) == ILP_OK) {
                walk->text.size = 0;
                ilpi_sig_text(&walk->text, sig, "M", NULL);
                walk->sum += (uint32_t)walk->text.size;
            }
        }
    }
}

static inline void walk_methods(struct walk *walk)
{
    struct ilp_image *image = walk->image;
    uint32_t count = ilp_row_count(image, ILP_MethodDef);
    for (ilp_rid rid = 0; rid <= count + 1 && rid <= walk->most_rows; rid++) {
        ilp_token token = ILP_TOKEN(ILP_MethodDef, rid);
        const char *text = NULL;
        ilp_arena_reset(walk->arena);
        if (ilp_method_text(image, token, walk->arena, &text, NULL) == ILP_OK) {
            walk_text(walk, text);
        }
        if (ilp_method_name_text(image, token, walk->arena, &text, NULL) == ILP_OK) {
            walk_text(walk, text);
        }
        uint64_t origin = 0;
        uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
        struct ilp_bytes bytes = ilp_image_rva(image, rva, &origin);
        walk_bytes(walk, bytes);
        struct ilp_body body;
        if (bytes.size != 0 && ilp_body_read(&body, bytes, origin, walk->arena, NULL) == ILP_OK) {
            FUZZ_CHECK(body.size <= bytes.size);
            walk_bytes(walk, body.code);
            walk->text.size = 0;
            ilpi_body_text(&walk->text, &body, NULL);
            ilp_status status = ilpi_code_decode(&walk->code, &body, NULL);
            FUZZ_CHECK(status == ILP_OK || status == ILP_E_BAD_BODY || status == ILP_E_TOO_LARGE);
        }
    }
    static const uint8_t tables[] = {ILP_TypeDef, ILP_TypeRef, ILP_TypeSpec};
    for (size_t i = 0; i < sizeof tables; i++) {
        uint32_t types = ilp_row_count(image, tables[i]);
        for (ilp_rid rid = 0; rid <= types + 1 && rid <= walk->most_rows; rid++) {
            const char *text = NULL;
            ilp_arena_reset(walk->arena);
            if (ilp_type_text(image, ILP_TOKEN(tables[i], rid), walk->arena, &text, NULL) ==
                ILP_OK) {
                walk_text(walk, text);
            }
        }
    }
}

/* Reads it all, up to `most_rows` rows of each table. */
static inline uint32_t walk_image(struct ilp_image *image, uint32_t most_rows)
{
    struct walk walk = {.image = image, .most_rows = most_rows};
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    walk.text.alloc = &alloc;
    walk.code.alloc = &alloc;
    walk.resolver = (struct ilp_resolver){.user = image, .open = walk_open};
    FUZZ_CHECK(ilp_arena_open(&walk.arena, NULL, NULL) == ILP_OK);

    struct ilp_image_info info;
    struct ilp_assembly_name name;
    struct ilp_digest digest;
    ilp_image_info(image, &info);
    walk_text(&walk, info.runtime_version);
    walk.sum += ilp_image_assembly_name(image, &name) + ilp_image_origin(image, &digest);
    walk_text(&walk, name.name);
    walk_bytes(&walk, name.key);
    struct ilp_symbols_info symbols_info;
    struct ilp_symbols *symbols;
    ilp_image_symbols(image, &symbols_info);
    walk_bytes(&walk, symbols_info.path);
    if (symbols_info.kind == ILP_SYMBOLS_EMBEDDED &&
        ilp_symbols_open(&symbols, image, (struct ilp_bytes){NULL, 0}, NULL, NULL) == ILP_OK) {
        ilp_symbols_close(symbols);
    }
    struct ilp_ready_to_run r2r;
    if (info.ready_to_run && ilp_image_ready_to_run(image, &r2r, NULL) == ILP_OK) {
        walk_text(&walk, r2r.owner);
        walk.sum += r2r.flags + (uint32_t)ilp_image_recorded_mvids(image).size;
    }
    walk_tables(&walk);
    walk_heaps(&walk);
    walk_types(&walk);
    walk_owners(&walk);
    walk_signatures(&walk);
    walk_methods(&walk);

    ilpi_code_free(&walk.code);
    ilpi_buf_free(&walk.text);
    ilp_arena_close(walk.arena);
    FUZZ_CHECK(alloc.used == 0);
    return walk.sum;
}

/* ---- rewriting ---- */

/* A sink with room for a bounded file: a header can announce one of 2 GB. */
struct walk_sink {
    uint8_t *data; /* owned */
    size_t size;
    size_t capacity;
    size_t most;
};

static inline ilp_status walk_write(void *user, const void *bytes, size_t size)
{
    struct walk_sink *sink = user;
    if (size > sink->most - sink->size) {
        return ILP_E_CALLBACK;
    }
    if (size > sink->capacity - sink->size) {
        sink->capacity = (sink->size + size) * 2;
        sink->data = realloc(sink->data, sink->capacity);
        FUZZ_CHECK(sink->data);
    }
    if (size != 0) {
        memcpy(sink->data + sink->size, bytes, size);
    }
    sink->size += size;
    return ILP_OK;
}

/* All rows of `before` stand in `after` as they were; the bodies' RVAs may differ, and where all
 * has moved those of fields' data. */
static inline void walk_same_rows(const struct ilp_image *before, const struct ilp_image *after,
                                  bool moved)
{
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        const struct ilpi_table *old = &before->tables[table];
        FUZZ_CHECK(after->tables[table].count >= old->count);
        for (ilp_rid rid = 1; rid <= old->count; rid++) {
            for (unsigned i = 0; i < ilpi_tables[table].columns; i++) {
                FUZZ_CHECK((table == ILP_MethodDef && i == ILP_MethodDef_RVA) ||
                           (moved && table == ILP_FieldRVA && i == ILP_FieldRVA_RVA) ||
                           ilpi_cell_raw(old, rid, i) ==
                               ilpi_cell_raw(&after->tables[table], rid, i));
            }
        }
    }
}

static inline bool walk_begins_with(struct ilp_bytes whole, struct ilp_bytes begin)
{
    return whole.size >= begin.size &&
           (begin.size == 0 || memcmp(whole.data, begin.data, begin.size) == 0);
}

static inline void walk_reopen(struct ilp_edit *edit, const struct walk_sink *sink)
{
    struct ilp_image *before = edit->image;
    struct ilp_image *after = NULL;
    struct ilp_error error = {0};
    struct ilp_bytes bytes = {sink->data, sink->size};
    if (ilp_edit_is_empty(edit)) {
        FUZZ_CHECK(sink->size == before->pe.bytes.size &&
                   memcmp(sink->data, before->pe.bytes.data, sink->size) == 0);
        return;
    }
    if (ilp_image_open(&after, bytes, before->pe.layout, NULL, NULL, &error) != ILP_OK) {
        fprintf(stderr, "what was written cannot be opened: %s\n", error.message);
        abort();
    }
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        FUZZ_CHECK(ilp_row_count(after, table) == ilp_edit_row_count(edit, table));
    }
    walk_same_rows(before, after, false);
    FUZZ_CHECK(walk_begins_with(after->strings, before->strings));
    FUZZ_CHECK(walk_begins_with(after->user_strings, before->user_strings));
    FUZZ_CHECK(walk_begins_with(after->blobs, before->blobs));
    FUZZ_CHECK(after->guids.size >= before->guids.size);
    ilp_image_close(after);
}

static inline ilp_status walk_compact_to(struct ilp_image *image, struct walk_sink *sink,
                                         struct ilp_write_info *info)
{
    struct ilp_edit *edit;
    struct ilp_error error = {0};
    struct ilp_sink to = {sink, walk_write};
    struct ilp_write_options options = {.layout = ILP_WRITE_COMPACT};
    FUZZ_CHECK(ilp_edit_open(&edit, image, NULL, &error) == ILP_OK);
    ilp_status status = ilp_edit_write(edit, &options, &to, info, &error);
    FUZZ_CHECK(ilp_status_class(status) != ILP_CLASS_BUG);
    FUZZ_CHECK(status == ILP_OK || (error.status == status && error.message[0] != '\0'));
    ilp_edit_close(edit);
    return status;
}

/* What is laid out in another way, once more. */
static inline struct walk_sink walk_compact_again(const struct walk_sink *before)
{
    struct walk_sink sink = {.most = before->most};
    struct ilp_bytes bytes = {before->data, before->size};
    struct ilp_write_info info;
    struct ilp_image *image;
    FUZZ_CHECK(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK);
    FUZZ_CHECK(walk_compact_to(image, &sink, &info) == ILP_OK);
    ilp_image_close(image);
    return sink;
}

/* Lays the file out in another way: rows, bodies and data stay the same, and in the end it stays as
 * it is. Data of a size that is not known goes to the end of its section, so what pads it is a part
 * of it the next time. */
static inline void walk_compact(struct ilp_image *image, size_t most_bytes)
{
    struct walk_sink sink = {.most = most_bytes};
    struct ilp_write_info info;
    struct ilp_image *after = NULL;
    if (image->pe.layout == ILP_LAYOUT_FILE && walk_compact_to(image, &sink, &info) == ILP_OK) {
        FUZZ_CHECK(info.size == sink.size);
        struct ilp_bytes bytes = {sink.data, sink.size};
        FUZZ_CHECK(ilp_image_open(&after, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL) == ILP_OK);
        walk_same_rows(image, after, true);
        for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
            uint32_t old = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
            uint32_t new = ilp_cell(after, ILP_MethodDef, rid, ILP_MethodDef_RVA);
            struct ilp_bytes body = ilp_image_rva(image, old, NULL);
            size_t size = old != 0 ? ilpi_body_extent(body) : 0;
            struct ilp_bytes moved = ilp_image_rva(after, new, NULL);
            FUZZ_CHECK((old == 0) == (new == 0));
            FUZZ_CHECK(moved.size >= size &&
                       (size == 0 || memcmp(body.data, moved.data, size) == 0));
        }
        ilp_image_close(after);
        struct walk_sink again = walk_compact_again(&sink);
        struct walk_sink last = walk_compact_again(&again);
        FUZZ_CHECK(again.size == sink.size && last.size == again.size &&
                   memcmp(last.data, again.data, again.size) == 0);
        free(again.data);
        free(last.data);
    }
    free(sink.data);
}

/* Inspects the returns of every method, writes, and reads back. */
static inline void walk_rewrite_as(struct ilp_image *image, const struct ilp_inspector *inspector,
                                   size_t most_bytes, bool embed)
{
    struct ilp_edit *edit;
    struct ilp_error error = {0};
    struct ilp_resolver resolver = {.user = image, .open = walk_open};
    FUZZ_CHECK(ilp_edit_open(&edit, image, NULL, &error) == ILP_OK);
    struct ilp_request *request = ONE_REQUEST(inspector, &resolver, NULL);
    request->embed = embed;
    ilp_status status = ilp_inspect_returns(image, edit, request, NULL, &error);
    if (status == ILP_OK) {
        struct walk_sink sink = {.most = most_bytes};
        struct ilp_sink to = {&sink, walk_write};
        struct ilp_write_info info;
        status = ilp_edit_write(edit, NULL, &to, &info, &error);
        if (status == ILP_OK) {
            FUZZ_CHECK(info.size == sink.size);
            walk_reopen(edit, &sink);
        }
        free(sink.data);
    }
    FUZZ_CHECK(ilp_status_class(status) != ILP_CLASS_BUG);
    FUZZ_CHECK(status == ILP_OK || (error.status == status && error.message[0] != '\0'));
    ilp_edit_close(edit);
}

/* With the inspector referred to, then embedded. */
static inline void walk_rewrite(struct ilp_image *image, const struct ilp_inspector *inspector,
                                size_t most_bytes)
{
    walk_rewrite_as(image, inspector, most_bytes, false);
    walk_rewrite_as(image, inspector, most_bytes, true);
}

#endif
