/* Parses options by host/options.def. See options.h. Each row of the table is a form of an option
 * for some takers (commands); options_next() gives one after another, and collects the operands.
 *
 *   --name, --name=VALUE, --name VALUE    read_name(): the whole name, or a prefix of one only
 *   -n, -nq, -oVALUE, -o VALUE            read_letter(), once for each letter of the word
 *   --                                    what follows are operands
 *   -, anything else                      an operand */
#include "host/options.h"

#include <stdlib.h>
#include <string.h>

enum option_kind {
    KIND_NOTHING,
    KIND_TEXT,
    KIND_NUMBER,
    KIND_WORD,
    KIND_WORD_LIST,
    KIND_FILE, /* from here on: paths */
    KIND_FOLDER,
    KIND_ASSEMBLY,
    KIND_XML,
    KIND_JSON,
    KIND_KEY
};

static const struct {
    const char *name;
    char letter;
    enum option_kind kind;
    const char *words;
} options[OPTION_COUNT] = {
#define OPTION(id, name, letter, kind, words) [OPTION_##id] = {name, letter, KIND_##kind, words},
#include "host/options.def"
};

enum {
#define TAKER(command) command = 1u << TAKEN_BY_##command,
#include "host/options.def"
    ALL_COMMANDS = PROFILER - 1u
};

static const struct {
    enum option_id id;
    unsigned takers;
    const char *argument;
    const char *text;
} rows[] = {
#define TAKES(id, commands, argument, text) {OPTION_##id, commands, argument, text},
#include "host/options.def"
};

/* A command may have several forms of one option, and another command none: rows are looked through
 * in order, and *position is the one to go on with. */
bool option_form_next(enum option_taker taker, size_t *position, struct option_form *form)
{
    size_t i = *position;
    while (i < sizeof rows / sizeof rows[0] && (rows[i].takers & 1u << taker) == 0) {
        i++;
    }
    *position = i + 1;
    if (i == sizeof rows / sizeof rows[0]) {
        return false;
    }
    enum option_id id = rows[i].id;
    *form = (struct option_form){id, options[id].name, options[id].letter, rows[i].argument,
                                 rows[i].text};
    return true;
}

const char *option_name(enum option_id id)
{
    return options[id].name;
}

const char *option_words(enum option_id id)
{
    return options[id].words;
}

bool option_is_path(enum option_id id)
{
    return options[id].kind >= KIND_FILE;
}

/* POSIXLY_CORRECT in the environment means for getopt(3), too, that the first operand ends the
 * options. */
void options_begin(struct option_reader *reader, enum option_taker taker, char **arguments,
                   bool in_order)
{
    *reader = (struct option_reader){.taker = taker,
                                     .in_order = in_order || getenv("POSIXLY_CORRECT"),
                                     .next = arguments[0] ? arguments + 1 : arguments,
                                     .operands = arguments[0] ? arguments + 1 : arguments};
}

/* The reader prints nothing: the profiler has no one to print for. option_error() of the command
 * makes a message of this. */
static enum option_id refuse(struct option_reader *reader, enum option_fault fault,
                             const char *name, char letter)
{
    reader->fault = fault;
    reader->name = name;
    reader->letter = letter;
    return OPTION_WRONG;
}

/* The form with the name, or the only one with the prefix, of `size` characters at `name`. */
static bool find_name(enum option_taker taker, const char *name, size_t size,
                      struct option_form *found, bool *ambiguous)
{
    struct option_form form;
    unsigned count = 0;
    for (size_t i = 0; option_form_next(taker, &i, &form);) {
        if (strncmp(form.name, name, size) == 0) {
            *found = form;
            count++;
            if (form.name[size] == '\0') {
                return true;
            }
        }
    }
    *ambiguous = count > 1;
    return count == 1;
}

/* Takes the value of an option from the next argument. */
static enum option_id take_value(struct option_reader *reader, const struct option_form *form)
{
    if (!*reader->next) {
        return refuse(reader, OPTION_NEEDS_VALUE, form->name, form->letter);
    }
    reader->value = *reader->next++;
    return form->id;
}

/* An argument in brackets may be left out, and is then given only as --name=VALUE: the next word
 * may be an operand. */
static bool needs_value(const struct option_form *form)
{
    return form->argument[0] != '\0' && form->argument[0] != '[';
}

/* A prefix of a name is enough if it is that of one option only. */
static enum option_id read_name(struct option_reader *reader, const char *name)
{
    struct option_form form;
    bool ambiguous = false;
    size_t size = strcspn(name, "=");
    if (!find_name(reader->taker, name, size, &form, &ambiguous)) {
        return refuse(reader, ambiguous ? OPTION_IS_AMBIGUOUS : OPTION_IS_UNKNOWN, NULL, 0);
    }
    reader->value = name[size] == '=' ? name + size + 1 : NULL;
    if (reader->value && form.argument[0] == '\0') {
        return refuse(reader, OPTION_TAKES_NO_VALUE, form.name, 0);
    }
    return !reader->value && needs_value(&form) ? take_value(reader, &form) : form.id;
}

/* Several letters in one word, "-nq"; the rest of the word is the value of the first one that takes
 * a value. */
static enum option_id read_letter(struct option_reader *reader)
{
    struct option_form form;
    char letter = *reader->letters++;
    bool found = false;
    for (size_t i = 0; !found && option_form_next(reader->taker, &i, &form);) {
        found = form.letter == letter;
    }
    const char *rest = *reader->letters != '\0' ? reader->letters : NULL;
    reader->letters = rest;
    if (!found) {
        return refuse(reader, OPTION_IS_UNKNOWN, NULL, letter);
    }
    reader->value = NULL;
    if (!needs_value(&form)) {
        return form.id;
    }
    reader->value = rest;
    reader->letters = NULL;
    return rest ? form.id : take_value(reader, &form);
}

/* Operands are moved over arguments that have been read. */
static void keep_operand(struct option_reader *reader)
{
    reader->operands[reader->operand_count++] = *reader->next++;
}

/* The operands are then at the front of the array, and end with NULL as argv does. */
static enum option_id end(struct option_reader *reader)
{
    while (*reader->next) {
        keep_operand(reader);
    }
    reader->operands[reader->operand_count] = NULL;
    reader->next = reader->operands + reader->operand_count;
    return OPTION_END;
}

/* Operands may be between options, unless the reader is `in_order`; "--" ends options. A lone "-"
 * is an operand (standard input). */
enum option_id options_next(struct option_reader *reader)
{
    if (reader->letters) {
        return read_letter(reader);
    }
    while (*reader->next && ((*reader->next)[0] != '-' || (*reader->next)[1] == '\0')) {
        if (reader->in_order) {
            return end(reader);
        }
        keep_operand(reader);
    }
    if (!*reader->next) {
        return end(reader);
    }
    reader->given = *reader->next++;
    if (strcmp(reader->given, "--") == 0) {
        return end(reader);
    }
    if (reader->given[1] == '-') {
        return read_name(reader, reader->given + 2);
    }
    reader->letters = reader->given + 1;
    return read_letter(reader);
}
