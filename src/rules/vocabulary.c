/* The tables that expand from rules.def, and looking words up in them. See vocabulary.h. */
#include "rules/vocabulary.h"

#include <assert.h>
#include <string.h>

const struct ilpi_word ilpi_words[] = {
#define ILP_WORD(list, name, word, text) {ILPI_LIST_##list, ILP_##list##_##name, word, text},
#include "ilpatch/rules.def"
};
const size_t ilpi_word_count = sizeof ilpi_words / sizeof ilpi_words[0];

/* ilpatch.h lists the words of each list in this order. */
#define ILP_WORDS(list)                  enum {
#define ILP_WORD(list, name, word, text) WORD_POSITION_##list##_##name,
#define ILP_ENDW(list)           \
    WORD_POSITION_##list##_COUNT \
    }                            \
    ;
#include "ilpatch/rules.def"
#define ILP_WORD(list, name, word, text) \
    static_assert((int)ILP_##list##_##name == (int)WORD_POSITION_##list##_##name, word);
#define ILP_ENDW(list) \
    static_assert((int)ILP_##list##_COUNT == (int)WORD_POSITION_##list##_COUNT, #list);
#include "ilpatch/rules.def"

const struct ilpi_element_words ilpi_elements[ILPI_ELEMENT_COUNT] = {
#define ILP_RULE_ELEMENT(name, word, place, text) \
    [ILPI_ELEMENT_##name] = {word, ILPI_PLACE_##place, text},
#include "ilpatch/rules.def"
};

const struct ilpi_attribute_words ilpi_attributes[ILPI_ATTRIBUTE_COUNT] = {
#define ILP_RULE_ATTRIBUTE(element, name, word, form, list, text) \
    [ILPI_ATTRIBUTE_##element##_##                                \
        name] = {ILPI_ELEMENT_##element, word, ILPI_FORM_##form, ILPI_LIST_##list, text},
#include "ilpatch/rules.def"
};

/* What may be in what: rules at the top, conditions and groups of them in rules and groups, nothing
 * in a condition. */
bool ilpi_may_stand_in(enum ilpi_place inner, enum ilpi_place outer)
{
    switch (outer) {
    case ILPI_PLACE_TOP: return inner == ILPI_PLACE_RULE;
    case ILPI_PLACE_RULE:
    case ILPI_PLACE_GROUP: return inner == ILPI_PLACE_GROUP || inner == ILPI_PLACE_CONDITION;
    case ILPI_PLACE_CONDITION: break;
    }
    return false;
}

const char *ilpi_word_of(enum ilpi_list list, unsigned value)
{
    for (size_t i = 0; i < ilpi_word_count; i++) {
        if (ilpi_words[i].list == list && ilpi_words[i].value == value) {
            return ilpi_words[i].word;
        }
    }
    return NULL;
}

/* Linear: there are few words, and each is read once per rule file. */
bool ilpi_word_find(enum ilpi_list list, const char *word, size_t size, unsigned *value)
{
    for (size_t i = 0; i < ilpi_word_count; i++) {
        if (ilpi_words[i].list == list && strlen(ilpi_words[i].word) == size &&
            memcmp(ilpi_words[i].word, word, size) == 0) {
            *value = ilpi_words[i].value;
            return true;
        }
    }
    return false;
}

/* ---- the nearest word ---- */

#define MAX_WORD 32u /* no word of the vocabulary is longer */

/* The number of letters to insert, delete, change or swap with a neighbour (restricted
 * Damerau-Levenshtein distance). Three rows of the table are enough, since a swap looks two rows
 * back. */
static size_t distance(const char *left, size_t left_size, const char *right, size_t right_size)
{
    size_t rows[3][MAX_WORD + 1];
    for (size_t j = 0; j <= right_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= left_size; i++) {
        /* Modulo 3, `above` is row i - 1, and `higher` row i - 2. */
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *higher = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= right_size; j++) {
            size_t best = above[j - 1] + (left[i - 1] != right[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] &&
                           left[i - 2] == right[j - 1];
            row[j] = swapped && higher[j - 2] + 1 < best ? higher[j - 2] + 1 : best;
        }
    }
    return rows[left_size % 3][right_size];
}

/* A third of the letters may differ, at least one. The first of equally near words is kept, in the
 * order of the table. */
const char *ilpi_nearest(const char *word, size_t size,
                         const char *(*words)(const void *user, size_t i), const void *user,
                         size_t count)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count && size <= MAX_WORD; i++) {
        const char *known = words(user, i);
        size_t known_size = known ? strlen(known) : 0;
        size_t allowed = known_size < 3 ? 1 : (known_size + 2) / 3;
        if (known_size == 0 || known_size > MAX_WORD) {
            continue;
        }
        size_t letters = distance(word, size, known, known_size);
        if (letters <= allowed && letters < least) {
            least = letters;
            nearest = known;
        }
    }
    return nearest;
}
