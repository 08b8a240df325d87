/* See request_open.h. */
#include "host/request_open.h"

#include "host/request_inspectors.h"
#include "host/request_rules.h"

enum exit_code request_open(struct request *request, const struct request_options *options,
                            bool every, const char *command)
{
    *request = (struct request){.target = ILP_TARGET_AUTO, .unmanaged = options->unmanaged};
    enum exit_code code = EXIT_DONE;
    if (options->target) {
        code = option_word(command, "--target", "TARGET", options->target, &request->target);
    }
    if (code == EXIT_DONE) {
        code = request_read_rules(request, options, every, command);
    }
    if (code == EXIT_DONE) {
        code = request_open_inspectors(request, options->inspector, command);
    }
    if (code != EXIT_DONE) {
        request_close(request);
        return code;
    }
    request->references = references_open(options->reference_paths, options->reference_count);
    return request->references ? EXIT_DONE : EXIT_CANNOT_WRITE;
}
