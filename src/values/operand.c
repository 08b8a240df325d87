/* See operand.h. Of a struct struct ilpi_condition_value has its shape and its bytes, of an object
 * the shape of the place that refers to it, and that place. */
#include "values/operand.h"

#include <string.h>

#include "values/kinds.h"
#include "values/read.h"

/* What strings and arrays have. */
static const struct shape length_shape = {
    .kind = SHAPE_SIGNED, .size = sizeof(int32_t), .name = "System.Int32"};

/* What is meant by the value of a T& or a Nullable<T>: the T. */
static enum ilpi_reach unwrap(struct ilpi_condition_value *value)
{
    const struct shape *shape = value->type;
    if (!value->data) {
        return ILPI_REACH_NULL;
    }
    if (!shape) {
        return ILPI_REACH_UNREADABLE;
    }
    if (shape->kind == SHAPE_BYREF) {
        value->data = read_pointer(value->data);
        if (!value->data) {
            return ILPI_REACH_NULL;
        }
        if (shape->inner->references || (uintptr_t)value->data < FIRST_PAGES) {
            return ILPI_REACH_UNREADABLE;
        }
        value->type = shape = shape->inner;
    }
    if (shape->kind == SHAPE_NULLABLE) {
        const struct shape_field *fields = shape->fields;
        if (*((const uint8_t *)value->data + fields[0].offset) == 0) {
            return ILPI_REACH_NULL;
        }
        value->type = fields[1].shape;
        value->data = (const uint8_t *)value->data + fields[1].offset;
    }
    return ILPI_REACH_FOUND;
}

/* ---- members ---- */

static enum ilpi_reach field_of(const struct shape *shape, const uint8_t *value,
                                const struct ilpi_condition_name *name,
                                struct ilpi_condition_value *out)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct shape_field *field = &shape->fields[i];
        if (strcmp(field->name, name->text) == 0) {
            *out = (struct ilpi_condition_value){field->shape, value + field->offset};
            return ILPI_REACH_FOUND;
        }
    }
    return shape->more || shape->deep ? ILPI_REACH_UNREADABLE : ILPI_REACH_NO_MEMBER;
}

static enum ilpi_reach member(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *of,
                              const struct ilpi_condition_name *name,
                              struct ilpi_condition_value *out)
{
    (void)source;
    struct ilpi_condition_value value = *of;
    enum ilpi_reach reach = unwrap(&value);
    if (reach != ILPI_REACH_FOUND) {
        return reach;
    }
    const struct shape *shape = value.type;
    const uint8_t *object = shape_is_reference(shape) ? read_pointer(value.data) : NULL;
    if (shape_is_reference(shape) && !object) {
        return ILPI_REACH_NULL;
    }
    bool has_length = shape->kind == SHAPE_STRING || shape->kind == SHAPE_ARRAY;
    if (has_length && name->text && strcmp(name->text, "Length") == 0) {
        *out = (struct ilpi_condition_value){&length_shape, object + LENGTH_OFFSET};
        return ILPI_REACH_FOUND;
    }
    if ((shape->kind == SHAPE_STRUCT || shape->kind == SHAPE_FRAMEWORK) && name->text) {
        return field_of(shape, value.data, name, out);
    }
    return shape->kind == SHAPE_BYTES || shape_is_reference(shape) ? ILPI_REACH_UNREADABLE
                                                                   : ILPI_REACH_NO_MEMBER;
}

/* ---- scalars ---- */

/* Ticks of 100 ns since year 1; the two high bits say what clock it is. */
static struct ilpi_scalar date_of(const uint8_t *value)
{
    uint64_t data;
    struct ilpi_scalar date = ilpi_scalar_of(ILPI_SCALAR_DATE);
    memcpy(&data, value, sizeof data);
    date.as.natural = data & UINT64_MAX >> 2;
    return date;
}

static struct ilpi_scalar decimal_of(const uint8_t *value)
{
    uint32_t flags, words[3];
    memcpy(&flags, value, 4);
    memcpy(&words[2], value + 4, 4);
    memcpy(&words[0], value + 8, 8);
    return ilpi_scalar_decimal(words, flags >> 16 & 0xFF, flags >> 31 != 0);
}

static struct ilpi_scalar reference_of(const struct shape *shape, const uint8_t *object)
{
    int32_t length;
    if (!object) {
        return ilpi_scalar_of(ILPI_SCALAR_NULL);
    }
    if (shape->kind != SHAPE_STRING) {
        return ilpi_scalar_of(ILPI_SCALAR_OBJECT);
    }
    memcpy(&length, object + LENGTH_OFFSET, sizeof length);
    return ilpi_scalar_string(object + CHARS_OFFSET, (uint32_t)length);
}

