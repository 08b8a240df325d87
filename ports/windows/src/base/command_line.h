/* A command line as programs of Windows take it apart. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include <wchar.h>

/* The arguments, program first, then NULL; by the rules of CommandLineToArgvW(), which is in a
 * library that brings a dozen others: the start of the command takes twice as long with it. Owned,
 * one block for free(); NULL: there is no memory. */
wchar_t **split_command_line(const wchar_t *line, size_t *count);

#endif
