/* Parses and compares versions as Semantic Versioning has them: 1.2.3-preview.4+build. See
 * version.h. A release is above its previews; identifiers of digits are compared as numbers, others
 * as text. */
#include "host/resolve/version.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to `count` numbers separated by dots; returns their number, and the rest in *rest. */
static unsigned parse_numbers(const char *text, uint32_t *numbers, unsigned count,
                              const char **rest)
{
    unsigned found = 0;
    *rest = text;
    while (found < count && isdigit((unsigned char)text[0])) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);
        if (number > INT32_MAX || (text[0] == '0' && end != text + 1)) {
            break;
        }
        numbers[found++] = (uint32_t)number;
        *rest = end;
        if (end[0] != '.') {
            break;
        }
        text = end + 1;
    }
    return found;
}

/* Extra or missing dots change the identifiers: such a text is malformed. */
static bool is_preview(const char *text, size_t length)
{
    static const char allowed[] =
        "0123456789.-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return length != 0 && strspn(text, allowed) == length && text[0] != '.' &&
           text[length - 1] != '.';
}

bool version_parse(struct version *version, const char *text)
{
    *version = (struct version){{0}, ""};
    if (parse_numbers(text, version->part, 3, &text) != 3) {
        return false;
    }
    if (text[0] == '-') {
        size_t length = strcspn(++text, "+");
        if (length >= sizeof version->preview || !is_preview(text, length)) {
            return false;
        }
        memcpy(version->preview, text, length);
        text += length;
    }
    return text[0] == '\0' || text[0] == '+';
}

bool version_is_preview(const struct version *version)
{
    return version->preview[0] != '\0';
}

/* Numbers come before words and are compared numerically, at any length. */
static int compare_identifiers(const char *left, size_t left_length, const char *right,
                               size_t right_length)
{
    bool left_number = strspn(left, "0123456789") >= left_length;
    bool right_number = strspn(right, "0123456789") >= right_length;
    if (left_number != right_number) {
        return left_number ? -1 : 1;
    }
    if (left_number && left_length != right_length) {
        return left_length < right_length ? -1 : 1;
    }
    int order = strncmp(left, right, left_length < right_length ? left_length : right_length);
    return order != 0 ? order : (left_length > right_length) - (left_length < right_length);
}

/* Compares as Semantic Versioning 2.0.0, clause 11, does: identifier by identifier, and the shorter
 * of two with a common beginning is lower. */
static int compare_previews(const char *left, const char *right)
{
    if (left[0] == '\0' || right[0] == '\0') {
        return (left[0] == '\0') - (right[0] == '\0'); /* a release comes after its previews */
    }
    for (;;) {
        size_t left_length = strcspn(left, ".");
        size_t right_length = strcspn(right, ".");
        int order = compare_identifiers(left, left_length, right, right_length);
        left += left_length;
        right += right_length;
        if (order != 0 || left[0] == '\0' || right[0] == '\0') {
            return order != 0 ? order : (left[0] != '\0') - (right[0] != '\0');
        }
        left++;
        right++;
    }
}

int version_compare(const struct version *left, const struct version *right)
{
    for (unsigned i = 0; i < 3; i++) {
        if (left->part[i] != right->part[i]) {
            return left->part[i] < right->part[i] ? -1 : 1;
        }
    }
    return compare_previews(left->preview, right->preview);
}

struct version4 version4_parse(const char *text)
{
    struct version4 version = {{0}};
    if (text) {
        parse_numbers(text, version.part, 4, &text);
    }
    return version;
}

int version4_compare(const struct version4 *left, const struct version4 *right)
{
    for (unsigned i = 0; i < 4; i++) {
        if (left->part[i] != right->part[i]) {
            return left->part[i] < right->part[i] ? -1 : 1;
        }
    }
    return 0;
}
