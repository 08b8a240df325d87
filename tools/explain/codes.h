/* What the tables of the documents say about a code. The command has these pages in it, so what it
 * prints is what they have. */
#ifndef CODES_H
#define CODES_H

#include <stdbool.h>
#include <stddef.h>

enum { CODE_CELLS = 3 };

/* A row of a table: a code and the cells that follow it. All texts are the page's own, not
 * terminated. */
struct explained_code {
    const char *code; /* without its quotes: "NOT_PE", "byref", "table-index" */
    size_t code_size;
    unsigned cell_count;
    const char *labels[CODE_CELLS]; /* of the cells, terminated: "cause" */
    const char *cells[CODE_CELLS];
    size_t cell_sizes[CODE_CELLS];
};

/* A place in the pages; zero: before the first row. */
struct code_place {
    unsigned table;
    const char *line;
};

/* The next row; false at the end. */
bool next_code(struct code_place *place, struct explained_code *row);

/* Whether the word names this code: case does not count, and '_' is '-'. */
bool is_code(const struct explained_code *row, const char *word);

#endif
