/* Builds single-file bundles of a few hundred bytes: a host that is nothing but the place where the
 * manifest's offset is, files, and a manifest of any version. */
#ifndef BUNDLE_BUILDER_H
#define BUNDLE_BUILDER_H

#include "base/buf.h"

struct bb_file {
    const char *path;
    uint8_t type;
    struct ilp_bytes bytes; /* as they stand in the bundle */
    uint64_t size;          /* unpacked; 0: they are not packed */
};

static const uint8_t bb_signature[] = {
    0x8B, 0x12, 0x02, 0xB9, 0x6A, 0x61, 0x20, 0x38, 0x72, 0x7B, 0x93, 0x02, 0x14, 0xD7, 0xA0, 0x32,
    0x13, 0xF5, 0xB9, 0xE6, 0xEF, 0xAE, 0x33, 0x18, 0xEE, 0x3B, 0x2D, 0xCE, 0x24, 0xB3, 0x6A, 0xAE};

#define BB_HOST_BYTES   64u
#define BB_HEADER_PLACE 16u

static inline void bb_text(struct ilpi_buf *out, const char *text)
{
    size_t length = strlen(text);
    if (length >= 0x80) {
        ilpi_buf_u8(out, (uint8_t)(0x80 | (length & 0x7F)));
        ilpi_buf_u8(out, (uint8_t)(length >> 7));
    } else {
        ilpi_buf_u8(out, (uint8_t)length);
    }
    ilpi_buf_text(out, text);
}

/* `magic` is what the host begins with. */
static inline void bb_build(struct ilpi_buf *out, const char *magic, uint32_t version,
                            const struct bb_file *files, size_t count)
{
    uint64_t offsets[8];
    ilpi_buf_text(out, magic);
    ilpi_buf_zeros(out, BB_HEADER_PLACE + 8 - out->size);
    ilpi_buf_bytes_add(out, bb_signature, sizeof bb_signature);
    ilpi_buf_zeros(out, BB_HOST_BYTES - out->size);
    for (size_t i = 0; i < count; i++) {
        ilpi_buf_align(out, 16);
        offsets[i] = out->size;
        ilpi_buf_bytes_add(out, files[i].bytes.data, files[i].bytes.size);
    }
    ilpi_store_u32(out->data + BB_HEADER_PLACE, (uint32_t)out->size);
    ilpi_buf_u32(out, version);
    ilpi_buf_u32(out, 0);
    ilpi_buf_u32(out, (uint32_t)count);
    bb_text(out, "an-id");
    if (version >= 2) {
        for (unsigned type = 3; type <= 4; type++) {
            uint64_t offset = 0;
            uint64_t size = 0;
            for (size_t i = 0; i < count; i++) {
                offset = files[i].type == type ? offsets[i] : offset;
                size = files[i].type == type ? files[i].bytes.size : size;
            }
            ilpi_buf_u64(out, offset);
            ilpi_buf_u64(out, size);
        }
        ilpi_buf_u64(out, 1);
    }
    for (size_t i = 0; i < count; i++) {
        ilpi_buf_u64(out, offsets[i]);
        ilpi_buf_u64(out, files[i].size != 0 ? files[i].size : files[i].bytes.size);
        if (version >= 6) {
            ilpi_buf_u64(out, files[i].size != 0 ? files[i].bytes.size : 0);
        }
        ilpi_buf_u8(out, files[i].type);
        bb_text(out, files[i].path);
    }
}

#endif
