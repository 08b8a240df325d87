/* Streams on Windows: paths are UTF-8, nothing is changed between \n and \r\n, and text is
 * collected in memory. */
#ifndef PORT_STDIO_H
#define PORT_STDIO_H

#include_next <stdio.h>
#include <sys/types.h>

FILE *port_fopen(const char *path, const char *mode);
FILE *port_fdopen(int file, const char *mode);
int port_rename(const char *from, const char *to);
FILE *open_memstream(char **text, size_t *size);
int port_fclose(FILE *file);
int port_fflush(FILE *file);
ssize_t getline(char **line, size_t *room, FILE *file);

#define fopen(path, mode)  port_fopen((path), (mode))
#define fdopen(file, mode) port_fdopen((file), (mode))
#define rename(from, to)   port_rename((from), (to))
#define fclose(file)       port_fclose(file)
#define fflush(file)       port_fflush(file)

#endif
