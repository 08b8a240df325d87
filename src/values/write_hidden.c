/* Hides secret values. When in doubt, a value is hidden: only what is known to be harmless is
 * shown. */
#include "values/notation.h"

/* Kinds that a name alone does not make secret: how many tokens, since when, until when. */
static bool is_harmless_kind(const struct shape *shape)
{
    switch (shape->kind) {
    case SHAPE_BOOLEAN:
    case SHAPE_CHAR:
    case SHAPE_SIGNED:
    case SHAPE_UNSIGNED:
    case SHAPE_SINGLE:
    case SHAPE_DOUBLE:
    case SHAPE_ADDRESS:
    case SHAPE_POINTER:
    case SHAPE_ENUM:
    case SHAPE_DECIMAL:
    case SHAPE_TIME_SPAN:
    case SHAPE_DATE_TIME: return true;
    case SHAPE_FRAMEWORK:
        return shape->known == KNOWN_DATE_ONLY || shape->known == KNOWN_TIME_ONLY ||
               shape->known == KNOWN_DATE_TIME_OFFSET || shape->known == KNOWN_RUNE ||
               shape->known == KNOWN_HALF || shape->known == KNOWN_WIDE_SIGNED ||
               shape->known == KNOWN_WIDE_UNSIGNED || known_is_cancellation(shape->known);
    default: return false;
    }
}

/* By the value's own type, if it is an object: a secret declared as `object` may be a number. An
 * object of unknown type is not harmless. */
static bool is_harmless(const struct value_writer *writer, const struct shape *shape,
                        const uint8_t *value)
{
    if (shape->kind == SHAPE_NULLABLE) {
        return is_harmless_kind(shape->fields[1].shape);
    }
    if (shape->kind == SHAPE_BYREF) {
        return is_harmless_kind(shape->inner);
    }
    if (!shape_is_reference(shape) || !writer->shaped->types) {
        return is_harmless_kind(shape);
    }
    const struct shape *own = own_shape(writer, read_pointer(value));
    return own && (shape_is_boxed(own) || known_is_cancellation(own->known)) &&
           is_harmless_kind(own);
}

/* Null is not secret under any name. */
void write_secret(struct value_writer *writer, enum secrecy secrecy, const struct shape *shape,
                  const uint8_t *value, unsigned depth)
{
    if (shape_is_null(shape, value) ||
        (secrecy == SECRECY_CONTENT && is_harmless(writer, shape, value))) {
        write_value(writer, shape, value, depth);
    } else {
        put_mark(writer, REDACTED);
    }
}

/* ---- pairs ---- */

/* Only strings are names. The object's own type is looked at: the key may be declared as object. */
enum secrecy secrecy_of_key(const struct value_writer *writer, const struct shape *shape,
                            const uint8_t *key)
{
    const uint8_t *object = writer->shaped->redaction && shape_is_reference(shape)
                                ? read_pointer(key)
                                : NULL;
    /* Without shapes of objects the declared type has to do. */
    const struct shape *own = writer->shaped->types ? own_shape(writer, object) : shape;
    return object && own && own->kind == SHAPE_STRING
               ? redaction_of_key(writer->shaped->redaction, object + CHARS_OFFSET,
                                  read_length(object + LENGTH_OFFSET))
               : SECRECY_NONE;
}

void write_pair_of(struct value_writer *writer, const struct shape *key_shape, const uint8_t *key,
                   const struct shape *shape, const uint8_t *value, unsigned depth)
{
    pair_begin(writer);
    write_value(writer, key_shape, key, depth + 1);
    pair_between(writer);
    write_named(writer, secrecy_of_key(writer, key_shape, key), shape, value, depth + 1);
    pair_end(writer);
}
