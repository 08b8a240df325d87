/* Formats digests. See digest_text.h. In lower case, as digests are usually compared. */
#include "host/digest_text.h"

#include <stdio.h>

void digits_of(struct ilp_bytes bytes, char text[DIGEST_DIGITS + 1])
{
    text[0] = '\0';
    for (size_t i = 0; i < bytes.size && 2 * i < DIGEST_DIGITS; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes.data[i]);
    }
}

void digest_text(struct ilp_bytes bytes, char text[DIGEST_DIGITS + 1])
{
    struct ilp_digest digest;
    ilp_digest_of(bytes, &digest);
    digits_of((struct ilp_bytes){digest.bytes, sizeof digest.bytes}, text);
}
