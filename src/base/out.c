/* The forward pass to a sink. See out.h.
 *
 * Small pieces are collected, large spans are passed on without a copy. After a failure everything
 * is accepted and dropped, so writers check the status once; `offset` still counts, so that the
 * plan's checks stay meaningful. */
#include "base/out.h"

#include <string.h>

/* After the first failure nothing is written, and that failure stays; `offset` counts on, so that
 * callers need no checks between pieces. */
static void send(struct ilpi_out *out, const void *bytes, size_t size)
{
    if (out->status == ILP_OK && size != 0) {
        out->status = out->sink->write(out->sink->user, bytes, size);
        if (out->status == ILP_E_NO_MEMORY) {
            ilpi_fail_memory(out->error, size);
        } else if (out->status != ILP_OK) {
            ilpi_fail(out->error, out->status, out->offset, 0, "the output could not be written");
        }
    }
}

void ilpi_out_flush(struct ilpi_out *out)
{
    send(out, out->pieces, out->held);
    out->held = 0;
}

/* The piece is filled by the caller after this returns, and before the next call. */
uint8_t *ilpi_out_piece(struct ilpi_out *out, size_t size)
{
    if (size > sizeof out->pieces - out->held) {
        ilpi_out_flush(out);
    }
    uint8_t *piece = out->pieces + out->held;
    out->held += size;
    out->offset += size;
    return piece;
}

/* Small pieces are collected; large ones are passed on without a copy. */
void ilpi_out_bytes(struct ilpi_out *out, const void *bytes, size_t size)
{
    if (size == 0) {
        return;
    }
    if (size <= sizeof out->pieces / 4) {
        memcpy(ilpi_out_piece(out, size), bytes, size);
        return;
    }
    ilpi_out_flush(out);
    send(out, bytes, size);
    out->offset += size;
}

void ilpi_out_zeros(struct ilpi_out *out, uint64_t n)
{
    while (n != 0) {
        size_t some = n < sizeof out->pieces ? (size_t)n : sizeof out->pieces;
        memset(ilpi_out_piece(out, some), 0, some);
        n -= some;
    }
}

void ilpi_out_u16(struct ilpi_out *out, uint16_t value)
{
    ilpi_store_u16(ilpi_out_piece(out, 2), value);
}

void ilpi_out_u32(struct ilpi_out *out, uint32_t value)
{
    ilpi_store_u32(ilpi_out_piece(out, 4), value);
}

void ilpi_out_u64(struct ilpi_out *out, uint64_t value)
{
    ilpi_out_u32(out, (uint32_t)value);
    ilpi_out_u32(out, (uint32_t)(value >> 32));
}

/* Fills with zeros up to a planned offset. Being past it already is a mistake in the plan: the file
 * would not be what its headers say. */
void ilpi_out_to(struct ilpi_out *out, uint64_t offset)
{
    if (offset < out->offset) {
        if (out->status == ILP_OK) {
            out->status = ilpi_fail(out->error, ILP_E_MISUSE, out->offset, 0,
                                    "the output is at 0x%llX, planned was 0x%llX",
                                    (unsigned long long)out->offset, (unsigned long long)offset);
        }
        return;
    }
    ilpi_out_zeros(out, offset - out->offset);
}
