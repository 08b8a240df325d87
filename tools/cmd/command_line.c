/* Prints help texts and reports command line errors. See command_line.h.
 *
 * Both come from host/options.def: an option has its help in the row that also says which commands
 * take it, so the help of a command lists exactly what it takes. Messages name a near word of the
 * same command's options, not one that only others have. */
#include "tools/cmd/command_line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/color.h"

/* ---- help ---- */

enum { TEXT_COLUMN = 28 };

/*     -q, --quiet               its text, from column 28 on
 *         --long-name VALUE  text after two spaces if there is no room
 *
 * An argument that may be left out begins with "[" and "=" belongs to it, so no space precedes
 * it. */
static void print_option(const struct option_form *form)
{
    int column = form->letter ? printf("  -%c, ", form->letter) : printf("      ");
    const char *between = form->argument[0] != '\0' && form->argument[0] != '[' ? " " : "";
    column += printf("--%s%s%s", form->name, between, form->argument);
    printf("%*s", column < TEXT_COLUMN ? TEXT_COLUMN - column : 2, "");
    for (const char *line = form->text;; line += strcspn(line, "\n") + 1) {
        size_t size = strcspn(line, "\n");
        printf("%.*s\n", (int)size, line);
        if (line[size] == '\0') {
            return;
        }
        printf("%*s", TEXT_COLUMN, "");
    }
}

/* One line or more for each option. */
static void print_options(enum option_taker taker)
{
    struct option_form form;
    for (size_t i = 0; option_form_next(taker, &i, &form);) {
        if (form.text) {
            print_option(&form);
        }
    }
}

enum exit_code print_help(enum option_taker taker, const char *before, const char *after)
{
    fputs(before, stdout);
    print_options(taker);
    fputs(after, stdout);
    return EXIT_DONE;
}

/* ---- messages ---- */

/* `count` if it is none of the words; that has been reported. */
size_t read_choice(const char *command, enum option_id option, const char *value,
                   const char *const *words, size_t count)
{
    size_t chosen = find_word(value, words, count);
    if (chosen == count) {
        char *choice = need(choice_text(words, count));
        usage_error(command, "--%s is %s, not '%s'", option_name(option), choice, value);
        free(choice);
    }
    return chosen;
}

enum exit_code read_color(const char *command, const char *when, bool *paints)
{
#define X(name, word) word,
    static const char *const words[] = {COLOR_WORDS(X)};
#undef X
    size_t chosen = read_choice(command, OPTION_COLOR, when, words, COLOR_COUNT);
    *paints = color_is_wanted((enum color)chosen, STDOUT_FILENO);
    return chosen < COLOR_COUNT ? EXIT_DONE : EXIT_USAGE;
}

/* "--quiet, --key": all options that begin with the given one. Owned by the caller. */
static char *fitting_names(enum option_taker taker, const char *name)
{
    struct option_form form;
    size_t size = strcspn(name, "=");
    char *names = need(strdup(""));
    for (size_t i = 0; option_form_next(taker, &i, &form);) {
        if (strncmp(form.name, name, size) == 0) {
            char *longer = format_text("%s%s--%s", names, names[0] != '\0' ? ", " : "", form.name);
            free(names);
            names = longer;
        }
    }
    return names;
}

static enum exit_code unknown_name(const char *command, const struct option_reader *reader)
{
    const char *names[OPTION_COUNT];
    struct option_form form;
    size_t count = 0;
    for (size_t i = 0; option_form_next(reader->taker, &i, &form);) {
        names[count++] = form.name;
    }
    char *name = need(strndup(reader->given + 2, strcspn(reader->given + 2, "=")));
    const char *nearest = nearest_word(name, names, count);
    free(name);
    return nearest ? usage_error(command, "unknown option %s; did you mean --%s?", reader->given,
                                 nearest)
                   : usage_error(command, "unknown option %s", reader->given);
}

/* Each fault of the reader has its own sentence, since "unknown option" for one that lacks its
 * value would mislead. A byte above 127 is not printed as a letter: it is part of a character. */
enum exit_code option_error(const char *command, const struct option_reader *reader)
{
    char *names;
    switch (reader->fault) {
    case OPTION_NEEDS_VALUE: return usage_error(command, "%s needs a value", reader->given);
    case OPTION_TAKES_NO_VALUE: return usage_error(command, "--%s takes no value", reader->name);
    case OPTION_IS_AMBIGUOUS:
        if (strcspn(reader->given + 2, "=") == 0) { /* "--=x" is a prefix of all */
            return usage_error(command, "unknown option %s", reader->given);
        }
        names = fitting_names(reader->taker, reader->given + 2);
        usage_error(command, "option %s may be any of %s", reader->given, names);
        free(names);
        return EXIT_USAGE;
    case OPTION_IS_UNKNOWN: break;
    }
    if (reader->letter == 0) {
        return unknown_name(command, reader);
    }
    return (signed char)reader->letter > 0
               ? usage_error(command, "unknown option -%c", reader->letter)
               : usage_error(command, "unknown option %s", reader->given);
}
