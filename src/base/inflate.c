/* Chooses the library that packs and unpacks, and reports what is wrong if neither does. See
 * inflate.h. */
#include "base/inflate.h"

#include "base/deflate_library.h"

#define NOT_INSTALLED \
    "neither " LIBDEFLATE_SONAME " nor " ZLIB_SONAME " is installed (Debian: libdeflate0, zlib1g)"

/* libdeflate, else zlib: the first is faster, the second is installed nearly everywhere. Both
 * unpack to a size that is known; a stream of another size is invalid. */
ilp_status ilpi_inflate(struct ilp_bytes packed, uint8_t *to, size_t size, uint64_t origin,
                        const char *place, struct ilp_error *error)
{
    ilp_status status = ilpi_libdeflate_unpack(packed, to, size);
    if (status == ILP_E_NO_LIBRARY) {
        status = ilpi_zlib_unpack(packed, to, size);
    }
    switch (status) {
    case ILP_OK: return ILP_OK;
    case ILP_E_NO_MEMORY: return ilpi_fail_memory(error, 0);
    case ILP_E_NO_LIBRARY:
        return ilpi_fail(error, status, origin, 0, "%s is compressed, but " NOT_INSTALLED, place);
    default:
        return ilpi_fail(error, status, origin, 0, "%s: its compressed data is not valid", place);
    }
}

ilp_status ilpi_deflate(struct ilpi_buf *to, struct ilp_bytes bytes, struct ilp_error *error)
{
    ilp_status status = ilpi_libdeflate_pack(to, bytes);
    if (status == ILP_E_NO_LIBRARY) {
        status = ilpi_zlib_pack(to, bytes);
    }
    switch (status) {
    case ILP_OK: return ILP_OK;
    case ILP_E_NO_LIBRARY:
        return ilpi_fail(error, status, ILPI_NO_OFFSET, 0,
                         "data is to be compressed, but " NOT_INSTALLED);
    default: return ilpi_fail_memory(error, 0);
    }
}
