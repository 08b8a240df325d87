/* The options that say how a changed file is written. See write_options.h. */
#include "write_options.h"

#include <errno.h>
#include <string.h>

bool write_option(struct write_request *request, int option, const char *value)
{
    switch (option) {
    case OPTION_STRONG_NAME:
        request->strong_name = value;
        return true;
    case OPTION_KEY:
        request->key = value;
        return true;
    case OPTION_WITH_CALLERS:
        request->with_callers = true;
        return true;
    case OPTION_VERIFY:
        request->verify = true;
        return true;
    default:
        return false;
    }
}

bool write_request_is_empty(const struct write_request *request)
{
    return !request->strong_name && !request->key && !request->with_callers &&
           !request->verify;
}

static bool find_strong_name(const char *word, enum ilp_strong_name *value)
{
    static const char *const words[] = {[ILP_STRONG_NAME_KEEP] = "keep",
                                        [ILP_STRONG_NAME_CLEAR] = "clear",
                                        [ILP_STRONG_NAME_SIGN] = "sign"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], word) == 0) {
            *value = (enum ilp_strong_name)i;
            return true;
        }
    }
    return false;
}

static enum exit_code open_key(struct write_request *request)
{
    struct ilp_error error;
    bool is_private;
    if (!file_view_open(&request->key_file, request->key)) {
        tell("%s: cannot read: %s", request->key, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    request->options.key = request->key_file.bytes;
    if (ilp_strong_name_key(request->options.key, &is_private, &error) != ILP_OK) {
        tell_error(request->key, &error);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

enum exit_code write_request_open(struct write_request *request, const char *command)
{
    enum ilp_strong_name *strong_name = &request->options.strong_name;
    *strong_name = request->key ? ILP_STRONG_NAME_SIGN : ILP_STRONG_NAME_KEEP;
    if (request->strong_name && !find_strong_name(request->strong_name, strong_name)) {
        return usage_error(command, "--strong-name is keep, clear or sign, not '%s'",
                           request->strong_name);
    }
    if (*strong_name == ILP_STRONG_NAME_SIGN && !request->key) {
        return usage_error(command, "--strong-name sign needs the key: --key KEY.snk");
    }
    if (*strong_name != ILP_STRONG_NAME_SIGN && request->key) {
        return usage_error(command, "--key is for --strong-name sign");
    }
    return request->key ? open_key(request) : EXIT_DONE;
}

void write_request_close(struct write_request *request)
{
    file_view_close(&request->key_file);
}
