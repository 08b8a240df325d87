/* Prints the registers of elt/registers.def that compiled code has values in, or counts lost, one
 * to a line:
 *     print_registers live|lost enter|leave|tailcall [x86_64_windows|aarch64]
 * for generation 3 on x86-64 System V, or on x86-64 Windows, or on 64-bit Arm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static void print_names(const char *word, size_t length)
{
    const char *dash = memchr(word, '-', length);
    if (!dash) {
        printf("%.*s\n", (int)length, word);
        return;
    }
    const char *digits = dash;
    while (digits > word && digits[-1] >= '0' && digits[-1] <= '9') {
        digits--;
    }
    for (long number = atol(digits); number <= atol(dash + 1); number++) {
        printf("%.*s%ld\n", (int)(digits - word), word, number);
    }
}

int main(int count, char **arguments)
{
    if (count < 3) {
        return 2;
    }
    const char *named = count == 4 ? arguments[3] : "";
    enum architecture architecture = strcmp(named, "aarch64") == 0          ? AARCH64
                                     : strcmp(named, "x86_64_windows") == 0 ? X86_64_WINDOWS
                                                                            : X86_64;
    enum compiled_code wanted = strcmp(arguments[1], "live") == 0 ? LIVE : LOST;
    int hook = strcmp(arguments[2], "enter") == 0   ? ENTER
               : strcmp(arguments[2], "leave") == 0 ? LEAVE
                                                    : TAILCALL;
    for (size_t i = 0; i < keep_count; i++) {
        const struct keep *row = &keeps[i];
        if (row->architecture != architecture || !(row->generations & G3) || !(row->hooks & hook) ||
            row->compiled_code != wanted || row->by == CALLEE) {
            continue;
        }
        for (const char *word = row->registers; *word;) {
            size_t length = strcspn(word, " ");
            print_names(word, length);
            word += length + (word[length] == ' ');
        }
    }
    return 0;
}
