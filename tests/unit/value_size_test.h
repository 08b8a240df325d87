/* What the tests of src/types/value_size.c share: types put together from signatures, and the
 * question.
 *
 *   struct ib_image b;
 *   ii_begin(&b, "App");
 *   ilp_token type = struct_of(&b, "05", value(other));      struct { byte; other }
 *   struct ilp_image *app = built_root(&b);
 *   check(app, NULL, value(type), 8, 8);                     with 8 and with 4 byte pointers */
#ifndef VALUE_SIZE_TEST_H
#define VALUE_SIZE_TEST_H

#include "tests/unit/inspect_image.h"

#include "types/value_size.h"

/* ---- making types ---- */

/* Type signatures are written as in ILAsm's binary form: "11 08", with tokens put in by these. The
 * texts live until 32 more have been made. */
static inline const char *text_of(const char *format, ...)
{
    static char texts[32][200];
    static unsigned next;
    char *text = texts[next++ % COUNT(texts)];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof texts[0], format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof texts[0]);
    return text;
}

/* TypeDefOrRefOrSpecEncoded (II.23.2.8). */
static inline const char *encoded(ilp_token token)
{
    static const unsigned tags[ILP_TypeSpec + 1] = {
        [ILP_TypeDef] = 0, [ILP_TypeRef] = 1, [ILP_TypeSpec] = 2};
    unsigned value = ILP_TOKEN_RID(token) << 2 | tags[ILP_TOKEN_TABLE(token)];
    if (value < 0x80) {
        return text_of("%02X", value);
    }
    if (value < 0x4000) {
        return text_of("%02X %02X", 0x80 | value >> 8, value & 0xFF);
    }
    return text_of("C0 %02X %02X %02X", value >> 16, value >> 8 & 0xFF, value & 0xFF);
}

static inline const char *value(ilp_token token)
{
    return text_of("11 %s", encoded(token));
}

static inline const char *class_of(ilp_token token)
{
    return text_of("12 %s", encoded(token));
}

static inline const char *instance(ilp_token token, unsigned count, const char *arguments)
{
    return text_of("15 11 %s %02X %s", encoded(token), count, arguments);
}

enum { AUTO = 0, SEQUENTIAL = 0x08, EXPLICIT = 0x10, STATIC = 0x10, LITERAL = 0x50 };

static inline ilp_rid flagged_field(struct ib_image *b, unsigned flags, const char *type)
{
    return IB_ROW(b, Field, flags, ib_string(b, "f"), ii_blob(b, text_of("06 %s", type)));
}

static inline ilp_rid field(struct ib_image *b, const char *type)
{
    return flagged_field(b, 6, type);
}

/* A value type of the last assembly that ii_begin() made; its fields are those added next. */
static inline ilp_token type_of(struct ib_image *b, const char *name, unsigned layout,
                                ilp_token extends)
{
    ilp_token type = ii_type(b, "N", name, extends);
    ib_set(b, ILP_TypeDef, ILP_TOKEN_RID(type), ILP_TypeDef_Flags, 0x00100001 | layout);
    return type;
}

static inline ilp_token add_struct(struct ib_image *b, unsigned layout)
{
    return type_of(b, "S", layout, II_VALUE_TYPE);
}

/* With one field, or two. */
static inline ilp_token struct_of(struct ib_image *b, const char *first, const char *second)
{
    ilp_token type = add_struct(b, SEQUENTIAL);
    field(b, first);
    if (second) {
        field(b, second);
    }
    return type;
}

/* ---- asking ---- */

struct value_size {
    uint32_t size;
    ilp_token unresolved;
};

static inline struct value_size measure(struct ilp_image *image,
                                        const struct ilp_resolver *resolver, uint32_t pointer,
                                        const char *type)
{
    struct value_size value_size;
    struct ilp_arena *arena;
    struct ilp_sig *sig;
    struct ii_hex hex = ii_hex(text_of("00 00 %s", type));
    struct ilp_bytes blob = {hex.data, hex.size};
    assert_int_equal(ilp_arena_open(&arena, NULL, NULL), ILP_OK);
    assert_int_equal(ilp_sig_read(&sig, blob, ILP_SIG_METHOD, 0, arena, NULL), ILP_OK);
    struct ilpi_value_query query = {image, sig->ret, resolver, arena, NULL};
    assert_int_equal(
        ilpi_value_size(&query, pointer, &value_size.size, &value_size.unresolved, NULL), ILP_OK);
    ilp_arena_close(arena);
    assert_true(value_size.size == 0 || value_size.unresolved == 0);
    return value_size;
}

static inline void check(struct ilp_image *image, const struct ilp_resolver *resolver,
                         const char *type, uint32_t size8, uint32_t size4)
{
    uint32_t with8 = measure(image, resolver, 8, type).size;
    uint32_t with4 = measure(image, resolver, 4, type).size;
    if (with8 != size8 || with4 != size4) {
        fail_msg("%s: %u and %u, expected %u and %u", type, with8, with4, size8, size4);
    }
}

#endif
