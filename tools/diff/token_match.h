/* Whether a token refers to the same in two images. */
#ifndef TOKEN_MATCH_H
#define TOKEN_MATCH_H

#include "base/buf.h"
#include "metadata/image.h"

/* Results are kept, so that each token is compared once. */
struct token_match {
    const struct ilp_image *images[2]; /* borrowed */
    struct ilpi_alloc alloc;
    struct ilpi_buf texts[2]; /* of both sides, for the token in work */
    uint8_t *known[256];      /* by the token's high byte, then by the rest of it; owned */
    size_t known_count[256];  /* elements of each; 0: not made yet */
};

void token_match_open(struct token_match *match, const struct ilp_image *old_image,
                      const struct ilp_image *new_image);
void token_match_close(struct token_match *match);

/* Whether `ilpatch dump` prints the same for it in both. */
bool token_match(struct token_match *match, ilp_token token);

#endif
