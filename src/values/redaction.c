/* Matches secret names and types. See redaction.h. It does not allocate or lock, since it runs
 * where values are written.
 *
 *   name     A P I _ K e y s     words begin at A and K
 *   secret   a p i     k e y     letters only; separators in the name are skipped; "s" is a plural
 *
 * A secret must begin and end where words do, except at a "*": "key" is in "apiKey", not in
 * "monkey". Secrets are chained by their first letter, so for each character of a name only those
 * that can begin there are compared. */
#include "values/redaction.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

/* A secret name: letters and digits in lower case, and other bytes. */
struct secret {
    const struct secret *next; /* with the same first byte */
    enum secrecy secrecy;
    bool open_begin, open_end; /* it began or ended with "*" */
    size_t size;               /* at least 1 */
    char letters[];            /* without separators; not ended by a NUL */
};

/* A type whose values are hidden, as it was written: case counts, and separators do. */
struct hidden_type {
    const struct hidden_type *next;
    bool open_begin, open_end;
    size_t size;
    char name[];
};

/* Immutable once names are added, so threads may share it. */
struct redaction {
    struct ilp_arena *arena;           /* owned; has everything, this struct included */
    const struct secret *secrets[256]; /* by their first byte */
    const struct hidden_type *types;
};

/* ---- letters ---- */

/* Not those of <ctype.h>, which depend on the locale. */
static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Letters beyond ASCII have no case here. */
static bool is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_in_word(char c)
{
    return is_upper(c) || is_lower(c) || is_digit(c);
}

