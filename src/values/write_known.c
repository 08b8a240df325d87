/* Collections, pairs, tuples and tasks as text. Other threads may change them at the same time:
 * everything is read as it is found, and never outside of an array, whatever count a collection
 * claims.
 *
 * That is safe without locks because no object moves or is freed meanwhile (shape.h), and an
 * array's length never changes: a count, an index or a new array that is read too early or too late
 * gives elements that are out of date, not memory of something else. So each array is opened once
 * (struct known_range), and numbers are clamped to its length.
 *
 *   The elements of an array that collections show (x), by their fields:
 *   List: array, count                   [x x x x . . . .]   from 0
 *   Queue: array, count, first           [x . . . . x x x]   from `first`, in a ring
 *   ArraySegment, Memory: count, first   [. . x x x . . .]   a part */
#include "values/notation.h"
#include "values/write_known.h"

/* A wrapper may wrap itself, which is_cycle() cannot see: levels are followed here, in a loop. */
enum { WRAPPERS = 4 };

const struct shape *own_known(const struct value_writer *writer, const uint8_t *object,
                              enum known_kind kind)
{
    const struct shape *shape = own_shape(writer, object);
    return shape && shape->kind == SHAPE_FRAMEWORK && shape->known == kind && shape->is_class
               ? shape
               : NULL;
}

int32_t known_clamp(int32_t number, int32_t most)
{
    return number < 0 ? 0 : number > most ? most : number;
}

/* NULL is a range without an array, which is empty; a multidimensional array is none, because
 * elements are counted from one start. */
bool known_open_range(const struct value_writer *writer, const uint8_t *array,
                      struct known_range *range)
{
    *range = (struct known_range){.array = array};
    if (!array) {
        return true;
    }
    const struct shape *shape = own_shape(writer, array);
    if (!shape || shape->kind != SHAPE_ELEMENTS || shape->rank != 0) {
        return false;
    }
    range->shape = shape;
    range->length = read_length(array + LENGTH_OFFSET);
    return true;
}

/* `% length` is for rings; elsewhere first + count <= length, and it changes nothing. A count above
 * 0 implies a length above 0. */
static void put_range(struct value_writer *writer, const struct known_range *range, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    int32_t count = range->shape ? range->count : 0; /* else there is no array, and no elements */
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        size_t at = ((size_t)range->first + (size_t)i) % (size_t)range->length;
        write_value(writer, range->shape->inner,
                    range->array + range->shape->data + at * range->shape->inner->size, depth + 1);
    }
    elements_end(&elements);
}

void known_put_no_elements(struct value_writer *writer, const struct shape *shape,
                           const uint8_t *base, unsigned depth)
{
    struct elements elements = {.writer = writer};
    (void)shape;
    (void)base;
    (void)depth;
    elements_begin(&elements, 0, false, NULL, 0);
}

/* Numbers come from memory that may change meanwhile, so they are clamped to the array before they
 * are used. In a ring the part may wrap. */
void known_put_part(struct value_writer *writer, const uint8_t *array, int32_t first, int32_t count,
                    bool ring, unsigned depth)
{
    struct known_range range;
    if (!known_open_range(writer, array, &range)) {
        put_mark(writer, "...");
        return;
    }
    range.first = known_clamp(first, range.length);
    range.count = known_clamp(count, ring ? range.length : range.length - range.first);
    put_range(writer, &range, depth);
}

void known_put_list(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    known_put_part(writer, known_reference(shape, 0, base), 0, known_number(shape, 1, base), false,
                   depth);
}

void known_put_queue(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    known_put_part(writer, known_reference(shape, 0, base), known_number(shape, 2, base),
                   known_number(shape, 1, base), true, depth);
}

void known_put_segment(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    known_put_part(writer, known_reference(shape, 0, base), known_number(shape, 2, base),
                   known_number(shape, 1, base), false, depth);
}

void known_put_whole(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    const uint8_t *array = known_reference(shape, 0, base);
    if (array) {
        known_put_part(writer, array, 0, INT32_MAX, false, depth);
    } else {
        put_null(writer);
    }
}

/* ---- memory and spans ---- */

static const struct shape character = {.kind = SHAPE_CHAR, .size = 2, .name = "System.Char"};

bool known_is_of_chars(const struct shape *shape)
{
    return shape->inner && shape->inner->kind == SHAPE_CHAR;
}

/* The object that a Memory<T> refers to: an array, or for chars a string. MemoryManager<T>, the
 * third kind, has no memory that could be read without a call. */
bool known_open_owner(const struct value_writer *writer, const uint8_t *object, bool of_chars,
                      struct known_range *range)
{
    static const struct shape text = {
        .kind = SHAPE_ELEMENTS, .inner = &character, .data = CHARS_OFFSET};
    const struct shape *own = own_shape(writer, object);
    if (of_chars && own && own->kind == SHAPE_STRING) {
        *range = (struct known_range){
            .shape = &text, .array = object, .length = read_length(object + LENGTH_OFFSET)};
        return true;
    }
    return known_open_range(writer, object, range) &&
           (!of_chars || !range->shape || range->shape->inner->kind == SHAPE_CHAR);
}

