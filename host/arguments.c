/* A command line as one text, and back. See arguments.h. */
#include "host/arguments.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/memory.h"

bool arguments_add(struct arguments *arguments, const char *argument)
{
    size_t size = arguments->text ? strlen(arguments->text) : 0;
    char *to = grow_items(arguments->text, size + 2 * strlen(argument) + 2, 1);
    if (!to) {
        return false;
    }
    arguments->text = to;
    to += size;
    if (size != 0) {
        *to++ = ' ';
    }
    for (; *argument != '\0'; argument++) {
        if (*argument == ' ' || *argument == '\\') {
            *to++ = '\\';
        }
        *to++ = *argument;
    }
    *to = '\0';
    return true;
}

/* Takes the backslashes out of the argument at *from, which moves behind it. */
static char *take(char **from)
{
    char *start = *from;
    char *to = start;
    char *at = start;
    while (*at != '\0' && *at != ' ') {
        at += *at == '\\' && at[1] != '\0';
        *to++ = *at++;
    }
    *from = at + (*at != '\0');
    *to = '\0';
    return start;
}

char **arguments_split(char *text, char *name, int *count)
{
    char **arguments = new_items(strlen(text) / 2 + 3, sizeof *arguments);
    *count = 0;
    if (!arguments) {
        return NULL;
    }
    arguments[(*count)++] = name;
    while (*text != '\0') {
        if (*text == ' ') {
            text++;
        } else {
            arguments[(*count)++] = take(&text);
        }
    }
    return arguments;
}
