/* What is not to be seen: values under secret names, and values of certain types. Whoever writes a
 * value looks here first, so that nothing of it is recorded. docs/VALUES.md has what is matched.
 *
 * data/inspector/Redaction.cs does the same; tests/inspector/cases.txt is the table of both. */
#ifndef ILPI_VALUES_REDACTION_H
#define ILPI_VALUES_REDACTION_H

#include "ilpatch.h"

/* The mark of a value that is not shown: {redacted}. No value is written so: fields have names. */
#define REDACTED "redacted"

/* What a name says of its value. */
enum secrecy {
    SECRECY_NONE,
    SECRECY_CONTENT, /* hidden, but for what is a number, a truth, a time, or no value */
    SECRECY_ALL      /* hidden, but for null */
};

struct redaction; /* NULL: all is shown */

/* `common`: with the names of secrets.def, which hide contents; what redaction_add() adds hides
 * all. */
ilp_status redaction_open(struct redaction **out, bool common,
                          const struct ilp_allocator *allocator, struct ilp_error *error);
void redaction_close(struct redaction *redaction);

/* Names with commas between them: "card", "api_key", "*card*", and "type:Shop.Card",
 * "type:Shop.*". What is wrong with one is an error. */
ilp_status redaction_add(struct redaction *redaction, const char *names, struct ilp_error *error);

/* By the name of a field, a parameter, a key. */
enum secrecy redaction_of_name(const struct redaction *redaction, const char *name, size_t size);

/* By a method's, "Shop.Vault::GetToken". Where a compiler named the type, that name counts, too:
 * "Shop.Vault/<GetToken>d__3::MoveNext". */
enum secrecy redaction_of_method(const struct redaction *redaction, const char *name, size_t size);

/* The same of a key in UTF-16, of any alignment, by its beginning. */
enum secrecy redaction_of_key(const struct redaction *redaction, const uint8_t *utf16,
                              int32_t length);

/* By the name of a type, as reflection has it; NULL: it is not known, and nothing is hidden. */
bool redaction_of_type(const struct redaction *redaction, const char *name);

#endif
