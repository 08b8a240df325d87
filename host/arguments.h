/* A command line as one text, for an environment variable: arguments with spaces between them, and
 * a backslash in front of spaces and backslashes that belong to one. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* A growing command line. */
struct arguments {
    char *text; /* owned; NULL: none yet */
};

/* False: no memory, and it is as it was. */
bool arguments_add(struct arguments *arguments, const char *argument);

/* Splits `text` in place; `name` becomes argument 0. The array is owned by the caller and ends with
 * NULL. NULL: no memory. */
char **arguments_split(char *text, char *name, int *count);

#endif
