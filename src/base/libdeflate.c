/* Deflate streams by libdeflate, which is loaded at the first one. See deflate_library.h. */
#include <libdeflate.h>

#include "base/deflate_library.h"
#include "base/library.h"

#define LIBDEFLATE_FUNCTIONS(F)          \
    F(libdeflate_alloc_decompressor)     \
    F(libdeflate_deflate_decompress)     \
    F(libdeflate_free_decompressor)      \
    F(libdeflate_alloc_compressor)       \
    F(libdeflate_deflate_compress)       \
    F(libdeflate_deflate_compress_bound) \
    F(libdeflate_free_compressor)

struct libdeflate {
    LIBDEFLATE_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

/* Of 1 to 12: the fastest level that packs PDBs smaller than zlib's default. */
#define LEVEL 5

static ilp_status load(struct libdeflate *library)
{
    static const struct ilpi_library_function names[] = {LIBDEFLATE_FUNCTIONS(ILPI_LIBRARY_NAME)};
    return ilpi_library_load(LIBDEFLATE_SONAME, names, sizeof names / sizeof names[0], library,
                             sizeof *library);
}

ilp_status ilpi_libdeflate_unpack(struct ilp_bytes packed, uint8_t *to, size_t size)
{
    struct libdeflate library;
    ILPI_TRY(load(&library));
    struct libdeflate_decompressor *decompressor = library.libdeflate_alloc_decompressor();
    if (!decompressor) {
        return ILP_E_NO_MEMORY;
    }
    /* With NULL for the actual size, any other size is an error. */
    enum libdeflate_result result = library.libdeflate_deflate_decompress(
        decompressor, packed.data, packed.size, to, size, NULL);
    library.libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ? ILP_OK : ILP_E_BAD_DEFLATE;
}

/* The bound is the most that compression may need, so the room always suffices; what is left of it
 * is given back. */
ilp_status ilpi_libdeflate_pack(struct ilpi_buf *to, struct ilp_bytes bytes)
{
    struct libdeflate library;
    ILPI_TRY(load(&library));
    struct libdeflate_compressor *compressor = library.libdeflate_alloc_compressor(LEVEL);
    if (!compressor) {
        return ILP_E_NO_MEMORY;
    }
    size_t room = library.libdeflate_deflate_compress_bound(compressor, bytes.size);
    uint8_t *stream = ilpi_buf_reserve(to, room);
    size_t made = stream ? library.libdeflate_deflate_compress(compressor, bytes.data, bytes.size,
                                                               stream, room)
                         : 0; /* no stream has 0 bytes */
    library.libdeflate_free_compressor(compressor);
    if (made == 0) {
        return ILP_E_NO_MEMORY;
    }
    to->size -= room - made;
    return ILP_OK;
}
