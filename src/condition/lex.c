/* Splits a condition into tokens: names and words, signs, and C#'s string and character literals.
 * Numbers are read by literal.c.
 *
 * The text has been checked to be UTF-8 and at most 4 KB (parse.c), so columns fit in 16 bits and
 * offsets cannot overflow. Reading at or after its end gives 0, which begins no token. */
#include "condition/lex.h"

#include <string.h>

#include "base/utf8.h"
#include "condition/literal.h"
#include "condition/message.h"

static const struct {
    const char *word;
    const char *sign;
    enum ilpi_token_kind kind;
} tokens[] = {
#define CONDITION_TOKEN(token, word, sign) {(word), (sign), ILPI_TOKEN_##token},
#include "condition/words.def"
};

#define TOKEN_COUNT (sizeof tokens / sizeof tokens[0])

static ilp_status fail_at(struct ilpi_lexer *lexer, size_t offset, const char *message)
{
    return ilpi_condition_fail(lexer->error, lexer->text, offset, "%s", message);
}

/* ---- texts ---- */

/* A text under construction: at most as many units as its source has bytes. `to` is the lexer's
 * buffer, which each text overwrites; the text is copied to the arena when it is complete. */
struct units {
    uint16_t *to;
    uint32_t count;
};

static void put_code(struct units *units, uint32_t code)
{
    if (code >= 0x10000) {
        units->to[units->count++] = ilpi_utf16_high(code);
        units->to[units->count++] = ilpi_utf16_low(code);
    } else {
        units->to[units->count++] = (uint16_t)code;
    }
}

/* \x with one to four digits, \u with four, \U with eight; after the letter. */
static ilp_status lex_code(struct ilpi_lexer *lexer, size_t *at, uint8_t letter, uint32_t *code)
{
    size_t most = letter == 'U' ? 8 : 4;
    size_t count = 0;
    *code = 0;
    for (; count < most && ilpi_hex_digit(ilpi_lex_byte(lexer, *at + count)) >= 0; count++) {
        *code = *code << 4 | (uint32_t)ilpi_hex_digit(ilpi_lex_byte(lexer, *at + count));
    }
    if (count < (letter == 'x' ? 1 : most) || *code > 0x10FFFF) {
        return ilpi_condition_fail(lexer->error, lexer->text, *at - 2,
                                   "\\%c is followed by the digits of a character: "
                                   "\\x9, \\u0009 or \\U00000009",
                                   letter);
    }
    *at += count;
    return ILP_OK;
}

/* Of the escape whose backslash is at *at, which moves after it. */
static ilp_status lex_escape(struct ilpi_lexer *lexer, size_t *at, struct units *units)
{
    /* By position: a letter, and its code. strchr() would find the NUL at the end, so 0 is
     * excluded. */
    static const char letters[] = "0abefnrtv'\"\\";
    static const char codes[] = "\0\a\b\033\f\n\r\t\v'\"\\";
    uint8_t letter = ilpi_lex_byte(lexer, *at + 1);
    const char *known = letter != 0 ? strchr(letters, letter) : NULL;
    if (known) {
        put_code(units, (uint8_t)codes[known - letters]);
        *at += 2;
        return ILP_OK;
    }
    if (letter != 'x' && letter != 'u' && letter != 'U') {
        return fail_at(lexer, *at,
                       "this is not an escape of C#. Write \\\\ for a backslash, or the text as "
                       "@\"...\"");
    }
    uint32_t code;
    *at += 2;
    ILPI_TRY(lex_code(lexer, at, letter, &code));
    put_code(units, code);
    return ILP_OK;
}

/* What is between quotes, after the first one at `at`. Each unit is made from at least one byte of
 * the text, so `units` cannot overflow: a character beyond the BMP has two units and four bytes, an
 * escape \U has ten. */
static ilp_status lex_quoted(struct ilpi_lexer *lexer, size_t at, uint8_t quote, bool verbatim)
{
    struct units units = {.to = lexer->units};
    bool plain = true;
    for (;;) {
        uint8_t c = ilpi_lex_byte(lexer, at);
        if (at >= lexer->text.size) {
            return fail_at(lexer, lexer->token.offset, "the text does not end");
        }
        if (c == quote && !(verbatim && ilpi_lex_byte(lexer, at + 1) == quote)) {
            break;
        }
        plain = plain && c != quote && (c != '\\' || verbatim);
        if (c == '\\' && !verbatim) {
            ILPI_TRY(lex_escape(lexer, &at, &units));
        } else {
            /* Of two quotes in a verbatim text the second is read. */
            at += c == quote;
            put_code(&units, ilpi_utf8_next(lexer->text.data, lexer->text.size, &at));
        }
    }
    lexer->at = at + 1;
    lexer->token.verbatim = plain;
    lexer->token.literal = ilpi_scalar_string(
        ilpi_arena_copy(lexer->arena, units.to, units.count * sizeof *units.to), units.count);
    return lexer->token.literal.as.bytes ? ILP_OK : ilpi_fail_memory(lexer->error, units.count);
}

