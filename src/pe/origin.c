/* Digests of files, and the origin of a written one. See origin.h. */
#include "pe/origin.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

static const uint8_t mark[8] = {'i', 'l', 'p', 'a', 't', 'c', 'h', 1};

static_assert(sizeof mark + sizeof(struct ilp_digest) == ILPI_ORIGIN_BYTES,
              "the mark and the digest fill the origin");

void ilp_digest_of(struct ilp_bytes bytes, struct ilp_digest *digest)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data, bytes.size));
    memcpy(digest->bytes, canonical.digest, sizeof digest->bytes);
}

void ilpi_origin_store(uint8_t *to, const struct ilp_digest *digest)
{
    memcpy(to, mark, sizeof mark);
    memcpy(to + sizeof mark, digest->bytes, sizeof digest->bytes);
}

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