bool known_open_memory(const struct value_writer *writer, const struct shape *shape,
                       const uint8_t *base, struct known_range *range)
{
    if (!known_open_owner(writer, known_reference(shape, 0, base), known_is_of_chars(shape),
                          range)) {
        return false;
    }
    /* the highest bits are flags: pinned, or read-only */
    range->first = known_clamp(known_number(shape, 2, base) & INT32_MAX, range->length);
    range->count = known_clamp(known_number(shape, 1, base) & INT32_MAX,
                               range->length - range->first);
    return true;
}

void known_put_memory(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    struct known_range range;
    if (!known_open_memory(writer, shape, base, &range)) {
        put_mark(writer, "...");
    } else if (!known_is_of_chars(shape)) {
        put_range(writer, &range, depth);
    } else if (!range.shape) {
        put_text(writer, (const uint8_t *)"", 0);
    } else {
        put_text(writer, known_element(&range, range.first), range.count);
    }
}

/* A span's reference stays valid as long as the span. Its length cannot be compared with anything;
 * it is a ref struct, so other threads cannot change it. */
void known_put_span(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    const uint8_t *first = known_reference(shape, 0, base);
    int32_t count = known_number(shape, 1, base);
    if (!shape->inner || shape->inner->size == 0 || count < 0 ||
        (count > 0 && (uintptr_t)first < FIRST_PAGES)) {
        put_mark(writer, "...");
    } else if (known_is_of_chars(shape)) {
        put_text(writer, first, count);
    } else {
        const struct shape elements = {.kind = SHAPE_ELEMENTS, .inner = shape->inner};
        const struct known_range range = {&elements, first, 0, count, count};
        put_range(writer, &range, depth);
    }
}

/* ---- wrappers ---- */

/* Up to WRAPPERS levels, such as a ReadOnlyCollection of a Collection of a List; a wrapper of
 * itself is a mark. */
void known_put_wrapper(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    for (unsigned i = 0; i < WRAPPERS; i++) {
        if (!shape_is_reference(shape->fields[0].shape)) {
            write_value(writer, shape->fields[0].shape, known_field(shape, 0, base), depth);
            return;
        }
        const uint8_t *inner = known_reference(shape, 0, base);
        const struct shape *own = own_known(writer, inner, KNOWN_WRAPPER);
        if (!own) {
            write_reference(writer, shape->fields[0].shape, inner, depth);
            return;
        }
        shape = own;
        base = inner;
    }
    put_mark(writer, "...");
}

/* Writes the first of two fields that is not empty; else an empty value. */
void known_put_either(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        if (!shape_is_null(shape->fields[i].shape, known_field(shape, i, base))) {
            write_value(writer, shape->fields[i].shape, known_field(shape, i, base), depth);
            return;
        }
    }
    known_put_no_elements(writer, shape, base, depth);
}

/* ---- pairs and tuples ---- */

void known_put_pair(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    if (is_too_deep(writer, depth)) {
        put_mark(writer, "...");
        return;
    }
    write_pair(writer, &shape->fields[0], &shape->fields[1], base, depth);
}

/* The tuple with the items after the seventh; NULL: there are no more, or the eighth is an item
 * itself. A ValueTuple has its rest inside itself, a Tuple refers to it. */
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

/* Tuples of more than seven items are nested in the eighth field; `i = UINT32_MAX` becomes 0 by the
 * loop's increment. */
void known_put_tuple(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    struct line *line = writer->line;
    if (is_too_deep(writer, depth) && shape->field_count != 0) {
        put_mark(writer, "...");
        return;
    }
    list_begin(writer, NULL);
    unsigned shown = 0;
    for (uint32_t i = 0; i < shape->field_count && !line->full; i++) {
        const struct shape *rest = i == 7 ? rest_of(writer, shape, &base) : NULL;
        if (rest) {
            shape = rest;
            i = UINT32_MAX; /* continue with its first */
            continue;
        }
        list_next(writer, shown == 0);
        if (shown++ == SHAPE_MAX_FIELDS) {
            list_more(writer);
            break;
        }
        write_value(writer, shape->fields[i].shape, known_field(shape, i, base), depth + 1);
    }
    list_end(writer, NULL);
}

/* ---- tasks ---- */

/* Task.m_stateFlags and Task.Status, the most significant first: the same order as the tests in
 * Task.Status, since several flags can be set. */
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
enum { FAULTED, RAN_TO_COMPLETION = 2 }; /* indexes of `statuses` */

/* From the task to the first of its exceptions; NULL: none. `object` follows these references, each
 * to an object whose kind is checked:
 *
 *   Task.m_contingentProperties -> .m_exceptionsHolder -> .m_faultExceptions, a List
 *     -> its array -> the first ExceptionDispatchInfo -> ._exception */
