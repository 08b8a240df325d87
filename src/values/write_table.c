/* Hash tables, and other collections with keys in one array, as text: dictionaries and sets with
 * their keys and values only, Hashtable, collections by name. Other threads may change them at the
 * same time: everything is read as it is found.
 *
 *   Dictionary   _entries[_count]: next, key, value; next >= -1: in use, a chain's next or its end
 *                                                     next <= -2: free, the list of free ones
 *   elements = _count - _freeCount; in the order of the array, as an enumerator has them
 *
 * At most TABLE_ENTRIES entries are looked at: a dictionary whose first entries were all removed
 * shows none of its elements, and the steps stay bounded. */
#include <strings.h>

#include "values/nodes.h"

enum { TABLE_ENTRIES = 256 };

/* ---- Dictionary, HashSet, OrderedDictionary ---- */

/* What is shown of entries: of a set, which has no keys, the value. */
enum entry_part { PART_BOTH, PART_KEY, PART_VALUE };

/* The fields of dictionary and set entries. */
struct entry_fields {
    const struct shape_field *mark; /* an entry is free if its number is not above this: */
    int32_t free;
    const struct shape_field *key, *value;
    enum entry_part part;
};

/* `mark` may begin with a capital letter. */
static bool find_entry_fields(const struct shape *entry, const char *mark,
                              struct entry_fields *fields)
{
    fields->mark = fields->key = fields->value = NULL;
    for (uint32_t i = 0; entry->kind == SHAPE_STRUCT && i < entry->field_count; i++) {
        const struct shape_field *field = &entry->fields[i];
        if (strcasecmp(field->name, mark) == 0) {
            fields->mark = field;
        } else if (strcmp(field->name, "key") == 0 || strcmp(field->name, "Key") == 0) {
            fields->key = field;
        } else if (strcmp(field->name, "value") == 0 || strcmp(field->name, "Value") == 0) {
            fields->value = field;
        }
    }
    return fields->mark && fields->value && known_is_right(fields->mark->shape, 'i');
}

static void put_entry(struct value_writer *writer, const struct entry_fields *fields,
                      const uint8_t *entry, unsigned depth)
{
    const struct shape_field *key = fields->key, *value = fields->value;
    if (key && fields->part == PART_BOTH) {
        write_pair(writer, key, value, entry, depth);
    } else if (key && fields->part == PART_KEY) {
        write_value(writer, key->shape, entry + key->offset, depth + 1);
    } else {
        enum secrecy secrecy = key ? secrecy_of_key(writer, key->shape, entry + key->offset)
                                   : SECRECY_NONE;
        write_named(writer, secrecy, value->shape, entry + value->offset, depth + 1);
    }
}

/* Free entries are interspersed. */
static void put_entries(struct elements *elements, const struct known_range *range,
                        const struct entry_fields *fields)
{
    const uint8_t *entry = range->array + range->shape->data;
    for (int32_t i = 0; i < range->count && i < TABLE_ENTRIES && elements->shown < elements->count;
         i++) {
        if (read_length(entry + fields->mark->offset) > fields->free) {
            if (!elements_next(elements)) {
                return;
            }
            put_entry(elements->writer, fields, entry, elements->depth);
        }
        entry += range->shape->inner->size;
    }
}

/* The count is that of used entries, without the free ones; a table that has never had an entry has
 * no array. */
static void put_table(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      enum entry_part part, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct known_range range;
    struct entry_fields fields = {.free = FIRST_FREE, .part = part};
    if (!known_open_range(writer, known_reference(shape, 0, base), &range)) {
        put_mark(writer, "...");
        return;
    }
    if (!range.shape) {
        known_put_no_elements(writer, shape, base, depth);
        return;
    }
    if (!find_entry_fields(range.shape->inner, "next", &fields)) {
        put_mark(writer, "...");
        return;
    }
    int32_t free = shape->field_count > 2 ? known_number(shape, 2, base) : 0;
    range.count = known_clamp(known_number(shape, 1, base), range.length);
    int32_t count = range.count - known_clamp(free, range.count);
    if (elements_begin(&elements, count, false, NULL, 0)) {
        put_entries(&elements, &range, &fields);
        elements_end(&elements);
    }
}

/* A set before .NET 5: among the entries up to the last used index, free ones have a hash code
 * below 0, which no used one has. */
void known_put_slot_table(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct entry_fields fields = {.free = -1, .part = PART_VALUE};
    struct known_range range;
    if (!known_open_range(writer, known_reference(shape, 0, base), &range) ||
        (range.shape && !find_entry_fields(range.shape->inner, "hashCode", &fields))) {
        put_mark(writer, "...");
        return;
    }
    range.count = known_clamp(known_number(shape, 1, base), range.length);
    int32_t count = known_clamp(known_number(shape, 2, base), range.count);
    if (elements_begin(&elements, count, false, NULL, 0) && range.shape) {
        put_entries(&elements, &range, &fields);
        elements_end(&elements);
    }
}

void known_put_table(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    put_table(writer, shape, base, PART_BOTH, depth);
}

