/* A view of an image with rows that were added to the module since it was opened: in a running
 * process the bytes of the image do not have them. Rows and heap entries of the image are read in
 * place. */
#ifndef ILPI_OVERLAY_H
#define ILPI_OVERLAY_H

#include "base/buf.h"
#include "metadata/image.h"

/* A table with added rows: a copy of all of them, with 4 bytes a cell. */
struct ilpi_overlay_table {
    uint8_t *rows; /* NULL: it is the image's */
    size_t capacity;
    ilp_rid image_count; /* the first rows, copied from the image */
};

/* Do not move it while it is open: the view's address may be kept. */
struct ilpi_overlay {
    struct ilp_image view; /* its members point into the image, except for what was added */
    struct ilpi_alloc alloc;
    struct ilpi_overlay_table tables[ILP_TABLE_COUNT];
    struct ilpi_buf strings;
    struct ilpi_buf blobs;
};

/* The image is borrowed, and its view needs no ilp_image_close(). */
void ilpi_overlay_open(struct ilpi_overlay *overlay, const struct ilp_image *image);
void ilpi_overlay_close(struct ilpi_overlay *overlay);

/* A cell of a new row: bytes for a name or a blob, which get an entry of their heap, else a number
 * in the form of ilp_cell(). */
struct ilpi_overlay_cell {
    struct ilp_bytes bytes;
    uint32_t number;
};

/* Adds the row that a token names, unless it exists. Rows between the last one and this one belong
 * to others, or were added earlier: they are zero until their tokens are passed. */
ilp_status ilpi_overlay_row(struct ilpi_overlay *overlay, ilp_token token,
                            const struct ilpi_overlay_cell cells[], struct ilp_error *error);

/* Of user strings only the tokens are known. */
void ilpi_overlay_user_string(struct ilpi_overlay *overlay, ilp_token token);

#endif
