/* Objects as text, by their own types and fields. Runs in the runtime's cooperative mode: see
 * shape.h for what must not be done here.
 *
 * The shape of an object's own type is found by its address (own_shape()). If it is unknown, the
 * object is a mark; only if shapes of objects are not known at all, the declared type is shown. A
 * string is recognised first, by its type pointer alone, since most objects are strings. */
#include "values/display.h"
#include "values/leaf.h"
#include "values/notation.h"
#include "values/union.h"

static void put_string(struct value_writer *writer, const uint8_t *object)
{
    put_text(writer, object + CHARS_OFFSET, read_length(object + LENGTH_OFFSET));
}

/* ---- by the declared type, if an object's own is unknown ---- */

/* "3", "2,3" */
static void put_bounds(struct line *line, const struct shape *shape, const uint8_t *object)
{
    if (shape->rank == 0) {
        line_put_signed(line, read_length(object + LENGTH_OFFSET));
    }
    for (unsigned i = 0; i < shape->rank; i++) {
        line_put(line, i == 0 ? "" : ",");
        line_put_signed(line, read_length(object + BOUNDS_OFFSET + 4 * (size_t)i));
    }
}

/* "System.Int32[2,3]" */
static void put_array(struct line *line, const struct shape *shape, const uint8_t *object)
{
    line_put_name(line, shape->element);
    line_put(line, "[");
    put_bounds(line, shape, object);
    line_put(line, "]");
}

/* What is known without reading the object's fields. Outside of other values the caller adds the
 * type, so only below depth 1 it is written here. */
static void put_declared(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *object, unsigned depth)
{
    struct line *line = writer->line;
    if (shape->kind == SHAPE_STRING) {
        put_string(writer, object);
        return;
    }
    size_t begin = scalar_begin(writer);
    if (shape->kind == SHAPE_ARRAY) {
        put_array(line, shape, object);
    } else {
        line_put(line, "object");
        if (depth > 1) {
            line_put(line, " (");
            line_put_name(line, shape->name);
            line_put(line, ")");
        }
    }
    scalar_end(writer, begin, SCALAR_WORD);
}

/* ---- fields ---- */

/* For a string only the text, if it is not secret. */
static void put_part(struct value_writer *writer, const struct display_part *part,
                     const uint8_t *base, unsigned depth)
{
    const struct shape *shape = part->field->shape;
    const uint8_t *at = base + part->field->offset;
    const uint8_t *text = shape->kind == SHAPE_STRING ? read_pointer(at) : NULL;
    enum secrecy secrecy = part->field->secrecy;
    if (part->plain && text && secrecy == SECRECY_NONE && !shape->secret) {
        line_put_plain(writer->line, text + CHARS_OFFSET, read_length(text + LENGTH_OFFSET));
    } else {
        write_named(writer, secrecy, shape, at, depth);
    }
}

/* "{Order 5}", from an attribute. */
static void put_display(struct value_writer *writer, const struct display *display,
                        const uint8_t *base, unsigned depth)
{
    struct line *line = writer->line;
    line_put(line, "{");
    for (uint32_t i = 0; i <= display->field_count && !line->full; i++) {
        const struct display_part *part = &display->parts[i];
        line_put_name(line, part->before);
        if (part->field) {
            put_part(writer, part, base, depth + 1);
        }
    }
    line_put(line, "}");
}

/* "X=1", or its mark if it is hidden. */
static void put_field(struct value_writer *writer, const struct shape_field *field,
                      const uint8_t *base, bool first, unsigned depth)
{
    if (object_field(writer, field, first)) {
        write_named(writer, field->secrecy, field->shape, base + field->offset, depth + 1);
    }
}

/* The same as text, including "{" before the first one: at once if there is room, since most fields
 * are leaves. `label` is ", Name=", of constant size, so the copy is of a fixed size and no shorter
 * than the text; what is after `label_size` is overwritten. For the first field it begins at the
 * second byte, and so it is one byte shorter than the label's room. */
