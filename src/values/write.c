/* Writes a value as text, by its shape. Runs in the runtime's cooperative mode: see shape.h for
 * what must not be done here.
 *
 * Leaves go to leaf.c if they fit; structures recurse here, to a limited depth, with the objects
 * around a value on a list, so that a cycle is found.
 *
 *   shape_put() -> leaf_put()                        leaf.c: most values, nothing else is set up
 *      or -> write_named() -> write_secret()         write_hidden.c: a secret name
 *               -> put_value() -> put_scalar()        here: numbers, enums, dates
 *                            -> write_reference()    write_object.c: by the object's own type
 *                            -> write_fields()       write_object.c
 *                            -> write_known()        known.def: a function for each kind
 *
 * Values inside others return to put_value() through a pointer in the writer, so that the files
 * need not know each other. */
#include "values/leaf.h"
#include "values/notation.h"
#include "values/write_known.h"

/* As in Format.cs, in UTF-16 units. */
enum { TYPE_UNITS = 200 };

/* How many bytes of an unknown value are shown. */
enum { MAX_BYTES = 32 };

static void put_bytes(struct value_writer *writer, const uint8_t *value, size_t size)
{
    struct line *line = writer->line;
    char pair[2];
    size_t begin = scalar_begin(writer);
    line_put(line, "bytes ");
    for (size_t i = 0; i < size && i < MAX_BYTES; i++) {
        pair[0] = "0123456789abcdef"[value[i] >> 4];
        pair[1] = "0123456789abcdef"[value[i] & 0xF];
        line_put_sized(line, pair, sizeof pair);
    }
    line_put(line, size > MAX_BYTES ? "..." : "");
    scalar_end(writer, begin, SCALAR_WORD);
}

static inline void put_number(struct line *line, const struct shape *shape, const uint8_t *value)
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

/* A T& parameter may refer to memory that holds no object reference yet, so only T without
 * references are read through it. */
static void put_referent(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *value)
{
    const uint8_t *target = read_pointer(value);
    if (!target) {
        put_null(writer);
    } else if (shape->inner->references || (uintptr_t)target < FIRST_PAGES) {
        size_t begin = scalar_begin(writer);
        line_put_hex(writer->line, (uintptr_t)target);
        scalar_end(writer, begin, SCALAR_WORD);
    } else {
        write_value(writer, shape->inner, target, 1);
    }
}

static void put_nullable(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *value, unsigned depth)
{
    if (shape_is_null(shape, value)) {
        put_null(writer);
    } else {
        write_value(writer, shape->fields[1].shape, value + shape->fields[1].offset, depth);
    }
}

static void put_pointer(struct line *line, const uint8_t *value, unsigned depth)
{
    if (depth > 1) {
        line_put(line, "pointer");
    } else {
        line_put_hex(line, (uintptr_t)read_pointer(value));
    }
}

static void put_enum(struct line *line, const struct shape *shape, const uint8_t *value)
{
    if (!enum_put(line, shape->members, shape_bits(shape->inner, value))) {
        put_number(line, shape->inner, value);
    }
}

/* Values whose text is the same in both notations, except for quotes. */
static enum scalar put_unquoted(struct value_writer *writer, const struct shape *shape,
                                const uint8_t *value, unsigned depth)
{
    struct line *line = writer->line;
    bool known = true;
    switch (shape->kind) {
    case SHAPE_BOOLEAN: line_put(line, value[0] != 0 ? "true" : "false"); return SCALAR_LITERAL;
    case SHAPE_SIGNED:
    case SHAPE_UNSIGNED: put_number(line, shape, value); return SCALAR_INTEGER;
    case SHAPE_SINGLE:
    case SHAPE_DOUBLE: put_number(line, shape, value); return SCALAR_REAL;
    case SHAPE_POINTER: put_pointer(line, value, depth); break;
    case SHAPE_ENUM: put_enum(line, shape, value); break;
    case SHAPE_GUID: shape_put_guid(line, value); break;
    case SHAPE_TIME_SPAN: shape_put_time_span(line, value); break;
    case SHAPE_DATE_TIME: known = shape_put_date_time(line, value); break;
    case SHAPE_DECIMAL: known = shape_put_decimal(line, value); break;
    default: put_number(line, shape, value);
    }
    if (!known) {
        put_bytes(writer, value, shape->size);
    }
    return known && shape->kind == SHAPE_DECIMAL ? SCALAR_INTEGER : SCALAR_WORD;
}

