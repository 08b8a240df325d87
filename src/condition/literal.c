/* Reads numbers: exact if they fit 96 bits with 28 digits after the point, else as the nearest
 * double. Also dates and GUIDs, which are texts that are compared with values of these kinds.
 *
 * A literal has no type: what it is compared with decides. So it is kept in all its forms, made
 * once: the exact decimal, the nearest float, the nearest double, a date, a GUID. */
#include "condition/literal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "condition/message.h"

/* Characters of a number with a point or exponent, with a NUL. An exponent that has reached 9999 is
 * not counted further: no double has it, and `scale` cannot overflow. */
enum { MAX_NUMBER = 200, MAX_EXPONENT = 9999 };

/* ---- numbers ---- */

/* A number while it is read: words / 10^scale, as long as that is exact. */
struct written {
    uint32_t words[3]; /* its digits as one integer, the lowest word first */
    int scale;         /* digits after the point; below 0: zeros before it */
    bool negative;
    bool exact;            /* it fits 96 bits with at most 28 digits after the point */
    bool real;             /* has a point or an exponent */
    char text[MAX_NUMBER]; /* without `_`, for strtod() */
    size_t size;
};

/* words = words * factor + more. A carry out of 96 bits means that the number is no longer exact;
 * the digits continue to be collected as text. */
