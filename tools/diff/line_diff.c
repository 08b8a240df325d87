/* Myers' difference algorithm. See line_diff.h.
 *
 *          new ->         A path from the upper left to the lower right: right is an inserted
 *        +--\--------+    line, down a removed one, and a diagonal step a pair of equal lines.
 *   old  |   \  .    |    Diagonal k holds the points with old - new = k. One search goes from
 *    |   |    \/     |    each end, and in round d each holds the furthest points that d steps
 *    v   |    ...\   |    aside can reach. Where they meet, the box is split in two, and each half
 *        +--------\--+    is searched alone: that takes no more memory than the furthest points. */
#include "tools/diff/line_diff.h"

#include <stdlib.h>
#include <string.h>

typedef int64_t place; /* may be one outside the box on either side */

/* A rectangle of the drawing: old lines [old_at, old_end) and new ones [new_at, new_end). */
struct box {
    place old_at;
    place old_end;
    place new_at;
    place new_end;
};

struct point {
    place old_at;
    place new_at;
};

/* The lines that have an equal one on the other side; no other line can have a partner. */
struct lines {
    uint32_t *keys;
    uint32_t *index; /* in the caller's text */
    uint32_t count;
};

/* Arrays of one line_diff(): lines and diagonals are owned by it, `partner` is the caller's
 * result. */
struct middle_search {
    struct lines old_lines;
    struct lines new_lines;
    place *forward; /* by diagonal, which may be negative: how far along the old lines */
    place *backward;
    uint32_t rounds; /* the limit for one box */
    uint32_t *partner;
};

/* The diagonals that a search has reached, every second one in a range. In a round a search moves
 * from the diagonals of one parity to those of the other, so each step writes between the values
 * that it reads. */
struct reach {
    place *furthest; /* by diagonal: a place among the old lines; that minus k is the new one */
    place least;
    place most;
};

/* Adds one diagonal on each side while it touches the box. A diagonal outside has a point that
 * never wins. */
static void widen(struct reach *reach, const struct box *box, place loser)
{
    if (reach->least > box->old_at - box->new_end) {
        reach->least--;
        reach->furthest[reach->least - 1] = loser;
    } else {
        reach->least++;
    }
    if (reach->most < box->old_end - box->new_at) {
        reach->most++;
        reach->furthest[reach->most + 1] = loser;
    } else {
        reach->most--;
    }
}

/* Diagonals of the other parity are never looked up: split() lets the searches meet only in rounds
 * in which both have the same. */
static bool reaches(const struct reach *reach, place diagonal)
{
    return diagonal >= reach->least && diagonal <= reach->most;
}

/* One round of the search from the start; true if it meets the other one. Diagonal k is reached
 * from k - 1 by removing an old line, or from k + 1 by inserting a new one; from there equal lines
 * are followed as far as they go. */
static bool step_forward(const struct middle_search *search, const struct box *box,
                         struct reach *reach, const struct reach *other, struct point *met)
{
    const uint32_t *old_keys = search->old_lines.keys;
    const uint32_t *new_keys = search->new_lines.keys;
    widen(reach, box, -1);
    for (place k = reach->most; k >= reach->least; k -= 2) {
        place removed = reach->furthest[k - 1] + 1;
        place inserted = reach->furthest[k + 1];
        place x = removed > inserted ? removed : inserted;
        while (x < box->old_end && x - k < box->new_end && old_keys[x] == new_keys[x - k]) {
            x++;
        }
        reach->furthest[k] = x;
        if (other && reaches(other, k) && other->furthest[k] <= x) {
            *met = (struct point){x, x - k};
            return true;
        }
    }
    return false;
}

/* The same from the end. */
static bool step_backward(const struct middle_search *search, const struct box *box,
                          struct reach *reach, const struct reach *other, struct point *met)
{
    const uint32_t *old_keys = search->old_lines.keys;
    const uint32_t *new_keys = search->new_lines.keys;
    widen(reach, box, INT64_MAX);
    for (place k = reach->most; k >= reach->least; k -= 2) {
        place inserted = reach->furthest[k - 1];
        place removed = reach->furthest[k + 1] - 1;
        place x = inserted < removed ? inserted : removed;
        while (x > box->old_at && x - k > box->new_at && old_keys[x - 1] == new_keys[x - k - 1]) {
            x--;
        }
        reach->furthest[k] = x;
        if (other && reaches(other, k) && other->furthest[k] >= x) {
            *met = (struct point){x, x - k};
            return true;
        }
    }
    return false;
}

/* The point inside the box that is on diagonal k and not beyond x. */
static struct point point_inside(const struct box *box, place x, place k)
{
    x = x > box->old_end ? box->old_end : x;
    x = x - k > box->new_end ? box->new_end + k : x;
    x = x < box->old_at ? box->old_at : x;
    x = x - k < box->new_at ? box->new_at + k : x;
    return (struct point){x, x - k};
}

/* Where to split if the searches did not meet in time: at the point furthest from either end. */
static struct point furthest_point(const struct box *box, const struct reach *from_start,
                                   const struct reach *from_end)
{
    struct point best = {box->old_at, box->new_at};
    place best_way = -1;
    for (place k = from_start->most; k >= from_start->least; k -= 2) {
        struct point point = point_inside(box, from_start->furthest[k], k);
        place way = point.old_at - box->old_at + point.new_at - box->new_at;
        best = way > best_way ? point : best;
        best_way = way > best_way ? way : best_way;
    }
    for (place k = from_end->most; k >= from_end->least; k -= 2) {
        struct point point = point_inside(box, from_end->furthest[k], k);
        place way = box->old_end - point.old_at + box->new_end - point.new_at;
        best = way > best_way ? point : best;
        best_way = way > best_way ? way : best_way;
    }
    return best;
}