static void put_half(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     enum entry_part part, unsigned depth)
{
    const uint8_t *table = known_reference(shape, 0, base);
    const struct shape *own = own_known(writer, table, KNOWN_TABLE);
    if (own) {
        put_table(writer, own, table, part, depth);
    } else {
        put_mark(writer, "...");
    }
}

void known_put_keys(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    put_half(writer, shape, base, PART_KEY, depth);
}

void known_put_values(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    put_half(writer, shape, base, PART_VALUE, depth);
}

/* ---- Hashtable ---- */

/* A bucket without a key is free; a removed one has the bucket array itself as its key
 * (Hashtable.Remove), to keep the probe sequence. A key of the program cannot be that array,
 * which is private. */
static bool is_used(const struct known_range *buckets, const uint8_t *key)
{
    return key && key != buckets->array;
}

/* The buckets in their order, which is no order of insertion. `elements.shown < count` ends the
 * walk early, since buckets outnumber elements. */
void known_put_old_table(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *base, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct known_range range;
    if (!known_open_range(writer, known_reference(shape, 0, base), &range) || !range.shape) {
        put_hidden(writer);
        return;
    }
    const struct shape *bucket = range.shape->inner;
    const struct shape_field *key = find_reference(bucket, "key", "");
    const struct shape_field *value = shape_find_field(bucket, "val");
    if (bucket->kind != SHAPE_STRUCT || !key || !value) {
        put_hidden(writer);
        return;
    }
    int32_t count = known_clamp(known_number(shape, 1, base), range.length);
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    const uint8_t *at = range.array + range.shape->data;
    for (int32_t i = 0; i < range.length && i < TABLE_ENTRIES && elements.shown < count; i++) {
        if (is_used(&range, read_pointer(at + key->offset))) {
            if (!elements_next(&elements)) {
                break;
            }
            put_pair(&elements, key, value, at);
        }
        at += bucket->size;
    }
    elements_end(&elements);
}

/* ---- NameValueCollection, the OrderedDictionary of objects, JObject: pairs in a list ---- */

static void put_pair_object(const struct elements *elements, const uint8_t *object)
{
    const struct shape *own = own_shape(elements->writer, object);
    if (own && own->kind == SHAPE_FRAMEWORK && own->known == KNOWN_PAIR) {
        write_pair(elements->writer, &own->fields[0], &own->fields[1],
                   object + (shape_is_boxed(own) ? BOXED_OFFSET : 0), elements->depth);
    } else {
        put_hidden(elements->writer);
    }
}

/* The list may be in a wrapper (JPropertyKeyedCollection is a Collection). */
void known_put_entries(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *list = known_reference(shape, 0, base);
    const struct shape *wrapper = own_known(writer, list, KNOWN_WRAPPER);
    list = wrapper && shape_is_reference(wrapper->fields[0].shape)
               ? known_reference(wrapper, 0, list)
               : list;
    const struct shape *own = own_known(writer, list, KNOWN_LIST);
    struct known_range range = {.shape = NULL};
    if (list && (!own || !known_open_range(writer, known_reference(own, 0, list), &range) ||
                 !range.shape || !shape_is_reference(range.shape->inner))) {
        put_hidden(writer);
        return;
    }
    int32_t count = own ? known_clamp(known_number(own, 1, list), range.length) : 0;
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        put_pair_object(&elements, read_pointer(known_element(&range, i)));
    }
    elements_end(&elements);
}

/* ---- Lookup and its groups ---- */

enum { GROUP_KEY, GROUP_ELEMENTS, GROUP_COUNT, GROUP_NEXT };

/* 1=[2: "a", "b"] */
static void put_group(struct value_writer *writer, const struct shape *shape, const uint8_t *group,
                      unsigned depth)
{
    const struct shape_field *key = &shape->fields[GROUP_KEY];
    pair_begin(writer);
    write_value(writer, key->shape, group + key->offset, depth + 1);
    pair_between(writer);
    if (secrecy_of_key(writer, key->shape, group + key->offset) != SECRECY_NONE) {
        put_mark(writer, REDACTED);
    } else {
        known_put_part(writer, known_reference(shape, GROUP_ELEMENTS, group), 0,
                       known_number(shape, GROUP_COUNT, group), false, depth + 1);
    }
    pair_end(writer);
}

void known_put_group(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    if (is_too_deep(writer, depth)) {
        put_mark(writer, "...");
    } else {
        put_group(writer, shape, base, depth);
    }
}

/* Groups form a ring, of which the last one is known. */
void known_put_lookup(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *group = known_reference(shape, 0, base);
    const struct shape *own = own_known(writer, group, KNOWN_GROUP);
    int32_t count = group ? known_clamp(known_number(shape, 1, base), INT32_MAX) : 0;
    if (group && !own) {
        put_hidden(writer);
        return;
    }
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        group = follow(writer, own, &own->fields[GROUP_NEXT], group);
        if (!group) {
            put_hidden(writer);
            break;
        }
        put_group(writer, own, group, depth);
    }
    elements_end(&elements);
}
