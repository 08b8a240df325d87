/* See tool.h. */
#include "tools/tool.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "host/text_out.h"
#include "rules/vocabulary.h"

/* ---- messages ---- */

static void print_message(void *user, const char *text)
{
    (void)user;
    fputs("ilpatch: ", stderr);
    text_out(stderr, text, false);
    fputc('\n', stderr);
}

static void print_usage(void *user, const char *command)
{
    (void)user;
    fprintf(stderr, "Try 'ilpatch %s%s--help'.\n", command ? command : "", command ? " " : "");
}

static _Noreturn void end_without_memory(void)
{
    fputs("ilpatch: out of memory\n", stderr);
    exit(EXIT_CANNOT_WRITE);
}

void *need(void *memory)
{
    if (!memory) {
        end_without_memory();
    }
    return memory;
}

void tool_begin(void)
{
    static const struct reporter reporter = {.message = print_message, .usage = print_usage};
    reporter_set(&reporter);
    memory_on_failure(end_without_memory);
}

/* ---- options ---- */

static const char *option_at(const void *options, size_t i)
{
    return ((const struct option *)options)[i].name;
}

/* What getopt_long() did not take of "--NAME" or "--NAME=VALUE": a value that is one too many, several options that begin
 * so, or none. */
static enum exit_code long_option_error(const char *command, const char *given, const struct option *options)
{
    const char *name = given + strspn(given, "-");
    size_t size = strcspn(name, "=");
    size_t count = 0;
    size_t fitting = 0;
    const char *exact = NULL;
    char *fits = need(strdup(""));
    for (; options[count].name; count++) {
        if (strncmp(options[count].name, name, size) == 0) {
            exact = options[count].name[size] == '\0' ? options[count].name : exact;
            char *longer = format_text("%s%s--%s", fits, fitting++ != 0 ? ", " : "", options[count].name);
            free(fits);
            fits = longer;
        }
    }
    const char *nearest = ilpi_nearest(name, size, option_at, options, count);
    if (name[size] == '=' && (exact || fitting == 1)) {
        usage_error(command, "--%s takes no value", exact ? exact : fits + 2);
    } else if (fitting > 1 && size != 0) {
        usage_error(command, "option %s may be any of %s", given, fits);
    } else if (nearest) {
        usage_error(command, "unknown option %s; did you mean --%s?", given, nearest);
    } else {
        usage_error(command, "unknown option %s", given);
    }
    free(fits);
    return EXIT_USAGE;
}

/* Whether optopt is the letter of a long option that was given a value and takes none. */
static bool is_long_letter(const char *given, const struct option *options)
{
    size_t size = strcspn(given, "=");
    bool found = false;
    for (; options->name && size > 2 && given[size] == '='; options++) {
        found = found || (options->val == optopt && strncmp(options->name, given + 2, size - 2) == 0);
    }
    return found && strncmp(given, "--", 2) == 0;
}

/* Of several short options in one argument, only optopt says which one is meant. */
enum exit_code option_error(const char *command, int option, char **argv, const char *known, const struct option *options)
{
    const char *given = argv[optind - 1];
    if (option == ':') {
        return usage_error(command, "%s needs a value", given);
    }
    if (optopt > 0 && optopt < 0x80 && !strchr(known, optopt) && !is_long_letter(given, options)) {
        return usage_error(command, "unknown option -%c", optopt);
    }
    return strncmp(given, "--", 2) == 0 ? long_option_error(command, given, options)
                                        : usage_error(command, "unknown option %s", given);
}
