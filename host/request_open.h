/* Opens what a command line asks for: its rules are read, its inspectors opened. */
#ifndef REQUEST_OPEN_H
#define REQUEST_OPEN_H

#include "condition/condition.h"
#include "host/request.h"

/* `every`: what no rule decides about is inspected, too. `command` is for messages. A failure has
 * been reported. */
enum exit_code request_open(struct request *request, const struct request_options *options,
                            bool every, const char *command);

/* In a process: methods pass their arguments where their rule's condition needs them, or this one
 * of all values; NULL: there is none. */
enum exit_code request_pass_arguments(struct request *request, const struct ilpi_condition *when);

/* Where values cannot be tested (a file is patched, calls are traced): a rule that has `when` is
 * reported, with why; and, where `redact` is given, one that has that. */
enum exit_code request_refuse_values(const struct request *request, const char *command,
                                     const char *when, const char *redact);

/* What rules hide, added to what --redact does. Borrowed from the request. */
void request_add_redactions(const struct request *request, struct option_list *redact);

/* Reports a value that is none of the option's words, with all of them. */
enum exit_code option_word_error(const char *command, enum option_id id, const char *word);

#endif
