/* ilpatch ps: lists the .NET processes of this machine, and whether ilpatch attach can get into
 * each.
 *
 *   /proc, or PIDs -> look_at(): opened, request sent
 *     -> sorted -> receive_all(): reply, obstacle -> print_text(), print_json()
 *
 * All diagnostics servers are queried first, then all replies are awaited together, so that one
 * that hangs does not delay the others. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "host/color.h"
#include "host/schemas.h"
#include "host/text_out.h"
#include "tools/cmd/command_line.h"
#include "tools/launch/launch.h"
#include "tools/launch/obstacle.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch ps [options] [PID...]\n"
    "\n"
    "Lists the .NET processes of this machine that you may see, or these: number, user, runtime, "
    "and whether ilpatch attach\n"
    "shows what they return. Where it cannot, the reason follows, and what to do.\n"
    "\n";

static const char help_end[] =
    "\n"
    "  ilpatch ps                                all that you may see\n"
    "  ilpatch attach 1234                       values of one of them, until Ctrl-C\n"
    "  ilpatch ps --json | jq '.processes[] | select(.attach) | .process'\n"
    "\n"
    "What a process does not report within two seconds is read from its files. As root, ilpatch ps "
    "lists the processes of\n"
    "all users, and those in containers. Exit codes: 0 done, 2 bad usage, 3 a PID is not of a .NET "
    "process.\n";

enum {
    ANSWER_PATIENCE = 2000 /* ms, for all of them */,
    MOST_SHOWN = 160 /* bytes of a command line */
};

#define PAINT_YES  "\033[32m"
#define PAINT_NO   "\033[31m"
#define PAINT_HEAD "\033[1m"
#define PAINT_END  "\033[m"

/* A listed process. The process, its texts and the obstacle are owned. Items are allocated singly,
 * because a connection is given out while the array still grows, and qsort() moves pointers instead
 * of the structures. */
struct listed {
    struct dotnet_process process;
    int connection; /* for its reply; -1: none */
    struct obstacle obstacle;
};

/* `needs` is read once from the installed profiler: which libraries it wants does not depend on the
 * process. */
struct ps {
    bool as_json;
    bool paints;
    struct profiler_needs needs;
    struct listed **items; /* owned, each and the array */
    size_t count, room;
    struct ilpi_json json;
};

/* ---- searching ---- */

/* Keeps the process if it is a .NET process; else false. The request is sent here, the reply is
 * read in receive_all(): between these all other processes get their request. */
static bool look_at(struct ps *ps, process_id number)
{
    struct listed *listed = need(new_items(1, sizeof *listed));
    bool is_there = dotnet_process_open(&listed->process, number);
    if (!is_there || listed->process.runtime == RUNTIME_NONE) {
        dotnet_process_close(&listed->process);
        free(listed);
        return false;
    }
    listed->connection = dotnet_process_request(&listed->process);
    if (ps->count == ps->room) {
        ps->room = 2 * ps->room + 16;
        ps->items = need(grow_items(ps->items, ps->room, sizeof *ps->items));
    }
    ps->items[ps->count++] = listed;
    return true;
}

/* Processes that end meanwhile are skipped: dotnet_process_open() fails for them. */
static void look_at_all(struct ps *ps)
{
    struct processes *processes = processes_open();
    process_id number;
    while (processes && (number = processes_next(processes)) != 0) {
        look_at(ps, number);
    }
    processes_close(processes);
}

/* Numbers that were given have to be right: a process that is not there is reported, while
 * look_at_all() passes over everything that is not .NET. */
static enum exit_code look_at_these(struct ps *ps, char **numbers, int count)
{
    enum exit_code code = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        char *end;
        long number = strtol(numbers[i], &end, 10);
        if (number <= 0 || number > INT_MAX || *end != '\0') {
            return usage_error("ps", "'%s' is not the number of a process", numbers[i]);
        }
        if (!look_at(ps, (process_id)number)) {
            report_message("process %ld is not there, or is not of .NET", number);
            code = EXIT_BAD_INPUT;
        }
    }
    return code;
}

/* One deadline for all: with ten servers that hang the command takes 2 seconds, not 20. What is in
 * the way is found after the reply, since the version of the runtime is part of it. */
static void receive_all(struct ps *ps)
{
    const struct deadline until = deadline_after(ANSWER_PATIENCE);
    for (size_t i = 0; i < ps->count; i++) {
        struct listed *listed = ps->items[i];
        dotnet_process_receive(&listed->process, listed->connection, until);
        listed->obstacle = obstacle_find(&listed->process, &ps->needs);
    }
}

