/* Look-up of known profilers. See other_profilers.h. A class id is what the environment has, a
 * library is what a process has mapped; a product with several libraries has several rows. The name
 * is only for messages: an unknown profiler is in the way just as well. */
#include "tools/launch/other_profilers.h"

#include <string.h>
#include <strings.h>

#include "host/memory.h"
#include "host/path.h"

static const struct {
    const char *name;
    const char *class;
    const char *library;
} profilers[] = {
#define PROFILER(name, class, library) {name, class, library},
#include "tools/launch/other_profilers.def"
};

enum { PROFILERS = sizeof profilers / sizeof profilers[0] };

/* Class ids are hexadecimal digits, of either case. */
const char *other_profiler_by_class(const char *class)
{
    for (size_t i = 0; class && i < PROFILERS; i++) {
        if (strcasecmp(class, profilers[i].class) == 0) {
            return profilers[i].name;
        }
    }
    return NULL;
}

/* By the name of the file alone: each installation has it in another folder. */
const char *other_profiler_by_library(const char *path)
{
    for (size_t i = 0; path && i < PROFILERS; i++) {
        if (profilers[i].library && strcmp(path_name(path), profilers[i].library) == 0) {
            return profilers[i].name;
        }
    }
    return NULL;
}

/*   NAME (CLASS, PATH)      a known product
 *   CLASS, PATH             another one; what is not given is left out */
char *other_profiler_text(const char *class, const char *path)
{
    const char *name = other_profiler_by_class(class);
    name = name ? name : other_profiler_by_library(path);
    const char *between = class && path ? ", " : "";
    class = class ? class : "";
    path = path ? path : "";
    return name ? format_text("%s (%s%s%s)", name, class, between, path)
                : format_text("%s%s%s", class, between, path);
}