static const uint8_t *first_exception(const struct value_writer *writer, const uint8_t *object)
{
    const struct shape *link;
    struct known_range range;
    for (unsigned i = 0; i < 2; i++) { /* its contingent properties, then their exception holder */
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

/* The task of an async method without a result is a Task<VoidTaskResult>: that has nothing to
 * show. */
static void put_result(struct value_writer *writer, const struct shape *shape, unsigned field,
                       const uint8_t *base, unsigned depth)
{
    if (field < shape->field_count && shape->fields[field].shape->size != 0 &&
        strcmp(shape->fields[field].shape->name, "System.Threading.Tasks.VoidTaskResult") != 0 &&
        object_member(writer, "Result", false)) {
        write_value(writer, shape->fields[field].shape, known_field(shape, field, base), depth + 1);
    }
}

static void begin_task(struct value_writer *writer, const char *status)
{
    object_begin(writer);
    if (object_member(writer, "Status", true)) {
        size_t begin = scalar_begin(writer);
        line_put(writer->line, status);
        scalar_end(writer, begin, SCALAR_WORD);
    }
}

/* A task's result is only read when it has run to completion: the flag is set after the result is
 * stored. No property is called, so an unobserved exception stays unobserved. */
void known_put_task(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    uint32_t flags = (uint32_t)known_number(shape, 0, base);
    unsigned status = 0;
    if (is_too_deep(writer, depth)) {
        put_mark(writer, "...");
        return;
    }
    while (statuses[status].flag != 0 && (flags & statuses[status].flag) == 0) {
        status++;
    }
    begin_task(writer, statuses[status].status);
    if (status == RAN_TO_COMPLETION) {
        put_result(writer, shape, 2, base, depth);
    }
    const uint8_t *exception = status == FAULTED
                                   ? first_exception(writer, known_reference(shape, 1, base))
                                   : NULL;
    if (exception && object_member(writer, "Exception", false)) {
        write_reference(writer, shape->fields[1].shape, exception, depth + 1);
    }
    object_end(writer, false);
}

/* A ValueTask without an object has completed with its own result; with a Task the result is there.
 * An IValueTaskSource, the third kind, has no state that could be read. */
void known_put_value_task(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, unsigned depth)
{
    const uint8_t *object = known_reference(shape, 0, base);
    const struct shape *task = own_known(writer, object, KNOWN_TASK);
    if (is_too_deep(writer, depth) || (object && !task)) {
        put_mark(writer, "...");
    } else if (task) {
        known_put_task(writer, task, object, depth);
    } else {
        begin_task(writer, statuses[RAN_TO_COMPLETION].status);
        put_result(writer, shape, 1, base, depth);
        object_end(writer, false);
    }
}

/* Only followed: its own fields mean nothing to a reader. */
void known_put_link(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    (void)shape;
    (void)base;
    (void)depth;
    put_mark(writer, "...");
}

/* ---- some fields only ---- */

void known_put_fields(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    write_fields(writer, shape, base, depth);
}

/* None of its fields means anything to a reader. */
void known_put_opaque(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    (void)shape;
    (void)base;
    (void)depth;
    put_mark(writer, "...");
}

static void put_truth(struct value_writer *writer, const char *name, bool truth)
{
    if (object_member(writer, name, true)) {
        size_t begin = scalar_begin(writer);
        line_put(writer->line, truth ? "true" : "false");
        scalar_end(writer, begin, SCALAR_LITERAL);
    }
}

/* The value exists once its state is null. */
void known_put_lazy(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    const struct shape_field *value = &shape->fields[1];
    bool made = !known_reference(shape, 0, base);
    if (is_too_deep(writer, depth)) {
        put_mark(writer, "...");
        return;
    }
    object_begin(writer);
    put_truth(writer, "IsValueCreated", made);
    if (made && object_member(writer, "Value", false)) {
        write_value(writer, value->shape, base + value->offset, depth + 1);
    }
    object_end(writer, false);
}

/* Whether _state is a requested cancellation: older versions count from 1. */
static bool is_requested(const struct shape *source, const uint8_t *base)
{
    return known_number(source, 0, base) > (source->known == KNOWN_OLD_CANCELLATION);
}

/* A token, or its source. */
void known_put_cancellation(struct value_writer *writer, const struct shape *shape,
                            const uint8_t *base, unsigned depth)
{
    if (is_too_deep(writer, depth)) {
        put_mark(writer, "...");
        return;
    }
    if (!shape->is_class) {
        base = known_reference(shape, 0, base);
        shape = own_known(writer, base, KNOWN_CANCELLATION);
        shape = shape ? shape : own_known(writer, base, KNOWN_OLD_CANCELLATION);
    }
    if (base && !shape) {
        put_mark(writer, "...");
        return;
    }
    object_begin(writer);
    put_truth(writer, "IsCancellationRequested", base && is_requested(shape, base));
    object_end(writer, false);
}
