/* Deflate streams by zlib, which is loaded at the first one. See deflate_library.h. */
#include <zlib.h>

#include "base/deflate_library.h"
#include "base/library.h"

/* inflateInit2() and deflateInit2() are macros over these functions. */
#define ZLIB_FUNCTIONS(F) \
    F(inflateInit2_)      \
    F(inflate)            \
    F(inflateEnd)         \
    F(deflateInit2_)      \
    F(deflate)            \
    F(deflateEnd)

struct zlib {
    ZLIB_FUNCTIONS(ILPI_LIBRARY_POINTER)
};

/* A negative window size: no header before the stream, no checksum after it. */
#define RAW_DEFLATE (-MAX_WBITS)

static ilp_status load_zlib(struct zlib *zlib)
{
    static const struct ilpi_library_function names[] = {ZLIB_FUNCTIONS(ILPI_LIBRARY_NAME)};
    return ilpi_library_load(ZLIB_SONAME, names, sizeof names / sizeof names[0], zlib,
                             sizeof *zlib);
}

/* zlib counts in 32 bits: larger spans are passed in pieces. */
static uInt piece(size_t left)
{
    return left < 1u << 30 ? (uInt)left : 1u << 30;
}

/* Z_STREAM_END if the stream ends exactly where the output does.
 *
 *   output full, no Z_STREAM_END yet    one more call with room for one byte: if it is used, the
 *                                       stream is longer
 *   Z_STREAM_END, output not full       it is shorter: Z_DATA_ERROR */
static int unpack(const struct zlib *zlib, struct ilp_bytes packed, uint8_t *to, size_t size)
{
    uint8_t beyond = 0;
    size_t input_left = packed.size;
    size_t output_left = size;
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)packed.data, .next_out = to};
    int result = zlib->inflateInit2_(&stream, RAW_DEFLATE, ZLIB_VERSION, (int)sizeof stream);
    if (result != Z_OK) {
        return Z_MEM_ERROR;
    }
    while (result == Z_OK && output_left != 0) {
        uInt input = stream.avail_in = piece(input_left);
        uInt output = stream.avail_out = piece(output_left);
        result = zlib->inflate(&stream, Z_NO_FLUSH);
        input_left -= input - stream.avail_in;
        output_left -= output - stream.avail_out;
    }
    if (result == Z_OK) { /* all bytes are written, but the end of the stream may be unread */
        stream.avail_in = piece(input_left);
        stream.next_out = &beyond;
        stream.avail_out = 1;
        result = zlib->inflate(&stream, Z_NO_FLUSH);
        output_left = 1 - stream.avail_out;
    }
    zlib->inflateEnd(&stream);
    return output_left == 0 ? result : Z_DATA_ERROR;
}

ilp_status ilpi_zlib_unpack(struct ilp_bytes packed, uint8_t *to, size_t size)
{
    struct zlib zlib;
    ILPI_TRY(load_zlib(&zlib));
    int result = unpack(&zlib, packed, to, size);
    return result == Z_STREAM_END  ? ILP_OK
           : result == Z_MEM_ERROR ? ILP_E_NO_MEMORY
                                   : ILP_E_BAD_DEFLATE;
}

/* How much `to` grows for one call of deflate(). */
#define STEP ((size_t)64 << 10)

/* Grows in steps, and takes back what the last step did not need. */
static ilp_status pack(const struct zlib *zlib, z_stream *stream, struct ilpi_buf *to, size_t size)
{
    size_t left = size;
    int result = Z_OK;
    while (result == Z_OK) {
        uInt input = stream->avail_in = piece(left);
        stream->next_out = ilpi_buf_reserve(to, STEP);
        stream->avail_out = (uInt)STEP;
        if (!stream->next_out) {
            return ILP_E_NO_MEMORY;
        }
        result = zlib->deflate(stream, input == left ? Z_FINISH : Z_NO_FLUSH);
        left -= input - stream->avail_in;
        to->size -= stream->avail_out;
    }
    return ILP_OK;
}

/* `next_in` is not const in zlib's interface, but zlib does not write to it. */
ilp_status ilpi_zlib_pack(struct ilpi_buf *to, struct ilp_bytes bytes)
{
    struct zlib zlib;
    ILPI_TRY(load_zlib(&zlib));
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)bytes.data};
    if (zlib.deflateInit2_(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, 8,
                           Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof stream) != Z_OK) {
        return ILP_E_NO_MEMORY;
    }
    ilp_status status = pack(&zlib, &stream, to, bytes.size);
    zlib.deflateEnd(&stream);
    return status;
}
