/* The libraries that read and write deflate streams (RFC 1951), one file for each; inflate.c uses
 * the first one that is installed.
 *
 * ILP_E_NO_LIBRARY: it is not installed, or lacks one of the functions. ILP_E_NO_MEMORY: also for
 * the library's own tables. */
#ifndef ILPI_DEFLATE_LIBRARY_H
#define ILPI_DEFLATE_LIBRARY_H

#include "base/buf.h"

/* Unpacks a stream that gives exactly `size` bytes, or ILP_E_BAD_DEFLATE. Bytes after the stream
 * are ignored. */
ilp_status ilpi_libdeflate_unpack(struct ilp_bytes packed, uint8_t *to, size_t size);
ilp_status ilpi_zlib_unpack(struct ilp_bytes packed, uint8_t *to, size_t size);

/* Append the stream of `bytes`. */
ilp_status ilpi_libdeflate_pack(struct ilpi_buf *to, struct ilp_bytes bytes);
ilp_status ilpi_zlib_pack(struct ilpi_buf *to, struct ilp_bytes bytes);

#endif