static void multiply_add(struct written *number, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;
    for (unsigned i = 0; i < 3; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    number->exact = number->exact && carry == 0;
}

/* Divides by 10; false and no change if there is a remainder. */
static bool divide(struct written *number)
{
    uint32_t quotient[3];
    uint64_t rest = 0;
    for (unsigned i = 3; i-- > 0;) {
        rest = rest << 32 | number->words[i];
        quotient[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    if (rest == 0) {
        memcpy(number->words, quotient, sizeof quotient);
    }
    return rest == 0;
}

/* The words of a number that is not exact are what is left of it: 0 for 2^96. */
static bool is_zero(const struct written *number)
{
    return number->exact && (number->words[0] | number->words[1] | number->words[2]) == 0;
}

/* A text that is full is noticed in set_number(). The last byte stays 0, for strtod(). */
static void put_char(struct written *number, uint8_t c)
{
    if (number->size < sizeof number->text - 1) {
        number->text[number->size++] = (char)c;
    }
}

/* Digits, with `_` between them. After the point (`real`) each digit adds one to the scale. As in
 * C#, a number does not end with `_`. */
static size_t lex_digits(const struct ilpi_lexer *lexer, size_t at, struct written *number)
{
    for (;; at++) {
        uint8_t c = ilpi_lex_byte(lexer, at);
        uint8_t next = ilpi_lex_byte(lexer, at + 1);
        if (ilpi_is_digit(c)) {
            multiply_add(number, 10, c - (uint32_t)'0');
            number->scale += number->real;
            put_char(number, c);
        } else if (c != '_' || (!ilpi_is_digit(next) && next != '_')) {
            return at;
        }
    }
}

/* e5, e+5, e-5 */
static size_t lex_exponent(const struct ilpi_lexer *lexer, size_t at, struct written *number)
{
    uint8_t sign = ilpi_lex_byte(lexer, at + 1);
    size_t digits = at + 1 + (sign == '+' || sign == '-');
    int exponent = 0;
    if ((ilpi_lex_byte(lexer, at) | 0x20) != 'e' || !ilpi_is_digit(ilpi_lex_byte(lexer, digits))) {
        return at;
    }
    put_char(number, 'e');
    put_char(number, sign == '-' ? '-' : '+');
    number->real = true;
    for (at = digits; ilpi_is_digit(ilpi_lex_byte(lexer, at)); at++) {
        uint8_t digit = ilpi_lex_byte(lexer, at);
        put_char(number, digit);
        exponent = exponent < MAX_EXPONENT ? 10 * exponent + (digit - '0') : exponent;
    }
    number->scale -= sign == '-' ? -exponent : exponent;
    return at;
}

/* The digits after 0x or 0b. */
static ilp_status lex_based(struct ilpi_lexer *lexer, size_t at, struct written *number)
{
    int base = (ilpi_lex_byte(lexer, at + 1) | 0x20) == 'x' ? 16 : 2;
    size_t start = at + 2;
    bool any = false;
    for (at = start;; at++) {
        uint8_t c = ilpi_lex_byte(lexer, at);
        int digit = ilpi_hex_digit(c);
        if (c != '_' && (digit < 0 || digit >= base)) {
            break;
        }
        if (c != '_') {
            multiply_add(number, (uint32_t)base, (uint32_t)digit);
            any = true;
        }
    }
    lexer->at = at;
    return any ? ILP_OK
               : ilpi_condition_fail(lexer->error, lexer->text, start,
                                     "expected the digits of a number");
}

/* Normalizes the scale to 0 to 28, if the number stays exact: trailing zeros are multiplied in or
 * divided away, so 1e5 has scale 0. 1.5e-28, which would need 29 digits, is a double. */
static void normalize(struct written *number)
{
    if (is_zero(number)) {
        number->scale = 0;
    }
    /* If this overflows, the scale stays below 0, but then it is not used: see set_number(). */
    for (; number->scale < 0 && number->exact; number->scale++) {
        multiply_add(number, 10, 0);
    }
    while (number->scale > 28 && number->exact) {
        number->exact = divide(number);
        number->scale--;
    }
}

static struct ilpi_scalar decimal_of(const struct written *number)
{
    return ilpi_scalar_decimal(number->words, (unsigned)number->scale, number->negative);
}

/* As 64 bits if they are enough: comparing these is fastest. */
static struct ilpi_scalar integer_of(const struct written *number)
{
    uint64_t size = (uint64_t)number->words[1] << 32 | number->words[0];
    /* -2^63 is an int64_t, 2^63 is not. */
    uint64_t most = (uint64_t)INT64_MAX + number->negative;
    if (number->words[2] != 0) {
        return decimal_of(number);
    }
    if (size <= most) {
        return ilpi_scalar_signed((int64_t)(number->negative ? -size : size));
    }
    return number->negative ? decimal_of(number) : ilpi_scalar_unsigned(size);
}

/* The nearest double and float, independent of the locale (which strtod() would use for the point).
 * False: out of range, or rounded to 0. The float is read from the text and not from the double,
 * which would round twice. */
static bool round_real(const struct written *number, struct ilpi_scalar *real,
                       struct ilpi_scalar *single)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) {
        return false;
    }
    double as_double = strtod_l(number->text, NULL, c);
    float as_single = strtof_l(number->text, NULL, c);
    freelocale(c);
    *real = ilpi_scalar_double(number->negative ? -as_double : as_double);
    *single = ilpi_scalar_single(number->negative ? -as_single : as_single);
    return as_double <= 1.7976931348623157e308 && (as_double > 0 || is_zero(number));
}

/* Without a point or exponent a number must be exact: a large integer that is rounded would match
 * others. With one, it may also be a double. */
static ilp_status set_number(struct ilpi_lexer *lexer, struct written *number)
{
    struct ilpi_token *token = &lexer->token;
    token->kind = ILPI_TOKEN_NUMBER;
    normalize(number);
    if (!number->real) {
        token->literal = number->exact ? integer_of(number) : token->literal;
        token->single = token->real = token->literal;
        return number->exact ? ILP_OK
                             : ilpi_condition_fail(lexer->error, lexer->text, token->offset,
                                                   "the number is too large. Write 1e30 if a "
                                                   "double is meant");
    }
    if (number->size >= sizeof number->text - 1) {
        return ilpi_condition_fail(lexer->error, lexer->text, token->offset,
                                   "the number has too many digits");
    }
    if (!round_real(number, &token->real, &token->single)) {
        return ilpi_condition_fail(lexer->error, lexer->text, token->offset,
                                   "the number is beyond those of a double");
    }
    token->literal = number->exact ? decimal_of(number) : token->real;
    return ILP_OK;
}

/* ---- durations ---- */

const struct ilpi_duration_unit *ilpi_find_duration_unit(const char *word, size_t size)
{
    static const struct ilpi_duration_unit units[] = {
#define CONDITION_UNIT(word, factor, digits) {(word), (factor), (digits)},
#include "condition/words.def"
    };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i].word) == size && memcmp(units[i].word, word, size) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

