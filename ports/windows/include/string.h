/* What string.h lacks on Windows. */
#ifndef PORT_STRING_H
#define PORT_STRING_H

#include_next <string.h>

void *memmem(const void *bytes, size_t size, const void *part, size_t part_size);
void *memrchr(const void *bytes, int c, size_t size);
void explicit_bzero(void *bytes, size_t size);
char *strndup(const char *text, size_t size);
char *strchrnul(const char *text, int c);
char *strsep(char **text, const char *between);
char *strcasestr(const char *text, const char *part);

/* Of all errors, those of errno.h here, too; in the words that Linux has. */
char *port_strerror(int error);
#define strerror(error) port_strerror(error)

#endif
