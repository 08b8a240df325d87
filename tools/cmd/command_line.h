/* Messages about a command's options: its help text, and errors of its command line. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "host/options.h"
#include "tools/tool.h"

/* Of the main job, for its help and the general one. Other commands have their own sentence. */
#define EXIT_CODES_HELP                                                                          \
    "Exit codes: 0 done, 1 done in part (the report says what was not possible), 2 bad usage,\n" \
    "3 bad input, 4 cannot write.\n"

/* `before`, the options and `after`, which names the exit codes. */
enum exit_code print_help(enum option_taker taker, const char *before, const char *after);

/* The index of an option's value among `count` words (host/option_words.h); `count`, after a
 * report, if it is none of them. */
size_t read_choice(const char *command, enum option_id option, const char *value,
                   const char *const *words, size_t count);

/* Whether standard output gets colours, by the value of --color. */
enum exit_code read_color(const char *command, const char *when, bool *paints);

/* Reports what options_next() refused, and suggests the nearest option. `command` is for the
 * message. */
enum exit_code option_error(const char *command, const struct option_reader *reader);

#endif
