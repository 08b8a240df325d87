/* Collections whose elements are in nodes that lead to each other, or in two arrays, as
 * data/inspector/Linked.cs has them: trees, linked lists, concurrent hash tables, sorted and frozen
 * tables. What another thread changes meanwhile is read as it is found, and so many elements are
 * looked for as are shown, no longer than a few hundred steps. */
#include "values/notation.h"
#include "values/write_known.h"

enum { MAX_COUNT = 256, MAX_HEIGHT = 64, MAX_BUCKETS = 256, MAX_LOCKS = 1024, MAX_SEGMENTS = 64 };

/* ---- elements one by one ---- */

static void put_element(const struct elements *elements, const struct shape_field *field,
                        const uint8_t *holder)
{
    write_value(elements->writer, field->shape, holder + field->offset, elements->depth + 1);
}

static void put_pair(const struct elements *elements, const struct shape_field *key,
                     const struct shape_field *value, const uint8_t *holder)
{
    if (key) {
        write_pair(elements->writer, key, value, holder, elements->depth);
    } else {
        put_element(elements, value, holder);
    }
}

/* ---- nodes, by the fields that they have ---- */

static const struct shape_field *find_field(const struct shape *shape, const char *name)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        if (strcmp(shape->fields[i].name, name) == 0) {
            return &shape->fields[i];
        }
    }
    return NULL;
}

/* One of either name, which has to be a reference. */
static const struct shape_field *find_reference(const struct shape *shape, const char *name,
                                                const char *other)
{
    const struct shape_field *field = find_field(shape, name);
    field = field ? field : find_field(shape, other);
    return field && shape_is_reference(field->shape) ? field : NULL;
}

static const struct shape *node_shape(const struct value_writer *writer, const uint8_t *node)
{
    const struct shape *shape = own_shape(writer, node);
    return shape && shape->kind == SHAPE_CLASS ? shape : NULL;
}

/* Where the field of a node leads; NULL: nowhere, or to something else than such a node. */
static const uint8_t *follow(const struct value_writer *writer, const struct shape *shape,
                             const struct shape_field *field, const uint8_t *node)
{
    const uint8_t *next = read_pointer(node + field->offset);
    return own_shape(writer, next) == shape ? next : NULL;
}

static void put_hidden(struct value_writer *writer)
{
    put_mark(writer, "...");
}

/* ---- F# lists, immutable stacks ---- */

