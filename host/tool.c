/* Exit codes, suggestions for misspelled words, the stock inspector. See tool.h. Both editions of
 * the inspector are part of the program, as byte arrays: a patch needs no file that could be
 * missing or of another version. */
#include "host/tool.h"

#include <stdlib.h>
#include <string.h>

#include "rules/vocabulary.h"

/* The message, then where help is; EXIT_USAGE, so that a caller can return it. */
enum exit_code usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vreport_message(format, arguments);
    va_end(arguments);
    report_usage(command);
    return EXIT_USAGE;
}

/* ---- suggestions for misspelled words ---- */

static const char *word_at(const void *words, size_t i)
{
    return ((const char *const *)words)[i];
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    return ilpi_nearest(word, strlen(word), word_at, words, count);
}

/* `count` if it is none. */
size_t find_word(const char *word, const char *const *words, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(words[i], word) != 0) {
        i++;
    }
    return i;
}

/* "a, b or c", for messages. */
char *choice_text(const char *const *words, size_t count)
{
    struct text_file text;
    text_open(&text);
    for (size_t i = 0; i < count && text.out; i++) {
        const char *between = i + 1 < count ? ", " : " or ";
        fprintf(text.out, "%s%s", i == 0 ? "" : between, words[i]);
    }
    return text_close(&text);
}

enum exit_code unknown_word(const char *command, const char *what, const char *word,
                            const char *const *words, size_t count)
{
    const char *nearest = nearest_word(word, words, count);
    char *choice = choice_text(words, count);
    if (!choice) {
        return EXIT_CANNOT_WRITE;
    }
    if (word[0] == '\0') {
        usage_error(command, "the %s is missing; expected %s", what, choice);
    } else if (nearest) {
        usage_error(command, "unknown %s '%s'; did you mean '%s'? Expected %s", what, word, nearest,
                    choice);
    } else {
        usage_error(command, "unknown %s '%s'; expected %s", what, word, choice);
    }
    free(choice);
    return EXIT_USAGE;
}

/* Whose fault it is decides (error.def): the rules', the system's, or the input's. */
enum exit_code exit_code_of(const struct ilp_error *error)
{
    switch (ilp_status_class(error->status)) {
    case ILP_CLASS_OK: return EXIT_DONE;
    case ILP_CLASS_RULES: return error->status == ILP_E_BAD_RULES ? EXIT_USAGE : EXIT_INCOMPLETE;
    case ILP_CLASS_IO:
    case ILP_CLASS_MEMORY: return EXIT_CANNOT_WRITE;
    default: return EXIT_BAD_INPUT;
    }
}

extern const uint8_t stock_inspector[];
extern const uint32_t stock_inspector_size;
extern const uint8_t small_inspector[];
extern const uint32_t small_inspector_size;

struct ilp_bytes stock_inspector_bytes(enum edition edition)
{
    return edition == EDITION_FULL ? (struct ilp_bytes){stock_inspector, stock_inspector_size}
                                   : (struct ilp_bytes){small_inspector, small_inspector_size};
}
