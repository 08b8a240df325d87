/* Parses options and operands of a command line, or of the variable ILPATCH_OPTIONS, by
 * host/options.def: --name, --name=value, --name value, any unambiguous prefix of a name, -n, -nq,
 * -ovalue, -o value; "--" ends the options. It prints nothing and keeps no global state: the
 * profiler parses its options in another program's process. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
#define OPTION(id, name, letter, kind, words) OPTION_##id,
#include "host/options.def"
    OPTION_COUNT,
    OPTION_END = -1,  /* operands follow, if there are any */
    OPTION_WRONG = -2 /* see `fault` */
};

/* The takers of options. */
enum option_taker {
#define TAKER(command) TAKEN_BY_##command,
#include "host/options.def"
    TAKER_COUNT
};

/* An option in the form that a taker has. */
struct option_form {
    enum option_id id;
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* "": none; "[=FILE]": optional */
    const char *text;     /* NULL: not in help texts */
};

/* The forms of one taker in the order of the table; false after the last. *position begins as 0. */
bool option_form_next(enum option_taker taker, size_t *position, struct option_form *form);

enum option_fault {
    OPTION_IS_UNKNOWN,
    OPTION_IS_AMBIGUOUS,
    OPTION_NEEDS_VALUE,
    OPTION_TAKES_NO_VALUE
};

struct option_reader {
    enum option_taker taker;
    /* the first operand ends the options: a program's command line follows */
    bool in_order;
    char **next;         /* the next argument; NULL at the end */
    const char *letters; /* the rest of "-nq", or NULL */
    /* operands, moved to the front of the arguments; complete at the end, then NULL */
    char **operands;
    int operand_count;
    /* of the current option; NULL: none. Borrowed from the arguments */
    const char *value;
    const char *given; /* the argument with the option */
    enum option_fault fault;
    const char *name; /* OPTION_TAKES_NO_VALUE: the full name of the option */
    char letter;      /* OPTION_IS_UNKNOWN: the letter, or 0 for a name */
};

/* `arguments` begin with a name that is skipped, and end with NULL; they are reordered. */
void options_begin(struct option_reader *reader, enum option_taker taker, char **arguments,
                   bool in_order);

/* The next option, OPTION_END or OPTION_WRONG. */
enum option_id options_next(struct option_reader *reader);

/* "inspect-returns" */
const char *option_name(enum option_id id);

/* The list of its words, as named in host/options.def: "TARGET"; "" for none. */
const char *option_words(enum option_id id);

/* Whether its value is a path; that of --inspector may also be a word (request_is_path()). */
bool option_is_path(enum option_id id);

#endif