/* The number with the unit from `at` to `end`. A unit is factor / 10^digits seconds, and so all
 * durations are exact: 5ms is 5 / 10^3. */
static ilp_status set_duration(struct ilpi_lexer *lexer, struct written *number, size_t at,
                               size_t end)
{
    const char *word = (const char *)lexer->text.data + at;
    const struct ilpi_duration_unit *unit = ilpi_find_duration_unit(word, end - at);
    if (!unit) {
        return ilpi_condition_fail(lexer->error, lexer->text, at,
                                   "'%.*s' is not a unit: expected ns, us, ms, s, min, h or d",
                                   end - at < 40 ? (int)(end - at) : 40, word);
    }
    multiply_add(number, unit->factor, 0);
    number->scale += unit->digits;
    normalize(number);
    if (!number->exact) {
        return ilpi_condition_fail(lexer->error, lexer->text, lexer->token.offset,
                                   "the duration has too many digits");
    }
    lexer->token.kind = ILPI_TOKEN_DURATION;
    lexer->token.literal = decimal_of(number);
    lexer->token.literal.kind = ILPI_SCALAR_DURATION;
    lexer->token.single = lexer->token.real = lexer->token.literal;
    return ILP_OK;
}

/* A unit follows a number without a space; so `5m` with an unknown unit is a mistake in the number,
 * and not a name after it. */
ilp_status ilpi_lex_number(struct ilpi_lexer *lexer)
{
    struct written number = {.exact = true};
    size_t at = lexer->token.offset;
    number.negative = ilpi_lex_byte(lexer, at) == '-';
    at += number.negative;
    uint8_t letter = ilpi_lex_byte(lexer, at + 1) | 0x20;
    if (ilpi_lex_byte(lexer, at) == '0' && (letter == 'x' || letter == 'b')) {
        ILPI_TRY(lex_based(lexer, at, &number));
    } else {
        at = lex_digits(lexer, at, &number);
        if (ilpi_lex_byte(lexer, at) == '.' && ilpi_is_digit(ilpi_lex_byte(lexer, at + 1))) {
            number.real = true;
            put_char(&number, '.');
            at = lex_digits(lexer, at + 1, &number);
        }
        lexer->at = lex_exponent(lexer, at, &number);
    }
    size_t end = ilpi_lex_name_end(lexer, lexer->at);
    if (end == lexer->at) {
        return set_number(lexer, &number);
    }
    at = lexer->at;
    lexer->at = end;
    return set_duration(lexer, &number, at, end);
}

/* ---- dates and GUIDs ---- */

/* A text that is read in ASCII. */
struct text_reader {
    const struct ilpi_scalar *text;
    uint32_t at;
    bool failed;
};

static uint16_t peek(const struct text_reader *reader)
{
    uint16_t unit = 0;
    if (reader->at < reader->text->length) {
        memcpy(&unit, reader->text->as.bytes + 2 * (size_t)reader->at, sizeof unit);
    }
    return unit;
}

static bool skip(struct text_reader *reader, char c)
{
    bool found = peek(reader) == (uint8_t)c;
    reader->at += found;
    return found;
}

static void expect(struct text_reader *reader, char c)
{
    reader->failed |= !skip(reader, c);
}

/* A mistake is remembered in `failed`, not returned: a reader checks once, at the end. */
static uint32_t read_digits(struct text_reader *reader, unsigned count, uint32_t least,
                            uint32_t most)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++, reader->at++) {
        uint16_t unit = peek(reader);
        reader->failed |= unit < '0' || unit > '9';
        value = 10 * value + (unit - (uint32_t)'0');
    }
    reader->failed |= value < least || value > most;
    return value;
}

/* The days from January 1 of year 1. `before` complete years have 365 days each, and their leap
 * days: each fourth year, except each hundredth, but each four-hundredth. */
