/* Collections of linked nodes, or of two arrays, the same as data/inspector/Linked.cs: linked
 * lists, immutable queues, concurrent hash tables, sorted and frozen tables. Other threads may
 * change them at the same time: they are read as they are found, and only as many elements are
 * searched as are shown, within a few hundred steps.
 *
 *   F# list        1 -> 2 -> 3 -> (empty)         the last node has no element
 *   queue          forwards 1 -> 2, backwards 4 -> 3: 1 2 3 4
 *   LinkedList     head -> 1 -> 2 -> 3 -> head    a ring, with a count
 *   Concurrent     _buckets[] -> node -> node     counts are per lock: _countPerLock[]
 *   Dictionary
 *
 * follow() stops at an object of another class: a field of the right name is not enough to be a
 * node. */
#include "values/nodes.h"

enum { MAX_BUCKETS = 256, MAX_LOCKS = 1024 };

/* ---- F# lists, immutable stacks ---- */

enum { CHAIN_ITEM, CHAIN_TAIL };

static const uint8_t *follow_chain(const struct value_writer *writer, const struct shape *shape,
                                   const uint8_t *node)
{
    return follow(writer, shape, &shape->fields[CHAIN_TAIL], node);
}

/* The last node has no element. More than are counted: *more. Nodes may form a cycle only in an
 * invalid list, which then has MAX_COUNT elements. */
static int32_t count_chain(const struct value_writer *writer, const struct shape *shape,
                           const uint8_t *node, bool *more)
{
    int32_t count = 0;
    node = follow_chain(writer, shape, node);
    for (; node && count < MAX_COUNT; node = follow_chain(writer, shape, node)) {
        count++;
    }
    *more |= node != NULL;
    return count;
}

/* Whether more elements may follow. */
static bool put_chain(struct elements *elements, const struct shape *shape, const uint8_t *node,
                      int32_t count)
{
    for (int32_t i = 0; i < count && node; i++) {
        if (!elements_next(elements)) {
            return false;
        }
        put_element(elements, &shape->fields[CHAIN_ITEM], node);
        node = follow_chain(elements->writer, shape, node);
    }
    return true;
}

void known_put_chain(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                     unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    bool more = false;
    int32_t count = count_chain(writer, shape, base, &more);
    if (elements_begin(&elements, count, more, NULL, 0)) {
        put_chain(&elements, shape, base, count);
        elements_end(&elements);
    }
}

/* ---- immutable queues: a chain from the oldest element, and one from the newest ---- */

/* Elements are only reachable from the newest to the oldest, so the nodes are remembered and
 * written in reverse. put_chain() before has written what is older. */
static void put_reversed(struct elements *elements, const struct shape *shape, const uint8_t *node,
                         int32_t count)
{
    const uint8_t *nodes[MAX_COUNT];
    for (int32_t i = 0; i < count && node; i++) {
        nodes[i] = node;
        node = follow_chain(elements->writer, shape, node);
        count = node ? count : i;
    }
    while (count-- > 0 && elements_next(elements)) {
        put_element(elements, &shape->fields[CHAIN_ITEM], nodes[count]);
    }
}

/* Both chains must be of one class, that of the immutable stack. */
void known_put_two_chains(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    const uint8_t *oldest = known_reference(shape, 0, base);
    const uint8_t *newest = known_reference(shape, 1, base);
    const struct shape *chain = own_known(writer, oldest, KNOWN_CHAIN);
    bool more_oldest = false, more = false;
    if (!chain || own_shape(writer, newest) != chain) {
        put_hidden(writer);
        return;
    }
    int32_t first = count_chain(writer, chain, oldest, &more_oldest);
    int32_t second = count_chain(writer, chain, newest, &more);
    if (!elements_begin(&elements, first + second, more_oldest || more, NULL, 0)) {
        return;
    }
    bool goes_on = put_chain(&elements, chain, oldest, first);
    if (goes_on && !more_oldest && !more) {
        put_reversed(&elements, chain, newest, second);
    } else if (goes_on && elements.shown == shown_elements(writer, INT32_MAX)) {
        elements_next(&elements); /* there are more than are shown */
    }
    elements_end(&elements);
}

/* ---- LinkedList, ConcurrentStack, ListDictionary ---- */