/* ---- words ---- */

/* Owned by the caller, as that of runtime_text(). */
static char *user_text(const struct dotnet_process *process)
{
    return need(process_user_name(process->process, process->state.user));
}

static const char *runtime_word(enum dotnet_runtime runtime)
{
    switch (runtime) {
    case RUNTIME_MONO: return "Mono";
    case RUNTIME_NATIVE_AOT: return "NativeAOT";
    default: return ".NET";
    }
}

static char *runtime_text(const struct dotnet_process *process)
{
    char room[64];
    const char *version = dotnet_process_version(process, room, sizeof room);
    return need(format_text("%s%s%.32s", runtime_word(process->runtime), version ? " " : "",
                            version ? version : ""));
}

/* ---- text ---- */

/* Owned texts of a row, kept because the widths are needed before the first row is printed. */
struct ps_row {
    char *user;
    char *runtime;
};

/* A column is at most 40 wide, so that one long name does not push the others off the screen. */
static int width_of(const char *text)
{
    size_t size = strlen(text);
    return size < 40 ? (int)size : 40;
}

/* Longer texts are printed whole, and shift what follows in their row. */
static void print_cell(const char *text, int width)
{
    text_out(stdout, text, false);
    printf("%*s", width - width_of(text) + 2, "");
}

static const char *painted(const struct ps *ps, const char *paint)
{
    return ps->paints ? paint : "";
}

/* As much of a command line as a line has room for, in whole characters. */
static void print_program(const char *program)
{
    size_t size = strlen(program);
    bool is_cut = size > MOST_SHOWN;
    size = is_cut ? MOST_SHOWN : size;
    /* in UTF-8 10xxxxxx continues a character: the cut moves to where that begins */
    while (is_cut && size != 0 && ((unsigned char)program[size] & 0xC0) == 0x80) {
        size--;
    }
    text_out_bytes(stdout, (struct ilp_bytes){(const uint8_t *)program, size}, false);
    puts(is_cut ? "…" : "");
}

static void print_note(const char *note)
{
    if (note) {
        fputs("        ", stdout);
        text_out(stdout, note, false);
        putchar('\n');
    }
}

/* The reason and the advice have lines of their own below the process, so that the table remains
 * one line per process for those who grep for a number. */
static void print_listed(const struct ps *ps, const struct listed *listed, const struct ps_row *row,
                         const int widths[2])
{
    const struct dotnet_process *process = &listed->process;
    bool attaches = listed->obstacle.id == OBSTACLE_NONE;
    printf("%7ld  ", (long)process->process);
    print_cell(row->user, widths[0]);
    print_cell(row->runtime, widths[1]);
    printf("%s%-6s%s  ", painted(ps, attaches ? PAINT_YES : PAINT_NO), attaches ? "yes" : "no",
           painted(ps, PAINT_END));
    print_program(process->program);
    print_note(listed->obstacle.reason);
    print_note(listed->obstacle.advice);
    if (attaches && process_is_stopped(&process->state)) {
        print_note("it is stopped: attach waits until it goes on");
    }
}

/* Two passes: the widths depend on all rows. The heading is left out if there is no row.
 *
 *    PID  USER  RUNTIME       ATTACH  PROGRAM
 *   4779  root  .NET 10.0.12  yes     dotnet App.dll
 *   4801  ada   .NET 6.0.36   no      ./Tool
 *        the reason, and below it what to do */
static void print_text(struct ps *ps)
{
    struct ps_row *rows = need(new_items(ps->count, sizeof *rows));
    int widths[2] = {4, 7};
    for (size_t i = 0; i < ps->count; i++) {
        rows[i] = (struct ps_row){user_text(&ps->items[i]->process),
                                  runtime_text(&ps->items[i]->process)};
        int user = width_of(rows[i].user), runtime = width_of(rows[i].runtime);
        widths[0] = user > widths[0] ? user : widths[0];
        widths[1] = runtime > widths[1] ? runtime : widths[1];
    }
    if (ps->count == 0) {
        report_message("no .NET process is visible%s",
                       process_user() == 0 ? "" : ". Run it as root to see those of all users");
    } else {
        printf("%s    PID  %-*s  %-*s  ATTACH  PROGRAM%s\n", painted(ps, PAINT_HEAD), widths[0],
               "USER", widths[1], "RUNTIME", painted(ps, PAINT_END));
    }
    for (size_t i = 0; i < ps->count; i++) {
        print_listed(ps, ps->items[i], &rows[i], widths);
        free(rows[i].user);
        free(rows[i].runtime);
    }
    free(rows);
}