/* A point of a shortest path through the box, neither its start nor its end. Neither side of the
 * box is empty, and its first and last lines differ, so there are at least two steps aside. */
static struct point split(const struct middle_search *search, const struct box *box)
{
    place start = box->old_at - box->new_at;
    place end = box->old_end - box->new_end;
    bool odd = ((start - end) & 1) != 0; /* so the number of steps aside is as well */
    struct reach from_start = {search->forward, start, start};
    struct reach from_end = {search->backward, end, end};
    struct point met;
    search->forward[start] = box->old_at;
    search->backward[end] = box->old_end;
    for (uint32_t round = 0; round < search->rounds; round++) {
        if (step_forward(search, box, &from_start, odd ? &from_end : NULL, &met) ||
            step_backward(search, box, &from_end, odd ? NULL : &from_start, &met)) {
            return met;
        }
    }
    return furthest_point(box, &from_start, &from_end);
}

/* Lines of the search are those with an equal one; index[] leads back to the caller's. */
static void pair_lines(struct middle_search *search, place old_at, place new_at)
{
    search->partner[search->old_lines.index[old_at]] = search->new_lines.index[new_at];
}

/* Pairs equal lines at the start and at the end of a box, and removes them from it. */
static void pair_ends(struct middle_search *search, struct box *box)
{
    const uint32_t *old_keys = search->old_lines.keys;
    const uint32_t *new_keys = search->new_lines.keys;
    while (box->old_at < box->old_end && box->new_at < box->new_end &&
           old_keys[box->old_at] == new_keys[box->new_at]) {
        pair_lines(search, box->old_at++, box->new_at++);
    }
    while (box->old_at < box->old_end && box->new_at < box->new_end &&
           old_keys[box->old_end - 1] == new_keys[box->new_end - 1]) {
        pair_lines(search, --box->old_end, --box->new_end);
    }
}

/* The most steps that a path through it takes. */
static place size_of(const struct box *box)
{
    return box->old_end - box->old_at + box->new_end - box->new_at;
}

/* Recurses for the smaller half only: the depth is at most the logarithm of the size. */
static void pair_box(struct middle_search *search, struct box box)
{
    for (;;) {
        pair_ends(search, &box);
        if (box.old_at == box.old_end || box.new_at == box.new_end) {
            return;
        }
        struct point point = split(search, &box);
        struct box first = {box.old_at, point.old_at, box.new_at, point.new_at};
        struct box second = {point.old_at, box.old_end, point.new_at, box.new_end};
        bool first_is_smaller = size_of(&first) < size_of(&second);
        pair_box(search, first_is_smaller ? first : second);
        box = first_is_smaller ? second : first;
    }
}

/* Keeps the lines of one side whose keys the other has; `seen` has a byte for each key. */
static bool keep_common(struct lines *lines, struct line_keys text, const uint8_t *seen)
{
    lines->keys = malloc(((size_t)text.count + 1) * sizeof *lines->keys);
    lines->index = malloc(((size_t)text.count + 1) * sizeof *lines->index);
    if (!lines->keys || !lines->index) {
        return false;
    }
    for (uint32_t i = 0; i < text.count; i++) {
        if (seen[text.keys[i]] == 3) {
            lines->keys[lines->count] = text.keys[i];
            lines->index[lines->count++] = i;
        }
    }
    return true;
}

static bool search_open(struct middle_search *search, struct line_keys old_text,
                        struct line_keys new_text)
{
    uint8_t *seen = calloc((size_t)old_text.count + new_text.count + 1, 1);
    if (!seen) {
        return false;
    }
    for (uint32_t i = 0; i < old_text.count; i++) {
        /* bit 0: an old line has the key; bit 1: a new one */
        seen[old_text.keys[i]] |= 1;
    }
    for (uint32_t i = 0; i < new_text.count; i++) {
        seen[new_text.keys[i]] |= 2;
    }
    bool done = keep_common(&search->old_lines, old_text, seen) &&
                keep_common(&search->new_lines, new_text, seen);
    free(seen);
    return done;
}

/* False: no memory, and nothing in `partner` is of use. The arrays are made for the whole text, and
 * used for each box in turn, which is smaller. */
bool line_diff(struct line_keys old_text, struct line_keys new_text, uint32_t rounds,
               uint32_t *partner)
{
    struct middle_search search = {.rounds = rounds, .partner = partner};
    place *diagonals = NULL;
    bool done = search_open(&search, old_text, new_text);
    if (done) {
        /* diagonals from -new to old, and one more on each side */
        size_t count = (size_t)search.old_lines.count + search.new_lines.count + 3;
        diagonals = malloc(2 * count * sizeof *diagonals);
        done = diagonals != NULL;
        if (done) {
            search.forward = diagonals + search.new_lines.count + 1;
            search.backward = search.forward + count;
            memset(partner, 0xFF, old_text.count * sizeof *partner); /* LINE_DIFF_NONE */
            pair_box(&search, (struct box){0, search.old_lines.count, 0, search.new_lines.count});
        }
    }
    free(diagonals);
    free(search.old_lines.keys);
    free(search.old_lines.index);
    free(search.new_lines.keys);
    free(search.new_lines.index);
    return done;
}