static ilp_status lex_char(struct ilpi_lexer *lexer)
{
    ILPI_TRY(lex_quoted(lexer, lexer->token.offset + 1, '\'', false));
    struct ilpi_scalar *literal = &lexer->token.literal;
    if (literal->length != 1) {
        return fail_at(lexer, lexer->token.offset,
                       "a char is one UTF-16 unit. Write a text as \"...\"");
    }
    uint16_t unit;
    memcpy(&unit, literal->as.bytes, sizeof unit);
    *literal = ilpi_scalar_unsigned(unit);
    return ILP_OK;
}

/* ---- names and signs ---- */

/* A verbatim name (@name) is never a keyword: so a member named `and` can be reached, as in C#. */
static void lex_name(struct ilpi_lexer *lexer, size_t start, size_t end)
{
    lexer->token.kind = ILPI_TOKEN_NAME;
    lexer->token.verbatim = start != lexer->token.offset;
    lexer->at = end;
    for (size_t i = 0; i < TOKEN_COUNT && !lexer->token.verbatim; i++) {
        const char *word = tokens[i].word;
        if (word && strlen(word) == end - start &&
            memcmp(word, lexer->text.data + start, end - start) == 0) {
            lexer->token.kind = tokens[i].kind;
        }
    }
}

/* Signs are compared in the order of the table, so a longer one (`<=`) must be before its beginning
 * (`<`). */
static ilp_status lex_sign(struct ilpi_lexer *lexer)
{
    const uint8_t *at = lexer->text.data + lexer->at;
    size_t left = lexer->text.size - lexer->at;
    for (size_t i = 0; i < TOKEN_COUNT; i++) {
        const char *sign = tokens[i].sign; /* NULL: it is a word, or handled elsewhere */
        size_t size = sign ? strlen(sign) : 0;
        if (sign && size <= left && memcmp(at, sign, size) == 0) {
            lexer->token.kind = tokens[i].kind;
            lexer->at += size;
            return ILP_OK;
        }
    }
    switch (*at) {
    case '=': return fail_at(lexer, lexer->at, "'=' is not an operator. Write == to compare");
    case '&': return fail_at(lexer, lexer->at, "'&' is not an operator. Write && or and");
    case '|': return fail_at(lexer, lexer->at, "'|' is not an operator. Write || or or");
    default:
        return ilpi_condition_fail(lexer->error, lexer->text, lexer->at,
                                   "'%c' does not belong to any condition", *at < ' ' ? '?' : *at);
    }
}

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* By the first character, and for `-`, `@` the second: there is no other look-ahead, and no
 * state. */
ilp_status ilpi_lex(struct ilpi_lexer *lexer)
{
    while (is_space(ilpi_lex_byte(lexer, lexer->at))) {
        lexer->at++;
    }
    size_t at = lexer->at;
    uint8_t c = ilpi_lex_byte(lexer, at);
    uint8_t next = ilpi_lex_byte(lexer, at + 1);
    ilp_status status = ILP_OK;
    /* All zero is ILPI_TOKEN_END, which the end of the text needs no code for. */
    lexer->token = (struct ilpi_token){.offset = at};
    if (at >= lexer->text.size) {
        return ILP_OK;
    }
    if (ilpi_is_digit(c) || (c == '-' && ilpi_is_digit(next))) {
        status = ilpi_lex_number(lexer);
    } else if (ilpi_is_name_start(c)) {
        lex_name(lexer, at, ilpi_lex_name_end(lexer, at));
    } else if (c == '@' && ilpi_is_name_start(next)) {
        lex_name(lexer, at + 1, ilpi_lex_name_end(lexer, at + 1));
    } else if (c == '"' || (c == '@' && next == '"')) {
        lexer->token.kind = ILPI_TOKEN_TEXT;
        status = lex_quoted(lexer, at + 1 + (c == '@'), '"', c == '@');
    } else if (c == '\'') {
        lexer->token.kind = ILPI_TOKEN_CHAR;
        status = lex_char(lexer);
    } else {
        status = lex_sign(lexer);
    }
    lexer->token.size = lexer->at - at;
    return status;
}
