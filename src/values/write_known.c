/* Collections, pairs, tuples and tasks as text. What another thread changes meanwhile is read as it
 * is found: nothing outside of an array, however many elements a collection says it has. */
#include "values/write_known.h"

enum { TABLE_ENTRIES = 256, WRAPPERS = 4, FIRST_FREE = -2 };

const struct shape *known_own_shape(const struct value_writer *writer, const uint8_t *object)
{
    return object && writer->types ? writer->types->of(writer->types->user, object) : NULL;
}

/* The same if it is of this kind. */
static const struct shape *own_known(const struct value_writer *writer, const uint8_t *object,
                                     enum known_kind kind)
{
    const struct shape *shape = known_own_shape(writer, object);
    return shape && shape->kind == SHAPE_FRAMEWORK && shape->known == kind && shape->is_class
               ? shape
               : NULL;
}

int32_t known_clamp(int32_t number, int32_t most)
{
    return number < 0 ? 0 : number > most ? most : number;
}

bool known_open_range(const struct value_writer *writer, const uint8_t *array,
                      struct known_range *range)
{
    *range = (struct known_range){.array = array};
    if (!array) {
        return true;
    }
    const struct shape *shape = known_own_shape(writer, array);
    if (!shape || shape->kind != SHAPE_ELEMENTS || shape->rank != 0) {
        return false;
    }
    range->shape = shape;
    range->length = read_length(array + LENGTH_OFFSET);
    return true;
}

void known_put_count(struct line *line, int32_t count)
{
    line_put(line, "[");
    line_put_signed(line, count);
}

static void put_range(struct value_writer *writer, const struct known_range *range, unsigned depth)
{
    struct line *line = writer->line;
    int32_t shown = shown_elements(writer, range->count);
    known_put_count(line, range->count);
    if (!range->shape) { /* there is no array, and nothing in it */
        line_put(line, "]");
        return;
    }
    if (range->count > 0 && is_too_deep(writer, depth)) {
        line_put(line, ": ...]");
        return;
    }
    for (int32_t i = 0; i < shown && !line->full; i++) {
        size_t at = ((size_t)range->first + (size_t)i) % (size_t)range->length;
        line_put(line, i == 0 ? ": " : ", ");
        write_value(writer, range->shape->inner,
                    range->array + range->shape->data + at * range->shape->inner->size, depth + 1);
    }
    line_put(line, range->count > shown ? ", ...]" : "]");
}

static void put_part(struct value_writer *writer, const uint8_t *array, int32_t first,
                     int32_t count, bool ring, unsigned depth)
{
    struct known_range range;
    if (!known_open_range(writer, array, &range)) {
        line_put(writer->line, "{...}");
        return;
    }
    range.first = known_clamp(first, range.length);
    range.count = known_clamp(count, ring ? range.length : range.length - range.first);
    put_range(writer, &range, depth);
}

void known_put_list(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    put_part(writer, known_reference(shape, 0, base), 0, known_number(shape, 1, base), false,
             depth);
}

void known_put_queue(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    put_part(writer, known_reference(shape, 0, base), known_number(shape, 2, base),
             known_number(shape, 1, base), true, depth);
}

void known_put_segment(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    put_part(writer, known_reference(shape, 0, base), known_number(shape, 2, base),
             known_number(shape, 1, base), false, depth);
}

void known_put_whole(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    const uint8_t *array = known_reference(shape, 0, base);
    if (array) {
        put_part(writer, array, 0, INT32_MAX, false, depth);
    } else {
        line_put(writer->line, "null");
    }
}

/* ---- memory and spans ---- */

static bool is_of_chars(const struct shape *shape)
{
    return shape->inner && shape->inner->kind == SHAPE_CHAR;
}

void known_put_memory(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    const uint8_t *object = known_reference(shape, 0, base);
    const struct shape *own = known_own_shape(writer, object);
    /* the highest bits say that it is pinned, or read-only */
    int32_t first = known_number(shape, 2, base) & INT32_MAX;
    int32_t count = known_number(shape, 1, base) & INT32_MAX;
    bool chars = is_of_chars(shape);
    bool text = own && own->kind == SHAPE_STRING;
    bool array = own && own->kind == SHAPE_ELEMENTS && own->rank == 0;
    bool fits = chars ? text || (array && own->inner->kind == SHAPE_CHAR) : array;
    if (!object) {
        line_put(writer->line, chars ? "\"\"" : "[0]");
    } else if (!fits) {
        line_put(writer->line, "{...}");
    } else if (chars) {
        int32_t length = read_length(object + LENGTH_OFFSET);
        first = known_clamp(first, length);
        line_put_string(writer->line,
                        object + (text ? CHARS_OFFSET : own->data) + 2 * (size_t)first,
                        known_clamp(count, length - first));
    } else {
        put_part(writer, object, first, count, false, depth);
    }
}