static void put_text_field(struct value_writer *writer, const struct shape_field *field,
                           const uint8_t *base, bool first, unsigned depth)
{
    struct line *line = writer->line;
    const size_t room = line_left(line), size = field->label_size - first;
    char *to = line->to + line->size;
    if (field->label_size == 0 || room < SHAPE_LABEL + 1) {
        line_put(line, first ? "{" : "");
        put_field(writer, field, base, first, depth);
        return;
    }
    memcpy(to, field->label + first, SHAPE_LABEL - 1);
    to[0] = first ? '{' : ',';
    size_t leaf = field->secrecy != SECRECY_NONE
                      ? 0
                      : leaf_put(to + size, room - size, field->shape, base + field->offset,
                                 writer->shaped, line->longest);
    line->size += size + leaf;
    line->units += (uint32_t)(size + leaf);
    if (leaf == 0) {
        write_named(writer, field->secrecy, field->shape, base + field->offset, depth + 1);
    }
}

/* `deep` structs have no shapes of their fields. An attribute (DebuggerDisplay) is a text for
 * people: in JSON the fields are written. */
void write_fields(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                  unsigned depth)
{
    if (shape->deep || (is_too_deep(writer, depth) && shape->field_count != 0)) {
        put_mark(writer, "...");
        return;
    }
    if (shape->display && !writer->json) { /* with an attribute, there are more fields than the
                                              shown ones */
        put_display(writer, shape->display, base, depth);
        return;
    }
    bool text = !writer->json && shape->field_count != 0;
    if (!text) {
        object_begin(writer);
    }
    for (uint32_t i = 0; i < shape->field_count && !writer->line->full; i++) {
        (text ? put_text_field : put_field)(writer, &shape->fields[i], base, i == 0, depth);
    }
    object_end(writer, shape->more);
}

/* ---- F# unions ---- */

/* Fields of a tagged union are those of all cases, after one another: the ones of a case begin
 * after the fields of the cases before it. A tag outside of the cases, in a value that was not
 * written completely, is a mark. */
void write_union(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                 unsigned depth)
{
    struct line *line = writer->line;
    const struct union_cases *cases = shape->cases;
    uint32_t number = 0, first = 0;
    if (shape->tagged) {
        number = (uint32_t)read_length(base + shape->fields[0].offset);
        first = 1;
    }
    for (uint32_t i = 0; i < number && i < cases->count; i++) {
        first += cases->items[i].field_count;
    }
    uint32_t count = number < cases->count ? cases->items[number].field_count : 0;
    if (number >= cases->count || (count != 0 && is_too_deep(writer, depth))) {
        put_mark(writer, "...");
        return;
    }
    const char *name = cases->items[number].name;
    if (count == 0) {
        size_t begin = scalar_begin(writer);
        line_put_name(line, name);
        scalar_end(writer, begin, SCALAR_WORD);
        return;
    }
    enum secrecy secrecy = cases->items[number].secrecy;
    list_begin(writer, name);
    for (uint32_t i = 0; i < count && !line->full; i++) {
        const struct shape_field *field = &shape->fields[first + i];
        enum secrecy own = field->secrecy;
        list_next(writer, i == 0);
        write_named(writer, own > secrecy ? own : secrecy, field->shape, base + field->offset,
                    depth + 1);
    }
    list_end(writer, name);
}

/* ---- arrays ---- */

/* The elements of all dimensions follow one another in memory, the last index fastest, and are
 * shown in one list. */
static void put_elements(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *object, unsigned depth)
{
    enum { MOST_LENGTHS = 32 };
    struct elements elements = {.writer = writer, .depth = depth};
    int32_t lengths[MOST_LENGTHS];
    unsigned rank = shape->rank < MOST_LENGTHS ? shape->rank : MOST_LENGTHS;
    for (unsigned i = 0; i < rank; i++) {
        lengths[i] = read_length(object + BOUNDS_OFFSET + 4 * (size_t)i);
    }
    int32_t count = read_length(object + LENGTH_OFFSET);
    if (!elements_begin(&elements, count, false, lengths, rank)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        write_value(writer, shape->inner, object + shape->data + (size_t)i * shape->inner->size,
                    depth + 1);
    }
    elements_end(&elements);
}

/* ---- exceptions ---- */

/* Fields of an exception by index, as object.c lists them; its own are after these two. */
enum { MESSAGE, INNER, OWN_FIELDS };

