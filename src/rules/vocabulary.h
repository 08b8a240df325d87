/* The vocabulary of rule files, as tables expanded from rules.def. */
#ifndef ILPI_VOCABULARY_H
#define ILPI_VOCABULARY_H

#include "base/error.h"

/* Where an element is allowed. */
enum ilpi_place { ILPI_PLACE_TOP, ILPI_PLACE_RULE, ILPI_PLACE_GROUP, ILPI_PLACE_CONDITION };

/* The form of an attribute's value. */
enum ilpi_form {
    ILPI_FORM_EXACT, /* the first three equal enum ilpi_pattern_kind */
    ILPI_FORM_LIKE,
    ILPI_FORM_REGEX,
    ILPI_FORM_TEXT,
    ILPI_FORM_YESNO,
    ILPI_FORM_NUMBER,
    ILPI_FORM_VERSIONS,
    ILPI_FORM_WHEN,
    ILPI_FORM_SECRETS,
    ILPI_FORM_KEY_TOKEN,
    ILPI_FORM_ONE,
    ILPI_FORM_SOME
};

enum ilpi_list {
#define ILP_WORDS(list) ILPI_LIST_##list,
#include "ilpatch/rules.def"
    ILPI_LIST_NONE
};

enum ilpi_element {
#define ILP_RULE_ELEMENT(name, word, place, text) ILPI_ELEMENT_##name,
#include "ilpatch/rules.def"
    ILPI_ELEMENT_COUNT
};

enum ilpi_attribute {
#define ILP_RULE_ATTRIBUTE(element, name, word, form, list, text) ILPI_ATTRIBUTE_##element##_##name,
#include "ilpatch/rules.def"
    ILPI_ATTRIBUTE_COUNT
};

/* A word of an attribute's value, with what an editor shows for it. */
struct ilpi_word {
    enum ilpi_list list;
    uint8_t value; /* its enumerator */
    const char *word;
    const char *text;
};

struct ilpi_element_words {
    const char *word;      /* the tag's name */
    enum ilpi_place place; /* its own, which decides what it may be in */
    const char *text;      /* for the schema */
};

struct ilpi_attribute_words {
    enum ilpi_element element;
    const char *word;
    enum ilpi_form form;
    enum ilpi_list list; /* ILPI_FORM_ONE, ILPI_FORM_SOME; else ILPI_LIST_NONE */
    const char *text;    /* for the schema */
};

extern const struct ilpi_word ilpi_words[]; /* the lists one after the other */
extern const size_t ilpi_word_count;
extern const struct ilpi_element_words ilpi_elements[ILPI_ELEMENT_COUNT];
extern const struct ilpi_attribute_words ilpi_attributes[ILPI_ATTRIBUTE_COUNT];

/* Whether a form is a pattern. */
static inline bool ilpi_is_pattern(enum ilpi_form form)
{
    return form <= ILPI_FORM_REGEX;
}

/* Whether an element of place `inner` is allowed in one of place `outer`. */
bool ilpi_may_stand_in(enum ilpi_place inner, enum ilpi_place outer);

/* The word of an enumerator, NULL if the list has none. */
const char *ilpi_word_of(enum ilpi_list list, unsigned value);

/* The enumerator of a word of `size` bytes; false if it is not in the list. */
bool ilpi_word_find(enum ilpi_list list, const char *word, size_t size, unsigned *value);

/* The nearest of `count` words, if at most a third of its letters differ; else NULL. `words` gives
 * a word by its number; NULL skips one. */
const char *ilpi_nearest(const char *word, size_t size,
                         const char *(*words)(const void *user, size_t i), const void *user,
                         size_t count);

#endif
