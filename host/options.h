/* Options and operands of a command line, or of the variable ILPATCH_OPTIONS, as host/options.def
 * has them: --name, --name=value, --name value, any beginning of a name that only one has, -n, -nq,
 * -ovalue, -o value; "--" ends the options. It prints nothing and keeps no state of its own: the
 * profiler reads its options in somebody else's process. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
#define OPTION(id, name, letter, kind, words) OPTION_##id,
#include "host/options.def"
    OPTION_COUNT,
    OPTION_END = -1,  /* operands follow, if any */
    OPTION_WRONG = -2 /* see `fault` */
};

/* Who takes options. */
enum option_taker {
#define TAKER(command) TAKEN_BY_##command,
#include "host/options.def"
    TAKER_COUNT
};

/* An option as one of them takes it. */
struct option_form {
    enum option_id id;
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* "": none; "[=FILE]": it may be left out */
    const char *text;     /* NULL: not for a help text */
};

/* The forms of one taker in the order of the table; false behind the last. *position begins as
 * 0. */
bool option_form_next(enum option_taker taker, size_t *position, struct option_form *form);

enum option_fault {
    OPTION_IS_UNKNOWN,
    OPTION_IS_AMBIGUOUS,
    OPTION_NEEDS_VALUE,
    OPTION_TAKES_NO_VALUE
};

struct option_reader {
    enum option_taker taker;
    /* the first operand ends the options: what follows is the command line of a program */
    bool in_order;
    char **next;         /* the argument that is read next; NULL at the end */
    const char *letters; /* what is left of "-nq", or NULL */
    /* those that were met, moved to the front of the arguments; all of them at the end, then
     * NULL */
    char **operands;
    int operand_count;
    /* of the option that was read; NULL: it has none. Borrowed from the arguments */
    const char *value;
    const char *given; /* the argument it stands in */
    enum option_fault fault;
    const char *name; /* OPTION_TAKES_NO_VALUE: the whole name of the option */
    char letter;      /* OPTION_IS_UNKNOWN: the letter, unless it is a name */
};

/* `arguments` begin with a name that is passed over, and end with NULL; their order is changed. */
void options_begin(struct option_reader *reader, enum option_taker taker, char **arguments,
                   bool in_order);

/* The next option, OPTION_END or OPTION_WRONG. */
enum option_id options_next(struct option_reader *reader);

/* "inspect-returns" */
const char *option_name(enum option_id id);

/* The list of its words, as host/options.def names it: "TARGET"; "" without any. */
const char *option_words(enum option_id id);

/* Whether its value is a path; that of --inspector may be a word instead (request_is_path()). */
bool option_is_path(enum option_id id);

#endif
