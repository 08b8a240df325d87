/* Tokens, and the bytes they are read from, by offset. */
#ifndef ILPI_CONDITION_TOKEN_H
#define ILPI_CONDITION_TOKEN_H

#include "condition/program.h"

enum ilpi_token_kind {
    ILPI_TOKEN_END, /* 0: the token of a zeroed struct */
    ILPI_TOKEN_NAME,
    ILPI_TOKEN_NUMBER,
    ILPI_TOKEN_DURATION,
    ILPI_TOKEN_TEXT,
    ILPI_TOKEN_CHAR,
#define CONDITION_TOKEN(token, word, sign) ILPI_TOKEN_##token,
#include "condition/words.def"
};

/* The current token; the parser never looks further ahead. */
struct ilpi_token {
    enum ilpi_token_kind kind;
    size_t offset; /* in the text, of its first byte: the quote, or the `@` before it */
    size_t size;   /* in bytes, as it was written */
    /* NUMBER, DURATION, TEXT (in the arena), CHAR: the exact value; and as single and double */
    struct ilpi_scalar literal;
    struct ilpi_scalar single, real;
    bool verbatim; /* NAME: after `@`, so not a keyword. TEXT: without escapes */
};

struct ilpi_lexer {
    struct ilp_bytes text;   /* at most ILPI_CONDITION_MAX_SIZE bytes */
    struct ilp_arena *arena; /* borrowed: the condition's */
    struct ilp_error *error; /* borrowed; NULL: messages are not wanted */
    size_t at;               /* after the token */
    struct ilpi_token token;
    uint16_t units[ILPI_CONDITION_MAX_SIZE]; /* of the text being read: at most as many as its
                                                bytes */
};

/* The byte at an offset; 0 at the end. */
static inline uint8_t ilpi_lex_byte(const struct ilpi_lexer *lexer, size_t at)
{
    return at < lexer->text.size ? lexer->text.data[at] : 0;
}

static inline bool ilpi_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* 0 to 15; -1: not a digit. */
static inline int ilpi_hex_digit(uint8_t c)
{
    uint8_t letter = c | 0x20;
    if (ilpi_is_digit(c)) {
        return c - '0';
    }
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* All characters beyond ASCII may be part of a name. */
static inline bool ilpi_is_name_start(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

/* The end of the name at an offset; the offset itself if there is none. */
static inline size_t ilpi_lex_name_end(const struct ilpi_lexer *lexer, size_t at)
{
    if (ilpi_is_name_start(ilpi_lex_byte(lexer, at))) {
        do {
            at++;
        } while (ilpi_is_name_start(ilpi_lex_byte(lexer, at)) ||
                 ilpi_is_digit(ilpi_lex_byte(lexer, at)));
    }
    return at;
}

#endif