/* "{Message="bad", InnerException=IOException {...}, Code=5}", without the first two if they are
 * null. */
static void put_exception(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *object, unsigned depth)
{
    bool first = true;
    if (is_too_deep(writer, depth)) {
        put_mark(writer, "...");
        return;
    }
    object_begin(writer);
    for (uint32_t i = 0; i < shape->field_count && !writer->line->full; i++) {
        const struct shape_field *field = &shape->fields[i];
        if (i >= OWN_FIELDS || read_pointer(object + field->offset)) {
            put_field(writer, field, object, first, depth);
            first = false;
        }
    }
    object_end(writer, shape->more);
}

/* ---- everything ---- */

/* A list on the C stack: its length is the depth, at most VALUE_MOST_DEPTH. An object that is
 * inside two others, but not inside itself, is written twice. */
static bool is_cycle(const struct value_writer *writer, const uint8_t *object)
{
    const struct shown_object *within = writer->within;
    while (within && within->object != object) {
        within = within->outer;
    }
    return within != NULL;
}

static void put_short_name(struct value_writer *writer, const struct shape *shape, unsigned depth)
{
    if (depth > 1 && shape->short_name && shape->short_name[0] != '\0') {
        put_type_name(writer, shape->short_name, shape->short_plain_size);
    }
}

static bool has_form(const struct shape *shape, enum known_form form)
{
    return shape->kind == SHAPE_FRAMEWORK && known_form(shape->known) == form;
}

/* Values that hold others. */
static void put_holder(struct value_writer *writer, const struct shape *shape,
                       const uint8_t *object, unsigned depth)
{
    bool collection = shape->kind == SHAPE_ELEMENTS || has_form(shape, FORM_ELEMENTS);
    if (!collection && shape->kind != SHAPE_UNION &&
        (shape->kind != SHAPE_FRAMEWORK || has_form(shape, FORM_NAMED))) {
        put_short_name(writer, shape, depth);
    }
    if (is_cycle(writer, object)) {
        (collection ? put_mark_of_elements : put_mark)(writer, "cycle");
        return;
    }
    /* On the C stack, as long as the object's contents are written. */
    const struct shown_object shown = {object, writer->within};
    writer->within = &shown;
    if (shape->kind == SHAPE_FRAMEWORK) {
        write_known(writer, shape, object, depth);
    } else if (collection) {
        put_elements(writer, shape, object, depth);
    } else if (shape->kind == SHAPE_UNION) {
        write_union(writer, shape, object, depth);
    } else if (shape->kind == SHAPE_EXCEPTION) {
        put_exception(writer, shape, object, depth);
    } else {
        write_fields(writer, shape, object, depth);
    }
    writer->within = shown.outer;
}

/* A plain System.Object has nothing to show. */
static void put_root(struct value_writer *writer)
{
    if (writer->json) {
        put_type_name(writer, "object", 0);
        object_begin(writer);
        object_end(writer, false);
    } else {
        line_put(writer->line, "object");
    }
}

/* The order of the checks is that of their cost: null, a string by its type pointer, then the
 * shape, which is a look-up. */
void write_reference(struct value_writer *writer, const struct shape *declared,
                     const uint8_t *object, unsigned depth)
{
    writer->type_name = NULL;
    if (!object) {
        put_null(writer);
        return;
    }
    if (!writer->shaped->types) {
        put_declared(writer, declared, object, depth);
        return;
    }
    if (object_is_text(writer->shaped->types, object)) {
        put_string(writer, object);
        return;
    }
    const struct shape *shape = own_shape(writer, object);
    if (!shape) {
        put_mark(writer, "...");
        return;
    }
    if (shape->secret) {
        put_mark(writer, REDACTED);
        return;
    }
    if (shape_is_boxed(shape)) {
        write_value(writer, shape, object + BOXED_OFFSET, depth);
        return;
    }
    switch (shape->kind) {
    case SHAPE_STRING: put_string(writer, object); break;
    case SHAPE_ROOT: put_root(writer); break;
    case SHAPE_HIDDEN:
        put_short_name(writer, shape, depth);
        put_mark(writer, "...");
        break;
    default: put_holder(writer, shape, object, depth);
    }
}
