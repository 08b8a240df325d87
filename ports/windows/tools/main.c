/* The command line in UTF-8, and binary streams. Then tools/ilpatch.c, whose main() is
 * command_main() here. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/command_line.h"
#include "base/wide_path.h"

int command_main(int argc, char **argv);

/* Converts the backslashes of paths to slashes, but not those of patterns and conditions: names of
 * files have none of these characters, and a pattern hardly has a backslash without one of them. */
static void unify(char *argument)
{
    if (strpbrk(argument, "<>\"|*?()[]{}^$+") || strncmp(argument, "\\\\?\\", 4) == 0) {
        return;
    }
    for (; *argument; argument++) {
        *argument = *argument == '\\' ? '/' : *argument;
    }
}

int main(void)
{
    size_t count = 0;
    wchar_t **wide = split_command_line(GetCommandLineW(), &count);
    char **arguments = wide ? calloc(count + 1, sizeof *arguments) : NULL;
    for (size_t i = 0; i < count && arguments; i++) {
        arguments[i] = narrow_text(wide[i], wcslen(wide[i]));
        if (!arguments[i]) {
            return 4;
        }
        unify(arguments[i]);
    }
    free(wide);
    for (int file = 0; file <= 2; file++) {
        _setmode(file, O_BINARY);
    }
    SetConsoleOutputCP(CP_UTF8);
    return arguments ? command_main((int)count, arguments) : 4;
}