/* The last node has no element. */
void known_put_chain(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const struct shape_field *item = &shape->fields[0], *tail = &shape->fields[1];
    const uint8_t *next = follow(writer, shape, tail, base);
    int32_t count = 0;
    for (; next && count < MAX_COUNT; next = follow(writer, shape, tail, next)) {
        count++;
    }
    if (!elements_begin(&elements, count, next != NULL, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && base && elements_next(&elements); i++) {
        put_element(&elements, item, base);
        base = follow(writer, shape, tail, base);
    }
    elements_end(&elements);
}

/* ---- LinkedList, ConcurrentStack ---- */

struct list {
    const struct shape *shape; /* of a node */
    const struct shape_field *item, *next;
    const uint8_t *first;
};

/* False: nodes are not as they should be. */
static bool find_list(const struct value_writer *writer, const uint8_t *first, struct list *list)
{
    *list = (struct list){.shape = node_shape(writer, first), .first = first};
    if (list->shape) {
        list->item = find_field(list->shape, "item");
        list->item = list->item ? list->item : find_field(list->shape, "_value");
        list->next = find_reference(list->shape, "next", "_next");
    }
    return list->item && list->next;
}

static int32_t count_nodes(const struct value_writer *writer, const struct list *list, bool *more)
{
    const uint8_t *node = list->first;
    int32_t count = 0;
    for (; node && count < MAX_COUNT; node = follow(writer, list->shape, list->next, node)) {
        count++;
    }
    *more = node != NULL;
    return count;
}

void known_put_linked(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *first = known_reference(shape, 0, base);
    bool counted = shape->field_count > 1, more = false;
    struct list list;
    if (!first) {
        elements_begin(&elements, 0, false, NULL, 0);
        return;
    }
    if (!find_list(writer, first, &list)) {
        put_hidden(writer);
        return;
    }
    int32_t count = counted ? known_clamp(known_number(shape, 1, base), INT32_MAX)
                            : count_nodes(writer, &list, &more);
    if (!elements_begin(&elements, count, more, NULL, 0)) {
        return;
    }
    const uint8_t *node = first;
    for (int32_t i = 0; i < count && node && elements_next(&elements); i++) {
        put_element(&elements, list.item, node);
        node = follow(writer, list.shape, list.next, node);
        node = counted && node == first ? NULL : node; /* a LinkedList is a ring */
    }
    elements_end(&elements);
}

/* ---- trees ---- */

struct tree {
    const struct shape *shape; /* of a node */
    const struct shape_field *left, *right;
    const struct shape_field *key, *value; /* of what `bucket` has, if that is there */
    const struct shape_field *bucket;
    bool sentinel; /* nodes without others below are empty */
};

static bool find_tree(const struct value_writer *writer, const uint8_t *root, enum known_kind kind,
                      struct tree *tree)
{
    *tree = (struct tree){.shape = node_shape(writer, root)};
    if (!tree->shape) {
        return false;
    }
    const struct shape *holder = tree->shape;
    tree->left = find_reference(holder, "_left", "Left");
    tree->right = find_reference(holder, "_right", "Right");
    tree->sentinel = tree->left && tree->left->name[0] == '_';
    if (kind == KNOWN_TREE_OF_BUCKETS) {
        tree->bucket = find_field(holder, "_value");
        if (!tree->bucket || tree->bucket->shape->kind != SHAPE_STRUCT) {
            return false;
        }
        tree->value = find_field(tree->bucket->shape, "_firstValue");
    } else if (kind == KNOWN_TREE_OF_PAIRS) {
        tree->key = find_field(holder, "_key");
        tree->value = tree->key ? find_field(holder, "_value") : NULL;
    } else {
        tree->value = find_field(holder, tree->sentinel ? "_key" : "Item");
    }
    return tree->left && tree->right && tree->value;
}

/* NULL: an empty one. */
static const uint8_t *filled(const struct tree *tree, const uint8_t *node)
{
    return node && (!tree->sentinel || read_pointer(node + tree->left->offset)) ? node : NULL;
}

static const uint8_t *below(const struct elements *elements, const struct tree *tree,
                            const struct shape_field *field, const uint8_t *node)
{
    return filled(tree, follow(elements->writer, tree->shape, field, node));
}

/* From the least to the greatest. */
static void put_tree(struct elements *elements, const struct tree *tree, const uint8_t *node)
{
    const uint8_t *above[MAX_HEIGHT];
    unsigned height = 0;
    node = filled(tree, node);
    for (;;) {
        for (; node; node = below(elements, tree, tree->left, node)) {
            if (height == MAX_HEIGHT) {
                return;
            }
            above[height++] = node;
        }
        if (height == 0 || !elements_next(elements)) {
            return;
        }
        node = above[--height];
        put_pair(elements, tree->key, tree->value,
                 tree->bucket ? node + tree->bucket->offset : node);
        node = below(elements, tree, tree->right, node);
    }
}

/* A number that the collection has or else its root. False: neither. */
static bool tree_count(const struct shape *shape, const uint8_t *base, const struct shape *node,
                       const uint8_t *root, int32_t *count)
{
    const struct shape_field *field = shape->field_count > 1 ? &shape->fields[1]
                                                             : find_field(node, "_count");
    const uint8_t *holder = shape->field_count > 1 ? base : root;
    bool found = field && known_is_right(field->shape, 'i');
    *count = found ? known_clamp(read_length(holder + field->offset), INT32_MAX) : 0;
    return found;
}

void known_put_tree(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *root = known_reference(shape, 0, base);
    struct tree tree;
    int32_t count;
    if (!root) {
        elements_begin(&elements, 0, false, NULL, 0);
    } else if (!find_tree(writer, root, shape->known, &tree) ||
               !tree_count(shape, base, tree.shape, root, &count)) {
        put_hidden(writer);
    } else if (elements_begin(&elements, count, false, NULL, 0)) {
        put_tree(&elements, &tree, root);
        elements_end(&elements);
    }
}

/* ---- ConcurrentDictionary ---- */

struct table {
    struct known_range buckets;
    const struct shape *node; /* NULL: none seen so far */
    const struct shape_field *key, *value, *next;
    uint32_t slot; /* where a bucket has its first node */
};

/* What its tables have: of .NET 7 nodes, since then structs with a node. */
static bool find_table(const struct value_writer *writer, const uint8_t *tables,
                       struct table *table, struct known_range *counts)
{
    const struct shape *shape = node_shape(writer, tables);
    const struct shape_field *buckets = shape ? find_reference(shape, "_buckets", "") : NULL;
    const struct shape_field *each = shape ? find_reference(shape, "_countPerLock", "") : NULL;
    *table = (struct table){.slot = 0};
    if (!buckets || !each ||
        !known_open_range(writer, read_pointer(tables + buckets->offset), &table->buckets) ||
        !known_open_range(writer, read_pointer(tables + each->offset), counts) ||
        !table->buckets.shape || !counts->shape || !known_is_right(counts->shape->inner, 'i')) {
        return false;
    }
    const struct shape *bucket = table->buckets.shape->inner;
    const struct shape_field *slot = bucket->kind == SHAPE_STRUCT
                                         ? find_reference(bucket, "_node", "")
                                         : NULL;
    table->slot = slot ? slot->offset : 0;
    return slot || shape_is_reference(bucket);
}

static int32_t add_counts(const struct known_range *counts)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < counts->length && i < MAX_LOCKS; i++) {
        sum += (uint32_t)read_length(counts->array + counts->shape->data + 4 * (size_t)i);
    }
    return known_clamp((int32_t)sum, INT32_MAX);
}

/* False: it is no node. All have one class. */
static bool find_node(const struct value_writer *writer, const uint8_t *node, struct table *table)
{
    const struct shape *shape = node_shape(writer, node);
    if (shape && shape != table->node) {
        table->node = shape;
        table->key = find_field(shape, "_key");
        table->value = find_field(shape, "_value");
        table->next = find_reference(shape, "_next", "");
    }
    return shape && table->key && table->value && table->next;
}