/* In JSON a word gets quotes afterwards, when it is known what it is. */
static void put_scalar(struct value_writer *writer, const struct shape *shape, const uint8_t *value,
                       unsigned depth)
{
    if (!writer->json) {
        put_unquoted(writer, shape, value, depth);
        return;
    }
    size_t begin = scalar_begin(writer);
    enum scalar scalar = put_unquoted(writer, shape, value, depth);
    scalar_end(writer, begin, scalar);
}

/* The secrecy of the type is checked for each value, so that no path can write one; that of names
 * is where names are known (write_named()). */
static void put_value(struct value_writer *writer, const struct shape *shape, const uint8_t *value,
                      unsigned depth)
{
    writer->type_name = NULL;
    if (shape->secret) {
        put_mark(writer, REDACTED);
        return;
    }
    switch (shape->kind) {
    case SHAPE_BYTES: put_bytes(writer, value, shape->size); break;
    case SHAPE_FRAMEWORK: write_known(writer, shape, value, depth); break;
    case SHAPE_HIDDEN: put_mark(writer, "..."); break;
    case SHAPE_STRING:
    case SHAPE_OBJECT:
    case SHAPE_ARRAY: write_reference(writer, shape, read_pointer(value), depth); break;
    case SHAPE_STRUCT: write_fields(writer, shape, value, depth); break;
    case SHAPE_UNION: write_union(writer, shape, value, depth); break;
    case SHAPE_NULLABLE: put_nullable(writer, shape, value, depth); break;
    case SHAPE_BYREF: put_referent(writer, shape, value); break;
    default: put_scalar(writer, shape, value, depth);
    }
}

/* ---- the whole ---- */

/* Kinds that are one word or number are written as scalars; others write their own brackets. */
static void put_known(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    /* The functions in the order of enum known_kind: both are made from known.def. */
    static void (*const functions[])(struct value_writer *, const struct shape *, const uint8_t *,
                                     unsigned) = {
#define KNOWN_KIND(name, form, function) function,
#include "values/known.def"
    };
    static const enum scalar scalars[] = {
        [FORM_WORD] = SCALAR_WORD, [FORM_INTEGER] = SCALAR_INTEGER, [FORM_REAL] = SCALAR_REAL};
    enum known_form form = known_form(shape->known);
    if (form < FORM_WORD) {
        functions[shape->known](writer, shape, base, depth);
        return;
    }
    size_t begin = scalar_begin(writer);
    functions[shape->known](writer, shape, base, depth);
    scalar_end(writer, begin, scalars[form]);
}

/* A leaf as text needs no writer. */
static bool put_leaf(struct line *line, const struct shaped_value *shaped)
{
    const struct value_limits *limits = shaped->limits ? shaped->limits : &value_limits_usual;
    if (!shaped->value || shaped->size != shaped->shape->size || shaped->secrecy != SECRECY_NONE) {
        return false;
    }
    line_part(line, limits->width);
    size_t size = leaf_put(line->to + line->size, line_left(line), shaped->shape, shaped->value,
                           shaped, limits->text);
    line->size += size;
    line->units += (uint32_t)size;
    return size != 0;
}

/* A value whose size is not that of its shape is shown as bytes, and if it may be secret, not at
 * all: what those bytes are is not known. */
