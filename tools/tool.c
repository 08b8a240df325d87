/* The start and end of the command, and its messages. See tool.h.
 *
 *   normal end      exit handlers        folders that are unfinished are removed
 *   signal          end_by_signal()      files and folders are removed
 *   no memory       end_without_memory() folders are removed, no exit handlers
 *
 * Files in the making have temporary names, and what replaces a file does so with one rename, so an
 * end at any moment leaves either the old or the new one. */
#include "tools/tool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "host/temporary.h"
#include "host/text_out.h"
#include "tools/build_messages.h"

static void print_message(void *user, const char *text)
{
    FILE *out = user;
    fputs("ilpatch: ", out);
    text_out(out, text, false);
    fputc('\n', out);
}

static void print_usage(void *user, const char *command)
{
    fprintf(user, "Try 'ilpatch %s%s--help'.\n", command ? command : "", command ? " " : "");
}

struct reporter tool_reporter(FILE *out)
{
    return (struct reporter){out, print_message, print_usage};
}

/* Without exit handlers: libcrypto's would free what other threads use. */
static _Noreturn void end_without_memory(void)
{
    build_messages_end(EXIT_CANNOT_WRITE);
    fputs("ilpatch: out of memory\n", stderr);
    fflush(stdout);
    unfinished_folders_remove();
    _Exit(EXIT_CANNOT_WRITE);
}

void *need(void *memory)
{
    if (!memory) {
        end_without_memory();
    }
    return memory;
}

/* ---- the end: temporary files are removed ---- */

/* The signal is raised again with its default action, so that a shell sees which signal it was. */
static void end_by_signal(int number)
{
    unfinished_remove();
    signal(number, SIG_DFL);
    raise(number);
}

/* Ignored signals, as under nohup, stay ignored. */
static void watch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
            action.sa_handler = end_by_signal;
            sigaction(numbers[i], &action, NULL);
        }
    }
}

/* The reporter is static: host/ keeps the address. */
void tool_begin(void)
{
    static struct reporter reporter;
    reporter = tool_reporter(stderr);
    reporter_set(&reporter);
    memory_on_failure(end_without_memory);
    watch_signals();
    atexit(unfinished_folders_remove);
}
