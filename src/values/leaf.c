/* Writes leaves. See leaf.h. Runs in the runtime's cooperative mode: see shape.h for what must not
 * be done here.
 *
 * Room for LEAF_ROOM characters is checked once at the start; numbers are shorter than that, and so
 * only names and strings, which have no limit, check again. */
#include "values/leaf.h"

#include "values/kinds.h"
#include "values/plain.h"

static size_t put_unsigned(char *to, uint64_t value)
{
    unsigned size = plain_digit_count(value);
    plain_digits(to + size, value);
    return size;
}

static size_t put_signed(char *to, int64_t value)
{
    to[0] = '-';
    return value < 0 ? 1 + put_unsigned(to + 1, -(uint64_t)value)
                     : put_unsigned(to, (uint64_t)value);
}

/* With 64 bits, as most are. Digits are written one place too far to the right, and those before
 * the point are then moved left, which makes the place for it. A number with fewer digits than its
 * scale has zeros before them: 0.05 is "005" first. */
static size_t put_decimal(char *to, const uint8_t *value)
{
    const struct read_decimal decimal = read_decimal(value);
    const uint64_t number = (uint64_t)decimal.words[1] << 32 | decimal.words[0];
    if (decimal.words[2] != 0 || decimal.scale >= PLAIN_DIGITS) {
        return 0;
    }
    size_t sign = decimal.negative && number != 0;
    to[0] = '-';
    to += sign;
    if (decimal.scale == 0) {
        return sign + put_unsigned(to, number);
    }
    unsigned digits = plain_digit_count(number);
    unsigned whole = digits > decimal.scale ? digits - decimal.scale : 1;
    plain_padded(to + 1, 0, whole + decimal.scale - digits);
    plain_digits(to + 1 + whole + decimal.scale, number);
    for (unsigned i = 0; i < whole; i++) { /* the point goes between the two */
        to[i] = to[i + 1];
    }
    to[whole] = '.';
    return sign + whole + 1 + decimal.scale;
}

static size_t put_enum(char *to, size_t room, const struct shape *shape, const uint8_t *value)
{
    uint32_t size;
    const char *name = enum_plain_name(shape->members, shape_bits(shape->inner, value), &size);
    if (!name || size > room) {
        return 0;
    }
    memcpy(to, name, size);
    return size;
}

static size_t put_word(char *to, const char *word, size_t size)
{
    memcpy(to, word, size);
    return size;
}

static size_t put_string(char *to, size_t room, const uint8_t *object,
                         const struct shaped_value *shaped, uint32_t longest)
{
    if (!object) {
        return put_word(to, "null", 4);
    }
    int32_t length = read_length(object + LENGTH_OFFSET);
    /* also false for strings that are hidden, and until the type is known: see object_is_text() */
    return shaped->types && object_is_text(shaped->types, object) && length >= 0 &&
                   (uint32_t)length <= longest
               ? plain_string(to, room, object + CHARS_OFFSET, (size_t)length)
               : 0;
}

/* 0 means "not a leaf", also for too little room: the caller then takes the general way, which can
 * cut. Secrets go that way too, so that there is one place that hides them. */
size_t leaf_put(char *to, size_t room, const struct shape *shape, const uint8_t *value,
                const struct shaped_value *shaped, uint32_t longest)
{
    if (room < LEAF_ROOM || shape->secret) {
        return 0;
    }
    switch (shape->kind) {
    case SHAPE_BOOLEAN: return value[0] != 0 ? put_word(to, "true", 4) : put_word(to, "false", 5);
    case SHAPE_SIGNED: return put_signed(to, read_signed(value, shape->size));
    case SHAPE_UNSIGNED: return put_unsigned(to, read_unsigned(value, shape->size));
    case SHAPE_DECIMAL: return put_decimal(to, value);
    case SHAPE_ENUM: return put_enum(to, room, shape, value);
    case SHAPE_STRING: return put_string(to, room, read_pointer(value), shaped, longest);
    default: return 0;
    }
}
