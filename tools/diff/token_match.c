/* Compares tokens of two images by what they refer to. See token_match.h.
 *
 * Tokens are compared as text, the only form that both files share: rows may have moved. Formatting
 * is the expensive part, and a token occurs in many bodies, so each result is kept in a byte per
 * token, in arrays that are made for a table when it is first met. */
#include "tools/diff/token_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tools/cmd/token_text.h"
#include "tools/tool.h"

enum known { KNOWN_NOT, KNOWN_SAME, KNOWN_OTHER }; /* 0 is what calloc() gives */

void token_match_open(struct token_match *match, const struct ilp_image *old_image,
                      const struct ilp_image *new_image)
{
    *match = (struct token_match){.images = {old_image, new_image}};
    ilpi_alloc_init(&match->alloc, NULL);
    match->texts[0].alloc = &match->alloc;
    match->texts[1].alloc = &match->alloc;
}

/* A table that was never met is NULL. */
void token_match_close(struct token_match *match)
{
    for (unsigned i = 0; i < 256; i++) {
        free(match->known[i]);
    }
    ilpi_buf_free(&match->texts[0]);
    ilpi_buf_free(&match->texts[1]);
}

/* Strings are compared as they are stored: their text would be cut at a limit. */
static bool texts_match(struct token_match *match, ilp_token token)
{
    struct ilpi_buf *texts = match->texts;
    if (ILP_TOKEN_TABLE(token) == ILP_TOKEN_USER_STRING) {
        return ilpi_bytes_equal(ilp_user_string(match->images[0], token),
                                ilp_user_string(match->images[1], token));
    }
    for (unsigned i = 0; i < 2; i++) {
        texts[i].size = 0;
        token_text(match->images[i], &texts[i], token);
        need(texts[i].status == ILP_OK ? match : NULL);
    }
    return ilpi_bytes_equal(ilpi_buf_bytes(&texts[0]), ilpi_buf_bytes(&texts[1]));
}

/* The number of tokens of this kind; those beyond refer to nothing in either image. */
static size_t count_of(const struct token_match *match, unsigned table)
{
    if (table == ILP_TOKEN_USER_STRING) {
        return ILP_TOKEN_RID(UINT32_MAX) + (size_t)1;
    }
    uint32_t old_rows = ilp_row_count(match->images[0], table);
    uint32_t new_rows = ilp_row_count(match->images[1], table);
    return (size_t)(old_rows > new_rows ? old_rows : new_rows) + 1;
}

/* A rid beyond the rows is in no array: it is invalid in both images, and compared as text each
 * time. */
bool token_match(struct token_match *match, ilp_token token)
{
    unsigned table = ILP_TOKEN_TABLE(token);
    if (!match->known[table]) {
        match->known_count[table] = count_of(match, table);
        match->known[table] =
            need(calloc(match->known_count[table], 1)); /* pages are committed when used */
    }
    if (ILP_TOKEN_RID(token) >= match->known_count[table]) {
        return texts_match(match, token);
    }
    uint8_t *known = &match->known[table][ILP_TOKEN_RID(token)];
    if (*known == KNOWN_NOT) {
        *known = texts_match(match, token) ? KNOWN_SAME : KNOWN_OTHER;
    }
    return *known == KNOWN_SAME;
}
