/* Command lines as split_command_line() takes them apart, beside what Windows does itself: all
 * short ones of the characters that matter, and longer ones at random. Prints how many. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <shellapi.h>

#include "base/command_line.h"

enum { SHORT_LINE = 8, LONG_LINE = 40, RANDOM_LINES = 200000 };
static const wchar_t letters[] = L"\"\\ a\t";
enum { LETTERS = sizeof letters / sizeof letters[0] - 1 };

static int is_same(const wchar_t *line)
{
    int expected = 0;
    size_t count = 0;
    wchar_t **windows = CommandLineToArgvW(line, &expected);
    wchar_t **ours = split_command_line(line, &count);
    int same = windows && ours && (size_t)expected == count && !ours[count];
    for (size_t i = 0; same && i < count; i++) {
        same = wcscmp(windows[i], ours[i]) == 0;
    }
    LocalFree(windows);
    free(ours);
    if (!same) {
        printf("differs: [%ls]\n", line);
    }
    return same;
}

int main(void)
{
    wchar_t line[LONG_LINE + 1];
    unsigned long tried = 0;
    for (size_t length = 1; length <= SHORT_LINE; length++) {
        unsigned long all = 1;
        for (size_t i = 0; i < length; i++) {
            all *= LETTERS;
        }
        for (unsigned long number = 0; number < all; number++, tried++) {
            unsigned long left = number;
            for (size_t i = 0; i < length; i++, left /= LETTERS) {
                line[i] = letters[left % LETTERS];
            }
            line[length] = L'\0';
            if (!is_same(line)) {
                return 1;
            }
        }
    }
    srand(1);
    for (unsigned i = 0; i < RANDOM_LINES; i++, tried++) {
        for (size_t at = 0; at < LONG_LINE; at++) {
            line[at] = letters[(unsigned)rand() % LETTERS];
        }
        line[LONG_LINE] = L'\0';
        if (!is_same(line)) {
            return 1;
        }
    }
    printf("%lu lines\n", tried);
    return 0;
}
