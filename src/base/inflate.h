/* Compressed data: the raw deflate streams (RFC 1951) of single-file bundles and embedded PDBs,
 * unpacked and packed, by libdeflate or, where that is not installed, by zlib. */
#ifndef ILPI_INFLATE_H
#define ILPI_INFLATE_H

#include "base/buf.h"

/* Deflate never packs better than this (258 bytes from a match of 2 bits), so a larger size is
 * false. */
#define ILPI_INFLATE_MAX_RATIO 1032u

/* Unpacks `packed` into exactly `size` bytes at `to`. ILP_E_BAD_DEFLATE: the stream is broken, or
 * has more or fewer bytes. ILP_E_NO_LIBRARY: neither library is installed. `origin` is the stream's
 * offset in its file, `place` its name, for errors. */
ilp_status ilpi_inflate(struct ilp_bytes packed, uint8_t *to, size_t size, uint64_t origin,
                        const char *place, struct ilp_error *error);

/* Packs `bytes` and appends the stream to `to`. The same bytes give the same stream with the same
 * version of the same library. */
ilp_status ilpi_deflate(struct ilpi_buf *to, struct ilp_bytes bytes, struct ilp_error *error);

#endif
