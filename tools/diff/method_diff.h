/* The differences between two bodies, as rows of two columns. Moved code is not different code:
 * targets of branches and clauses are compared by instruction, not by offset. */
#ifndef METHOD_DIFF_H
#define METHOD_DIFF_H

#include "base/budget.h"
#include "tools/diff/method_lines.h"
#include "tools/diff/text_keys.h"
#include "tools/diff/token_match.h"

/* A row: a line of each side, or of one side only. */
#define ROW_SAME    ' '
#define ROW_CHANGED '|'
#define ROW_OLD     '<'
#define ROW_NEW     '>'

struct diff_row {
    uint32_t old_line; /* unused in a ROW_NEW */
    uint32_t new_line; /* unused in a ROW_OLD */
    char mark;
};

struct method_diff {
    struct method_lines old_side; /* the lines that rows refer to */
    struct method_lines new_side;
    struct diff_row *rows; /* owned; of the last method compared */
    size_t row_count;      /* 0 if the bodies were the same at once, or were not compared */
    /* the rest is method_diff.c's working memory */
    struct ilpi_budget budget; /* code that may still be compared */
    struct token_match tokens;
    struct text_keys texts;
    uint32_t *old_keys; /* by line */
    uint32_t *new_keys;
    uint32_t *partner;     /* of each old line: a new line, or LINE_DIFF_NONE */
    uint32_t *old_landing; /* by instruction, and for the end of the code: see landings() */
    uint32_t *new_landing;
    size_t old_capacity; /* elements of old_keys, partner and old_landing */
    size_t new_capacity; /* of new_keys and new_landing */
    size_t row_capacity;
};

enum method_difference {
    METHOD_SAME,
    METHOD_DIFFERS,  /* the rows have the differences */
    METHOD_TOO_LONG, /* different bytes, but too much text to compare */
    METHOD_TOO_MUCH  /* methods share bodies: too much to compare in total */
};

void method_diff_open(struct method_diff *diff, const struct ilp_image *old_image,
                      const struct ilp_image *new_image);
void method_diff_close(struct method_diff *diff);

/* Compares two methods; rid 0 on one side: all lines of the other one are different. */
enum method_difference method_diff(struct method_diff *diff, ilp_rid old_rid, ilp_rid new_rid);

#endif
