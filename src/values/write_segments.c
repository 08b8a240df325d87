/* Collections in several arrays, or in the bits of one, as text: ConcurrentQueue, ConcurrentBag,
 * BitArray. Other threads may change them at the same time: everything is read as it is found.
 *
 *   segment     slots[8]:  . . 3 4 5 . . .       Head 2, Tail 5; both only grow, and slots are
 *                              ^     ^           at the number modulo the length
 *   queue       segment -> segment -> null       from the oldest on; a full one is frozen
 *
 * Segments are walked twice, for the count and for the elements. Between the walks the queue may
 * change; elements_end() accepts fewer elements than were counted. */
#include "values/nodes.h"

enum { MAX_SEGMENTS = 64 };

/* ---- ConcurrentQueue, ConcurrentBag ---- */

/* A ring of slots, and which of them are used. */
struct segment {
    struct known_range slots;
    const struct shape *item;
    uint32_t item_offset; /* in a slot */
    uint32_t start;       /* the number of the oldest: its slot is this modulo the length */
    int32_t used;         /* never above the number of slots */
    const uint8_t *next;
};

enum { NEXT, SLOTS, PLACES, FIRST_USED = PLACES, END_USED };

/* Of a ConcurrentQueue. A tail that is twice the number of slots ahead marks a frozen segment. */
static bool read_places(const struct shape *shape, const uint8_t *object, struct segment *segment)
{
    const struct shape *places = shape->fields[PLACES].shape;
    const struct shape_field *head = shape_find_field(places, "Head"),
                             *tail = shape_find_field(places, "Tail");
    const struct shape_field *item = shape_find_field(segment->slots.shape->inner, "Item");
    if (!head || !tail || !item || !known_is_right(head->shape, 'i') ||
        !known_is_right(tail->shape, 'i')) {
        return false;
    }
    const uint8_t *at = known_field(shape, PLACES, object);
    int64_t length = segment->slots.length;
    segment->start = (uint32_t)read_length(at + head->offset);
    /* Both counters are of 32 bits and may have wrapped: their difference is right even then. */
    int64_t used = (int32_t)((uint32_t)read_length(at + tail->offset) - segment->start);
    used = used > length ? used - 2 * length : used;
    segment->used = used < 0 ? 0 : known_clamp((int32_t)used, segment->slots.length);
    segment->item = item->shape;
    segment->item_offset = item->offset;
    return true;
}

/* Of a ConcurrentBag, which has one for each thread. */
static void read_thread_places(const struct shape *shape, const uint8_t *object,
                               struct segment *segment)
{
    segment->start = (uint32_t)known_number(shape, FIRST_USED, object);
    uint32_t used = (uint32_t)known_number(shape, END_USED, object) - segment->start;
    segment->used = known_clamp((int32_t)used, segment->slots.length);
    segment->item = segment->slots.shape->inner;
    segment->item_offset = 0;
}

/* False: it has an unknown form. */
static bool read_segment(const struct value_writer *writer, const uint8_t *object,
                         struct segment *segment)
{
    const struct shape *shape = own_shape(writer, object);
    if (!shape || shape->kind != SHAPE_FRAMEWORK ||
        (shape->known != KNOWN_SLOTS && shape->known != KNOWN_THREAD_SLOTS) ||
        !known_open_range(writer, known_reference(shape, SLOTS, object), &segment->slots) ||
        !segment->slots.shape || segment->slots.length == 0) {
        return false;
    }
    segment->next = known_reference(shape, NEXT, object);
    if (shape->known == KNOWN_SLOTS) {
        return read_places(shape, object, segment);
    }
    read_thread_places(shape, object, segment);
    return true;
}

/* Slots are a ring: `start` is the oldest, and its index wraps at the length. */
static bool put_segment(struct elements *elements, const struct segment *segment)
{
    const struct known_range *slots = &segment->slots;
    for (int32_t i = 0; i < segment->used; i++) {
        size_t at = (segment->start + (uint32_t)i) % (uint32_t)slots->length;
        if (!elements_next(elements)) {
            return false;
        }
        write_value(elements->writer, segment->item,
                    known_element(slots, (int32_t)at) + segment->item_offset, elements->depth + 1);
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

/* ---- BitArray ---- */

/* Its bits are in bytes, before .NET 10 in integers. */
static bool is_word(const struct shape *shape)
{
    return (shape->kind == SHAPE_UNSIGNED && shape->size == 1) ||
           (shape->kind == SHAPE_SIGNED && shape->size == sizeof(int32_t));
}

/* Bits are read one by one as bools; the count is limited by what the array has. */
void known_put_bits(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    static const struct shape truth = {.kind = SHAPE_BOOLEAN, .size = 1, .name = "System.Boolean"};
    struct elements elements = {.writer = writer, .depth = depth};
    struct known_range range;
    if (!known_open_range(writer, known_reference(shape, 0, base), &range) || !range.shape ||
        !is_word(range.shape->inner)) {
        put_hidden(writer);
        return;
    }
    uint32_t size = range.shape->inner->size;
    int32_t bits = 8 * (int32_t)size;
    int32_t most = range.length < INT32_MAX / bits ? bits * range.length : INT32_MAX;
    int32_t count = known_clamp(known_number(shape, 1, base), most);
    if (!elements_begin(&elements, count, false, NULL, 0)) {
        return;
    }
    for (int32_t i = 0; i < count && elements_next(&elements); i++) {
        uint8_t bit = read_unsigned(known_element(&range, i / bits), size) >> (i % bits) & 1;
        write_value(writer, &truth, &bit, depth + 1);
    }
    elements_end(&elements);
}