static char folded(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* ---- words ---- */

/* The words of "apiKey2_x" and "XMLReader" begin at k, 2, x and R. */
static bool begins_word(const char *name, size_t size, size_t at)
{
    if (at == 0 || !is_in_word(name[at - 1]) || is_digit(name[at]) != is_digit(name[at - 1])) {
        return true;
    }
    return is_upper(name[at]) &&
           (!is_upper(name[at - 1]) || (at + 1 < size && is_lower(name[at + 1])));
}

static bool ends_word(const char *name, size_t size, size_t at)
{
    return at == size || !is_in_word(name[at]) || begins_word(name, size, at);
}

/* Also for a plural. */
static bool ends_plural(const char *name, size_t size, size_t at)
{
    return at < size && folded(name[at]) == 's' && ends_word(name, size, at + 1);
}

/* The end of the secret's letters, if they begin at `at`; 0: they do not. Separators count only
 * between letters (i != 0), so a match begins at a letter. */
static size_t match_letters(const struct secret *secret, const char *name, size_t size, size_t at)
{
    for (size_t i = 0; i < secret->size; at++) {
        while (i != 0 && at < size && !is_in_word(name[at])) {
            at++;
        }
        if (at >= size || folded(name[at]) != secret->letters[i++]) {
            return 0;
        }
    }
    return at;
}

/* `begins`: a word begins there. */
static bool matches_at(const struct secret *secret, const char *name, size_t size, size_t at,
                       bool begins)
{
    size_t end = secret->open_begin || begins ? match_letters(secret, name, size, at) : 0;
    return end != 0 &&
           (secret->open_end || ends_word(name, size, end) || ends_plural(name, size, end));
}

/* The strictest of all secrets that match anywhere in the name. */
enum secrecy redaction_of_name(const struct redaction *redaction, const char *name, size_t size)
{
    enum secrecy found = SECRECY_NONE;
    for (size_t at = 0; redaction && at < size; at++) {
        const struct secret *secret = redaction->secrets[(unsigned char)folded(name[at])];
        bool begins = secret && begins_word(name, size, at);
        for (; secret; secret = secret->next) {
            if (secret->secrecy > found && matches_at(secret, name, size, at, begins)) {
                found = secret->secrecy;
            }
        }
    }
    return found;
}

/* ---- names ---- */

/* From the first "/<" on, which begins a type that a compiler made: all names after it count. Else
 * after the last "::"; 0: there is neither. */
static size_t own_name(const char *name, size_t size)
{
    size_t begin = 0;
    for (size_t at = 0; at + 1 < size; at++) {
        if (name[at] == '/' && name[at + 1] == '<') {
            return at + 1;
        }
        begin = name[at] == ':' && name[at + 1] == ':' ? at + 2 : begin;
    }
    return begin;
}

enum secrecy redaction_of_method(const struct redaction *redaction, const char *name, size_t size)
{
    size_t begin = own_name(name, size);
    return redaction_of_name(redaction, name + begin, size - begin);
}

enum { KEY_UNITS = 256, KEY_BYTES = 3 * KEY_UNITS };

/* The key of a dictionary as a name: {"password": ...} is a secret like a field of that name. Long
 * keys are compared by their beginning. Each unit is converted by itself: halves of a pair are
 * bytes from 0x80 on either way, which count as letters, and a unit never needs more than three. */
enum secrecy redaction_of_key(const struct redaction *redaction, const uint8_t *utf16,
                              int32_t length)
{
    uint8_t name[KEY_BYTES];
    size_t size = 0;
    for (int32_t i = 0; redaction && i < length && i < KEY_UNITS; i++) {
        uint16_t unit;
        memcpy(&unit, utf16 + 2 * (size_t)i, sizeof unit);
        size += ilpi_utf8_write(name + size, unit);
    }
    return redaction_of_name(redaction, (const char *)name, size);
}

/* "Shop.Card" also matches Shop.Card`1[System.Int32], but not Shop.Card+Side. */
static bool matches_type(const struct hidden_type *type, const char *name, size_t size)
{
    size_t at = type->open_begin && size > type->size ? size - type->size : 0;
    if (type->open_begin && type->open_end) {
        at = 0;
        while (at + type->size <= size && memcmp(name + at, type->name, type->size) != 0) {
            at++;
        }
    }
    return at + type->size <= size && memcmp(name + at, type->name, type->size) == 0 &&
           (type->open_end || at + type->size == size);
}

enum { TYPE_BYTES = 2048 };

/* "Box+Side" of "Box`1+Side`2": each enclosing type may have an arity. At most `size` bytes. */
static size_t without_arities(char *to, const char *name, size_t size)
{
    size_t written = 0;
    for (size_t at = 0; at < size;) {
        if (name[at] != '`') {
            to[written++] = name[at++];
            continue;
        }
        at++;
        while (at < size && is_digit(name[at])) {
            at++;
        }
    }
    return written;
}

/* Compares with the name up to its type arguments, with arities and without: "List" and "List`1"
 * both hide List`1[System.String]. A name that is too long for that is hidden. */
bool redaction_of_type(const struct redaction *redaction, const char *name)
{
    char plain[TYPE_BYTES];
    const struct hidden_type *type = redaction && name ? redaction->types : NULL;
    size_t size = type ? strcspn(name, "[") : 0;
    if (size > sizeof plain) {
        return true;
    }
    size_t plain_size = without_arities(plain, name, size);
    for (; type; type = type->next) {
        if (matches_type(type, name, size) || matches_type(type, plain, plain_size)) {
            return true;
        }
    }
    return false;
}

/* ---- building ---- */

/* "*card*" without its stars. */
struct pattern {
    const char *text;
    size_t size;
    bool open_begin, open_end;
};

/* A star in the middle is a character as any. */
static struct pattern without_stars(const char *text, size_t size)
{
    struct pattern pattern = {text, size, false, false};
    if (pattern.size != 0 && text[0] == '*') {
        pattern.open_begin = true;
        pattern.text++;
        pattern.size--;
    }
    if (pattern.size != 0 && pattern.text[pattern.size - 1] == '*') {
        pattern.open_end = true;
        pattern.size--;
    }
    return pattern;
}

/* `letters` is not empty: add_one() has checked that there is a letter, and so the first one is the
 * index of the chain. */
static ilp_status add_secret(struct redaction *redaction, struct pattern pattern,
                             enum secrecy secrecy, struct ilp_error *error)
{
    struct secret *secret = ilpi_arena_alloc(redaction->arena, sizeof *secret + pattern.size);
    if (!secret) {
        return ilpi_fail_memory(error, sizeof *secret + pattern.size);
    }
    *secret = (struct secret){
        .secrecy = secrecy, .open_begin = pattern.open_begin, .open_end = pattern.open_end};
    for (size_t i = 0; i < pattern.size; i++) {
        if (is_in_word(pattern.text[i])) {
            secret->letters[secret->size++] = folded(pattern.text[i]);
        }
    }
    const struct secret **first = &redaction->secrets[(unsigned char)secret->letters[0]];
    secret->next = *first;
    *first = secret;
    return ILP_OK;
}

static ilp_status add_type(struct redaction *redaction, struct pattern pattern,
                           struct ilp_error *error)
{
    struct hidden_type *type = ilpi_arena_alloc(redaction->arena, sizeof *type + pattern.size);
    if (!type) {
        return ilpi_fail_memory(error, sizeof *type + pattern.size);
    }
    *type = (struct hidden_type){redaction->types, pattern.open_begin, pattern.open_end,
                                 pattern.size};
    memcpy(type->name, pattern.text, pattern.size);
    redaction->types = type;
    return ILP_OK;
}

static bool has_letter(struct pattern pattern)
{
    for (size_t i = 0; i < pattern.size; i++) {
        if (is_in_word(pattern.text[i])) {
            return true;
        }
    }
    return false;
}

/* An inner "*" is refused, as nothing here matches it. Empty names (",,") have no letter. */
static ilp_status add_one(struct redaction *redaction, const char *text, size_t size,
                          struct ilp_error *error)
{
    static const char prefix[] = "type:";
    size_t skipped = size >= sizeof prefix - 1 && memcmp(text, prefix, sizeof prefix - 1) == 0
                         ? sizeof prefix - 1
                         : 0;
    struct pattern pattern = without_stars(text + skipped, size - skipped);
    if (!has_letter(pattern) || memchr(pattern.text, '*', pattern.size)) {
        return ilpi_fail(error, ILP_E_BAD_RULES, ILPI_NO_OFFSET, 0,
                         "takes names such as card, *card* and type:Shop.Card, not '%.*s'",
                         size < 200 ? (int)size : 200, text);
    }
    return skipped != 0 ? add_type(redaction, pattern, error)
                        : add_secret(redaction, pattern, SECRECY_ALL, error);
}

ilp_status redaction_add(struct redaction *redaction, const char *names, struct ilp_error *error)
{
    for (;;) {
        size_t size = strcspn(names, ",");
        ILPI_TRY(add_one(redaction, names, size, error));
        if (names[size] == '\0') {
            return ILP_OK;
        }
        names += size + 1;
    }
}

static ilp_status add_common(struct redaction *redaction, struct ilp_error *error)
{
    static const char *const names[] = {
#define SECRET(name) (name),
#include "values/secrets.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ILPI_TRY(add_secret(redaction, without_stars(names[i], strlen(names[i])), SECRECY_CONTENT,
                            error));
    }
    return ILP_OK;
}

ilp_status redaction_open(struct redaction **out, bool common,
                          const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct ilp_arena *arena;
    *out = NULL;
    ILPI_TRY(ilp_arena_open(&arena, allocator, error));
    struct redaction *redaction = ilpi_arena_alloc(arena, sizeof *redaction); /* zeroed */
    ilp_status status = redaction ? ILP_OK : ilpi_fail_memory(error, sizeof *redaction);
    if (status == ILP_OK) {
        redaction->arena = arena;
        status = common ? add_common(redaction, error) : ILP_OK;
    }
    if (status != ILP_OK) {
        ilp_arena_close(arena);
        return status;
    }
    *out = redaction;
    return ILP_OK;
}

void redaction_close(struct redaction *redaction)
{
    if (redaction) {
        ilp_arena_close(redaction->arena);
    }
}
