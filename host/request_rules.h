/* The rules of a request: rule files, and options that become rules. Failures are reported. */
#ifndef REQUEST_RULES_H
#define REQUEST_RULES_H

#include "host/request.h"

/* Whether a path is neither a file nor a folder: `--rules <(...)`, - and /dev/stdin are pipes. */
bool rules_are_stream(const char *path);

/* Refuses - as both rules and one of the files. */
enum exit_code rules_check_input(const struct request_options *options, const char *command,
                                 int count, char *const *files);

/* Sets request->rules, filters and every. */
enum exit_code request_read_rules(struct request *request, const struct request_options *options,
                                  bool every, const char *command);

/* Makes sure that there are rules, for callers that examine them: without options, the one of
 * --inspect-returns. */
enum exit_code request_need_rules(struct request *request);

/* Appends the rules of a file; errors are reported with their location. A pipe will do. `parsed`
 * may be NULL. */
enum exit_code rules_read(struct parsed_rules *parsed, struct ilp_rules *rules, const char *path);

#endif
