/* Output in one forward pass: small pieces are collected, large spans go to the sink directly. The
 * first failure sticks. `offset` is the current offset in the file, so that the plan can be
 * checked. */
#ifndef ILPI_OUT_H
#define ILPI_OUT_H

#include "base/buf.h"

/* Collects pieces on their way to a sink, and counts the offset. */
struct ilpi_out {
    const struct ilp_sink *sink; /* borrowed */
    struct ilp_error *error;     /* borrowed; may be NULL */
    ilp_status status;
    uint64_t offset; /* of the next byte, held ones included */
    size_t held;     /* bytes in `pieces` */
    uint8_t pieces[8192];
};

static inline void ilpi_out_init(struct ilpi_out *out, const struct ilp_sink *sink,
                                 struct ilp_error *error)
{
    out->sink = sink;
    out->error = error;
    out->status = ILP_OK;
    out->offset = 0;
    out->held = 0;
}

void ilpi_out_flush(struct ilpi_out *out);
void ilpi_out_bytes(struct ilpi_out *out, const void *bytes, size_t size);
void ilpi_out_zeros(struct ilpi_out *out, uint64_t n);
void ilpi_out_u16(struct ilpi_out *out, uint16_t value);
void ilpi_out_u32(struct ilpi_out *out, uint32_t value);
void ilpi_out_u64(struct ilpi_out *out, uint64_t value);

/* Zeros up to a planned offset. An offset already passed means that the plan was wrong. */
void ilpi_out_to(struct ilpi_out *out, uint64_t offset);

/* `size` bytes of working memory to fill, counted as written; size must be at most sizeof
 * pieces. */
uint8_t *ilpi_out_piece(struct ilpi_out *out, size_t size);

#endif