/* What it leads to is where it says, as long as it is there. */
void known_put_span(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    struct line *line = writer->line;
    const uint8_t *first = known_reference(shape, 0, base);
    int32_t count = known_number(shape, 1, base);
    if (!shape->inner || shape->inner->size == 0 || count < 0 ||
        (count > 0 && (uintptr_t)first < FIRST_PAGES)) {
        line_put(line, "{...}");
    } else if (is_of_chars(shape)) {
        line_put_string(line, first, count);
    } else {
        const struct shape elements = {.kind = SHAPE_ELEMENTS, .inner = shape->inner};
        const struct known_range range = {&elements, first, 0, count, count};
        put_range(writer, &range, depth);
    }
}

/* ---- tables ---- */

/* What entries of dictionaries and sets have. */
struct entry_fields {
    const struct shape_field *next, *key, *value;
};

static bool find_entry_fields(const struct shape *entry, struct entry_fields *fields)
{
    *fields = (struct entry_fields){NULL, NULL, NULL};
    for (uint32_t i = 0; entry->kind == SHAPE_STRUCT && i < entry->field_count; i++) {
        const struct shape_field *field = &entry->fields[i];
        if (strcmp(field->name, "next") == 0 || strcmp(field->name, "Next") == 0) {
            fields->next = field;
        } else if (strcmp(field->name, "key") == 0) {
            fields->key = field;
        } else if (strcmp(field->name, "value") == 0 || strcmp(field->name, "Value") == 0) {
            fields->value = field;
        }
    }
    return fields->next && fields->value && known_is_right(fields->next->shape, 'i');
}

static void put_entry(struct value_writer *writer, const struct entry_fields *fields,
                      const uint8_t *entry, unsigned depth)
{
    if (fields->key) {
        write_pair(writer, fields->key, fields->value, entry, depth);
    } else {
        write_value(writer, fields->value->shape, entry + fields->value->offset, depth + 1);
    }
}

/* Free entries are among the others, and say so by what comes next. */
static void put_entries(struct value_writer *writer, const struct known_range *range,
                        const struct entry_fields *fields, int32_t left, unsigned depth)
{
    struct line *line = writer->line;
    const uint8_t *entry = range->array + range->shape->data;
    int32_t shown = 0;
    for (int32_t i = 0; i < range->count && left > 0 && !line->full; i++) {
        if (shown == (int32_t)writer->limits->elements || i == TABLE_ENTRIES) {
            line_put(line, shown == 0 ? ": ..." : ", ...");
            return;
        }
        if (read_length(entry + fields->next->offset) > FIRST_FREE) {
            line_put(line, shown++ == 0 ? ": " : ", ");
            put_entry(writer, fields, entry, depth);
            left--;
        }
        entry += range->shape->inner->size;
    }
}

void known_put_table(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    struct line *line = writer->line;
    struct known_range range;
    struct entry_fields fields = {NULL, NULL, NULL};
    if (!known_open_range(writer, known_reference(shape, 0, base), &range)) {
        line_put(line, "{...}");
        return;
    }
    if (!range.shape || !find_entry_fields(range.shape->inner, &fields)) {
        line_put(line, range.shape ? "{...}" : "[0]");
        return;
    }
    range.count = known_clamp(known_number(shape, 1, base), range.length);
    int32_t count = range.count - known_clamp(known_number(shape, 2, base), range.count);
    known_put_count(line, count);
    if (count > 0 && is_too_deep(writer, depth)) {
        line_put(line, ": ...");
    } else if (count > 0) {
        put_entries(writer, &range, &fields, count, depth);
    }
    line_put(line, "]");
}

/* ---- what wraps another ---- */

void known_put_wrapper(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    for (unsigned i = 0; i < WRAPPERS; i++) {
        const uint8_t *inner = known_reference(shape, 0, base);
        const struct shape *own = own_known(writer, inner, KNOWN_WRAPPER);
        if (!own) {
            write_reference(writer, shape->fields[0].shape, inner, depth);
            return;
        }
        shape = own;
        base = inner;
    }
    line_put(writer->line, "{...}");
}

/* ---- pairs and tuples ---- */

void known_put_pair(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    if (is_too_deep(writer, depth)) {
        line_put(writer->line, "{...}");
        return;
    }
    write_pair(writer, &shape->fields[0], &shape->fields[1], base, depth);
}

/* The tuple that has the items after the seventh; NULL: it has no more, or what is there is an item
 * itself. */
