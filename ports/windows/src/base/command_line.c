/* Command lines. See command_line.h. */
#include "base/command_line.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_blank(wchar_t c)
{
    return c == L' ' || c == L'\t';
}

/* The program's name: a backslash in it is always one, since no name of a file has a quote. */
static const wchar_t *read_program(const wchar_t *at, wchar_t **text)
{
    bool quoted = *at == L'"';
    at += quoted;
    while (*at && (quoted ? *at != L'"' : !is_blank(*at))) {
        *(*text)++ = *at++;
    }
    return at + (quoted && *at);
}

/* A quote, after that many backslashes: two of them are one, and an odd one makes it a quote that
 * is meant itself. Two quotes within quotes are one, and their end. */
static const wchar_t *read_quote(const wchar_t *at, size_t backslashes, bool *quoted,
                                 wchar_t **text)
{
    bool twice = *quoted && at[1] == L'"';
    bool marks = backslashes % 2 == 0;
    if (!marks || twice) {
        *(*text)++ = L'"';
    }
    *quoted = *quoted != marks;
    return at + (marks && twice ? 2 : 1);
}

static const wchar_t *read_argument(const wchar_t *at, wchar_t **text)
{
    bool quoted = false;
    while (*at && (quoted || !is_blank(*at))) {
        size_t backslashes = wcsspn(at, L"\\");
        at += backslashes;
        for (size_t left = *at == L'"' ? backslashes / 2 : backslashes; left > 0; left--) {
            *(*text)++ = L'\\';
        }
        if (*at == L'"') {
            at = read_quote(at, backslashes, &quoted, text);
        } else if (backslashes == 0) {
            *(*text)++ = *at++;
        }
    }
    return at;
}

wchar_t **split_command_line(const wchar_t *line, size_t *count)
{
    /* A blank, or the end, for each; the texts are no longer than the line with its end. */
    size_t most = wcslen(line) / 2 + 2;
    wchar_t **arguments =
        malloc((most + 1) * sizeof *arguments + (wcslen(line) + 2) * sizeof **arguments);
    wchar_t *text = (wchar_t *)(arguments + most + 1);
    *count = 0;
    for (bool program = true; arguments && (program || *line); program = false) {
        arguments[(*count)++] = text;
        line = (program ? read_program : read_argument)(line, &text);
        *text++ = L'\0';
        while (is_blank(*line)) {
            line++;
        }
    }
    if (arguments) {
        arguments[*count] = NULL;
    }
    return arguments;
}