static uint32_t days_before(uint32_t year, uint32_t month, uint32_t day, bool *failed)
{
    static const uint16_t starts[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (*failed) {
        return 0;
    }
    uint32_t length = starts[month] - (uint32_t)starts[month - 1] + (month == 2 && leap);
    *failed = day > length;
    uint32_t before = year - 1;
    return 365 * before + before / 4 - before / 100 + before / 400 + starts[month - 1] +
           (month > 2 && leap) + day - 1;
}

/* A time of day in ticks, after the `T`. */
static uint64_t read_clock(struct text_reader *reader)
{
    uint64_t seconds = 3600u * (uint64_t)read_digits(reader, 2, 0, 23);
    uint32_t fraction = 0;
    expect(reader, ':');
    seconds += 60 * read_digits(reader, 2, 0, 59);
    if (skip(reader, ':')) {
        seconds += read_digits(reader, 2, 0, 59);
        if (skip(reader, '.')) {
            /* One to seven digits: a tick is 100 ns, so the first is worth a million ticks. */
            for (uint32_t unit = 1000000, any = 0; unit != 0; unit /= 10, any = 1) {
                if (any && (peek(reader) < '0' || peek(reader) > '9')) {
                    break;
                }
                fraction += unit * read_digits(reader, 1, 0, 9);
            }
        }
    }
    return seconds * 10000000u + fraction;
}

/* Any text that is not exactly a date stays a text: it may be compared with strings. */
struct ilpi_scalar ilpi_literal_date(const struct ilpi_scalar *text)
{
    struct text_reader reader = {.text = text};
    uint32_t year = read_digits(&reader, 4, 1, 9999);
    expect(&reader, '-');
    uint32_t month = read_digits(&reader, 2, 1, 12);
    expect(&reader, '-');
    uint32_t day = read_digits(&reader, 2, 1, 31);
    uint64_t ticks = days_before(year, month, day, &reader.failed) * 864000000000u;
    if (skip(&reader, 'T') || skip(&reader, ' ')) {
        ticks += read_clock(&reader);
        skip(&reader, 'Z');
    }
    if (reader.failed || reader.at != text->length) {
        return *text;
    }
    struct ilpi_scalar date = ilpi_scalar_of(ILPI_SCALAR_DATE);
    date.as.natural = ticks;
    return date;
}

static uint8_t read_hex(struct text_reader *reader)
{
    unsigned value = 0;
    for (unsigned i = 0; i < 2; i++, reader->at++) {
        uint16_t unit = peek(reader);
        /* ilpi_hex_digit() takes a byte: U+0141 must not become 0x41, which is `A`. */
        int digit = unit < 0x80 ? ilpi_hex_digit((uint8_t)unit) : -1;
        reader->failed |= digit < 0;
        value = value << 4 | ((unsigned)digit & 0xF);
    }
    return (uint8_t)value;
}

/* The first three parts are numbers in little-endian order, the others bytes. `order` has, for each
 * pair of digits, the byte that it is, and -1 for a hyphen; core.c writes GUIDs by the same
 * table. */
ilp_status ilpi_literal_guid(struct ilpi_scalar *out, const struct ilpi_scalar *text,
                             struct ilp_arena *arena, struct ilp_error *error)
{
    static const int8_t order[] = {3,  2, 1, 0,  -1, 5,  4,  -1, 7,  6,
                                   -1, 8, 9, -1, 10, 11, 12, 13, 14, 15};
    struct text_reader reader = {.text = text};
    uint8_t bytes[16];
    bool braces = skip(&reader, '{');
    *out = *text;
    for (size_t i = 0; i < sizeof order && !reader.failed; i++) {
        if (order[i] < 0) {
            expect(&reader, '-');
        } else {
            bytes[order[i]] = read_hex(&reader);
        }
    }
    if (braces) {
        expect(&reader, '}');
    }
    if (reader.failed || reader.at != text->length) {
        return ILP_OK;
    }
    *out = ilpi_scalar_of(ILPI_SCALAR_GUID);
    out->as.bytes = ilpi_arena_copy(arena, bytes, sizeof bytes);
    return out->as.bytes ? ILP_OK : ilpi_fail_memory(error, sizeof bytes);
}
