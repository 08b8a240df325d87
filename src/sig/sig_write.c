/* Writes trees as signature blobs, the inverse of sig_read.c (ECMA-335 II.23.2).
 *
 * Every number takes the shortest form, as compilers write it, so a compiler's blob that is read
 * and written is reproduced. Trees may be made by hand, so first bytes, counts, tokens, numbers and
 * the depth are checked here again: a tree that sig_read.c would refuse for these is not
 * written. */
#include "sig/grammar.h"

struct sig_writer {
    struct ilpi_buf *out;
    const struct ilpi_sig_map *map; /* may be NULL */
    struct ilp_error *error;
};

static ilp_status write_type(const struct sig_writer *writer, const struct ilp_type *type,
                             unsigned depth);

static ilp_status misuse(const struct sig_writer *writer, const char *what)
{
    return ilpi_fail(writer->error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "signature: %s", what);
}

static ilp_status write_number(const struct sig_writer *writer, uint32_t number)
{
    if (number > ILPI_PACKED_MAX) {
        return ilpi_fail(writer->error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "signature: %u is too large for a compressed integer", (unsigned)number);
    }
    ilpi_buf_packed(writer->out, number);
    return ILP_OK;
}

/* A compressed signed integer (II.23.2). The width depends on the value before the rotation: -8192
 * is 0x0001 in 14 bits, which ilpi_buf_packed() would shorten to the 1 that means -64. */
static ilp_status write_signed(const struct sig_writer *writer, int32_t value)
{
    uint32_t turned = (uint32_t)value << 1 | (value < 0);
    if (value >= -(1 << 6) && value < 1 << 6) {
        ilpi_buf_u8(writer->out, turned & 0x7F);
    } else if (value >= -(1 << 13) && value < 1 << 13) {
        ilpi_buf_u8(writer->out, (uint8_t)(0x80 | (turned >> 8 & 0x3F)));
        ilpi_buf_u8(writer->out, (uint8_t)turned);
    } else if (value >= -(1 << 28) && value < 1 << 28) {
        ilpi_buf_u8(writer->out, (uint8_t)(0xC0 | (turned >> 24 & 0x1F)));
        ilpi_buf_u8(writer->out, (uint8_t)(turned >> 16));
        ilpi_buf_u8(writer->out, (uint8_t)(turned >> 8));
        ilpi_buf_u8(writer->out, (uint8_t)turned);
    } else {
        return ilpi_fail(writer->error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "signature: a lower bound of %d is too large", (int)value);
    }
    return ILP_OK;
}

/* The map, if there is one, converts tokens to those of another module (importing); the encoding
 * has two bits for the table (II.23.2.8). */
static ilp_status write_token(const struct sig_writer *writer, ilp_token token)
{
    if (writer->map) {
        ILPI_TRY(writer->map->token(writer->map->user, token, &token, writer->error));
    }
    for (uint32_t tag = 0; tag < ILPI_TYPE_TAGS; tag++) {
        if (ilpi_type_tables[tag] == ILP_TOKEN_TABLE(token) && ILP_TOKEN_RID(token) != 0) {
            return write_number(writer, ILP_TOKEN_RID(token) << 2 | tag);
        }
    }
    return ilpi_fail(writer->error, ILP_E_MISUSE, ILPI_NO_OFFSET, token,
                     "signature: 0x%08X is not a TypeDef, TypeRef or TypeSpec", (unsigned)token);
}

/* The whole chain from `type` on, with a SENTINEL before number `sentinel` if it gets that far. */
static ilp_status write_chain(const struct sig_writer *writer, const struct ilp_type *type,
                              uint32_t count, uint32_t sentinel, unsigned depth)
{
    uint32_t i = 0;
    for (; type && i < count; type = type->next, i++) {
        if (i == sentinel) {
            ilpi_buf_u8(writer->out, ILP_ELEMENT_SENTINEL);
        }
        ILPI_TRY(write_type(writer, type, depth));
    }
    return i == count && !type ? ILP_OK
                               : misuse(writer, "a chain of types is not as long as its count");
}

/* The same grammar as for reading (sig_shape.c), so what is written can be read. */
static ilp_status write_sig(const struct sig_writer *writer, const struct ilp_sig *sig,
                            unsigned depth)
{
    if ((unsigned)sig->kind >= ILP_SIG_STANDALONE) {
        return misuse(writer, "it is of no kind");
    }
    const struct ilpi_sig_grammar *grammar = &ilpi_sig_grammars[sig->kind];
    if (grammar->conventions != 0) {
        if (!ilpi_sig_begins_with(sig->kind, sig->convention)) {
            return misuse(writer, "the convention does not fit the kind");
        }
        ilpi_buf_u8(writer->out, sig->convention);
    }
    if (sig->convention & ILP_CALL_GENERIC) {
        ILPI_TRY(write_number(writer, sig->generic_count));
    }
    if (grammar->counted) {
        ILPI_TRY(write_number(writer, sig->param_count));
    }
    if (grammar->typed) {
        ILPI_TRY(write_type(writer, sig->ret, depth + 1));
    }
    bool vararg = (sig->convention & ILP_CALL_MASK) == ILP_CALL_VARARG;
    return write_chain(writer, sig->params, sig->param_count,
                       vararg ? sig->required_count : UINT32_MAX, depth + 1);
}