static void put_shaped(struct line *line, const struct shaped_value *shaped, bool json,
                       unsigned depth)
{
    struct value_writer writer = {
        .line = line, /* all members are named: clearing the struct first takes longer */
        .value = put_value,
        .known = put_known,
        .shaped = shaped,
        .json = json,
        .scalars = 0,
        .type_name = NULL,
        .limits = shaped->limits ? shaped->limits : &value_limits_usual,
        .within = NULL};
    line->longest = writer.limits->text;
    if (json || depth == 1) {
        /* JSON is limited by the buffer alone. Half of the range, so that the sum with the line's
         * length does not wrap. */
        line_part(line, json ? UINT32_MAX / 2 : writer.limits->width);
    }
    if (!shaped->value) {
        put_null(&writer);
    } else if (shaped->size != shaped->shape->size &&
               (shaped->secrecy != SECRECY_NONE || shaped->shape->secret)) {
        put_mark(&writer, REDACTED);
    } else if (shaped->size != shaped->shape->size) {
        put_bytes(&writer, shaped->value, shaped->size);
    } else {
        write_named(&writer, shaped->secrecy, shaped->shape, shaped->value, depth);
    }
}

static void put_json(struct line *line, const struct shaped_value *shaped, unsigned depth)
{
    line->json = true;
    line->reserve = NOTATION_RESERVE;
    put_shaped(line, shaped, true, depth);
    line->reserve = 0;
    line->json = false;
}

void shape_put(struct line *line, const struct shaped_value *shaped)
{
    if (!put_leaf(line, shaped)) {
        put_shaped(line, shaped, false, 1);
    }
}

void shape_put_json(struct line *line, const struct shaped_value *shaped)
{
    put_json(line, shaped, 1);
}

void shape_put_within(struct line *line, const struct shaped_value *shaped)
{
    put_shaped(line, shaped, false, 2);
}

void shape_put_within_json(struct line *line, const struct shaped_value *shaped)
{
    put_json(line, shaped, 2);
}

/* For a value whose declared type does not say all of it (a type parameter): the call passes its
 * RuntimeType, whose handle the shape is found by. */
void shape_set_type(struct shaped_value *shaped, const void *type)
{
    static const struct shape reference = {
        .kind = SHAPE_OBJECT, .size = sizeof(void *), .references = true, .name = "System.Object"};
    const struct object_types *types = shaped->types;
    const struct shape *own = types && type ? types->of(types->user, type) : NULL;
    if (!own || own->kind != SHAPE_FRAMEWORK || own->known != KNOWN_TYPE || !types->meant) {
        return;
    }
    const uint8_t *handle = read_pointer((const uint8_t *)type + own->fields[0].offset);
    const struct shape *meant = types->meant(types->user, (uintptr_t)handle);
    meant = meant && meant->is_class ? &reference : meant;
    if (meant && meant->size == shaped->size) {
        shaped->shape = meant;
    }
}

/* The name of an object's own type, if that is known. */
static const char *name_of(const struct shaped_value *shaped)
{
    const struct shape *shape = shaped->shape;
    if (shaped->types && shaped->size == shape->size && shape_is_reference(shape)) {
        const struct shape *own = shaped->types->of(shaped->types->user,
                                                    read_pointer(shaped->value));
        shape = own && own->name ? own : shape;
    }
    return shape->name;
}

/* In parts: the type has its own limit (TYPE_UNITS), so that a long one does not take the value's
 * room. */
void shape_put_type(struct line *line, const struct shaped_value *shaped)
{
    if (!shaped->value ||
        (shaped->size == shaped->shape->size && shape_is_null(shaped->shape, shaped->value))) {
        return;
    }
    line_part(line, TYPE_UNITS);
    line_put(line, " (");
    line_put_name(line, name_of(shaped));
    line_part(line, 1);
    line_put(line, ")");
}

size_t shape_write(const struct shaped_value *shaped, char *to, size_t room)
{
    struct line line;
    line_begin(&line, to, room);
    shape_put(&line, shaped);
    return line.size;
}
