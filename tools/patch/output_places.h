/* Where a command line has its outputs put: two of them in one place would lose one, and one in the
 * place of an input would lose that. What is wrong has been reported. */
#ifndef OUTPUT_PLACES_H
#define OUTPUT_PLACES_H

#include "host/request.h"
#include "tools/patch/named_files.h"

/* As given; all borrowed, NULL where an option is not. */
struct output_places {
    const char *output; /* -o; NULL: each file is replaced */
    const char *report;
    const char *id_map;
    const char *cache;
    const char *key;
    const struct request_options *request; /* rules and inspector */
    const struct named_files *files;
};

/* A file that an option names. */
struct named_output {
    enum option_id option;
    const char *path; /* NULL: it is not given */
};

/* Of what a command writes while a program runs: each file has a place of its own, and none is a
 * rule file or an inspector. Pipes and devices may be named twice. */
enum exit_code outputs_check_places(const char *command, const struct named_output *outputs,
                                    size_t count, const struct request_options *given,
                                    const struct request *what);

enum exit_code places_check(const struct output_places *places);

/* Once it is known which inspectors are put beside the patched files. */
enum exit_code places_check_inspectors(const struct output_places *places,
                                       const struct request *what);

#endif
