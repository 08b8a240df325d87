/* ilpatch detach: ends what `ilpatch attach` began in a process. See attach.h. It ends it for all
 * commands that are attached, also those of other terminals: the profiler is one for the
 * process. */
#include "tools/cmd/command_line.h"
#include "tools/launch/attach.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch detach PID\n"
    "\n"
    "Ends what ilpatch attach shows or writes of a process, for all attached commands, also with "
    "-o "
    "and --target-stderr: all methods\n"
    "get the code back that they had. The process goes on. Values of attach -o that could not be "
    "written are counted.\n"
    "\n";

static const char help_end[] = "\n"
                               "Exit codes: 0 done, 2 bad usage, 3 nothing is watched in the "
                               "process, or there is none, 4 some "
                               "values could not be\n"
                               "written.\n";

enum exit_code cmd_detach(int argc, char **argv)
{
    struct option_reader reader;
    process_id process;
    (void)argc;
    options_begin(&reader, TAKEN_BY_DETACH, argv, false);
    enum option_id option = options_next(&reader);
    if (option == OPTION_HELP) {
        return print_help(TAKEN_BY_DETACH, help, help_end);
    }
    if (option != OPTION_END) {
        return option_error("detach", &reader);
    }
    if (reader.operand_count != 1 || !process_number(reader.operands[0], &process)) {
        return usage_error("detach", "which process? its number is needed, for example: ilpatch "
                                     "detach 1234");
    }
    return attach_end(process);
}
