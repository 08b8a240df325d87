/* What stdlib.h lacks on Windows. */
#ifndef PORT_STDLIB_H
#define PORT_STDLIB_H

#include_next <stdlib.h>

/* Both round to the nearest; the C library's own do not. */
#define strtod_l(text, end, locale) __mingw_strtod((text), (end))
#define strtof_l(text, end, locale) __mingw_strtof((text), (end))

/* In UTF-8. */
char *port_getenv(const char *name);
#define getenv(name) port_getenv(name)

char *realpath(const char *path, char *room);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
void *reallocarray(void *items, size_t count, size_t size);

#endif
