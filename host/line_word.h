/* Names as words of a line: bytes that it cannot contain are %XX. */
#ifndef LINE_WORD_H
#define LINE_WORD_H

#include <stdbool.h>
#include <stdio.h>

void line_word_print(FILE *out, const char *text);

/* Splits the next word off a line, "" at its end. */
char *line_word_next(char **rest);

/* Unescapes a word in place. False: it is not a valid one. */
bool line_word_read(char *word);

#endif
