/* Decides on colours. See color.h. */
#include "host/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool color_is_wanted(enum color when, int file)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool refused = (none && none[0] != '\0') || (terminal && strcmp(terminal, "dumb") == 0);
    return when == COLOR_ALWAYS || (when == COLOR_AUTO && !refused && isatty(file));
}
