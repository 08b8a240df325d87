/* The options that say how a changed file is written. See write_options.h. */
#include "write_options.h"

#include <string.h>

bool write_option(struct write_request *request, int option, const char *value)
{
    switch (option) {
    case OPTION_STRONG_NAME:
        request->strong_name = value;
        return true;
    default:
        return false;
    }
}

static bool find_strong_name(const char *word, enum ilp_strong_name *value)
{
    static const char *const words[] = {[ILP_STRONG_NAME_KEEP] = "keep", [ILP_STRONG_NAME_CLEAR] = "clear"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0) {
            *value = (enum ilp_strong_name)i;
            return true;
        }
    }
    return false;
}

enum exit_code write_options(const struct write_request *request, struct ilp_write_options *options,
                             const char *command)
{
    *options = (struct ilp_write_options){0};
    if (request->strong_name && !find_strong_name(request->strong_name, &options->strong_name)) {
        return usage_error(command, "--strong-name is keep or clear, not '%s'", request->strong_name);
    }
    return EXIT_DONE;
}
