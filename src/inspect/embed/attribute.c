/* Custom attributes of what is grafted (II.22.10, II.23.3). See graft.h. */
#include "inspect/embed/embed.h"

#include "base/cursor.h"

/* A type whose name is longer is in no attribute. */
#define MAX_NAME 1023u

/* A shorter one may stand there by chance, as part of a number. */
#define MIN_NAME 4u

/* A SerString of an attribute's value that is the name of a type which is grafted, alone or
 * followed by that of a nested type or by generic arguments: then it begins with the name of
 * `type`, which is `size` bytes long. */
struct type_name {
    ilp_rid type;
    size_t length; /* bytes of the length before the text */
    size_t size;
    size_t rest; /* bytes behind the name that belong to the text, too */
};

/* Looks for a top-level type of the inspector with this name, which is not terminated. */
static ilp_status find_named(struct ilpi_graft *graft, const uint8_t *name, size_t size,
                             ilp_rid *type, struct ilp_error *error)
{
    char text[MAX_NAME + 1];
    size_t dot = size;
    memcpy(text, name, size);
    text[size] = '\0';
    while (dot != 0 && text[dot - 1] != '.') {
        dot--;
    }
    if (dot != 0) {
        text[dot - 1] = '\0';
    }
    return ilpi_find_type(graft->from, 0, dot != 0 ? text : "", text + dot, type, error);
}

/* What begins at `at` of a value. Arguments are not told apart: a text that is a type's name is
 * taken for one. */
static ilp_status read_name(struct ilpi_graft *graft, struct ilp_bytes value, size_t at,
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
    ILPI_TRY(ilpi_spend(&graft->budget, found->size, error));
    if (found->size < MIN_NAME || found->size > MAX_NAME) {
        return ILP_OK;
    }
    ILPI_TRY(find_named(graft, text.data, found->size, &found->type, error));
    found->type = found->type > 1 && !ilpi_graft_keeps_name(graft, found->type) ? found->type : 0;
    return ILP_OK;
}

/* Writes a name anew, with the namespace that its type gets. */
static void put_name(struct ilpi_graft *graft, const struct type_name *name, const uint8_t *text,
                     struct ilpi_buf *out)
{
    const char *name_space;
    const char *type_name;
    struct ilpi_buf grafted = {.alloc = graft->alloc};
    ilpi_type_name(graft->from, ILP_TOKEN(ILP_TypeDef, name->type), &name_space, &type_name);
    ilpi_grafted_namespace(graft->inspector, name_space, &grafted);
    ilpi_buf_format(&grafted, ".%s", type_name);
    ilpi_buf_bytes_add(&grafted, text + name->size, name->rest);
    if (grafted.status != ILP_OK || grafted.size >= 1u << 29) {
        out->status = ILP_E_NO_MEMORY;
    } else {
        ilpi_buf_packed(out, (uint32_t)grafted.size);
        ilpi_buf_bytes_add(out, grafted.data, grafted.size);
    }
    ilpi_buf_free(&grafted);
}

/* Nothing in a value says how long it is, so that a name may become longer. */
static ilp_status map_value(struct ilpi_graft *graft, struct ilp_bytes value, struct ilpi_buf *out,
                            struct ilp_error *error)
{
    for (size_t at = 0; at < value.size;) {
        struct type_name name;
        ILPI_TRY(read_name(graft, value, at, &name, error));
        if (name.type == 0) {
            ilpi_buf_u8(out, value.data[at++]);
            continue;
        }
        ILPI_TRY(graft->committing ? ILP_OK : ilpi_graft_take(graft, name.type, error));
        put_name(graft, &name, value.data + at + name.length, out);
        at += name.length + name.size + name.rest;
    }
    return out->status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, out->size);
}

static ilp_status add(struct ilpi_graft *graft, ilp_rid row, uint32_t *cells,
                      struct ilp_error *error)
{
    struct ilpi_buf out = {.alloc = graft->alloc};
    uint32_t blob = ilp_cell(graft->from, ILP_CustomAttribute, row, ILP_CustomAttribute_Value);
    ilp_status status = map_value(graft, ilp_blob(graft->from, blob), &out, error);
    if (status == ILP_OK) {
        status =
            ilpi_graft_blob(graft, ilpi_buf_bytes(&out), &cells[ILP_CustomAttribute_Value], error);
    }
    ilpi_buf_free(&out);
    return status == ILP_OK ? ilpi_graft_row(graft, ILP_CustomAttribute, cells, &row, error)
                            : status;
}

static bool is_left_out(const struct ilpi_graft *graft, ilp_rid row)
{
    return (graft->left_out[row / 8] >> row % 8 & 1) != 0;
}

/* An attribute that the module's framework does not have is left out: a runtime that does not know
 * it does nothing about it. */
static ilp_status attribute(struct ilpi_graft *graft, ilp_rid row, ilp_token to,
                            struct ilp_error *error)
{
    uint32_t cells[ILP_CustomAttribute_COLUMNS] = {[ILP_CustomAttribute_Parent] = to};
    ilp_token constructor =
        ilp_cell(graft->from, ILP_CustomAttribute, row, ILP_CustomAttribute_Type);
    struct ilp_error why = {.status = ILP_OK};
    ilp_status status =
        ilpi_graft_token(graft, constructor, &cells[ILP_CustomAttribute_Type], &why);
    if (status == ILP_E_CANNOT_EMBED && !graft->committing) {
        graft->left_out[row / 8] |= (uint8_t)(1u << row % 8);
        return ILP_OK;
    }
    if (status != ILP_OK && error) {
        *error = why;
    }
    return status == ILP_OK ? add(graft, row, cells, error) : status;
}

ilp_status ilpi_graft_attributes(struct ilpi_graft *graft, ilp_token from, ilp_token to,
                                 struct ilp_error *error)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasCustomAttribute, from);
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(graft->from, ILP_CustomAttribute, key, &position)) != 0) {
        if (!is_left_out(graft, row)) {
            ILPI_TRY(attribute(graft, row, to, error));
        }
    }
    return ILP_OK;
}
