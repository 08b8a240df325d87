/* elt/registers.def as arrays. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct pass passes[] = {
#define PASS(architecture, generations, hooks, where, what) \
    {architecture, generations, hooks, where, what},
#include "elt/registers.def"
};

const struct keep keeps[] = {
#define KEEP(architecture, generations, hooks, registers, by, compiled_code, why) \
    {architecture, generations, hooks, registers, by, compiled_code, why},
#include "elt/registers.def"
};

const struct wrong wrongs[] = {
#define WRONG(said, holds, known) {said, holds, known},
#include "elt/registers.def"
};

const size_t pass_count = sizeof passes / sizeof *passes;
const size_t keep_count = sizeof keeps / sizeof *keeps;
const size_t wrong_count = sizeof wrongs / sizeof *wrongs;

/* One word of a row: a name, or one that ends in a range of numbers, "xmm0-7". */
static bool word_is(const char *word, size_t length, const char *name)
{
    const char *dash = memchr(word, '-', length);
    if (!dash) {
        return strlen(name) == length && memcmp(word, name, length) == 0;
    }
    const char *digits = dash;
    while (digits > word && digits[-1] >= '0' && digits[-1] <= '9') {
        digits--;
    }
    size_t prefix = (size_t)(digits - word);
    if (strncmp(word, name, prefix) != 0 || name[prefix] < '0' || name[prefix] > '9') {
        return false;
    }
    char *end;
    long number = strtol(name + prefix, &end, 10);
    return *end == '\0' && number >= atol(digits) && number <= atol(dash + 1);
}

bool row_has(const char *registers, const char *name)
{
    while (*registers) {
        size_t length = strcspn(registers, " ");
        if (word_is(registers, length, name)) {
            return true;
        }
        registers += length + (registers[length] == ' ');
    }
    return false;
}
