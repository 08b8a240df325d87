/* Options as fields of a struct: set from the text of a value, and converted back to text. The type
 * of a field defines the valid texts:
 *
 *   bool                   none: a switch
 *   uint32_t               a number from 1 on; 0: not given
 *   const char *           any text; NULL: not given. Borrowed
 *   struct option_choice   one of the words of the option, whose list is in ilpatch/rules.def or
 *                          host/option_words.h
 *   struct option_list     any text; the option may be repeated */
#ifndef OPTION_FIELDS_H
#define OPTION_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/options.h"

/* The index of a word in its list, for example ILP_TARGET_X86. */
struct option_choice {
    bool given;
    unsigned value;
};

struct option_list {
    const char **items; /* owned; the texts are borrowed */
    size_t count;
};

/* Without memory the list is unchanged, and the failure is counted (memory_failures()). */
void option_list_add(struct option_list *list, const char *text);

enum option_field_type {
    OPTION_FIELD_SWITCH,
    OPTION_FIELD_NUMBER,
    OPTION_FIELD_TEXT,
    OPTION_FIELD_CHOICE,
    OPTION_FIELD_LIST
};

struct option_field {
    enum option_id id;
    enum option_field_type type;
    size_t offset; /* in its struct */
};

/* OPTION_FIELD(struct s, RULES, rules): the row for --rules, which sets s.rules. */
#define OPTION_FIELD(container, id, member)                            \
    {                                                                  \
        OPTION_##id,                                                 \
        _Generic(((container *)NULL)->member,                        \
            bool: OPTION_FIELD_SWITCH,                               \
            uint32_t: OPTION_FIELD_NUMBER,                           \
            const char *: OPTION_FIELD_TEXT,                         \
            struct option_choice: OPTION_FIELD_CHOICE,               \
            struct option_list: OPTION_FIELD_LIST),                  \
        offsetof(container, member) \
    }

struct option_fields {
    const struct option_field *items;
    size_t count;
};

enum option_field_result {
    OPTION_FIELD_SET,
    OPTION_FIELD_NONE, /* the option has no field */
    OPTION_FIELD_WRONG /* invalid text: a number becomes 0, a choice 0 but given */
};

/* Sets the option's field in `options`; `value` is NULL for a switch. */
enum option_field_result option_field_set(struct option_fields fields, void *options,
                                          enum option_id id, const char *value);

/* Calls `write` for each given option, in the order of the fields. */
void option_fields_write(struct option_fields fields, const void *options,
                         void (*write)(void *user, enum option_id id, const char *value),
                         void *user);

/* The name of the first given option; NULL: none. */
const char *option_fields_first(struct option_fields fields, const void *options);

/* Frees the lists. */
void option_fields_free(struct option_fields fields, void *options);

/* The valid texts of a field, as in "takes a number from 1 on"; NULL: any text, or a word. */
const char *option_field_expects(struct option_fields fields, enum option_id id);

/* The word of an option's choice; NULL after the last one. */
const char *option_choice_word(enum option_id id, unsigned value);

#endif
