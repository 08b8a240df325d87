/* --color, with the words of host/option_words.h. */
#ifndef COLOR_H
#define COLOR_H

#include <stdbool.h>

#include "host/option_words.h"

enum color {
#define X(NAME, word) COLOR_##NAME,
    COLOR_WORDS(X)
#undef X
        COLOR_COUNT
};

/* Whether text for a file gets colours. By default only a terminal that supports them does, unless
 * the user has disabled them everywhere (the variable NO_COLOR). */
bool color_is_wanted(enum color when, int file);

#endif
