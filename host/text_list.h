/* A list of texts as one text, for an environment variable: the items are separated, and separators
 * and backslashes inside them are escaped by a backslash. */
#ifndef TEXT_LIST_H
#define TEXT_LIST_H

#include <stdbool.h>

/* Appends an item to *list, which is owned by the caller and NULL when empty. False: no memory, and
 * it is unchanged. */
bool text_list_add(char **list, char separator, const char *item);

/* Removes and returns the next item of *list; NULL: none is left. Empty items are skipped. */
char *text_list_next(char **list, char separator);

#endif
