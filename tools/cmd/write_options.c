/* The options that say how a changed file is written. See write_options.h. */
#include "tools/cmd/write_options.h"

#include <errno.h>
#include <string.h>

#include "host/file_view.h"
#include "host/option_words.h"
#include "tools/cmd/command_line.h"

bool write_option(struct write_request *request, enum option_id option, const char *value)
{
    switch (option) {
    case OPTION_STRONG_NAME: request->strong_name = value; return true;
    case OPTION_KEY: request->key = value; return true;
    case OPTION_WITH_CALLERS: request->with_callers = true; return true;
    case OPTION_VERIFY: request->verify = true; return true;
    case OPTION_SYMBOLS: request->symbols = value; return true;
    case OPTION_LAYOUT: request->layout = value; return true;
    case OPTION_COMPACT: request->compact = true; return true;
    default: return false;
    }
}

bool write_request_is_empty(const struct write_request *request)
{
    return !request->strong_name && !request->key && !request->with_callers && !request->verify &&
           !request->symbols && !request->layout && !request->compact;
}

bool write_request_is_compact(const struct write_request *request)
{
    return request->compact || (request->layout && strcmp(request->layout, "compact") == 0);
}

static bool read_strong_name(struct write_request *request, const char *command)
{
#define X(name, word) word,
    static const char *const words[] = {STRONG_NAME_WORDS(X)};
#undef X
#define X(name, word) ILP_STRONG_NAME_##name,
    static const enum ilp_strong_name values[] = {STRONG_NAME_WORDS(X)};
#undef X
    enum { STRONG_NAME_COUNT = sizeof words / sizeof words[0] };
    request->options.strong_name = request->key ? ILP_STRONG_NAME_SIGN : ILP_STRONG_NAME_KEEP;
    if (!request->strong_name) {
        return true;
    }
    size_t chosen = read_choice(command, OPTION_STRONG_NAME, request->strong_name, words,
                                STRONG_NAME_COUNT);
    if (chosen < STRONG_NAME_COUNT) {
        request->options.strong_name = values[chosen];
    }
    return chosen < STRONG_NAME_COUNT;
}

static bool read_symbols(struct write_request *request, const char *command)
{
#define X(name, word) word,
    static const char *const words[] = {SYMBOLS_WORDS(X)};
#undef X
#define X(name, word) ILP_SYMBOLS_##name,
    static const enum ilp_symbols_entries values[] = {SYMBOLS_WORDS(X)};
#undef X
    enum { SYMBOLS_COUNT = sizeof words / sizeof words[0] };
    request->options.symbols = ILP_SYMBOLS_UPDATE;
    if (!request->symbols) {
        return true;
    }
    size_t chosen = read_choice(command, OPTION_SYMBOLS, request->symbols, words, SYMBOLS_COUNT);
    if (chosen < SYMBOLS_COUNT) {
        request->options.symbols = values[chosen];
    }
    return chosen < SYMBOLS_COUNT;
}

static bool read_layout(struct write_request *request, const char *command)
{
#define X(name, word) word,
    static const char *const words[] = {LAYOUT_WORDS(X)};
#undef X
#define X(name, word) ILP_WRITE_##name,
    static const enum ilp_write_layout values[] = {LAYOUT_WORDS(X)};
#undef X
    enum { LAYOUT_COUNT = sizeof words / sizeof words[0] };
    request->options.layout = request->compact ? ILP_WRITE_COMPACT : ILP_WRITE_AUTO;
    if (!request->layout) {
        return true;
    }
    size_t chosen = read_choice(command, OPTION_LAYOUT, request->layout, words, LAYOUT_COUNT);
    if (chosen == LAYOUT_COUNT) {
        return false;
    }
    request->options.layout = values[chosen];
    if (request->compact && values[chosen] != ILP_WRITE_COMPACT) {
        usage_error(command, "--compact is --layout compact, so that --layout %s excludes it",
                    request->layout);
        return false;
    }
    return true;
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
    if (!read_strong_name(request, command) || !read_symbols(request, command) ||
        !read_layout(request, command)) {
        return EXIT_USAGE;
    }
    bool signs = request->options.strong_name == ILP_STRONG_NAME_SIGN;
    if (signs && !request->key) {
        return usage_error(command, "--strong-name sign needs the key: --key KEY.snk");
    }
    if (!signs && request->key) {
        return usage_error(command, "--key is for --strong-name sign");
    }
    return request->key ? open_key(request) : EXIT_DONE;
}

void write_request_close(struct write_request *request)
{
    file_view_close(&request->key_file);
}
