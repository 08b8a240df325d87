/* The process of a program, by CreateProcess. See child.h. */
#include "tools/launch/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/command_line.h"
#include "base/wide_path.h"
#include "tools/tool.h"

/* ---- the command line, which split_command_line() takes apart ---- */

static bool needs_quotes(const char *argument)
{
    return argument[0] == '\0' || strpbrk(argument, " \t\n\v\"");
}

/* Backslashes before a quote are doubled, and the quote gets one. */
static void put_argument(FILE *line, const char *argument)
{
    if (!needs_quotes(argument)) {
        fputs(argument, line);
        return;
    }
    fputc('"', line);
    for (;; argument++) {
        size_t backslashes = strspn(argument, "\\");
        argument += backslashes;
        size_t written = *argument == '\0'  ? 2 * backslashes
                         : *argument == '"' ? 2 * backslashes + 1
                                            : backslashes;
        while (written-- > 0) {
            fputc('\\', line);
        }
        if (*argument == '\0') {
            break;
        }
        fputc(*argument, line);
    }
    fputc('"', line);
}

/* The program's own arguments are the last ones of our command line, taken as typed: argv has
 * slashes for backslashes (main.c). */
static void put_typed(FILE *line, size_t count)
{
    size_t all = 0;
    wchar_t **typed = need(split_command_line(GetCommandLineW(), &all));
    for (size_t i = all - count; i < all; i++) {
        char *argument = need(narrow_text(typed[i], wcslen(typed[i])));
        fputc(' ', line);
        put_argument(line, argument);
        free(argument);
    }
    free(typed);
}

static wchar_t *command_line(char **arguments)
{
    struct text_file text;
    size_t count = 0;
    while (arguments[count + 1]) {
        count++;
    }
    text_open(&text);
    put_argument(text.out, arguments[0]);
    put_typed(text.out, count);
    char *narrow = need(text_close(&text));
    wchar_t *wide = need(wide_text(narrow));
    free(narrow);
    return wide;
}

/* ---- its start and end ---- */

static HANDLE standard_handle(DWORD which)
{
    HANDLE handle = GetStdHandle(which);
    SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return handle;
}

/* It inherits our environment, which is modified: this process does not use it afterwards. */
static bool start(const struct child *child, PROCESS_INFORMATION *process)
{
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = standard_handle(STD_INPUT_HANDLE),
                        .hStdOutput = standard_handle(STD_OUTPUT_HANDLE),
                        .hStdError = standard_handle(STD_ERROR_HANDLE)};
    const char *file = child->path ? child->path : child->found;
    wchar_t *program = file ? wide_path(file) : NULL;
    wchar_t *line = command_line(child->arguments);
    for (size_t i = 0; i < child->variables->count; i++) {
        setenv(child->variables->items[i].name, child->variables->items[i].value, 1);
    }
    SetLastError(ERROR_FILE_NOT_FOUND);
    bool started = program &&
                   CreateProcessW(program, line, NULL, NULL, TRUE, 0, NULL, NULL, &how, process);
    if (!started) {
        fail_by_last_error();
    }
    free(line);
    free(program);
    return started;
}

/* The console sends an interrupt to both processes; the program handles it. */
static BOOL WINAPI ignore(DWORD event)
{
    return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

int child_run(const struct child *child, int *error)
{
    PROCESS_INFORMATION process;
    DWORD code = EXIT_BAD_INPUT;
    fflush(stdout);
    *error = start(child, &process) ? 0 : errno;
    if (*error != 0) {
        return EXIT_BAD_INPUT;
    }
    SetConsoleCtrlHandler(ignore, TRUE);
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    SetConsoleCtrlHandler(ignore, FALSE);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    return (int)code;
}
