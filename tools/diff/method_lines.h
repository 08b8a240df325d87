/* A method as lines of text, with its instructions among them: one side of a comparison. */
#ifndef METHOD_LINES_H
#define METHOD_LINES_H

#include "il/code.h"
#include "tools/cmd/method_text.h"

/* The limit, beyond which a method is not compared: this, plus a quarter of both files. Comparing
 * takes twice as much again. */
#define METHOD_LINES_MEMORY ((size_t)2 << 20)

/*   header, locals | instructions, or bytes | clauses, other sections
 *   0              code_at                  tail_at                   count */
struct method_lines {
    const struct ilp_image *image; /* borrowed */
    ilp_rid rid;                   /* 0: the file has no such method, and there are no lines */
    struct ilpi_alloc alloc;       /* of all memory below, with the limit */
    struct ilp_arena arena;        /* of clauses, and of keys that are made of them */
    struct method_body method;     /* valid after method_lines_find(), if rid is not 0 */
    struct ilpi_code code;         /* only if decoded: then each instruction has a line */
    bool decoded;
    bool too_long;        /* the limit of `alloc` was reached; the lines are incomplete */
    struct ilpi_buf text; /* the lines, each ends in a NUL */
    ILPI_LIST(size_t) at; /* the offset of each line in the text; one more for the end */
    uint32_t count;
    uint32_t code_at;
    uint32_t tail_at;
};

/* `memory`: the limit for the lines of one method. */
void method_lines_open(struct method_lines *lines, const struct ilp_image *image, size_t memory);
void method_lines_close(struct method_lines *lines);

/* Only finds the body: enough to see whether it changed at all. */
void method_lines_find(struct method_lines *lines, ilp_rid rid);

/* Makes the lines of the method found. */
void method_lines_make(struct method_lines *lines);

static inline const char *method_line(const struct method_lines *lines, uint32_t line)
{
    return (const char *)lines->text.data + lines->at.items[line];
}

static inline size_t method_line_size(const struct method_lines *lines, uint32_t line)
{
    return lines->at.items[line + 1] - lines->at.items[line] - 1;
}

#endif
