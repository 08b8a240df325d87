/* Parses numbers and durations. See quantity.h. Units are those of conditions (src/condition/), so
 * that --for and --when have the same words. */
#include "host/quantity.h"

#include <stdlib.h>
#include <string.h>

#include "condition/literal.h"

#define SECOND 1000000000u

/* 0 for no number, and for one that is too large: no option takes 0 from here. */
uint32_t number_at(const char **text)
{
    size_t digits = strspn(*text, "0123456789");
    unsigned long long value = digits != 0 ? strtoull(*text, NULL, 10) : 0;
    *text += digits;
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

uint64_t unit_of_time(const char *word)
{
    const struct ilpi_duration_unit *unit = ilpi_find_duration_unit(word, strlen(word));
    uint64_t nanoseconds = unit ? (uint64_t)unit->factor * SECOND : 0;
    for (unsigned digit = 0; unit && digit < unit->digits; digit++) {
        nanoseconds /= 10;
    }
    return nanoseconds;
}

bool read_count(const char *text, uint64_t *count)
{
    *count = number_at(&text);
    return *count != 0 && *text == '\0';
}

/* An overflow is refused, not cut. */
bool read_duration(const char *text, uint64_t *duration)
{
    uint64_t count = number_at(&text);
    uint64_t unit = unit_of_time(text);
    *duration = count * unit;
    return count != 0 && unit != 0 && *duration / unit == count;
}
