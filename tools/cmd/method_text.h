/* The body of one method, as text: what `ilpatch dump` and `ilpatch diff` print. */
#ifndef METHOD_TEXT_H
#define METHOD_TEXT_H

#include "il/body.h"
#include "metadata/image.h"

enum method_kind {
    METHOD_NO_BODY, /* abstract, extern or provided by the runtime */
    METHOD_NATIVE,
    METHOD_BAD_BODY, /* its header or sections are invalid: see error */
    METHOD_IL
};

struct method_body {
    enum method_kind kind;
    uint32_t rva;
    uint64_t offset;        /* of the header in the file */
    struct ilp_bytes bytes; /* from the header to the end of the section; borrowed */
    struct ilp_body body;   /* its clauses are in the arena */
    struct ilp_error error;
};

/* Ends the program when memory runs out. */
void method_body_read(const struct ilp_image *image, ilp_rid rid, struct ilp_arena *arena,
                      struct method_body *method);

/* What a token refers to, as in token_text.h, with control characters as \x0A: always one line. */
void method_token_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token);

/* "    locals (int32)" and a line feed, or nothing. */
void method_locals_text(const struct ilp_image *image, const struct ilp_body *body,
                        struct ilpi_buf *buf);

/* Called after each line, and may take the text out of the buffer; false ends the text. */
struct method_text_sink {
    void *user;
    bool (*line)(void *user, struct ilpi_buf *buf);
};

/* Instructions, clauses and other data sections, one per line; the first two in the form of
 * ilpi_body_text(). `sink` may be NULL: then everything stays in the buffer. */
void method_code_text(const struct ilp_image *image, const struct ilp_body *body,
                      struct ilpi_buf *buf, const struct method_text_sink *sink);

#endif