static const struct shape *rest_of(const struct value_writer *writer, const struct shape *shape,
                                   const uint8_t **base)
{
    const struct shape_field *last = &shape->fields[7];
    const uint8_t *at = *base + last->offset;
    const struct shape *rest = last->shape;
    if (shape_is_reference(rest)) {
        at = read_pointer(at);
        rest = own_known(writer, at, KNOWN_TUPLE);
    }
    if (!rest || rest->kind != SHAPE_FRAMEWORK || rest->known != KNOWN_TUPLE) {
        return NULL;
    }
    *base = at;
    return rest;
}

void known_put_tuple(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    struct line *line = writer->line;
    if (is_too_deep(writer, depth) && shape->field_count != 0) {
        line_put(line, "{...}");
        return;
    }
    line_put(line, "(");
    unsigned shown = 0;
    for (uint32_t i = 0; i < shape->field_count && !line->full; i++) {
        const struct shape *rest = i == 7 ? rest_of(writer, shape, &base) : NULL;
        if (rest) {
            shape = rest;
            i = UINT32_MAX; /* on to its first */
            continue;
        }
        line_put(line, shown != 0 ? ", " : "");
        if (shown++ == SHAPE_MAX_FIELDS) {
            line_put(line, "...");
            break;
        }
        write_value(writer, shape->fields[i].shape, known_field(shape, i, base), depth + 1);
    }
    line_put(line, ")");
}

/* ---- tasks ---- */

/* Task.m_stateFlags and Task.Status, from what counts most on. */
static const struct {
    uint32_t flag;
    const char *status;
} statuses[] = {
    {0x200000, "Faulted"},
    {0x400000, "Canceled"},
    {0x1000000, "RanToCompletion"},
    {0x800000, "WaitingForChildrenToComplete"},
    {0x20000, "Running"},
    {0x10000, "WaitingToRun"},
    {0x2000000, "WaitingForActivation"},
    {0, "Created"},
};
enum { FAULTED, RAN_TO_COMPLETION = 2 };

/* From the task to the first of its exceptions; NULL: there is none. */
static const uint8_t *first_exception(const struct value_writer *writer, const uint8_t *object)
{
    const struct shape *link;
    struct known_range range;
    for (unsigned i = 0; i < 2; i++) { /* its properties, their holder */
        link = own_known(writer, object, KNOWN_LINK);
        if (!link) {
            return NULL;
        }
        object = known_reference(link, 0, object);
    }
    link = own_known(writer, object, KNOWN_LIST);
    if (!link || !known_open_range(writer, known_reference(link, 0, object), &range) ||
        range.length == 0 || !shape_is_reference(range.shape->inner)) {
        return NULL;
    }
    object = read_pointer(range.array + range.shape->data);
    link = own_known(writer, object, KNOWN_LINK);
    return link ? known_reference(link, 0, object) : NULL;
}

static void put_result(struct value_writer *writer, const struct shape *shape, unsigned field,
                       const uint8_t *base, unsigned depth)
{
    if (field < shape->field_count && shape->fields[field].shape->size != 0 &&
        strcmp(shape->fields[field].shape->name, "System.Threading.Tasks.VoidTaskResult") != 0) {
        line_put(writer->line, ", Result=");
        write_value(writer, shape->fields[field].shape, known_field(shape, field, base), depth + 1);
    }
}

void known_put_task(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    struct line *line = writer->line;
    uint32_t flags = (uint32_t)known_number(shape, 0, base);
    unsigned status = 0;
    if (is_too_deep(writer, depth)) {
        line_put(line, "{...}");
        return;
    }
    while (statuses[status].flag != 0 && (flags & statuses[status].flag) == 0) {
        status++;
    }
    line_put(line, "{Status=");
    line_put(line, statuses[status].status);
    if (status == RAN_TO_COMPLETION) {
        put_result(writer, shape, 2, base, depth);
    }
    const uint8_t *exception = status == FAULTED
                                   ? first_exception(writer, known_reference(shape, 1, base))
                                   : NULL;
    if (exception) {
        line_put(line, ", Exception=");
        write_reference(writer, shape->fields[1].shape, exception, depth + 1);
    }
    line_put(line, "}");
}

void known_put_value_task(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, unsigned depth)
{
    const uint8_t *object = known_reference(shape, 0, base);
    const struct shape *task = own_known(writer, object, KNOWN_TASK);
    if (is_too_deep(writer, depth) || (object && !task)) {
        line_put(writer->line, "{...}");
    } else if (task) {
        known_put_task(writer, task, object, depth);
    } else {
        line_put(writer->line, "{Status=RanToCompletion");
        put_result(writer, shape, 1, base, depth);
        line_put(writer->line, "}");
    }
}

/* Only followed: it says nothing to a reader. */
void known_put_link(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    (void)shape;
    (void)base;
    (void)depth;
    line_put(writer->line, "{...}");
}