static struct ilpi_scalar scalar_of(const struct shape *shape, const uint8_t *value)
{
    struct ilpi_scalar scalar;
    double real;
    float single;
    switch (shape->kind) {
    case SHAPE_BOOLEAN: return ilpi_scalar_bool(value[0] != 0);
    case SHAPE_SIGNED: return ilpi_scalar_signed(read_signed(value, shape->size));
    case SHAPE_ADDRESS:
        return strcmp(shape->name, "System.IntPtr") == 0
                   ? ilpi_scalar_signed(read_signed(value, shape->size))
                   : ilpi_scalar_unsigned(read_unsigned(value, shape->size));
    case SHAPE_CHAR:
    case SHAPE_UNSIGNED: return ilpi_scalar_unsigned(read_unsigned(value, shape->size));
    case SHAPE_SINGLE: memcpy(&single, value, sizeof single); return ilpi_scalar_single(single);
    case SHAPE_DOUBLE: memcpy(&real, value, sizeof real); return ilpi_scalar_double(real);
    case SHAPE_ENUM: return scalar_of(shape->inner, value);
    case SHAPE_STRING:
    case SHAPE_OBJECT:
    case SHAPE_ARRAY: return reference_of(shape, read_pointer(value));
    case SHAPE_POINTER:
        return ilpi_scalar_of(read_pointer(value) ? ILPI_SCALAR_OBJECT : ILPI_SCALAR_NULL);
    case SHAPE_STRUCT:
    case SHAPE_FRAMEWORK: return ilpi_scalar_of(ILPI_SCALAR_OBJECT);
    case SHAPE_DECIMAL: return decimal_of(value);
    case SHAPE_GUID:
        scalar = ilpi_scalar_of(ILPI_SCALAR_GUID);
        scalar.as.bytes = value;
        return scalar;
    case SHAPE_TIME_SPAN: return ilpi_scalar_duration(read_signed(value, sizeof(int64_t)), 7);
    case SHAPE_DATE_TIME: return date_of(value);
    default: return ilpi_scalar_of(ILPI_SCALAR_UNREADABLE);
    }
}

static void read_value(const struct ilpi_condition_source *source,
                       const struct ilpi_condition_value *value, struct ilpi_scalar *out)
{
    (void)source;
    struct ilpi_condition_value meant = *value;
    enum ilpi_reach reach = unwrap(&meant);
    *out = reach == ILPI_REACH_FOUND  ? scalar_of(meant.type, meant.data)
           : reach == ILPI_REACH_NULL ? ilpi_scalar_of(ILPI_SCALAR_NULL)
                                      : ilpi_scalar_of(ILPI_SCALAR_UNREADABLE);
}

/* ---- what a returned value has not ---- */

static enum ilpi_reach root(const struct ilpi_condition_source *source,
                            enum ilpi_condition_root which,
                            const struct ilpi_condition_name *argument,
                            struct ilpi_condition_value *out)
{
    (void)source;
    (void)argument;
    (void)out;
    return which == ILPI_ROOT_EXCEPTION ? ILPI_REACH_NULL : ILPI_REACH_NO_VALUE;
}

static bool enum_number(const struct ilpi_condition_source *source, const void *type,
                        const struct ilpi_condition_name *name, uint64_t *number)
{
    (void)source;
    (void)type;
    (void)name;
    (void)number;
    return false;
}

/* `Order` and `Shop.Order` are both Shop.Order. */
static enum ilp_truth is_type(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *value,
                              const struct ilpi_condition_name *name)
{
    (void)source;
    const struct shape *shape = value->type;
    if (!shape || shape->kind == SHAPE_OBJECT || shape->kind == SHAPE_BYTES) {
        return ILP_UNKNOWN;
    }
    const char *own = shape->name;
    const char *simple = strrchr(own, '.');
    return strcmp(own, name->text) == 0 || (simple && strcmp(simple + 1, name->text) == 0) ? ILP_YES
                                                                                           : ILP_NO;
}

static const struct ilpi_condition_reader reader = {.root = root,
                                                    .member = member,
                                                    .read = read_value,
                                                    .enum_number = enum_number,
                                                    .is_type = is_type};

struct ilpi_condition_source operand_source(const struct shape *shape, const void *value,
                                            size_t size)
{
    bool known = size == shape_size(shape);
    return (struct ilpi_condition_source){
        .reader = &reader, .value = {known ? shape : NULL, value}, .has_value = true};
}

bool operand_integer(const struct shape *shape, const void *value, size_t size, bool *is_signed,
                     uint64_t *bits)
{
    shape = shape->kind == SHAPE_ENUM ? shape->inner : shape;
    *is_signed = shape->kind == SHAPE_SIGNED;
    if (!value || size != shape->size ||
        (!*is_signed && shape->kind != SHAPE_UNSIGNED && shape->kind != SHAPE_CHAR)) {
        return false;
    }
    *bits = *is_signed ? (uint64_t)read_signed(value, shape->size)
                       : read_unsigned(value, shape->size);
    return true;
}
