/* Fuzzes what the profiler reads of its options, in either form: they are right, or one thing is
 * wrong and named. Options that are right are written in both forms; each is read again, and gives
 * the same.
 *
 *   the whole input is the text of ILPATCH_OPTIONS, to its first NUL; it is read as it is, and
 *   behind the version, which the corpus so has no need of */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/profiler_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OPTIONS_CHECK(condition)                                                            \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                        \
        }                                                                                   \
    } while (0)

static void options_check_error(const struct profiler_options_error *error)
{
    switch (error->fault) {
    case PROFILER_OPTIONS_OF_OTHER_VERSION:
        OPTIONS_CHECK(strcmp(error->value, ilp_version()) != 0);
        break;
    case PROFILER_OPTIONS_UNKNOWN_KEY: OPTIONS_CHECK(error->key); break;
    case PROFILER_OPTIONS_WRONG_VALUE:
        OPTIONS_CHECK(error->key && error->value);
        OPTIONS_CHECK(error->expected || option_words(error->option)[0] != '\0');
        break;
    default: OPTIONS_CHECK(error->fault == PROFILER_OPTIONS_NO_COMMAND_LINE);
    }
}

/* The text of what is read from `text`, which has to be right, and is freed. */
static char *options_again(char *text)
{
    struct profiler_options options;
    struct profiler_options_error error;
    OPTIONS_CHECK(text && profiler_options_read(&options, text, &error));
    char *again = profiler_options_text(&options);
    OPTIONS_CHECK(again);
    profiler_options_close(&options);
    free(text);
    return again;
}

/* Frees the text. */
static void options_check(char *text)
{
    struct profiler_options options;
    struct profiler_options_error error;
    OPTIONS_CHECK(text);
    if (profiler_options_read(&options, text, &error)) {
        char *written = profiler_options_text(&options);
        OPTIONS_CHECK(written);
        char *from_line = options_again(profiler_options_command_line(&options));
        char *from_text = options_again(copy_text(written));
        OPTIONS_CHECK(strcmp(written, from_line) == 0);
        OPTIONS_CHECK(strcmp(written, from_text) == 0);
        free(from_text);
        free(from_line);
        free(written);
    } else {
        options_check_error(&error);
    }
    profiler_options_close(&options);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = copy_part((const char *)data, strnlen((const char *)data, size));
    OPTIONS_CHECK(text);
    options_check(format_text("command-version=%s;%s", ilp_version(), text));
    options_check(text);
    return 0;
}
