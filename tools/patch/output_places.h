/* Checks the output paths of a command line: two outputs with one path would lose one, and an
 * output on an input would lose that. Errors are reported. */
#ifndef OUTPUT_PLACES_H
#define OUTPUT_PLACES_H

#include "host/request.h"
#include "tools/patch/named_files.h"

/* As given; all borrowed, NULL for options that are not given. */
struct output_places {
    const char *output; /* -o; NULL: each file is replaced */
    const char *report;
    const char *id_map;
    const char *cache;
    const char *key;
    const struct request_options *request; /* rules and inspector */
    const struct named_files *files;
};

/* A file named by an option. */
struct named_output {
    enum option_id option;
    const char *path; /* NULL: it is not given */
};

/* For commands beside a running program, whose standard output is not theirs to fill: each option
 * has to name a file. */
enum exit_code outputs_check_names(const char *command, const struct named_output *outputs,
                                   size_t count);

/* For commands that write while a program runs: each file has its own path, and none is a rule file
 * or an inspector. Pipes and devices may be named twice. */
enum exit_code outputs_check_places(const char *command, const struct named_output *outputs,
                                    size_t count, const struct request_options *given,
                                    const struct request *what);

enum exit_code places_check(const struct output_places *places);

/* Called once the inspectors to be placed are known. */
enum exit_code places_check_inspectors(const struct output_places *places,
                                       const struct request *what);

#endif