static void put_table(struct elements *elements, struct table *table)
{
    const struct value_writer *writer = elements->writer;
    const struct known_range *buckets = &table->buckets;
    const uint8_t *bucket = buckets->array + buckets->shape->data + table->slot;
    for (int32_t i = 0; i < buckets->length && i < MAX_BUCKETS; i++) {
        const uint8_t *node = read_pointer(bucket);
        while (node && find_node(writer, node, table)) {
            if (!elements_next(elements)) {
                return;
            }
            put_pair(elements, table->key, table->value, node);
            node = read_pointer(node + table->next->offset);
        }
        bucket += buckets->shape->inner->size;
    }
}

void known_put_buckets(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct table table;
    struct known_range counts;
    if (!find_table(writer, known_reference(shape, 0, base), &table, &counts)) {
        put_hidden(writer);
        return;
    }
    int32_t count = add_counts(&counts);
    if (elements_begin(&elements, count, counts.length > MAX_LOCKS, NULL, 0)) {
        put_table(&elements, &table);
        elements_end(&elements);
    }
}

/* ---- ConcurrentQueue ---- */

/* A ring of slots, and which of them are used. */
struct segment {
    struct known_range slots;
    const struct shape_field *item;
    uint32_t start;
    int32_t used;
    const uint8_t *next;
};

/* False: it is not as it should be. A tail that is twice the number of slots ahead says that none
 * is added any more. */
static bool read_segment(const struct value_writer *writer, const uint8_t *object,
                         struct segment *segment)
{
    enum { NEXT, SLOTS, PLACES };
    const struct shape *shape = own_shape(writer, object);
    if (!shape || shape->kind != SHAPE_FRAMEWORK || shape->known != KNOWN_SLOTS ||
        !known_open_range(writer, known_reference(shape, SLOTS, object), &segment->slots) ||
        !segment->slots.shape || segment->slots.length == 0) {
        return false;
    }
    const struct shape *places = shape->fields[PLACES].shape;
    const struct shape_field *head = find_field(places, "Head"), *tail = find_field(places, "Tail");
    segment->item = find_field(segment->slots.shape->inner, "Item");
    if (!head || !tail || !segment->item || !known_is_right(head->shape, 'i') ||
        !known_is_right(tail->shape, 'i')) {
        return false;
    }
    const uint8_t *at = known_field(shape, PLACES, object);
    segment->start = (uint32_t)read_length(at + head->offset);
    int64_t length = segment->slots.length;
    int64_t used = (int32_t)((uint32_t)read_length(at + tail->offset) - segment->start);
    used = used > length ? used - 2 * length : used;
    segment->used = used < 0 ? 0 : known_clamp((int32_t)used, segment->slots.length);
    segment->next = known_reference(shape, NEXT, object);
    return true;
}

static bool put_segment(struct elements *elements, const struct segment *segment)
{
    const struct known_range *slots = &segment->slots;
    for (int32_t i = 0; i < segment->used; i++) {
        size_t at = (segment->start + (uint32_t)i) % (uint32_t)slots->length;
        if (!elements_next(elements)) {
            return false;
        }
        put_element(elements, segment->item,
                    slots->array + slots->shape->data + at * slots->shape->inner->size);
    }
    return true;
}

/* From the oldest element on. */
void known_put_segments(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                        unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct segment segment;
    const uint8_t *object = known_reference(shape, 0, base);
    uint32_t count = 0;
    for (unsigned seen = 0; object && seen < MAX_SEGMENTS; seen++) {
        if (!read_segment(writer, object, &segment)) {
            put_hidden(writer);
            return;
        }
        count += (uint32_t)segment.used;
        object = segment.next;
    }
    int32_t known = known_clamp((int32_t)count, INT32_MAX);
    if (!elements_begin(&elements, known, object != NULL, NULL, 0)) {
        return;
    }
    object = known_reference(shape, 0, base);
    for (unsigned seen = 0; object && seen < MAX_SEGMENTS; seen++) {
        if (!read_segment(writer, object, &segment) || !put_segment(&elements, &segment)) {
            break;
        }
        object = segment.next;
    }
    elements_end(&elements);
}

/* ---- keys and values in two arrays ---- */

static const uint8_t *element_at(const struct known_range *range, int32_t index)
{
    return range->array + range->shape->data + (size_t)index * range->shape->inner->size;
}

void known_put_two_arrays(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct known_range keys, values;
    if (!known_open_range(writer, known_reference(shape, 0, base), &keys) ||
        !known_open_range(writer, known_reference(shape, 1, base), &values)) {
        put_hidden(writer);
        return;
    }
    int32_t count = keys.length < values.length ? keys.length : values.length;
    count = shape->field_count > 2 ? known_clamp(known_number(shape, 2, base), count) : count;
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        write_pair_of(writer, keys.shape->inner, element_at(&keys, i), values.shape->inner,
                      element_at(&values, i), depth);
    }
    elements_end(&elements);
}