/* Nodes that a field of each links, by the fields that one of them has. */
struct list {
    const struct shape *shape;                   /* of a node */
    const struct shape_field *key, *item, *next; /* key: NULL except for pairs */
    const uint8_t *first;
};

/* False: nodes have an unknown form. */
static bool find_list(const struct value_writer *writer, const uint8_t *first, struct list *list)
{
    *list = (struct list){.shape = node_shape(writer, first), .first = first};
    if (list->shape) {
        list->item = shape_find_field(list->shape, "item");
        list->item = list->item ? list->item : shape_find_field(list->shape, "_value");
        list->key = list->item ? NULL : shape_find_field(list->shape, "key");
        list->item = list->key ? shape_find_field(list->shape, "value") : list->item;
        list->next = find_reference(list->shape, "next", "_next");
    }
    return list->item && list->next;
}

/* Counting needs a walk, since the number precedes the elements. MAX_COUNT also ends circles. */
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

/* A list with a count is a ring (LinkedList); others end with null, and are counted by a walk. */
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
        put_pair(&elements, list.key, list.item, node);
        node = follow(writer, list.shape, list.next, node);
        node = counted && node == first ? NULL : node; /* a LinkedList is a ring */
    }
    elements_end(&elements);
}

/* ---- ConcurrentDictionary ---- */

/* A ConcurrentDictionary while its buckets are walked. */
struct table {
    struct known_range buckets;
    const struct shape *node; /* NULL: none found yet */
    const struct shape_field *key, *value, *next;
    uint32_t slot; /* the bucket's offset of its first node */
};

/* The form of its tables: in .NET 7 nodes, later structs with a node. */
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
    /* Counters are read one after the other while others change them; a sum that wraps below 0 is
     * none. */
    return known_clamp((int32_t)sum, INT32_MAX);
}

/* False: it is not a node. All have one class, so the fields are looked up once: the shape of the
 * last node is remembered. */
static bool find_node(const struct value_writer *writer, const uint8_t *node, struct table *table)
{
    const struct shape *shape = node_shape(writer, node);
    if (shape && shape != table->node) {
        table->node = shape;
        table->key = shape_find_field(shape, "_key");
        table->value = shape_find_field(shape, "_value");
        table->next = find_reference(shape, "_next", "");
    }
    return shape && table->key && table->value && table->next;
}

/* Nodes of a bucket form a chain. It is read without its lock, so a chain may change on the way,
 * but nodes are never used again (they are garbage, and not collected meanwhile). */
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

/* The number of elements is a sum of one counter for each lock, so it may differ from what the walk
 * finds: the dictionary is used meanwhile. With more locks than are summed up the count is a
 * minimum. */
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

/* ---- keys and values in two arrays ---- */

static void put_arrays(struct value_writer *writer, const uint8_t *all_keys,
                       const uint8_t *all_values, int32_t most, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    struct known_range keys, values;
    if (!known_open_range(writer, all_keys, &keys) ||
        !known_open_range(writer, all_values, &values)) {
        put_hidden(writer);
        return;
    }
    int32_t count = keys.length < values.length ? keys.length : values.length;
    count = known_clamp(most, count);
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        write_pair_of(writer, keys.shape->inner, known_element(&keys, i), values.shape->inner,
                      known_element(&values, i), depth);
    }
    elements_end(&elements);
}

void known_put_two_arrays(struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, unsigned depth)
{
    put_arrays(writer, known_reference(shape, 0, base), known_reference(shape, 1, base),
               shape->field_count > 2 ? known_number(shape, 2, base) : INT32_MAX, depth);
}

/* ---- FrozenDictionary and FrozenSet of numbers, which are their own hashes ---- */

/* The hash codes of numbers are the numbers themselves, in the order of the values array. */
void known_put_hashed(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                      unsigned depth)
{
    const struct shape_field *table = &shape->fields[0];
    const struct shape_field *hashes = table->shape->kind == SHAPE_STRUCT
                                           ? find_reference(table->shape, "HashCodes", "")
                                           : NULL;
    if (!hashes) {
        put_hidden(writer);
        return;
    }
    const uint8_t *keys = read_pointer(base + table->offset + hashes->offset);
    if (shape->field_count > 1) {
        put_arrays(writer, keys, known_reference(shape, 1, base), INT32_MAX, depth);
    } else {
        known_put_part(writer, keys, 0, INT32_MAX, false, depth);
    }
}
