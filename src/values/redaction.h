/* Hides values under secret names, and values of secret types. Every writer of values checks here
 * first, so that nothing of them is recorded. docs/VALUES.md defines the matching.
 *
 * data/inspector/Redaction.cs does the same; tests/inspector/cases.txt tests both. */
#ifndef ILPI_VALUES_REDACTION_H
#define ILPI_VALUES_REDACTION_H

#include "ilpatch.h"

/* The mark of a hidden value: {redacted}. No value looks like that, since fields have names. */
#define REDACTED "redacted"

/* The secrecy of a value by its name. */
enum secrecy {
    SECRECY_NONE,    /* in rising order: the strictest of several counts */
    SECRECY_CONTENT, /* hidden, except for numbers, bools, times and null */
    SECRECY_ALL      /* hidden, except for null */
};

struct redaction; /* NULL: everything is shown */

/* `common`: with the names of secrets.def, which hide content; those of redaction_add() hide
 * everything. */
ilp_status redaction_open(struct redaction **out, bool common,
                          const struct ilp_allocator *allocator, struct ilp_error *error);
void redaction_close(struct redaction *redaction);

/* Names separated by commas: "card", "api_key", "*card*", and "type:Shop.Card", "type:Shop.*". An
 * invalid one is an error. */
ilp_status redaction_add(struct redaction *redaction, const char *names, struct ilp_error *error);

/* By the name of a field, a parameter or a key. */
enum secrecy redaction_of_name(const struct redaction *redaction, const char *name, size_t size);

/* By a method's name, "Shop.Vault::GetToken". If a compiler named the type, that name counts, too:
 * "Shop.Vault/<GetToken>d__3::MoveNext". */
enum secrecy redaction_of_method(const struct redaction *redaction, const char *name, size_t size);

/* By a key in UTF-16, of any alignment, of which a prefix is tested. */
enum secrecy redaction_of_key(const struct redaction *redaction, const uint8_t *utf16,
                              int32_t length);

/* By the name of a type, as in reflection; NULL: unknown, and nothing is hidden. */
bool redaction_of_type(const struct redaction *redaction, const char *name);

#endif
