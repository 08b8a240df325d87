/* See activity.h. The map is an instance of one of these classes, nested in AsyncLocalValueMap, of
 * which known.def has the fields:
 *
 *   Empty                   none
 *   One, Two, Three, Four   pairs, or keys and values
 *   Multi                   an array of pairs
 *   Many                    those of a Dictionary
 *
 * These maps are immutable: another thread that changes a value replaces the map. */
#include "values/activity.h"

#include "values/kinds.h"
#include "values/read.h"

/* A program with more is not searched, so that writing a line is bounded. */
enum { MOST_LOCALS = 1024 };

struct activity_search {
    const struct activity_source *source;
    const uint8_t *found; /* the activity; NULL: none so far */
    const char *unknown;  /* the first reason why it cannot be known: it ends the search */
};

/* Keeps the first reason: later ones may only follow from it. */
static void give_up(struct activity_search *search, const char *why)
{
    search->unknown = search->unknown ? search->unknown : why;
}

static const struct shape *own_shape(const struct activity_search *search, const uint8_t *object)
{
    return search->source->types->of(search->source->types->user, object);
}

/* The reference in a field of an object, by the object's shape. False: there is no such field. */
static bool read_field(const struct shape *shape, const uint8_t *object, const char *name,
                       const uint8_t **out)
{
    const struct shape_field *field = shape ? shape_find_field(shape, name) : NULL;
    if (!field || !shape_is_reference(field->shape) || shape_is_boxed(shape)) {
        return false;
    }
    *out = read_pointer(object + field->offset);
    return true;
}

static bool read_string(const struct shape *shape, const uint8_t *object, const char *name,
                        const uint8_t **out)
{
    const struct shape_field *field = shape ? shape_find_field(shape, name) : NULL;
    return field && field->shape->kind == SHAPE_STRING && read_field(shape, object, name, out);
}

/* ---- the map ---- */

/* Of the map's entries only those whose key is an AsyncLocal<Activity> count, and of these only the
 * one in Activity.Current's static field: is_current() decides. Two copies of DiagnosticSource in a
 * process (load contexts) each have such a field, so two activities may be found; then neither is
 * taken. */
static void look_at(struct activity_search *search, const uint8_t *key, const uint8_t *value)
{
    const struct shape *shape = key && value ? own_shape(search, key) : NULL;
    if (!key || !value || search->unknown) {
        return;
    }
    if (!shape || !shape->name) {
        give_up(search, "a type of an async local is not known");
        return;
    }
    if (!shape->activity_local) {
        return;
    }
    switch (search->source->is_current(search->source->user, key)) {
    case ILP_NO: return;
    case ILP_UNKNOWN:
        give_up(search, "it is not known which async local Activity.Current is");
        return;
    case ILP_YES: break;
    }
    if (search->found && search->found != value) {
        give_up(search, "two assemblies have an Activity that is current");
    }
    search->found = value;
}

/* Both fields must be references, as those of KeyValuePair<IAsyncLocal, object?> are:
 * look_at_pair() reads two pointers. */
static bool is_pair(const struct shape *shape)
{
    return shape->kind == SHAPE_FRAMEWORK && shape->known == KNOWN_PAIR &&
           shape_is_reference(shape->fields[0].shape) && shape_is_reference(shape->fields[1].shape);
}

static void look_at_pair(struct activity_search *search, const struct shape *pair,
                         const uint8_t *base)
{
    look_at(search, read_pointer(base + pair->fields[0].offset),
            read_pointer(base + pair->fields[1].offset));
}

/* The elements of a vector, and their maximum number; NULL: it is not a vector. *count is lowered
 * to the array's own length, so what a collection claims is never trusted. */
static const uint8_t *open_vector(struct activity_search *search, const uint8_t *array,
                                  const struct shape **element, int32_t *count)
{
    const struct shape *shape = array ? own_shape(search, array) : NULL;
    if (!shape || shape->kind != SHAPE_ELEMENTS || shape->rank != 0) {
        return NULL;
    }
    int32_t length = read_length(array + LENGTH_OFFSET);
    *element = shape->inner;
    *count = *count < length ? *count : length;
    if (*count > MOST_LOCALS) {
        give_up(search, "there are more than 1,024 async locals");
        *count = 0;
    }
    return array + shape->data;
}

static bool look_at_pairs(struct activity_search *search, const uint8_t *array)
{
    const struct shape *pair;
    int32_t count = INT32_MAX;
    const uint8_t *at = open_vector(search, array, &pair, &count);
    if (!at || !is_pair(pair)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++, at += pair->size) {
        look_at_pair(search, pair, at);
    }
    return true;
}

