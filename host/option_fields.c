/* Reads and writes options as fields. See option_fields.h. Which option is which field of which
 * type is a table of the caller; reading and writing are the two directions of it. */
#include "host/option_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/memory.h"
#include "host/option_words.h"

/* ---- words ---- */

static const struct {
    const char *list;
    const char *word;
} words[] = {
#define ILP_WORD(list, name, word, text) {#list, word},
#include "ilpatch/rules.def"
#define X(name, word) {"COLOR", word},
    COLOR_WORDS(X)
#undef X
#define X(name, word) {"BY", word},
        BY_WORDS(X)
#undef X
};

/* Words of one list follow each other in the table, so the value is the place in its list. */
const char *option_choice_word(enum option_id id, unsigned value)
{
    const char *list = option_words(id);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].list, list) == 0 && value-- == 0) {
            return words[i].word;
        }
    }
    return NULL;
}

static bool set_choice(struct option_choice *choice, enum option_id id, const char *word)
{
    const char *known;
    *choice = (struct option_choice){true, 0};
    for (unsigned value = 0; (known = option_choice_word(id, value)) != NULL; value++) {
        if (strcmp(known, word) == 0) {
            choice->value = value;
            return true;
        }
    }
    return false;
}

/* ---- numbers and lists ---- */

/* 0 stands for "not given" in all of these fields, so it is refused. */
static bool set_number(uint32_t *number, const char *text)
{
    bool digits = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
    unsigned long long value = digits ? strtoull(text, NULL, 10) : 0;
    *number = value <= UINT32_MAX ? (uint32_t)value : 0;
    return *number != 0;
}

/* Texts are borrowed, from argv or the text of options. */
void option_list_add(struct option_list *list, const char *text)
{
    const char **items = grow_items(list->items, list->count + 1, sizeof *items);
    if (items) {
        list->items = items;
        list->items[list->count++] = text;
    }
}

/* ---- fields ---- */

static const struct option_field *find_field(struct option_fields fields, enum option_id id)
{
    for (size_t i = 0; i < fields.count; i++) {
        if (fields.items[i].id == id) {
            return fields.items + i;
        }
    }
    return NULL;
}

/* A switch has no value, all others have one. */
static bool set(const struct option_field *field, void *member, const char *value)
{
    if ((field->type == OPTION_FIELD_SWITCH) != !value) {
        return false;
    }
    switch (field->type) {
    case OPTION_FIELD_SWITCH: *(bool *)member = true; return true;
    case OPTION_FIELD_NUMBER: return set_number(member, value);
    case OPTION_FIELD_TEXT: *(const char **)member = value; return true;
    case OPTION_FIELD_CHOICE: return set_choice(member, field->id, value);
    default: option_list_add(member, value); return true;
    }
}

enum option_field_result option_field_set(struct option_fields fields, void *options,
                                          enum option_id id, const char *value)
{
    const struct option_field *field = find_field(fields, id);
    if (!field) {
        return OPTION_FIELD_NONE;
    }
    return set(field, (char *)options + field->offset, value) ? OPTION_FIELD_SET
                                                              : OPTION_FIELD_WRONG;
}

/* The inverse of reading: only options that differ from a zeroed struct are written. */
void option_fields_write(struct option_fields fields, const void *options,
                         void (*write)(void *user, enum option_id id, const char *value),
                         void *user)
{
    for (size_t i = 0; i < fields.count; i++) {
        enum option_id id = fields.items[i].id;
        const void *member = (const char *)options + fields.items[i].offset;
        const struct option_choice *choice = member;
        const struct option_list *list = member;
        char number[16];
        switch (fields.items[i].type) {
        case OPTION_FIELD_SWITCH:
            if (*(const bool *)member) {
                write(user, id, NULL);
            }
            break;
        case OPTION_FIELD_NUMBER:
            if (*(const uint32_t *)member != 0) {
                snprintf(number, sizeof number, "%" PRIu32, *(const uint32_t *)member);
                write(user, id, number);
            }
            break;
        case OPTION_FIELD_TEXT:
            if (*(const char *const *)member) {
                write(user, id, *(const char *const *)member);
            }
            break;
        case OPTION_FIELD_CHOICE:
            if (choice->given) {
                write(user, id, option_choice_word(id, choice->value));
            }
            break;
        case OPTION_FIELD_LIST:
            for (size_t j = 0; j < list->count; j++) {
                write(user, id, list->items[j]);
            }
            break;
        }
    }
}

static void note_first(void *first, enum option_id id, const char *value)
{
    const char **name = first;
    (void)value;
    *name = *name ? *name : option_name(id);
}

const char *option_fields_first(struct option_fields fields, const void *options)
{
    const char *first = NULL;
    option_fields_write(fields, options, note_first, &first);
    return first;
}

void option_fields_free(struct option_fields fields, void *options)
{
    for (size_t i = 0; i < fields.count; i++) {
        if (fields.items[i].type == OPTION_FIELD_LIST) {
            struct option_list *list = (void *)((char *)options + fields.items[i].offset);
            free(list->items);
            *list = (struct option_list){NULL, 0};
        }
    }
}

const char *option_field_expects(struct option_fields fields, enum option_id id)
{
    const struct option_field *field = find_field(fields, id);
    switch (field ? field->type : OPTION_FIELD_TEXT) {
    case OPTION_FIELD_SWITCH: return "1";
    case OPTION_FIELD_NUMBER: return "a number from 1 on";
    default: return NULL;
    }
}
