/* A value as text, by its shape. Runs in the runtime's cooperative mode: see shape.h for what must
 * not be done here. */
#include <string.h>

#include "values/kinds.h"
#include "values/read.h"
#include "values/shape.h"

/* As in Format.cs, in UTF-16 units. */
enum { VALUE_UNITS = 480, TYPE_UNITS = 200 };

/* So many bytes are shown of what is not known. */
enum { MAX_BYTES = 32 };

static void put_value(struct line *line, const struct shape *shape, const uint8_t *value,
                      unsigned depth);

static void put_bytes(struct line *line, const uint8_t *value, size_t size)
{
    char pair[2];
    line_put(line, "bytes ");
    for (size_t i = 0; i < size && i < MAX_BYTES; i++) {
        pair[0] = "0123456789abcdef"[value[i] >> 4];
        pair[1] = "0123456789abcdef"[value[i] & 0xF];
        line_put_sized(line, pair, sizeof pair);
    }
    line_put(line, size > MAX_BYTES ? "..." : "");
}

static void put_string(struct line *line, const uint8_t *object)
{
    int32_t length = read_length(object + LENGTH_OFFSET);
    line_put_string(line, object + CHARS_OFFSET, length);
}

/* "System.Int32[2,3]" */
static void put_array(struct line *line, const struct shape *shape, const uint8_t *object)
{
    line_put_name(line, shape->element);
    line_put(line, "[");
    if (shape->rank == 0) {
        line_put_signed(line, read_length(object + LENGTH_OFFSET));
    }
    for (unsigned i = 0; i < shape->rank; i++) {
        line_put(line, i == 0 ? "" : ",");
        line_put_signed(line, read_length(object + BOUNDS_OFFSET + 4 * (size_t)i));
    }
    line_put(line, "]");
}

static void put_object(struct line *line, const struct shape *shape, unsigned depth)
{
    line_put(line, "object");
    if (depth > 1) {
        line_put(line, " (");
        line_put_name(line, shape->name);
        line_put(line, ")");
    }
}

static void put_reference(struct line *line, const struct shape *shape, const uint8_t *value,
                          unsigned depth)
{
    const uint8_t *object = read_pointer(value);
    if (!object) {
        line_put(line, "null");
    } else if (shape->kind == SHAPE_STRING) {
        put_string(line, object);
    } else if (shape->kind == SHAPE_ARRAY) {
        put_array(line, shape, object);
    } else {
        put_object(line, shape, depth);
    }
}

static void put_fields(struct line *line, const struct shape *shape, const uint8_t *value,
                       unsigned depth)
{
    if (shape->deep) {
        line_put(line, "{...}");
        return;
    }
    line_put(line, "{");
    for (uint32_t i = 0; i < shape->field_count && !line->full; i++) {
        const struct shape_field *field = &shape->fields[i];
        line_put(line, i != 0 ? ", " : "");
        line_put_name(line, field->name);
        line_put(line, "=");
        put_value(line, field->shape, value + field->offset, depth + 1);
    }
    line_put(line, shape->more ? ", ...}" : "}");
}

static bool has_value(const struct shape *nullable, const uint8_t *value)
{
    return value[nullable->fields[0].offset] != 0;
}

static void put_number(struct line *line, const struct shape *shape, const uint8_t *value)
{
    double real;
    float single;
    switch (shape->kind) {
    case SHAPE_BOOLEAN: line_put(line, value[0] != 0 ? "true" : "false"); break;
    case SHAPE_CHAR: line_put_char(line, (uint16_t)read_unsigned(value, 2)); break;
    case SHAPE_SIGNED: line_put_signed(line, read_signed(value, shape->size)); break;
    case SHAPE_UNSIGNED: line_put_unsigned(line, read_unsigned(value, shape->size)); break;
    case SHAPE_ADDRESS: line_put_hex(line, read_unsigned(value, shape->size)); break;
    case SHAPE_SINGLE:
        memcpy(&single, value, sizeof single);
        float_put_single(line, single);
        break;
    default: memcpy(&real, value, sizeof real); float_put_double(line, real);
    }
}

/* What a T& leads to may be no object reference yet where it is a parameter. */
static void put_referent(struct line *line, const struct shape *shape, const uint8_t *value)
{
    const uint8_t *target = read_pointer(value);
    if (!target) {
        line_put(line, "null");
    } else if (shape->inner->references || (uintptr_t)target < FIRST_PAGES) {
        line_put_hex(line, (uintptr_t)target);
    } else {
        put_value(line, shape->inner, target, 1);
    }
}

static void put_value(struct line *line, const struct shape *shape, const uint8_t *value,
                      unsigned depth)
{
    bool known = true;
    switch (shape->kind) {
    case SHAPE_BYTES: put_bytes(line, value, shape->size); break;
    case SHAPE_STRING:
    case SHAPE_OBJECT:
    case SHAPE_ARRAY: put_reference(line, shape, value, depth); break;
    case SHAPE_STRUCT: put_fields(line, shape, value, depth); break;
    case SHAPE_NULLABLE:
        if (has_value(shape, value)) {
            put_value(line, shape->fields[1].shape, value + shape->fields[1].offset, depth);
        } else {
            line_put(line, "null");
        }
        break;
    case SHAPE_POINTER:
        if (depth > 1) {
            line_put(line, "pointer");
        } else {
            line_put_hex(line, (uintptr_t)read_pointer(value));
        }
        break;
    case SHAPE_BYREF: put_referent(line, shape, value); break;
    case SHAPE_DECIMAL: known = shape_put_decimal(line, value); break;
    case SHAPE_GUID: shape_put_guid(line, value); break;
    case SHAPE_TIME_SPAN: shape_put_time_span(line, value); break;
    case SHAPE_DATE_TIME: known = shape_put_date_time(line, value); break;
    default: put_number(line, shape, value);
    }
    if (!known) {
        put_bytes(line, value, shape->size);
    }
}

static bool is_null(const struct shape *shape, const uint8_t *value)
{
    switch (shape->kind) {
    case SHAPE_STRING:
    case SHAPE_OBJECT:
    case SHAPE_ARRAY:
    case SHAPE_BYREF: return !read_pointer(value);
    case SHAPE_NULLABLE: return !has_value(shape, value);
    default: return false;
    }
}

void shape_put(struct line *line, const struct shape *shape, const void *value, size_t size)
{
    line_part(line, VALUE_UNITS);
    if (!value) {
        line_put(line, "null");
    } else if (size != shape->size) {
        put_bytes(line, value, size);
    } else {
        put_value(line, shape, value, 1);
    }
}

void shape_put_type(struct line *line, const struct shape *shape, const void *value, size_t size)
{
    if (!value || (size == shape->size && is_null(shape, value))) {
        return;
    }
    line_part(line, TYPE_UNITS);
    line_put(line, " (");
    line_put_name(line, shape->name);
    line_part(line, 1);
    line_put(line, ")");
}

size_t shape_write(const struct shape *shape, const void *value, size_t size, char *to, size_t room)
{
    struct line line;
    line_begin(&line, to, room);
    shape_put(&line, shape, value, size);
    return line.size;
}
