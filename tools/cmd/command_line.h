/* What is said about the options of a command: its help text, and what is wrong with a command
 * line. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "host/options.h"
#include "tools/tool.h"

/* `before`, the options and `after`. */
enum exit_code print_help(enum option_taker taker, const char *before, const char *after);

/* Which of `count` words (host/option_words.h) the value of an option is; `count`, after a report,
 * if it is none. */
size_t read_choice(const char *command, enum option_id option, const char *value,
                   const char *const *words, size_t count);

/* Reports what options_next() did not take; the nearest option is suggested. `command` is for the
 * message. */
enum exit_code option_error(const char *command, const struct option_reader *reader);

#endif
