/* Names as words of a line: bytes that would not stand there are %XX. */
#ifndef LINE_WORD_H
#define LINE_WORD_H

#include <stdbool.h>
#include <stdio.h>

void line_word_print(FILE *out, const char *text);

/* Cuts the next word off a line, "" at its end. */
char *line_word_next(char **rest);

/* Makes the text of a word, in its place. False: it is not written like that. */
bool line_word_read(char *word);

#endif
