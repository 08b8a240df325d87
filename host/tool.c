/* Messages, exit codes and small helpers that all of the command's files use. See tool.h. */
#include "host/tool.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rules/vocabulary.h"
#include "host/text_out.h"

static void (*message_sink)(const char *text);

void tell_to(void (*sink)(const char *text))
{
    message_sink = sink;
}

static void tell_text(const char *format, va_list arguments)
{
    char *text = NULL;
    need(vasprintf(&text, format, arguments) >= 0 ? text : NULL);
    if (message_sink) {
        message_sink(text);
    } else {
        fputs("ilpatch: ", stderr);
        text_out(stderr, text, false);
        fputc('\n', stderr);
    }
    free(text);
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_text(format, arguments);
    va_end(arguments);
}

void tell_error(const char *file, const struct ilp_error *error)
{
    if (error->offset != UINT64_MAX) {
        tell("%s: %s (at offset 0x%llX)", file, error->message, (unsigned long long)error->offset);
    } else {
        tell("%s: %s", file, error->message);
    }
}

enum exit_code usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_text(format, arguments);
    va_end(arguments);
    if (!message_sink) {
        fprintf(stderr, "Try 'ilpatch %s%s--help'.\n", command ? command : "", command ? " " : "");
    }
    return EXIT_USAGE;
}

/* ---- words that are nearly right ---- */

static const char *word_at(const void *words, size_t i)
{
    return ((const char *const *)words)[i];
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    return ilpi_nearest(word, strlen(word), word_at, words, count);
}

/* "list, add or strip" */
static char *choice_text(const char *const *words, size_t count)
{
    char *text = need(strdup(""));
    for (size_t i = 0; i < count; i++) {
        char *longer = format_text("%s%s%s", text, i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
        free(text);
        text = longer;
    }
    return text;
}

enum exit_code unknown_word(const char *command, const char *what, const char *word, const char *const *words, size_t count)
{
    const char *nearest = nearest_word(word, words, count);
    char *choice = choice_text(words, count);
    if (word[0] == '\0') {
        usage_error(command, "the %s is missing; expected %s", what, choice);
    } else if (nearest) {
        usage_error(command, "unknown %s '%s'; did you mean '%s'? Expected %s", what, word, nearest, choice);
    } else {
        usage_error(command, "unknown %s '%s'; expected %s", what, word, choice);
    }
    free(choice);
    return EXIT_USAGE;
}

/* ---- options ---- */

static const char *option_at(const void *options, size_t i)
{
    return ((const struct option *)options)[i].name;
}

/* What getopt_long() did not take of "--NAME" or "--NAME=VALUE": a value that is one too many, several options that begin
 * so, or none. */
static enum exit_code long_option_error(const char *command, const char *given, const struct option *options)
{
    const char *name = given + strspn(given, "-");
    size_t size = strcspn(name, "=");
    size_t count = 0;
    size_t fitting = 0;
    const char *exact = NULL;
    char *fits = need(strdup(""));
    for (; options[count].name; count++) {
        if (strncmp(options[count].name, name, size) == 0) {
            exact = options[count].name[size] == '\0' ? options[count].name : exact;
            char *longer = format_text("%s%s--%s", fits, fitting++ != 0 ? ", " : "", options[count].name);
            free(fits);
            fits = longer;
        }
    }
    const char *nearest = ilpi_nearest(name, size, option_at, options, count);
    if (name[size] == '=' && (exact || fitting == 1)) {
        usage_error(command, "--%s takes no value", exact ? exact : fits + 2);
    } else if (fitting > 1 && size != 0) {
        usage_error(command, "option %s may be any of %s", given, fits);
    } else if (nearest) {
        usage_error(command, "unknown option %s; did you mean --%s?", given, nearest);
    } else {
        usage_error(command, "unknown option %s", given);
    }
    free(fits);
    return EXIT_USAGE;
}

/* Whether optopt is the letter of a long option that was given a value and takes none. */
static bool is_long_letter(const char *given, const struct option *options)
{
    size_t size = strcspn(given, "=");
    bool found = false;
    for (; options->name && size > 2 && given[size] == '='; options++) {
        found = found || (options->val == optopt && strncmp(options->name, given + 2, size - 2) == 0);
    }
    return found && strncmp(given, "--", 2) == 0;
}

/* Of several short options in one argument, only optopt says which one is meant. */
enum exit_code option_error(const char *command, int option, char **argv, const char *known, const struct option *options)
{
    const char *given = argv[optind - 1];
    if (option == ':') {
        return usage_error(command, "%s needs a value", given);
    }
    if (optopt > 0 && optopt < 0x80 && !strchr(known, optopt) && !is_long_letter(given, options)) {
        return usage_error(command, "unknown option -%c", optopt);
    }
    return strncmp(given, "--", 2) == 0 ? long_option_error(command, given, options)
                                        : usage_error(command, "unknown option %s", given);
}

enum exit_code exit_code_of(const struct ilp_error *error)
{
    switch (ilp_status_class(error->status)) {
    case ILP_CLASS_OK:
        return EXIT_DONE;
    case ILP_CLASS_RULES:
        return error->status == ILP_E_BAD_RULES ? EXIT_USAGE : EXIT_INCOMPLETE;
    case ILP_CLASS_IO:
    case ILP_CLASS_MEMORY:
        return EXIT_CANNOT_WRITE;
    default:
        return EXIT_BAD_INPUT;
    }
}

void *need(void *memory)
{
    if (!memory) {
        fputs("ilpatch: out of memory\n", stderr);
        exit(EXIT_CANNOT_WRITE);
    }
    return memory;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    return need(text);
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
