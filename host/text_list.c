/* Joins and splits lists. See text_list.h. Separators and backslashes in an item are escaped by a
 * backslash, and unescaped in place when the list is split. */
#include "host/text_list.h"

#include <string.h>

#include "host/memory.h"

/* A backslash before separators and backslashes in an item. */
bool text_list_add(char **list, char separator, const char *item)
{
    size_t size = *list ? strlen(*list) : 0;
    char *to = item ? grow_items(*list, size + 2 * strlen(item) + 2, 1) : NULL;
    if (!to) {
        return false;
    }
    *list = to;
    to += size;
    if (size != 0) {
        *to++ = separator;
    }
    for (; *item != '\0'; item++) {
        if (*item == separator || *item == '\\') {
            *to++ = '\\';
        }
        *to++ = *item;
    }
    *to = '\0';
    return true;
}

/* In place; empty items are skipped, so a leading or doubled separator does not matter. */
char *text_list_next(char **list, char separator)
{
    char *item = *list;
    while (*item == separator) {
        item++;
    }
    if (*item == '\0') {
        return NULL;
    }
    char *to = item;
    char *at = item;
    while (*at != '\0' && *at != separator) {
        at += *at == '\\' && at[1] != '\0';
        *to++ = *at++;
    }
    *list = at + (*at != '\0');
    *to = '\0';
    return item;
}
