/* Custom attributes of embedded rows (II.22.10, II.23.3).
 *
 *   value   01 00 | fixed arguments | count of named ones | named arguments
 *   a SerString: a compressed length, and that many bytes of UTF-8
 *
 * To parse a value would need the constructor's signature and the definitions of enums in other
 * assemblies. So each position is tried as the start of a SerString that is the name of an embedded
 * type; anything else is copied byte by byte. */
#include "inspect/embed/attribute.h"

#include "base/cursor.h"
#include "inspect/embed/embedded.h"
#include "inspect/embed/token.h"

/* Longer type names appear in no attribute. */
#define MAX_NAME 1023u

/* A shorter name may match bytes of a number by chance. */
#define MIN_NAME 4u

/* A SerString of an attribute's value that names an embedded type, alone or followed by a nested
 * type or generic arguments: it begins with the name of `type`, which is `size` bytes long. */
struct type_name {
    ilp_rid type;
    size_t length; /* bytes of the length before the text */
    size_t size;
    size_t rest; /* bytes of the text after the name */
};

/* Searches for a top-level type of the inspector with this name, which is not terminated. */
static ilp_rid find_named(const struct ilpi_embedding *embedding, const uint8_t *name, size_t size)
{
    char text[MAX_NAME + 1];
    size_t dot = size; /* after the last dot, which ends the namespace; 0: there is none */
    memcpy(text, name, size);
    text[size] = '\0';
    while (dot != 0 && text[dot - 1] != '.') {
        dot--;
    }
    if (dot != 0) {
        text[dot - 1] = '\0';
    }
    return ilpi_find_type(embedding->from, 0, dot != 0 ? text : "", text + dot);
}

/* What begins at `at` of a value. Arguments are not parsed: any text that equals a type's name is
 * taken for one. A wrong guess would change a text that only looks like a name: it must be preceded
 * by its own length, and be the full name of a type of the inspector. */
static ilp_status read_name(struct ilpi_embedding *embedding, struct ilp_bytes value, size_t at,
                            struct type_name *found, struct ilp_error *error)
{
    struct ilp_bytes rest = {value.data + at, value.size - at};
    struct ilpi_cursor cursor = ilpi_cursor_over(rest, 0, "attribute", NULL);
    uint32_t size = ilpi_read_packed(&cursor);
    struct ilp_bytes text = ilpi_read_bytes(&cursor, size);
    *found = (struct type_name){0};
    if (text.size == 0) {
        return ILP_OK;
    }
    found->length = (size_t)(text.data - rest.data);
    while (found->size < text.size && found->size <= MAX_NAME &&
           !memchr("+,[", text.data[found->size], 3)) {
        found->size++;
    }
    found->rest = text.size - found->size;
    ILPI_TRY(ilpi_spend(&embedding->budget, found->size, error));
    if (found->size < MIN_NAME || found->size > MAX_NAME) {
        return ILP_OK;
    }
    ilp_rid type = find_named(embedding, text.data, found->size);
    found->type = type > 1 && !ilpi_embed_keeps_name(embedding, type) ? type : 0;
    return ILP_OK;
}

/* Writes a name with the namespace that its type gets. */
static void put_name(struct ilpi_embedding *embedding, const struct type_name *name,
                     const uint8_t *text, struct ilpi_buf *out)
{
    const char *name_space;
    const char *type_name;
    struct ilpi_buf embedded = {.alloc = embedding->alloc};
    ilpi_type_name(embedding->from, ILP_TOKEN(ILP_TypeDef, name->type), &name_space, &type_name);
    ilpi_embedded_namespace(embedding->inspector, name_space, &embedded);
    ilpi_buf_format(&embedded, ".%s", type_name);
    ilpi_buf_bytes_add(&embedded, text + name->size, name->rest);
    if (embedded.status != ILP_OK || embedded.size >= 1u << 29) {
        out->status = ILP_E_NO_MEMORY;
    } else {
        ilpi_buf_packed(out, (uint32_t)embedded.size);
        ilpi_buf_bytes_add(out, embedded.data, embedded.size);
    }
    ilpi_buf_free(&embedded);
}

/* A value has no total length, so names in it may become longer. */
static ilp_status map_value(struct ilpi_embedding *embedding, struct ilp_bytes value,
                            struct ilpi_buf *out, struct ilp_error *error)
{
    for (size_t at = 0; at < value.size;) {
        struct type_name name;
        ILPI_TRY(read_name(embedding, value, at, &name, error));
        if (name.type == 0) {
            ilpi_buf_u8(out, value.data[at++]);
            continue;
        }
        ILPI_TRY(embedding->committing ? ILP_OK : ilpi_embed_include(embedding, name.type, error));
        put_name(embedding, &name, value.data + at + name.length, out);
        at += name.length + name.size + name.rest;
    }
    return out->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, out->size);
}

static ilp_status add(struct ilpi_embedding *embedding, ilp_rid row, uint32_t *cells,
                      struct ilp_error *error)
{
    struct ilpi_buf out = {.alloc = embedding->alloc};
    uint32_t blob = ilp_cell(embedding->from, ILP_CustomAttribute, row, ILP_CustomAttribute_Value);
    ilp_status status = map_value(embedding, ilp_blob(embedding->from, blob), &out, error);
    if (status == ILP_OK) {
        status = ilpi_embed_blob(embedding, ilpi_buf_bytes(&out), &cells[ILP_CustomAttribute_Value],
                                 error);
    }
    ilpi_buf_free(&out);
    return status == ILP_OK ? ilpi_embed_row(embedding, ILP_CustomAttribute, cells, &row, error)
                            : status;
}

static bool is_left_out(const struct ilpi_embedding *embedding, ilp_rid row)
{
    return (embedding->left_out[row / 8] >> row % 8 & 1) != 0;
}

/* An attribute that the module's framework does not have is left out: a runtime that does not know
 * it ignores it. */
static ilp_status attribute(struct ilpi_embedding *embedding, ilp_rid row, ilp_token to,
                            struct ilp_error *error)
{
    uint32_t cells[ILP_CustomAttribute_COLUMNS] = {[ILP_CustomAttribute_Parent] = to};
    ilp_token constructor = ilp_cell(embedding->from, ILP_CustomAttribute, row,
                                     ILP_CustomAttribute_Type);
    struct ilp_error why = {.status = ILP_OK};
    ilp_status status = ilpi_embed_token(embedding, constructor, &cells[ILP_CustomAttribute_Type],
                                         &why);
    if (status == ILP_E_CANNOT_EMBED && !embedding->committing) {
        embedding->left_out[row / 8] |= (uint8_t)(1u << row % 8);
        return ILP_OK;
    }
    if (status != ILP_OK && error) {
        *error = why;
    }
    return status == ILP_OK ? add(embedding, row, cells, error) : status;
}

ilp_status ilpi_embed_attributes(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                                 struct ilp_error *error)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasCustomAttribute, from);
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(embedding->from, ILP_CustomAttribute, key, &position)) != 0) {
        if (!is_left_out(embedding, row)) {
            ILPI_TRY(attribute(embedding, row, to, error));
        }
    }
    return ILP_OK;
}
