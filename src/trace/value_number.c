/* Numbers of values: reads the text of one as a double. See value_number.h.
 *
 * Values arrive as the text that values/ writes, so only its forms are accepted: decimal numbers in
 * invariant format, 0x with lower-case digits, and TimeSpan. */
#include "trace/value_number.h"

#include <stdlib.h>
#include <string.h>

/* Decimal has 29 digits, Int128 39, and a double 17 with its exponent. */
#define MAX_NUMBER 48u

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* The digits from `at` on as a number; returns how many there are, 0 also for more than 18. */
static size_t read_digits(struct ilp_bytes text, size_t at, uint64_t *number)
{
    size_t count = 0;
    *number = 0;
    for (; at + count < text.size && is_digit(text.data[at + count]); count++) {
        if (count == 18) {
            return 0;
        }
        *number = *number * 10 + (text.data[at + count] - '0');
    }
    return count;
}

/* Numbers of up to 15 digits, as most are: the quotient of two exactly representable integers is
 * rounded as strtod() rounds. */
static bool read_short(struct ilp_bytes text, double *number)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = text.data[0] == '-';
    uint64_t whole = 0;
    size_t digits = 0;
    size_t point = text.size;
    for (size_t i = negative; i < text.size; i++) {
        if (is_digit(text.data[i])) {
            whole = whole * 10 + (text.data[i] - '0');
            digits++;
        } else if (text.data[i] == '.' && point == text.size) {
            point = i;
        } else {
            return false;
        }
    }
    if (digits == 0) {
        return false;
    }
    *number = (double)whole / powers[point == text.size ? 0 : text.size - point - 1];
    *number = negative ? -*number : *number;
    return true;
}

/* Only invariant formats: strtod() alone would accept hexadecimal, nan and infinity. */
static bool read_decimal(struct ilp_bytes text, double *number)
{
    char copy[MAX_NUMBER];
    char *end;
    if (text.size <= 16 && read_short(text, number)) {
        return true;
    }
    if (text.size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    if (strspn(copy, "+-.0123456789eE") != text.size) {
        return false;
    }
    *number = strtod(copy, &end);
    return end == copy + text.size && *number >= -ILPI_MOST_NUMBER && *number <= ILPI_MOST_NUMBER;
}

/* 0x and up to 16 digits, in lower case as values/ writes them. */
static bool read_hex(struct ilp_bytes text, double *number)
{
    uint64_t value = 0;
    if (text.size < 3 || text.size > 18 || text.data[0] != '0' || text.data[1] != 'x') {
        return false;
    }
    for (size_t i = 2; i < text.size; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = memchr(digits, text.data[i], 16);
        if (!digit) {
            return false;
        }
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *number = (double)value;
    return true;
}

/* Two digits, below `limit`, and a following colon. */
static bool read_pair(struct ilp_bytes text, size_t *at, unsigned limit, bool colon,
                      double *seconds)
{
    uint64_t pair;
    if (read_digits(text, *at, &pair) != 2 || pair >= limit) {
        return false;
    }
    *at += 2;
    *seconds = *seconds * 60 + (double)pair;
    if (colon) {
        return *at < text.size && text.data[(*at)++] == ':';
    }
    return true;
}

/* [-][days.]hh:mm:ss[.fffffff] */
static bool read_clock(struct ilp_bytes text, double *number)
{
    bool negative = text.data[0] == '-';
    size_t at = negative;
    uint64_t days = 0;
    uint64_t ticks = 0;
    double seconds = 0;
    size_t count = read_digits(text, at, &days);
    if (count != 0 && at + count < text.size && text.data[at + count] == '.') {
        at += count + 1;
    } else {
        days = 0;
    }
    if (!read_pair(text, &at, 24, true, &seconds) || !read_pair(text, &at, 60, true, &seconds) ||
        !read_pair(text, &at, 60, false, &seconds)) {
        return false;
    }
    if (at < text.size) {
        if (text.data[at] != '.' || read_digits(text, at + 1, &ticks) != 7 || at + 8 != text.size) {
            return false;
        }
    }
    seconds += (double)days * 86400 + (double)ticks / 1e7;
    *number = negative ? -seconds : seconds;
    return true;
}

/* A colon decides for a time before the digits are read, since "1:00" begins like a number. */
enum ilpi_notation ilpi_read_value_number(struct ilp_bytes text, double *number)
{
    if (text.size == 0 || text.size >= MAX_NUMBER ||
        !(is_digit(text.data[0]) || memchr("+-.", text.data[0], 3))) {
        return NOTATION_NONE;
    }
    if (text.size >= 8 && memchr(text.data, ':', text.size)) {
        return read_clock(text, number) ? NOTATION_CLOCK : NOTATION_NONE;
    }
    if (read_decimal(text, number)) {
        return NOTATION_DECIMAL;
    }
    return read_hex(text, number) ? NOTATION_HEX : NOTATION_NONE;
}
