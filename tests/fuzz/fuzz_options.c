/* Fuzzes what the profiler reads of its options, in either form: they are right, or one thing is
 * wrong and named. Options that are right are written in both forms; each is read again, and gives
 * the same.
 *
 *   the whole input is the text of ILPATCH_OPTIONS, to its first NUL; it is read as it is, and
 *   after the version, which the corpus so has no need of */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/profiler_options.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void options_check_error(const struct profiler_options_error *error)
{
    switch (error->fault) {
    case PROFILER_OPTIONS_OF_OTHER_VERSION:
        FUZZ_CHECK(strcmp(error->value, ilp_version()) != 0);
        break;
    case PROFILER_OPTIONS_UNKNOWN_KEY: FUZZ_CHECK(error->key); break;
    case PROFILER_OPTIONS_WRONG_VALUE:
        FUZZ_CHECK(error->key && error->value);
        FUZZ_CHECK(error->expected || option_words(error->option)[0] != '\0');
        break;
    default: FUZZ_CHECK(error->fault == PROFILER_OPTIONS_NO_COMMAND_LINE);
    }
}

/* The text of what is read from `text`, which has to be right, and is freed. */
static char *options_again(char *text)
{
    struct profiler_options options;
    struct profiler_options_error error;
    FUZZ_CHECK(text && profiler_options_read(&options, text, &error));
    char *again = profiler_options_text(&options);
    FUZZ_CHECK(again);
    profiler_options_close(&options);
    free(text);
    return again;
}

/* Frees the text. */
static void options_check(char *text)
{
    struct profiler_options options;
    struct profiler_options_error error;
    FUZZ_CHECK(text);
    if (profiler_options_read(&options, text, &error)) {
        char *written = profiler_options_text(&options);
        FUZZ_CHECK(written);
        char *from_line = options_again(profiler_options_command_line(&options));
        char *from_text = options_again(copy_text(written));
        FUZZ_CHECK(strcmp(written, from_line) == 0);
        FUZZ_CHECK(strcmp(written, from_text) == 0);
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
    FUZZ_CHECK(text);
    options_check(format_text("command-version=%s;%s", ilp_version(), text));
    options_check(text);
    return 0;
}
