/* The literals of patterns, for an index (rules/key.c): a text without them does not match. See
 * pattern_literal.h.
 *
 * In a regular expression, only characters outside of groups, classes and alternatives count, and
 * only if all of its syntax is known here: options and verbs may change the meaning of what
 * follows, so they, and escapes that are not listed, end the scan without a result.
 *
 *   ^Shop\.(Get|Set)Name$     gap, "Shop.", gap, "Name", gap
 *   Get|Set                   no result: either may be absent
 *   (?i)name                  no result: letters would not be literal
 *
 * A gap is anything between two runs of characters that follow one another in each match. To leave
 * out a literal is always right: the index then finds more candidates. */
#include "base/pattern_literal.h"

#include <string.h>

struct scan {
    const uint8_t *at;
    const uint8_t *end;
};

/* Whether the next byte is one of these. A NUL is not: strchr() would find the end of the list. */
static bool has(const struct scan *scan, const char *characters)
{
    return scan->at != scan->end && *scan->at != 0 && strchr(characters, *scan->at);
}

/* ---- regular expressions ---- */

static bool is_alphanumeric(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

/* Whether the character after a backslash is a literal. */
static bool is_literal_escape(const struct scan *scan)
{
    return scan->at != scan->end && *scan->at < 0x80 && !is_alphanumeric(*scan->at);
}

/* After a backslash: a class of characters, or an assertion. */
static bool skip_escape(struct scan *scan)
{
    if (is_literal_escape(scan) || has(scan, "dDwWsSbBAzZhHvVRXnrtfea")) {
        scan->at++;
        return true;
    }
    if (!has(scan, "pP") || ++scan->at == scan->end) {
        return false;
    }
    if (*scan->at == '{') {
        scan->at = memchr(scan->at, '}', (size_t)(scan->end - scan->at));
    }
    if (!scan->at) {
        return false;
    }
    scan->at++;
    return true;
}

/* After the opening bracket. Another bracket may open a POSIX class. */
static bool skip_class(struct scan *scan)
{
    scan->at += has(scan, "^");
    scan->at += has(scan, "]"); /* as the first character it does not close the class */
    while (scan->at != scan->end && *scan->at != '[') {
        uint8_t byte = *scan->at++;
        if (byte == ']') {
            return true;
        }
        if (byte == '\\' && (scan->at == scan->end || has(scan, "QEc"))) {
            return false;
        }
        scan->at += byte == '\\';
    }
    return false;
}

/* After the opening parenthesis: a group without options, verbs, names or assertions. */
static bool skip_opening(struct scan *scan)
{
    if (has(scan, "?")) {
        scan->at++;
        if (!has(scan, ":")) {
            return false;
        }
        scan->at++;
    }
    return !has(scan, "*");
}

/* Only balanced parentheses matter, outside of classes and escapes: nothing in a group is a literal
 * that must be there. */
static bool skip_group(struct scan *scan)
{
    size_t depth = 1;
    bool known = skip_opening(scan);
    while (known && depth != 0 && scan->at != scan->end) {
        switch (*scan->at++) {
        case '(':
            known = skip_opening(scan);
            depth++;
            break;
        case ')': depth--; break;
        case '[': known = skip_class(scan); break;
        case '\\': known = skip_escape(scan); break;
        default: break;
        }
    }
    return known && depth == 0;
}

/* After the opening brace; without a quantifier it may be a literal. */
static bool skip_count(struct scan *scan)
{
    while (has(scan, "0123456789, ")) {
        scan->at++;
    }
    bool closed = has(scan, "}");
    scan->at += closed;
    return closed;
}

/* A literal character, unless a quantifier makes it optional. A repeat may separate it from what
 * follows. A character of several bytes is one: the quantifier is of all of them. */
static void put_character(struct scan *scan, ilpi_literal_fn put, void *user)
{
    const uint8_t *start = scan->at++;
    while (scan->at != scan->end && (*scan->at & 0xC0) == 0x80) {
        scan->at++;
    }
    if (has(scan, "*?{")) {
        put(user, ILPI_LITERAL_GAP);
        return;
    }
    for (; start != scan->at; start++) {
        put(user, *start);
    }
}

/* What every match of a regular expression must contain, in order: characters, and a GAP for
 * whatever else may be between. False where that is not certain: alternatives, or an escape that is
 * not known. */
static bool regex_literals(struct scan *scan, ilpi_literal_fn put, void *user)
{
    while (scan->at != scan->end) {
        bool known = true;
        bool literal = false;
        switch (*scan->at++) {
        case '|':
        case ')': return false;
        case '(': known = skip_group(scan); break;
        case '[': known = skip_class(scan); break;
        case '{': known = skip_count(scan); break;
        case '\\':
            literal = is_literal_escape(scan);
            known = literal || skip_escape(scan);
            break;
        case '.':
        case '^':
        case '$':
        case '*':
        case '+':
        case '?': break;
        default:
            scan->at--;
            literal = true;
            break;
        }
        if (!known) {
            return false;
        }
        if (literal) {
            put_character(scan, put, user);
        } else {
            put(user, ILPI_LITERAL_GAP);
        }
    }
    return true;
}

/* ---- wildcards ---- */

/* A backslash makes the next character literal; `*` and `?` are gaps. */
static void like_literals(struct scan *scan, ilpi_literal_fn put, void *user)
{
    while (scan->at != scan->end) {
        uint8_t byte = *scan->at++;
        if (byte == '\\' && scan->at != scan->end) {
            put(user, *scan->at++);
        } else {
            put(user, byte == '*' || byte == '?' ? ILPI_LITERAL_GAP : byte);
        }
    }
}

bool ilpi_pattern_literals(const struct ilpi_pattern *pattern, ilpi_literal_fn put, void *user)
{
    struct ilp_bytes text = pattern->text;
    struct scan scan = {text.data, text.size != 0 ? text.data + text.size : text.data};
    switch (pattern->kind) {
    case ILPI_PATTERN_REGEX: return regex_literals(&scan, put, user);
    case ILPI_PATTERN_LIKE: like_literals(&scan, put, user); return true;
    case ILPI_PATTERN_EXACT: break;
    }
    for (; scan.at != scan.end; scan.at++) {
        put(user, *scan.at);
    }
    return true;
}
