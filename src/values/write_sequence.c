/* ReadOnlySequence as text: a part of an array or a string, or of several in segments. Other
 * threads may change it at the same time: it is read as it is found.
 *
 *   start object ----> segment -> segment -> segment <---- end object
 *   start integer: the first element in the first one; end integer: the end in the last one
 *
 * The length of the whole is known without a walk: each segment has the running index of its start.
 * The first piece is read before anything is written, so that a sequence that cannot be read is a
 * mark instead of a start without elements. */
#include "values/nodes.h"

/* Segments can be empty, and form a ring. */
enum { MOST_SEGMENTS = 4096 };

/* Field indexes in known.def. */
enum { START_OBJECT, END_OBJECT, START_INTEGER, END_INTEGER };
enum { SEGMENT_MEMORY, SEGMENT_NEXT, SEGMENT_INDEX };

struct sequence {
    bool of_chars;
    bool segmented;
    const uint8_t *object;    /* the next one; NULL: none */
    const uint8_t *last;      /* object */
    int32_t first, end;       /* in `object`, in `last` */
    int64_t count;            /* of all elements */
    unsigned seen;            /* segments */
    struct known_range piece; /* the one read last */
};

/* ---- pieces ---- */

/* The memory of a segment; `first` and `last` count from its start. */
static bool read_segment_piece(const struct value_writer *writer, struct sequence *sequence)
{
    struct known_range *piece = &sequence->piece;
    const uint8_t *segment = sequence->object;
    const struct shape *own = own_known(writer, segment, KNOWN_SEQUENCE_SEGMENT);
    if (!own || sequence->seen++ == MOST_SEGMENTS) {
        return false;
    }
    const struct shape *memory = own->fields[SEGMENT_MEMORY].shape;
    if (memory->kind != SHAPE_FRAMEWORK || memory->known != KNOWN_MEMORY ||
        !known_open_memory(writer, memory, known_field(own, SEGMENT_MEMORY, segment), piece)) {
        return false;
    }
    bool is_last = segment == sequence->last;
    int32_t end = is_last ? known_clamp(sequence->end, piece->count) : piece->count;
    int32_t first = known_clamp(sequence->first, end);
    piece->first += first;
    piece->count = end - first;
    /* Later segments are read from their start. */
    sequence->first = 0;
    sequence->object = is_last ? NULL : known_reference(own, SEGMENT_NEXT, segment);
    return true;
}

/* False: there are no more, or the next one cannot be read. */
static bool next_piece(const struct value_writer *writer, struct sequence *sequence)
{
    struct known_range *piece = &sequence->piece;
    if (!sequence->object) {
        return false;
    }
    if (sequence->segmented) {
        return read_segment_piece(writer, sequence);
    }
    if (!known_open_owner(writer, sequence->object, sequence->of_chars, piece)) {
        return false;
    }
    int32_t end = known_clamp(sequence->end, piece->length);
    piece->first = known_clamp(sequence->first, end);
    piece->count = end - piece->first;
    sequence->object = NULL;
    return true;
}

/* ---- a sequence ---- */

/* The running index of a segment in the whole. */
static bool read_index(const struct value_writer *writer, const uint8_t *segment, uint64_t *index)
{
    const struct shape *own = own_known(writer, segment, KNOWN_SEQUENCE_SEGMENT);
    if (own) {
        *index = read_unsigned(known_field(own, SEGMENT_INDEX, segment), sizeof *index);
    }
    return own;
}

/* The sign bits of the two integers show where it is: none set in segments, the end's in an array,
 * the start's in a MemoryManager, which only the program can read, both in a string. */
static bool open_sequence(const struct value_writer *writer, const struct shape *shape,
                          const uint8_t *base, struct sequence *sequence)
{
    int32_t start = known_number(shape, START_INTEGER, base);
    int32_t end = known_number(shape, END_INTEGER, base);
    *sequence = (struct sequence){.of_chars = known_is_of_chars(shape),
                                  .segmented = start >= 0 && end >= 0,
                                  .object = known_reference(shape, START_OBJECT, base),
                                  .last = known_reference(shape, END_OBJECT, base),
                                  .first = start & INT32_MAX,
                                  .end = end & INT32_MAX};
    uint64_t before = 0, last = 0;
    if (!sequence->object) {
        return true; /* its default */
    }
    if (sequence->segmented && (!read_index(writer, sequence->object, &before) ||
                                !read_index(writer, sequence->last, &last))) {
        return false;
    }
    sequence->count =
        (int64_t)(last + (uint64_t)sequence->end - before - (uint64_t)sequence->first);
    return sequence->count >= 0;
}

/* ---- as text ---- */

/* False: not all of the shown characters are found. */
static bool read_chars(const struct value_writer *writer, struct sequence *sequence, uint8_t *chars,
                       int32_t count)
{
    const struct known_range *piece = &sequence->piece;
    int32_t found = 0;
    while (found < count && next_piece(writer, sequence)) {
        int32_t more = known_clamp(piece->count, count - found);
        if (more != 0) {
            memcpy(chars + 2 * (size_t)found, known_element(piece, piece->first), 2 * (size_t)more);
        }
        found += more;
    }
    return found == count;
}

/* Not inlined: sequences can be nested, and each level would have the text's buffer on the
 * stack. */
static __attribute__((noinline)) void put_chars(struct value_writer *writer,
                                                struct sequence *sequence)
{
    uint8_t chars[2 * MOST_CHARS];
    bool at_least = sequence->count > INT32_MAX;
    int32_t length = at_least ? INT32_MAX : (int32_t)sequence->count;
    if (!read_chars(writer, sequence, chars, known_clamp(length, known_chars_read(writer)))) {
        put_hidden(writer);
    } else if (at_least) {
        put_text_at_least(writer, chars, length);
    } else {
        put_text(writer, chars, length);
    }
}

/* Whether there may be more. */
static bool put_piece(struct elements *elements, const struct known_range *piece)
{
    bool goes_on = true;
    for (int32_t i = 0; goes_on && i < piece->count && elements->shown < elements->count; i++) {
        goes_on = elements_next(elements);
        if (goes_on) {
            write_value(elements->writer, piece->shape->inner,
                        known_element(piece, piece->first + i), elements->depth + 1);
        }
    }
    return goes_on;
}

static void put_elements(struct value_writer *writer, struct sequence *sequence, unsigned depth)
{
    struct elements elements = {.writer = writer, .depth = depth};
    bool at_least = sequence->count > INT32_MAX, goes_on = true;
    int32_t count = at_least ? INT32_MAX : (int32_t)sequence->count;
    if (!elements_begin(&elements, count, at_least, NULL, 0)) {
        return;
    }
    while (goes_on && elements.shown < count && next_piece(writer, sequence)) {
        goes_on = put_piece(&elements, &sequence->piece);
    }
    end_elements(&elements, goes_on);
}

/* Takes the first piece on trial, on a copy: nothing is written yet, so an unknown form can still
 * be hidden as a whole. */
void known_put_sequence(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                        unsigned depth)
{
    struct sequence sequence, other;
    if (!open_sequence(writer, shape, base, &sequence)) {
        put_hidden(writer);
        return;
    }
    other = sequence;
    if (sequence.object && !next_piece(writer, &other)) {
        put_hidden(writer);
    } else if (sequence.of_chars) {
        put_chars(writer, &sequence);
    } else {
        put_elements(writer, &sequence, depth);
    }
}