/* A Dictionary: its first fields are the entries and their number (known.def). */
static bool look_at_table(struct activity_search *search, const struct shape *shape,
                          const uint8_t *table)
{
    enum { TABLE_ARRAY, TABLE_COUNT };
    const struct shape *entry;
    int32_t count = read_length(table + shape->fields[TABLE_COUNT].offset);
    const uint8_t *at = open_vector(search, read_pointer(table + shape->fields[TABLE_ARRAY].offset),
                                    &entry, &count);
    if (!at || entry->kind != SHAPE_STRUCT) {
        return false;
    }
    const struct shape_field *next = shape_find_field(entry, "next");
    const struct shape_field *key = shape_find_field(entry, "key");
    const struct shape_field *value = shape_find_field(entry, "value");
    if (!next || next->shape->kind != SHAPE_SIGNED || next->shape->size != sizeof(int32_t) ||
        !key || !shape_is_reference(key->shape) || !value || !shape_is_reference(value->shape)) {
        return false;
    }
    for (int32_t i = 0; i < count; i++, at += entry->size) {
        if (read_length(at + next->offset) > FIRST_FREE) {
            look_at(search, read_pointer(at + key->offset), read_pointer(at + value->offset));
        }
    }
    return true;
}

/* Fields are pairs, or alternating keys and values, or one array. */
static bool look_at_fields(struct activity_search *search, const struct shape *shape,
                           const uint8_t *map)
{
    const struct shape_field *fields = shape->fields;
    uint32_t i = 0;
    while (i < shape->field_count && is_pair(fields[i].shape)) {
        look_at_pair(search, fields[i].shape, map + fields[i].offset);
        i++;
    }
    for (; i + 1 < shape->field_count && shape_is_reference(fields[i].shape) &&
           shape_is_reference(fields[i + 1].shape);
         i += 2) {
        look_at(search, read_pointer(map + fields[i].offset),
                read_pointer(map + fields[i + 1].offset));
    }
    if (shape->field_count == 1 && shape_is_reference(fields[0].shape)) {
        return look_at_pairs(search, read_pointer(map + fields[0].offset));
    }
    return i == shape->field_count;
}

/* The runtime has one class for each small number of locals, one with an array, and one that is a
 * Dictionary, all nested in AsyncLocalValueMap. They are recognised by their fields, not by their
 * own names. */
static bool look_at_map(struct activity_search *search, const uint8_t *map)
{
    static const char maps[] = "System.Threading.AsyncLocalValueMap+";
    const struct shape *shape = own_shape(search, map);
    if (!shape || !shape->name || strncmp(shape->name, maps, sizeof maps - 1) != 0 ||
        shape->kind != SHAPE_FRAMEWORK || !shape->is_class) {
        return false;
    }
    return shape->known == KNOWN_OPAQUE
               ? look_at_fields(search, shape, map)
               : shape->known == KNOWN_TABLE && look_at_table(search, shape, map);
}

/* ---- the activity ---- */

/* Null references on the way mean that there is no activity, and are no errors: a thread without an
 * execution context has the default one, and a context without a map has no async locals. */
static const uint8_t *find_current(struct activity_search *search, const uint8_t *thread)
{
    const uint8_t *context = NULL, *map = NULL;
    if (!thread) {
        return NULL;
    }
    if (!read_field(own_shape(search, thread), thread, "_executionContext", &context)) {
        give_up(search, "System.Threading.Thread has no such field as _executionContext");
    } else if (context && !read_field(own_shape(search, context), context, "m_localValues", &map)) {
        give_up(search, "System.Threading.ExecutionContext has no such field as m_localValues");
    } else if (map && !look_at_map(search, map)) {
        give_up(search,
                "System.Threading.AsyncLocalValueMap has another form than in .NET 7 to 10");
    }
    return search->unknown ? NULL : search->found;
}

static int32_t length_of(const uint8_t *string)
{
    return string ? read_length(string + LENGTH_OFFSET) : 0;
}

/* The digits of a string of lowercase hex with this length; NULL: it is another string. */
static const uint8_t *read_digits(const uint8_t *string, int32_t length)
{
    if (length_of(string) != length) {
        return NULL;
    }
    const uint8_t *chars = string + CHARS_OFFSET;
    for (int32_t i = 0; i < length; i++) {
        uint64_t c = read_unsigned(chars + 2 * i, sizeof(uint16_t));
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
            return NULL;
        }
    }
    return chars;
}

/* A W3C id is composed of trace and span when Activity.Id is read first, so both are taken from
 * where they are; only an activity of the other format (hierarchical, "|a.b.") has _id itself. */
struct activity activity_of(const struct activity_source *source, const void *thread)
{
    struct activity_search search = {.source = source};
    struct activity activity = {.unknown = NULL};
    const uint8_t *trace = NULL, *span = NULL, *id = NULL;
    const uint8_t *current = find_current(&search, thread);
    const struct shape *shape = current ? own_shape(&search, current) : NULL;
    if (current && (!read_string(shape, current, "_traceId", &trace) ||
                    !read_string(shape, current, "_spanId", &span) ||
                    !read_string(shape, current, "_id", &id))) {
        give_up(&search,
                "System.Diagnostics.Activity has no such fields as _traceId, _spanId, _id");
    }
    activity.unknown = search.unknown;
    if (search.unknown) {
        return activity;
    }
    if (span) { /* W3C: _id is composed of both when it is read */
        activity.trace = read_digits(trace, ACTIVITY_TRACE_DIGITS);
        activity.span = read_digits(span, ACTIVITY_SPAN_DIGITS);
        if (!activity.trace || !activity.span) {
            activity.trace = activity.span = NULL;
        }
    } else if (length_of(id) > 0) {
        activity.id = id + CHARS_OFFSET;
        activity.id_length = length_of(id);
    }
    return activity;
}
