/* A list of texts as one text, for an environment variable: the items with a separator between
 * them, and a backslash before each separator and backslash of an item. */
#ifndef TEXT_LIST_H
#define TEXT_LIST_H

#include <stdbool.h>

/* Adds an item to *list, which is owned by the caller and NULL without any. False: no memory, and
 * it is as it was. */
bool text_list_add(char **list, char separator, const char *item);

/* The next item of what is left at *list, which it changes; NULL: none is left. Empty items are
 * left out. */
char *text_list_next(char **list, char separator);

#endif
