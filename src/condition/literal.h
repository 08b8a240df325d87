/* Numbers, durations, dates and GUIDs as they are written. */
#ifndef ILPI_CONDITION_LITERAL_H
#define ILPI_CONDITION_LITERAL_H

#include "condition/token.h"

/* A unit of durations, in 1 / 10^digits seconds. */
struct ilpi_duration_unit {
    const char *word;
    uint32_t factor;
    uint8_t digits;
};

/* NULL: no such unit. */
const struct ilpi_duration_unit *ilpi_find_duration_unit(const char *word, size_t size);

/* The number at the token's offset, with an optional minus and unit: ILPI_TOKEN_NUMBER or
 * ILPI_TOKEN_DURATION. lexer->at moves after it. */
ilp_status ilpi_lex_number(struct ilpi_lexer *lexer);

/* A text as a date ("2026-01-31", "2026-01-31T10:00:05.5", "...Z"); unchanged if it is not one. */
struct ilpi_scalar ilpi_literal_date(const struct ilpi_scalar *text);

/* The same for a GUID, with or without braces; its bytes are in the arena. */
ilp_status ilpi_literal_guid(struct ilpi_scalar *out, const struct ilpi_scalar *text,
                             struct ilp_arena *arena, struct ilp_error *error);

#endif
