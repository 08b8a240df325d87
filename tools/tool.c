/* Messages, exit codes and small helpers that all of the command's files use. See tool.h. */
#include "tool.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text_out.h"

static void tell_text(const char *format, va_list arguments)
{
    char *text = NULL;
    need(vasprintf(&text, format, arguments) >= 0 ? text : NULL);
    fputs("ilpatch: ", stderr);
    text_out(stderr, text, false);
    fputc('\n', stderr);
    free(text);
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_text(format, arguments);
    va_end(arguments);
}

void tell_error(const char *file, const struct ilp_error *error)
{
    if (error->offset != UINT64_MAX) {
        tell("%s: %s (at offset 0x%llX)", file, error->message, (unsigned long long)error->offset);
    } else {
        tell("%s: %s", file, error->message);
    }
}

enum exit_code usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_text(format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'ilpatch %s%s--help'.\n", command ? command : "", command ? " " : "");
    return EXIT_USAGE;
}

/* Of several short options in one argument, only optopt says which one is meant. */
enum exit_code option_error(const char *command, int option, char **argv, const char *known)
{
    if (option == ':') {
        return usage_error(command, "%s needs a value", argv[optind - 1]);
    }
    return optopt > 0 && optopt < 0x80 && !strchr(known, optopt)
               ? usage_error(command, "unknown option -%c", optopt)
               : usage_error(command, "unknown option %s", argv[optind - 1]);
}

enum exit_code exit_code_of(const struct ilp_error *error)
{
    switch (ilp_status_class(error->status)) {
    case ILP_CLASS_OK:
        return EXIT_DONE;
    case ILP_CLASS_RULES:
        return error->status == ILP_E_BAD_RULES ? EXIT_USAGE : EXIT_INCOMPLETE;
    case ILP_CLASS_IO:
    case ILP_CLASS_MEMORY:
        return EXIT_CANNOT_WRITE;
    default:
        return EXIT_BAD_INPUT;
    }
}

void *need(void *memory)
{
    if (!memory) {
        fputs("ilpatch: out of memory\n", stderr);
        exit(EXIT_CANNOT_WRITE);
    }
    return memory;
}

char *format_text(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    return need(text);
}

extern const uint8_t stock_inspector[];
extern const uint32_t stock_inspector_size;

struct ilp_bytes stock_inspector_bytes(void)
{
    return (struct ilp_bytes){stock_inspector, stock_inspector_size};
}
