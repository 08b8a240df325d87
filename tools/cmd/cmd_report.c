/* ilpatch report: spools of traced programs, written in a format that something shows. */
#include <getopt.h>

#include "tools/export/convert.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch report [options] SPOOL...\n"
    "\n"
    "Writes what ilpatch trace --spool has kept: for people (a call tree as text, or a page for a browser), or for\n"
    "programs that show traces. Several spools become one report. A spool of a program that still runs, or that was\n"
    "killed, is read as far as it goes.\n"
    "\n"
    "  -o, --output OUT          write to OUT instead of standard output\n"
    "      --format FORMAT       write this format, whatever OUT is called\n"
    "      --subtract-cost       take the time that hooks took out of all times\n"
    "  -h, --help                this text\n";

static const char help_end[] =
    "\n"
    "  ilpatch trace --spool run.spool -- dotnet App.dll\n"
    "  ilpatch report run.spool                  the call tree, here\n"
    "  ilpatch report -o run.html run.spool      to walk through in a browser\n"
    "\n"
    "Exit codes: 0 done, 1 done, but a spool is damaged or was cut off, 2 bad usage, 3 bad input, 4 cannot write.\n";

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    CONVERSION_OPTIONS,
    {NULL, 0, NULL, 0},
};

static void print_help(void)
{
    fputs(help, stdout);
    conversion_help();
    fputs(help_end, stdout);
}

enum exit_code cmd_report(int argc, char **argv)
{
    struct conversion conversion = {.out = stdout};
    int option;
    while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        switch (option) {
        case 'o': conversion.output = optarg; break;
        case 'h': print_help(); return EXIT_DONE;
        default:
            if (!conversion_option(&conversion, option, optarg)) {
                return option_error("report", option, argv, "oh", options);
            }
        }
    }
    if (optind == argc) {
        return usage_error("report", "which spool? ilpatch trace --spool FILE -- PROGRAM writes one");
    }
    enum exit_code code = conversion_check(&conversion, "report");
    return code == EXIT_DONE ? convert(&conversion, argv + optind, (size_t)(argc - optind)) : code;
}
