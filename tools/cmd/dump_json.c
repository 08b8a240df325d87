/* Writes the tables of an image as JSON: see dump_json.h.
 *
 *   {"schema": 1, "file": "Shop.exe", "tables": [
 *     {"table": "MethodDef", "number": 6, "rows": [
 *       {"token": "0x06000001", "RVA": 8272, "Name": ".ctor", "Signature": "20010108", ...},
 *
 * As in the text each column is written by its kind in tables.def. Nothing is interpreted: a list
 * is its first row, a blob its bytes. */
#include "tools/cmd/dump_json.h"

#include <string.h>

#include "base/buf.h"
#include "host/schemas.h"
#include "host/text_out.h"

struct json_dump {
    const struct ilp_image *image;
    struct ilpi_json json;
    struct ilpi_buf hex; /* of one blob */
    uint64_t *left;      /* bytes of text that may still be written; shared with the caller */
};

static void spend(struct json_dump *dump, size_t bytes)
{
    *dump->left -= bytes < *dump->left ? bytes : *dump->left;
}

static void put_hex(struct json_dump *dump, const char *name, struct ilp_bytes bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    dump->hex.size = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        ilpi_buf_u8(&dump->hex, (uint8_t)digits[bytes.data[i] >> 4]);
        ilpi_buf_u8(&dump->hex, (uint8_t)digits[bytes.data[i] & 0xF]);
    }
    need(dump->hex.status == ILP_OK ? dump : NULL);
    ilpi_json_bytes(&dump->json, name, (struct ilp_bytes){dump->hex.data, dump->hex.size});
    spend(dump, dump->hex.size);
}

static void put_cell(struct json_dump *dump, unsigned table, ilp_rid rid, unsigned column)
{
    const struct ilpi_column_def *def = &ilpi_tables[table].column[column];
    uint32_t cell = ilp_cell(dump->image, table, rid, column);
    switch ((enum ilpi_column_kind)def->kind) {
    case ILPI_STR: {
        const char *text = ilp_string(dump->image, cell);
        ilpi_json_string(&dump->json, def->name, text);
        spend(dump, strlen(text));
        break;
    }
    case ILPI_BLOB: put_hex(dump, def->name, ilp_blob(dump->image, cell)); break;
    case ILPI_GUID: put_hex(dump, def->name, ilp_guid(dump->image, cell)); break;
    /* ilp_cell() decodes a coded index (II.24.2.6) to the token that it means */
    case ILPI_CODED: ilpi_json_token(&dump->json, def->name, cell); break;
    /* a list is the row that it begins with: it ends where that of the next row begins */
    case ILPI_U8PAD:
    case ILPI_U16:
    case ILPI_U32:
    case ILPI_ROW:
    case ILPI_LIST: ilpi_json_unsigned(&dump->json, def->name, cell); break;
    }
}

static void put_table(struct json_dump *dump, unsigned table)
{
    struct ilpi_json *json = &dump->json;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "table", ilpi_tables[table].name);
    ilpi_json_unsigned(json, "number", table);
    ilpi_json_array(json, "rows", ILPI_JSON_LINES);
    for (ilp_rid rid = 1; rid <= ilp_row_count(dump->image, table) && *dump->left != 0; rid++) {
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_token(json, "token", ILP_TOKEN(table, rid));
        for (unsigned column = 0; column < ilpi_tables[table].columns; column++) {
            put_cell(dump, table, rid, column);
        }
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
}

enum exit_code dump_tables_json(const struct ilp_image *image, const char *file, uint64_t *left)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct json_dump dump = {.image = image, .hex = {.alloc = &alloc}, .left = left};
    struct ilpi_json *json = &dump.json;
    ilpi_json_begin(json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(json, SCHEMA_DUMP, ILPI_JSON_INLINE);
    ilpi_json_string(json, "file", file);
    ilpi_json_array(json, "tables", ILPI_JSON_LINES_ALWAYS);
    for (unsigned table = 0; table < ILP_TABLE_COUNT && *left != 0; table++) {
        if (ilp_row_count(image, table) != 0) {
            put_table(&dump, table);
        }
    }
    ilpi_json_end(json);
    ilpi_json_bool(json, "cut", *left == 0);
    ilpi_json_end(json);
    ilp_status status = ilpi_json_finish(json);
    ilpi_buf_free(&dump.hex);
    return status == ILP_OK ? EXIT_DONE : EXIT_CANNOT_WRITE;
}
