/* ilpatch, the command: finds the subcommand and passes it the rest of the command line. Without a
 * subcommand it is the main job: `ilpatch --inspect-returns Foo.dll`.
 *
 * main() makes the process ready before anything can fail: messages and cleaning up (tool.c),
 * descriptors 0 to 2, signals. A subcommand returns an exit code and prints through stdio; whether
 * standard output was written is checked once, here, because buffered text fails only when it is
 * flushed. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_io.h"
#include "tools/build_messages.h"
#include "tools/cmd/command_line.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch shows the values that .NET methods return, without source and without a rebuild.\n"
    "\n"
    "  ilpatch --inspect-returns [options] FILE...   patch assemblies\n"
    "  ilpatch --rules RULES.xml [options] FILE...   patch the methods that rules select\n"
    "  ilpatch run [options] -- PROGRAM...           show values in a running program, no file "
    "changed\n"
    "  ilpatch attach [options] PID                  show values in a program that runs already\n"
    "  ilpatch detach PID                            end every attach to a process\n"
    "  ilpatch ps                                    list .NET processes, and whether attach "
    "works\n"
    "  ilpatch doctor PID METHOD                     say why attach shows no value of a method\n"
    "  ilpatch trace -o OUT -- PROGRAM...            record the calls of a running program: tree, "
    "timeline, spans\n"
    "  ilpatch report SPOOL...                       write the report of recorded calls or values\n"
    "  ilpatch list FILE                             say for each method what would happen, and "
    "why\n"
    "  ilpatch dump FILE                             print headers, tables, signatures and IL\n"
    "  ilpatch diff OLD NEW [METHOD]                 show the IL of methods before and after\n"
    "  ilpatch restore FILE...                       put the originals back\n"
    "  ilpatch verify FILE...                        check metadata and IL, patched or not\n"
    "  ilpatch resolve FILE...                       say where referenced assemblies are found\n"
    "  ilpatch explain CODE...                       say what a code of a message means, and what "
    "to do\n"
    "  ilpatch rules check|explain|set|schema        check rule files, and see what they decide\n"
    "  ilpatch tail list|add|strip FILE              see explicit tail calls, and change them\n"
    "  ilpatch bundle list|extract FILE              see what is in a single-file program, and get "
    "it out\n"
    "  ilpatch COMMAND --help                        more about one of them\n"
    "  ilpatch --version\n"
    "\n"
    "FILE and RULES.xml may be -, which is standard input.\n"
    "\n"
    "A first try:\n"
    "\n"
    "  ilpatch --inspect-returns App.dll     App.dll now shows what its methods return;\n"
    "  dotnet App.dll                        the values appear on standard error.\n"
    "  ilpatch restore App.dll               App.dll is as it was.\n"
    "\n" EXIT_CODES_HELP;

/* The first row is the main job. */
static const struct command {
    const char *name;
    enum exit_code (*run)(int argc, char **argv);
} commands[] = {
    {"inspect", cmd_inspect}, {"list", cmd_list},       {"dump", cmd_dump},
    {"diff", cmd_diff},       {"restore", cmd_restore}, {"rules", cmd_rules},
    {"run", cmd_run},         {"attach", cmd_attach},   {"detach", cmd_detach},
    {"trace", cmd_trace},     {"report", cmd_report},   {"tail", cmd_tail},
    {"verify", cmd_verify},   {"resolve", cmd_resolve}, {"bundle", cmd_bundle},
    {"ps", cmd_ps},           {"doctor", cmd_doctor},   {"explain", cmd_explain},
};

/* Its standard error has the values of a program, or is the program's own. */
static bool shows_values(const struct command *command)
{
    return command->run == cmd_run || command->run == cmd_attach || command->run == cmd_trace;
}

/* With ILPATCH_MESSAGES=msbuild messages are held and printed at the end in the form of a build
 * (build_messages.h). Commands whose standard error belongs to a program are left out: its values
 * would be held as well. */
static enum exit_code run_command(const struct command *command, int argc, char **argv)
{
    if (shows_values(command)) {
        return command->run(argc, argv);
    }
    build_messages_begin();
    enum exit_code code = command->run(argc, argv);
    build_messages_end(code);
    return code;
}

static enum exit_code unknown_command(const char *word)
{
    const char *names[sizeof commands / sizeof commands[0]];
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        names[i] = commands[i].name;
    }
    const char *nearest = nearest_word(word, names, sizeof commands / sizeof commands[0]);
    return nearest ? usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word, nearest)
                   : usage_error(NULL,
                                 "unknown command '%s'; to patch a file, pass --inspect-returns %s",
                                 word, word);
}

/* A first word that begins with "-" is an option of the main job, for which all of argv is kept;
 * another word must be a subcommand. No arguments at all is an error, so the help goes to standard
 * error. */
static enum exit_code run(int argc, char **argv)
{
    char *about[] = {argv[0], argc == 3 ? argv[2] : NULL, "--help", NULL};
    if (argc == 3 && strcmp(argv[1], "help") == 0 && argv[2][0] != '-') { /* help COMMAND */
        argv = about;
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ilpatch %s\n", ilp_version());
        return EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return run_command(&commands[i], argc - 1, argv + 1);
        }
    }
    return argv[1][0] != '-' ? unknown_command(argv[1]) : run_command(&commands[0], argc, argv);
}

/* If standard output is closed, an opened file would get its descriptor, and printed text. So the
 * descriptors are filled with files of the wrong mode, so that printing fails. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) {
            exit(EXIT_CANNOT_WRITE);
        }
    }
}

int main(int argc, char **argv)
{
    tool_begin();
    occupy_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a write past a limit fails instead, and is reported */
    enum exit_code code = run(argc, argv);
    int error = stream_error(stdout);
    if (error != 0) {
        report_message("cannot write to standard output: %s", strerror(error));
        return EXIT_CANNOT_WRITE;
    }
    return (int)code;
}