/* Rank, sizes, lower bounds (II.23.2.13). Sizes and bounds may be fewer than the rank, and then are
 * of the first dimensions. */
static ilp_status write_shape(const struct sig_writer *writer, const struct ilp_type *array)
{
    const struct ilp_array_shape *shape = array->shape;
    if (!shape || (shape->size_count != 0 && !shape->sizes) ||
        (shape->bound_count != 0 && !shape->bounds)) {
        return misuse(writer, "an array has no shape");
    }
    ILPI_TRY(write_number(writer, array->number));
    ILPI_TRY(write_number(writer, shape->size_count));
    for (uint32_t i = 0; i < shape->size_count; i++) {
        ILPI_TRY(write_number(writer, shape->sizes[i]));
    }
    ILPI_TRY(write_number(writer, shape->bound_count));
    for (uint32_t i = 0; i < shape->bound_count; i++) {
        ILPI_TRY(write_signed(writer, shape->bounds[i]));
    }
    return ILP_OK;
}

static ilp_status write_type(const struct sig_writer *writer, const struct ilp_type *type,
                             unsigned depth)
{
    if (depth > ILPI_SIG_MAX_DEPTH) {
        return ilpi_fail(writer->error, ILP_E_TOO_DEEP, ILPI_NO_OFFSET, 0,
                         "signature: types are nested more than %u deep", ILPI_SIG_MAX_DEPTH);
    }
    if (!type) {
        return misuse(writer, "a type is missing");
    }
    ilpi_buf_u8(writer->out, type->element);
    switch (ilpi_element_form(type->element)) {
    case ILPI_ELEMENT_FORM_PRIMITIVE: return ILP_OK;
    case ILPI_ELEMENT_FORM_TOKEN: return write_token(writer, type->token);
    case ILPI_ELEMENT_FORM_MODIFIER:
        ILPI_TRY(write_token(writer, type->token));
        return write_type(writer, type->inner, depth + 1);
    case ILPI_ELEMENT_FORM_INNER: return write_type(writer, type->inner, depth + 1);
    case ILPI_ELEMENT_FORM_NUMBER: return write_number(writer, type->number);
    case ILPI_ELEMENT_FORM_ARRAY:
        ILPI_TRY(write_type(writer, type->inner, depth + 1));
        return write_shape(writer, type);
    case ILPI_ELEMENT_FORM_GENERIC:
        ILPI_TRY(write_type(writer, type->inner, depth + 1));
        ILPI_TRY(write_number(writer, type->number));
        return write_chain(writer, type->inner->next, type->number, UINT32_MAX, depth + 1);
    case ILPI_ELEMENT_FORM_METHOD:
        return type->method ? write_sig(writer, type->method, depth)
                            : misuse(writer, "a function pointer has no signature");
    default: return misuse(writer, "it holds an element type that cannot be written");
    }
}

/* The buffer's own failure is checked last, since it has no message. After any failure the buffer
 * is unchanged. */
static ilp_status finish(const struct sig_writer *writer, ilp_status status, size_t start)
{
    struct ilpi_buf *out = writer->out;
    if (status == ILP_OK && out->status != ILP_OK) {
        status = ilpi_fail(writer->error, out->status, ILPI_NO_OFFSET, 0, "signature: %s",
                           ilp_status_text(out->status));
    }
    if (status != ILP_OK) {
        out->size = start;
    }
    return status;
}

ilp_status ilpi_sig_write(struct ilpi_buf *buf, const struct ilp_sig *sig,
                          const struct ilpi_sig_map *map, struct ilp_error *error)
{
    struct sig_writer writer = {buf, map, error};
    size_t start = buf->size;
    return finish(&writer, write_sig(&writer, sig, 0), start);
}

ilp_status ilp_sig_write(struct ilp_bytes *blob, const struct ilp_sig *sig, struct ilp_arena *arena,
                         struct ilp_error *error)
{
    struct ilpi_buf buf = {.alloc = arena->alloc};
    ilp_status status = ilpi_sig_write(&buf, sig, NULL, error);
    if (status == ILP_OK) {
        *blob = (struct ilp_bytes){ilpi_arena_copy(arena, buf.data, buf.size), buf.size};
        status = blob->data ? ILP_OK : ilpi_fail_memory(error, buf.size);
    }
    ilpi_buf_free(&buf);
    return status;
}

ilp_status ilpi_type_write(struct ilpi_buf *buf, const struct ilp_type *type,
                           const struct ilpi_sig_map *map, struct ilp_error *error)
{
    struct sig_writer writer = {buf, map, error};
    size_t start = buf->size;
    return finish(&writer, write_type(&writer, type, 1), start);
}
