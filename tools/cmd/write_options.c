/* Reads the options for how a changed file is written. See write_options.h.
 *
 * Options are collected as texts and read afterwards, in write_request_read(): --key and --compact
 * change the defaults of others, whatever their order on the command line. Words and values expand
 * from the same list, so they cannot get out of step.
 *
 *   write_option()          each option, as text
 *   write_request_read()    words to values; whether they fit together
 *   write_request_open()    --key to bytes
 *   write_request_close()   the key's bytes, after the last file */
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

/* Whether no option was given, whatever the defaults are. */
bool write_request_is_empty(const struct write_request *request)
{
    return !request->strong_name && !request->key && !request->with_callers && !request->verify &&
           !request->symbols && !request->layout && !request->compact;
}

/* An option's words, and their values. */
struct word_values {
    const char *const *words;
    const int *values;
    size_t count;
};

/* `given` NULL: *value is unchanged. Other words are reported. */
static bool read_value(const char *command, enum option_id option, const char *given,
                       struct word_values known, int *value)
{
    size_t chosen = given ? read_choice(command, option, given, known.words, known.count)
                          : known.count;
    if (chosen < known.count) {
        *value = known.values[chosen];
    }
    return !given || chosen < known.count;
}

#define WORD(name, word) word,

/* --key alone means that it is used. */
static bool read_strong_name(struct write_request *request, const char *command)
{
    static const char *const words[] = {STRONG_NAME_WORDS(WORD)};
#define X(name, word) ILP_STRONG_NAME_##name,
    static const int values[] = {STRONG_NAME_WORDS(X)};
#undef X
    int value = request->key ? ILP_STRONG_NAME_SIGN : ILP_STRONG_NAME_KEEP;
    bool read = read_value(command, OPTION_STRONG_NAME, request->strong_name,
                           (struct word_values){words, values, sizeof words / sizeof words[0]},
                           &value);
    request->options.strong_name = (enum ilp_strong_name)value;
    return read;
}

/* A PDB that cannot be updated is a failure only if the update was requested by name, which
 * patch_request.named_symbols says: by default the summary reports it. */
static bool read_symbols(struct write_request *request, const char *command)
{
    static const char *const words[] = {SYMBOLS_WORDS(WORD)};
#define X(name, word) ILP_SYMBOLS_##name,
    static const int values[] = {SYMBOLS_WORDS(X)};
#undef X
    int value = ILP_SYMBOLS_UPDATE;
    bool read = read_value(command, OPTION_SYMBOLS, request->symbols,
                           (struct word_values){words, values, sizeof words / sizeof words[0]},
                           &value);
    request->options.symbols = (enum ilp_symbols_entries)value;
    return read;
}

/* Without the option the library chooses by the file (ILP_WRITE_AUTO); --compact is a short form of
 * --layout compact, and the two together are allowed if they agree. */
static bool read_layout(struct write_request *request, const char *command)
{
    static const char *const words[] = {LAYOUT_WORDS(WORD)};
#define X(name, word) ILP_WRITE_##name,
    static const int values[] = {LAYOUT_WORDS(X)};
#undef X
    int value = request->compact ? ILP_WRITE_COMPACT : ILP_WRITE_AUTO;
    bool read = read_value(command, OPTION_LAYOUT, request->layout,
                           (struct word_values){words, values, sizeof words / sizeof words[0]},
                           &value);
    request->options.layout = (enum ilp_write_layout)value;
    if (read && request->compact && value != ILP_WRITE_COMPACT) {
        usage_error(command, "--compact is --layout compact, so that --layout %s excludes it",
                    request->layout);
        return false;
    }
    return read;
}

/* The key is checked now: a wrong one would otherwise fail each file in turn. The view lives as
 * long as the request, since options.key borrows its bytes. */
enum exit_code write_request_open(struct write_request *request)
{
    struct ilp_error error;
    bool is_private;
    if (!request->key) {
        return EXIT_DONE;
    }
    if (!file_view_open(&request->key_file, request->key)) {
        report_message("%s: cannot read: %s", request->key, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    request->options.key = request->key_file.bytes;
    if (ilp_strong_name_key(request->options.key, &is_private, &error) != ILP_OK) {
        report_file_error(request->key, &error);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

/* A key that is not used, or a signature without one, is a mistake and not ignored: the file would
 * have another strong name than was meant.
 *
 *   --strong-name    --key
 *   not given        not given    keep
 *   not given        given        sign
 *   sign             given        sign
 *   sign             not given    refused
 *   another word     given        refused */
enum exit_code write_request_read(struct write_request *request, const char *command)
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
    return EXIT_DONE;
}

void write_request_close(struct write_request *request)
{
    file_view_close(&request->key_file);
}