/* ---- JSON ---- */

static void put_text(struct ilpi_json *json, const char *name, const char *text)
{
    if (text && text[0] != '\0') {
        ilpi_json_string(json, name, text);
    }
}

/* "process" is the number on this side; "ownNumber" only if the process has another one in its
 * container. Members that are not known are left out instead of being empty. */
static void put_listed(struct ilpi_json *json, const struct listed *listed)
{
    char room[64];
    const struct dotnet_process *process = &listed->process;
    char *user = user_text(process);
    ilpi_json_line(json, 4);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_unsigned(json, "process", (uint64_t)process->process);
    ilpi_json_string(json, "user", user);
    ilpi_json_string(json, "runtime", runtime_word(process->runtime));
    put_text(json, "version", dotnet_process_version(process, room, sizeof room));
    put_text(json, "architecture", process->info.architecture);
    ilpi_json_string(json, "program", process->program);
    put_text(json, "assembly", process->info.assembly);
    ilpi_json_bool(json, "container", process->is_contained);
    if (process->state.own_number != process->process) {
        ilpi_json_unsigned(json, "ownNumber", (uint64_t)process->state.own_number);
    }
    ilpi_json_bool(json, "answers", process->info.version != NULL);
    ilpi_json_bool(json, "stopped", process_is_stopped(&process->state));
    ilpi_json_bool(json, "attach", listed->obstacle.id == OBSTACLE_NONE);
    if (listed->obstacle.id != OBSTACLE_NONE) {
        ilpi_json_string(json, "reason", obstacle_word(listed->obstacle.id));
        ilpi_json_string(json, "text", listed->obstacle.reason);
        put_text(json, "advice", listed->obstacle.advice);
    }
    ilpi_json_end(json);
    free(user);
}

static enum exit_code print_json(struct ps *ps)
{
    struct ilpi_json *json = &ps->json;
    ilpi_json_begin(json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(json, SCHEMA_PS, ILPI_JSON_INLINE);
    ilpi_json_array(json, "processes", ILPI_JSON_LINES_ALWAYS);
    for (size_t i = 0; i < ps->count; i++) {
        put_listed(json, ps->items[i]);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
    return ilpi_json_finish(json) == ILP_OK ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

/* ---- the command line ---- */

static int by_number(const void *a, const void *b)
{
    const struct listed *const *left = a, *const *right = b;
    process_id x = (*left)->process.process, y = (*right)->process.process;
    return (x > y) - (x < y);
}

/* In the order of numbers, whatever order /proc has. With processes that were named and not found
 * no empty table is printed. */
static enum exit_code list(struct ps *ps, char **numbers, int count)
{
    char *profiler = NULL;
    enum exit_code code = launch_find_installed(PROFILER_FILE, &profiler);
    if (code != EXIT_DONE) {
        return code;
    }
    profiler_needs_read(&ps->needs, profiler);
    if (count == 0) {
        look_at_all(ps);
    } else {
        code = look_at_these(ps, numbers, count);
    }
    if (code != EXIT_USAGE) {
        if (ps->count != 0) {
            qsort(ps->items, ps->count, sizeof *ps->items, by_number);
        }
        receive_all(ps);
        if (!ps->as_json && (ps->count != 0 || count == 0)) {
            print_text(ps);
        } else if (ps->as_json && print_json(ps) != EXIT_DONE) {
            code = EXIT_CANNOT_WRITE;
        }
    }
    free(profiler);
    return code;
}

/* Also after a failure: an item whose reply was not read has an empty obstacle. */
static void close_ps(struct ps *ps)
{
    for (size_t i = 0; i < ps->count; i++) {
        obstacle_free(&ps->items[i]->obstacle);
        dotnet_process_close(&ps->items[i]->process);
        free(ps->items[i]);
    }
    free(ps->items);
}

enum exit_code cmd_ps(int argc, char **argv)
{
    struct ps ps = {.as_json = false};
    struct option_reader reader;
    enum option_id option;
    const char *color = "auto";
    (void)argc;
    options_begin(&reader, TAKEN_BY_PS, argv, false);
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_JSON: ps.as_json = true; break;
        case OPTION_COLOR: color = reader.value; break;
        case OPTION_HELP: return print_help(TAKEN_BY_PS, help, help_end);
        default: return option_error("ps", &reader);
        }
    }
    enum exit_code code = read_color("ps", color, &ps.paints);
    if (code == EXIT_DONE) {
        code = list(&ps, reader.operands, reader.operand_count);
    }
    close_ps(&ps);
    return code;
}
