/* ilpatch report: converts spools of traced programs to other formats. tools/export/convert.c does
 * the work; this is its command line. Several spools, of the processes of one program, become one
 * report. */
#include "host/output_place.h"
#include "host/standard_streams.h"
#include "tools/cmd/command_line.h"
#include "tools/export/convert.h"
#include "tools/tool.h"

static const char help[] = "ilpatch report [options] SPOOL...\n"
                           "\n"
                           "Writes what ilpatch trace --spool has kept: for people (a call tree as "
                           "text, or a page for a browser), or for\n"
                           "programs that show traces. Several spools become one report. A spool "
                           "of a program that still runs, or that was\n"
                           "killed, is read as far as it goes.\n"
                           "\n";

static const char help_end[] =
    "\n"
    "  ilpatch trace --spool run.spool -- dotnet App.dll\n"
    "  ilpatch report run.spool                  the call tree, here\n"
    "  ilpatch report -o run.html run.spool      to walk through in a browser\n"
    "  ilpatch report --method '*::Total' --grep '^-' run.spool\n"
    "                                            values of Total that are below 0\n"
    "\n"
    "Exit codes: 0 done, 1 done, but a spool is damaged or was cut off, 2 bad usage, 3 bad input, "
    "4 cannot write.\n";

/* conversion_help() lists the formats from formats.def, between the two parts of the text. */
static enum exit_code print_all_help(void)
{
    print_help(TAKEN_BY_REPORT, help, "");
    conversion_help();
    fputs(help_end, stdout);
    return EXIT_DONE;
}

/* Options and the place of OUT are checked before a spool is read, which takes time in proportion
 * to its size. */
enum exit_code cmd_report(int argc, char **argv)
{
    struct conversion conversion = {.out = stdout};
    struct option_reader reader;
    enum option_id option;
    (void)argc;
    options_begin(&reader, TAKEN_BY_REPORT, argv, false);
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_OUTPUT:
            conversion.output = is_standard(reader.value) ? NULL : reader.value;
            break;
        case OPTION_HELP: return print_all_help();
        default:
            if (!conversion_option(&conversion, option, reader.value)) {
                return option_error("report", &reader);
            }
        }
    }
    if (reader.operand_count == 0) {
        return usage_error("report",
                           "which spool? ilpatch trace --spool FILE -- PROGRAM writes one");
    }
    enum exit_code code = conversion_check(&conversion, "report");
    code = code == EXIT_DONE ? output_check(conversion.output) : code;
    code = code == EXIT_DONE ? convert(&conversion, reader.operands, (size_t)reader.operand_count)
                             : code;
    conversion_close(&conversion);
    return code;
}
