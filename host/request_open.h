/* Opens the request of a command line: reads its rules, opens its inspectors. */
#ifndef REQUEST_OPEN_H
#define REQUEST_OPEN_H

#include "condition/condition.h"
#include "host/request.h"

/* `every`: methods that no rule decides about are inspected, too. `command` is for messages.
 * Failures are reported. */
enum exit_code request_open(struct request *request, const struct request_options *options,
                            bool every, const char *command);

/* In a process: methods pass their arguments if their rule's condition needs them, or this one for
 * all values; NULL: none. */
enum exit_code request_pass_arguments(struct request *request, const struct ilpi_condition *when);

/* For commands that cannot test values (patching files, tracing calls): a rule with `when` is
 * reported, with the reason; and, with `redact`, one that has that. */
enum exit_code request_refuse_values(const struct request *request, const char *command,
                                     const char *when, const char *redact);

/* Adds what rules hide to --redact's names. Borrowed from the request. */
void request_add_redactions(const struct request *request, struct option_list *redact);

/* Reports an invalid value of an option, with all valid words. */
enum exit_code option_word_error(const char *command, enum option_id id, const char *word);

#endif
