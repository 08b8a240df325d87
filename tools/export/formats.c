/* Look-up of trace formats. See formats.h. The table expands from formats.def, and so does the
 * declaration of each writer (format.h): a format without a writer does not link. */
#include "tools/export/formats.h"

#include <string.h>

#include "host/path.h"

static const struct format formats[] = {
#define FORMAT(id, name, endings, of, text) {name, endings, text, FORMAT_OF_##of, write_##id},
#include "tools/export/formats.def"
#undef FORMAT
};

/* NULL after the last: callers go through all by number, and need no count. */
const struct format *format_at(size_t number)
{
    return number < sizeof formats / sizeof formats[0] ? &formats[number] : NULL;
}

const struct format *format_named(const char *name)
{
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        if (strcmp(format->name, name) == 0) {
            return format;
        }
    }
    return NULL;
}

/* The length of the longest extension that matches the path. */
static size_t ending_length(const struct format *format, const char *path)
{
    size_t longest = 0;
    for (const char *at = format->endings; *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        char ending[32];
        snprintf(ending, sizeof ending, "%.*s", (int)length, at);
        longest = length > longest && ends_with(path, ending) ? length : longest;
        at += length;
    }
    return longest;
}

/* ".values.json" wins over ".json", since it is longer. */
const struct format *format_of_file(const char *path)
{
    const struct format *best = NULL;
    size_t longest = 0;
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
        size_t length = ending_length(format, path);
        if (length > longest) {
            longest = length;
            best = format;
        }
    }
    return best;
}
