/* See tool.h. */
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

#include "host/text_out.h"

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
