/* The options that say how a changed file is written. See write_options.h. */
#include "tools/cmd/write_options.h"
#include "host/file_view.h"

#include <errno.h>
#include <string.h>

bool write_option(struct write_request *request, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_STRONG_NAME: request->strong_name = value; return true;
    case OPTION_KEY: request->key = value; return true;
    case OPTION_WITH_CALLERS: request->with_callers = true; return true;
    case OPTION_VERIFY: request->verify = true; return true;
    case OPTION_SYMBOLS: request->symbols = value; return true;
    case OPTION_COMPACT: request->options.compact = true; return true;
    default: return false;
    }
}

bool write_request_is_empty(const struct write_request *request)
{
    return !request->strong_name && !request->key && !request->with_callers && !request->verify &&
           !request->symbols && !request->options.compact;
}

static const char *const strong_names[] = {[ILP_STRONG_NAME_KEEP] = "keep",
                                           [ILP_STRONG_NAME_CLEAR] = "clear",
                                           [ILP_STRONG_NAME_SIGN] = "sign"};
static const char *const symbols[] = {
    [ILP_SYMBOLS_DROP] = "drop", [ILP_SYMBOLS_KEEP] = "keep", [ILP_SYMBOLS_UPDATE] = "update"};

/* The place of a word among three; -1 when it is none of them. */
static int find_word(const char *word, const char *const *words)
{
    int place = 2;
    while (place >= 0 && strcmp(words[place], word) != 0) {
        place--;
    }
    return place;
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
    int name = request->strong_name ? find_word(request->strong_name, strong_names)
               : request->key       ? ILP_STRONG_NAME_SIGN
                                    : ILP_STRONG_NAME_KEEP;
    int links = request->symbols ? find_word(request->symbols, symbols) : ILP_SYMBOLS_UPDATE;
    if (name < 0) {
        return usage_error(command, "--strong-name is keep, clear or sign, not '%s'",
                           request->strong_name);
    }
    if (links < 0) {
        return usage_error(command, "--symbols is update, drop or keep, not '%s'",
                           request->symbols);
    }
    request->options.strong_name = (enum ilp_strong_name)name;
    request->options.symbols = (enum ilp_symbols_entries)links;
    if (name == ILP_STRONG_NAME_SIGN && !request->key) {
        return usage_error(command, "--strong-name sign needs the key: --key KEY.snk");
    }
    if (name != ILP_STRONG_NAME_SIGN && request->key) {
        return usage_error(command, "--key is for --strong-name sign");
    }
    return request->key ? open_key(request) : EXIT_DONE;
}

void write_request_close(struct write_request *request)
{
    file_view_close(&request->key_file);
}
