/* When text has colours: --color, with the words of host/option_words.h. */
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

/* Whether what is written to a file has them. Of its own accord only a terminal that knows them
 * gets them, unless the user wants none anywhere (the variable NO_COLOR). */
bool color_is_wanted(enum color when, int file);

#endif
