/* ilpatch restore: puts originals back and takes the inspector away when nothing needs it any more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "companion.h"
#include "originals.h"

static const char help[] =
    "ilpatch restore FILE...\n"
    "\n"
    "Puts FILE.orig back in FILE's place. When no other patched assembly is left in the folder, the stock\n"
    "inspector and its entries in *.deps.json go, too. An inspector of your own stays.\n";

static enum exit_code restore(const char *given)
{
    char *file = path_through_link(given);
    char *kept = format_text("%s.orig", file);
    char *directory = path_directory(file);
    enum exit_code code = EXIT_DONE;
    switch (original_of(file, kept)) {
    case ORIGINAL_NONE:
        tell("%s: there is no %s to restore it from", file, kept);
        code = EXIT_INCOMPLETE;
        break;
    case ORIGINAL_OTHER:
        if (file_exists(file)) {
            tell("%s was not made from %s (was it rebuilt?): nothing restored", file, kept);
            code = EXIT_INCOMPLETE;
            break;
        }
        /* fall through */
    case ORIGINAL_INPUT:
        if (rename(kept, file) != 0) {
            tell("%s: cannot put the original back: %s", file, strerror(errno));
            code = EXIT_CANNOT_WRITE;
        }
        break;
    }
    if (code == EXIT_DONE && !patched_remain(directory)) {
        code = companion_remove(directory);
    }
    free(directory);
    free(kept);
    free(file);
    return code;
}

enum exit_code cmd_restore(int argc, char **argv)
{
    enum exit_code worst = EXIT_DONE;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc < 2 || argv[1][0] == '-') {
        return usage_error("restore", argc < 2 ? "no file is named" : "unknown option %s", argv[1]);
    }
    for (int i = 1; i < argc; i++) {
        enum exit_code code = restore(argv[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}
