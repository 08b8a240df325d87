/* Digests of files, and the origin of a written one. See origin.h.
 *
 *   "ilpatch" 01 | XXH3-128 of the original, canonical order | metadata root */
#include "pe/origin.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define PIECE ((size_t)1 << 20)

static const uint8_t mark[8] = {'i', 'l', 'p', 'a', 't', 'c', 'h', 1};

static_assert(sizeof mark + sizeof(struct ilp_digest) == ILPI_ORIGIN_BYTES,
              "the mark and the digest fill the origin");

static void store_hash(struct ilp_digest *digest, XXH128_hash_t hash)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    memcpy(digest->bytes, canonical.digest, sizeof digest->bytes);
}

void ilp_digest_of(struct ilp_bytes bytes, struct ilp_digest *digest)
{
    store_hash(digest, XXH3_128bits(bytes.data, bytes.size));
}

/* Also calls `read` for each piece, right after it was hashed: it is in the cache then, so a caller
 * that compares or copies the file reads it from memory once. */
void ilpi_digest_by_pieces(struct ilp_bytes bytes, struct ilp_digest *digest,
                           void (*read)(const void *user, struct ilp_bytes piece), const void *user)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (size_t at = 0; at < bytes.size; at += PIECE) {
        size_t left = bytes.size - at;
        struct ilp_bytes piece = {bytes.data + at, left < PIECE ? left : PIECE};
        XXH3_128bits_update(&state, piece.data, piece.size);
        read(user, piece);
    }
    store_hash(digest, XXH3_128bits_digest(&state));
}

void ilpi_origin_store(uint8_t *to, const struct ilp_digest *digest)
{
    memcpy(to, mark, sizeof mark);
    memcpy(to + sizeof mark, digest->bytes, sizeof digest->bytes);
}

/* `end` is the offset of the metadata root. The mark may be part of what a compiler put there only
 * by accident: eight bytes make that unlikely, and the digest is compared with a file anyway. */
bool ilpi_origin_read(struct ilp_bytes file, uint64_t end, struct ilp_digest *digest)
{
    if (end < ILPI_ORIGIN_BYTES || end > file.size) {
        return false;
    }
    const uint8_t *origin = file.data + end - ILPI_ORIGIN_BYTES;
    if (memcmp(origin, mark, sizeof mark) != 0) {
        return false;
    }
    memcpy(digest->bytes, origin + sizeof mark, sizeof digest->bytes);
    return true;
}
