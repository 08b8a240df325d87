/* Decides on colours. See color.h. NO_COLOR (no-color.org) and TERM=dumb count for "auto" only:
 * "always" is the user's own word. */
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
