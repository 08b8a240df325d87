/* IP addresses as text, in the format of IPAddress.ToString() (RFC 5952): the longest run of zero
 * groups becomes "::", digits are lower case without leading zeros. An IPv4 address is one number
 * in network order; an IPv6 one is an array of eight groups, and its number is the scope. */
#include "values/notation.h"
#include "values/write_known.h"

enum { GROUPS = 8 };

/* Without leading zeros (RFC 5952, 4.1). */
static void put_hex_group(struct line *line, uint16_t group)
{
    char digits[4];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[group % 16];
        group /= 16;
    } while (group != 0);
    line_put_sized(line, digits + at, sizeof digits - at);
}

static void put_bytes_of(struct line *line, const uint8_t bytes[4])
{
    for (unsigned i = 0; i < 4; i++) {
        line_put(line, i == 0 ? "" : ".");
        line_put_unsigned(line, bytes[i]);
    }
}

/* The longest run of zeros, if it is longer than one. */
static void find_zeros(const uint16_t *groups, unsigned count, unsigned *first, unsigned *end)
{
    *first = *end = count;
    unsigned longest = 1, run = 0;
    for (unsigned i = 0; i < count; i++) {
        run = groups[i] == 0 ? run + 1 : 0;
        if (run > longest) {
            longest = run;
            *first = i + 1 - run;
            *end = i + 1;
        }
    }
}

/* "::" replaces the longest run of zeros (RFC 5952, 4.2), which has two groups at least. */
static void put_groups(struct line *line, const uint16_t *groups, unsigned count)
{
    unsigned first, end;
    find_zeros(groups, count, &first, &end);
    for (unsigned i = 0; i < count; i++) {
        /* After the run the loop goes on with the group after it, whose colon is there already. */
        if (i == first) {
            line_put(line, "::");
            i = end;
        }
        if (i < count) {
            line_put(line, i == 0 || i == end ? "" : ":");
            put_hex_group(line, groups[i]);
        }
    }
}

/* IPv4 addresses inside IPv6 ones: compatible and mapped (RFC 5952, 5), translated (RFC 2765),
 * ISATAP (RFC 5214). */
static bool ends_in_ipv4(const uint16_t *groups)
{
    bool zeros = (groups[0] | groups[1] | groups[2] | groups[3]) == 0 && groups[6] != 0;
    return (zeros && groups[4] == 0 && (groups[5] == 0 || groups[5] == 0xFFFF)) ||
           (zeros && groups[4] == 0xFFFF && groups[5] == 0) ||
           (groups[4] == 0 && groups[5] == 0x5EFE);
}

/* The groups before the IPv4 part are shortened by themselves; the colon after them is already
 * there if they end in "::". */
static void put_ipv6(struct line *line, const uint16_t *groups, uint32_t scope)
{
    if (ends_in_ipv4(groups)) {
        const uint8_t bytes[] = {(uint8_t)(groups[6] >> 8), (uint8_t)groups[6],
                                 (uint8_t)(groups[7] >> 8), (uint8_t)groups[7]};
        unsigned first, end;
        put_groups(line, groups, 6);
        find_zeros(groups, 6, &first, &end);
        line_put(line, first < 6 && end == 6 ? "" : ":");
        put_bytes_of(line, bytes);
    } else {
        put_groups(line, groups, GROUPS);
    }
    if (scope != 0) {
        line_put(line, "%");
        line_put_unsigned(line, scope);
    }
}

/* False: it is not an address, and nothing is written. */
static bool put_address(const struct value_writer *writer, const struct shape *shape,
                        const uint8_t *base, bool in_brackets)
{
    struct line *line = writer->line;
    uint32_t number = (uint32_t)known_number(shape, 0, base);
    struct known_range numbers;
    uint16_t groups[GROUPS];
    if (!known_open_range(writer, known_reference(shape, 1, base), &numbers)) {
        return false;
    }
    if (!numbers.shape) {
        put_bytes_of(line, known_field(shape, 0, base));
        return true;
    }
    if (numbers.length != GROUPS || numbers.shape->inner->size != sizeof *groups) {
        return false;
    }
    memcpy(groups, numbers.array + numbers.shape->data, sizeof groups);
    line_put(line, in_brackets ? "[" : "");
    put_ipv6(line, groups, number);
    line_put(line, in_brackets ? "]" : "");
    return true;
}

void known_put_address(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                       unsigned depth)
{
    (void)depth;
    if (!put_address(writer, shape, base, false)) {
        line_put(writer->line, "{...}");
    }
}

void known_put_end_point(struct value_writer *writer, const struct shape *shape,
                         const uint8_t *base, unsigned depth)
{
    const uint8_t *address = known_reference(shape, 0, base);
    const struct shape *own = own_known(writer, address, KNOWN_ADDRESS);
    (void)depth;
    if (!own || !put_address(writer, own, address, true)) {
        line_put(writer->line, "{...}");
        return;
    }
    line_put(writer->line, ":");
    line_put_signed(writer->line, known_number(shape, 1, base));
}
