/* See color.h. */
#include "host/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/tool.h"

const char *const color_words[COLOR_COUNT] = {
#define X(NAME, word) word,
    COLOR_WORDS(X)
#undef X
};

enum color color_read(const char *word)
{
    return word ? (enum color)find_word(word, color_words, COLOR_COUNT) : COLOR_AUTO;
}

bool color_is_wanted(enum color when, int file)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool refused = (none && none[0] != '\0') || (terminal && strcmp(terminal, "dumb") == 0);
    return when == COLOR_ALWAYS || (when == COLOR_AUTO && !refused && isatty(file));
}
