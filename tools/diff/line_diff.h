/* Pairs equal lines of an old and a new text: E. Myers, "An O(ND) Difference Algorithm and Its
 * Variations" (1986), in linear space. A line is a number here; equal lines have equal numbers. */
#ifndef LINE_DIFF_H
#define LINE_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_DIFF_NONE UINT32_MAX

/* The limit of rounds per search. Up to twice as many differences, the result is minimal; beyond
 * that the text is split where the search got furthest. So the work is at most about 4 * rounds per
 * line. */
#define LINE_DIFF_ROUNDS 1024u

struct line_keys {
    const uint32_t *keys; /* borrowed; each is below the number of lines of both texts */
    uint32_t count;       /* below 2^31 */
};

/* Sets each old line's partner among the new ones, or LINE_DIFF_NONE: partners have equal keys, and
 * the same order on both sides. False if memory runs out. */
bool line_diff(struct line_keys old_text, struct line_keys new_text, uint32_t rounds,
               uint32_t *partner);

#endif
