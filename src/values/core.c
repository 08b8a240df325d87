/* Core library structs whose text under the invariant culture does not show their fields: decimal,
 * Guid, TimeSpan, DateTime.
 *
 *   decimal    flags (bits 16-23 scale, 31 sign), high, low, middle
 *   Guid       a little-endian u32, two u16, 8 bytes: 3210-54-76-89-10 11 12 13 14 15
 *   TimeSpan   ticks of 100 ns, signed
 *   DateTime   bits 0-61 ticks since year 1, 62-63 kind (1 UTC, 2 and 3 local) */
#include "values/kinds.h"

/* ---- decimal ---- */

enum { MOST_DIGITS = 29, MAX_SCALE = 28 };

/* Long division in base 2^32. `rest` is below 10, so each partial quotient fits in 32 bits. */
uint32_t words_divide(uint32_t *words, unsigned count)
{
    uint64_t rest = 0;
    for (unsigned i = count; i-- > 0;) {
        rest = rest << 32 | words[i];
        words[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return (uint32_t)rest;
}

/* Removes and returns the last digit. */
static uint32_t take_digit(uint32_t words[3])
{
    if (words[2] != 0) {
        return words_divide(words, 3);
    }
    uint64_t value = (uint64_t)words[1] << 32 | words[0]; /* most values are that small */
    words[0] = (uint32_t)(value / 10);
    words[1] = (uint32_t)(value / 10 >> 32);
    return (uint32_t)(value % 10);
}

/* Digits from the last to the first, with a zero for each place of the scale that the number does
 * not reach: 0.001. Negative zero has no sign, as in ToString(). */
bool shape_put_decimal(struct line *line, const uint8_t *value)
{
    struct read_decimal decimal = read_decimal(value);
    uint32_t *words = decimal.words;
    if (decimal.scale > MAX_SCALE) {
        return false;
    }
    /* Room for 29 digits, or for a zero before the point and 28 after it; a point and a sign. */
    char text[MOST_DIGITS + 3];
    size_t at = sizeof text;
    bool zero = (words[0] | words[1] | words[2]) == 0;
    for (unsigned digits = 0; (words[0] | words[1] | words[2]) != 0 || digits <= decimal.scale;
         digits++) {
        /* The point is written after as many digits, from the right, as the scale has. */
        if (digits == decimal.scale && decimal.scale != 0) {
            text[--at] = '.';
        }
        text[--at] = (char)('0' + take_digit(words));
    }
    if (decimal.negative && !zero) {
        text[--at] = '-';
    }
    line_put_chars(line, text + at, sizeof text - at);
    return true;
}

/* ---- Guid: three numbers and eight bytes ---- */

/* A Guid is an int, two shorts and eight bytes: in memory of a little-endian machine the first
 * three are reversed compared with the text. */
void shape_put_guid(struct line *line, const uint8_t *value)
{
    static const int8_t order[] = {3,  2, 1, 0,  -1, 5,  4,  -1, 7,  6,
                                   -1, 8, 9, -1, 10, 11, 12, 13, 14, 15};
    char text[36];
    size_t size = 0;
    for (size_t i = 0; i < sizeof order; i++) {
        if (order[i] < 0) {
            text[size++] = '-';
        } else {
            text[size++] = "0123456789abcdef"[value[order[i]] >> 4];
            text[size++] = "0123456789abcdef"[value[order[i]] & 0xF];
        }
    }
    line_put_chars(line, text, size);
}

/* ---- TimeSpan and DateTime: 100 ns ---- */

#define TICKS       10000000u /* in a second */
#define DAY_SECONDS 86400u
#define DAYS        3652059u /* of years 1 to 9999 */

/* hh:mm:ss */
static void put_clock(struct line *line, uint32_t seconds)
{
    line_put_padded(line, seconds / 3600, 2);
    line_put(line, ":");
    line_put_padded(line, seconds / 60 % 60, 2);
    line_put(line, ":");
    line_put_padded(line, seconds % 60, 2);
}

/* [-][d.]hh:mm:ss[.fffffff] */
void shape_put_time_span(struct line *line, const uint8_t *value)
{
    /* As unsigned, so that the least value, -2^63, can be negated. */
    uint64_t ticks = read_unsigned(value, sizeof ticks);
    if (ticks >> 63 != 0) {
        line_put(line, "-");
        ticks = -ticks;
    }
    uint64_t days = ticks / TICKS / DAY_SECONDS;
    if (days != 0) {
        line_put_unsigned(line, days);
        line_put(line, ".");
    }
    put_clock(line, (uint32_t)(ticks / TICKS % DAY_SECONDS));
    if (ticks % TICKS != 0) {
        line_put(line, ".");
        line_put_padded(line, ticks % TICKS, 7);
    }
}

/* The proleptic Gregorian calendar from day 0, January 1 of year 1. Years are counted from March,
 * so that the leap day comes last, and in eras of 400 years, which are 146,097 days each. Within an
 * era the year is the day divided by 365 after the leap days are removed: one each 1,461 days,
 * except each 36,524 days. From March on, each five months have 153 days (31, 30, 31, 30, 31), so
 * months follow from a division. */
static void put_date(struct line *line, uint32_t days)
{
    uint32_t shifted = days + 306; /* from March 1 of year 0 */
    uint32_t era = shifted / 146097;
    uint32_t of_era = shifted % 146097;
    uint32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
    uint32_t month = (5 * of_year + 2) / 153; /* 0: March */
    uint32_t day = of_year - (153 * month + 2) / 5 + 1;
    line_put_padded(line, era * 400 + year + (month >= 10), 4);
    line_put(line, "-");
    line_put_padded(line, month < 10 ? month + 3 : month - 9, 2);
    line_put(line, "-");
    line_put_padded(line, day, 2);
}

bool shape_put_days(struct line *line, int64_t days)
{
    bool known = days >= 0 && days < DAYS;
    if (known) {
        put_date(line, (uint32_t)days);
    }
    return known;
}

/* False for ticks beyond a day, which a TimeOnly cannot have: it was not written completely, or is
 * none. */
bool shape_put_time_of_day(struct line *line, uint64_t ticks)
{
    bool known = ticks / TICKS < DAY_SECONDS;
    if (known) {
        put_clock(line, (uint32_t)(ticks / TICKS));
        line_put(line, ".");
        line_put_padded(line, ticks % TICKS, 7);
    }
    return known;
}

/* The two high bits are the kind: 1 is UTC; a local time's offset, which only the runtime knows, is
 * left out. */
bool shape_put_date_time(struct line *line, const uint8_t *value)
{
    uint64_t ticks = read_ticks(value);
    if (ticks / TICKS / DAY_SECONDS >= DAYS) {
        return false;
    }
    const uint64_t day = (uint64_t)TICKS * DAY_SECONDS;
    shape_put_days(line, (int64_t)(ticks / day));
    line_put(line, "T");
    shape_put_time_of_day(line, ticks % day);
    line_put(line, value[7] >> 6 == 1 ? "Z" : "");
    return true;
}
