/* What the parts of a request have of each other. Failures have been told. */
#ifndef REQUEST_PARTS_H
#define REQUEST_PARTS_H

#include "host/request.h"

/* The position of a word in a list of ilpatch/rules.def; complains with the whole list when it is not there. */
enum exit_code option_word(const char *command, const char *option, const char *list, const char *word, unsigned *position);

/* Whether a path leads to neither a file nor a folder: `--rules <(...)`, - and /dev/stdin are pipes. */
bool rules_are_stream(const char *path);

/* Sets request->rules, filters and every. */
enum exit_code request_read_rules(struct request *request, const struct request_options *options, bool every,
                                  const char *command);

/* Opens what `default_inspector` (NULL: the stock inspector) and the rules name. */
enum exit_code request_open_inspectors(struct request *request, const char *default_inspector, const char *command);

#endif
