/* ilpatch doctor: explains why no value of a method of a running process is shown. See
 * tools/doctor/diagnosis.h, which finds the causes; this file reads the command line, opens the
 * process, and prints.
 *
 *   launch_find_installed() -> dotnet_process_open() -> diagnosis_find() -> text, or JSON
 */
#include <stdlib.h>

#include "base/json.h"
#include "host/schemas.h"
#include "host/text_out.h"
#include "tools/cmd/command_line.h"
#include "tools/doctor/diagnosis.h"
#include "tools/launch/attach.h"
#include "tools/launch/launch.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch doctor [options] PID METHOD [FILE]\n"
    "\n"
    "Says why ilpatch attach shows no value of a method, and what to do. Nothing is changed in the "
    "process.\n" METHOD_NAME_HELP
    "FILE is the assembly that you mean: another one of its name may be loaded.\n"
    "\n";

static const char help_end[] =
    "\n"
    "  ilpatch doctor 1234 Shop.Cart::Total\n"
    "\n"
    "  06000007  instance valuetype System.Decimal Shop.Cart::Total()\n"
    "    /app/Shop.dll\n"
    "    excluded: it stays as it is: a rule excludes it; decided by prices.xml:3\n"
    "      Change the rules: 'ilpatch rules explain' shows what they decide, and 'ilpatch rules "
    "set' gives a watch others.\n"
    "\n"
    "If an attach watches the process, its options apply, and the profiler in the process reports "
    "the state of the method.\n"
    "Otherwise the outcome is that of an attach with the options given here.\n"
    "\n"
    "Exit codes: 0 the method was found, 1 it was not, 2 bad usage, 3 no such process, or "
    "the profiler cannot get in.\n";

/* A diagnostics server that does not reply is itself a cause to report, so waiting is bounded. */
enum { SERVER_PATIENCE = 2000 /* ms */ };

/* ---- text ---- */

/* Texts contain names of the process and its files, so they go through text_out(): they cannot
 * control the terminal. */
static void print_line(const char *indent, const char *word, const char *text)
{
    fputs(indent, stdout);
    if (word) {
        printf("%s: ", word);
    }
    text_out(stdout, text, false);
    putchar('\n');
}

/* WORD: TEXT, and below it the advice, deeper: a word alone can be given to `ilpatch explain` if it
 * is an outcome of a method. */
static void print_causes(const struct causes *causes)
{
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause *cause = &causes->items[i];
        print_line("  ", cause->word, cause->text);
        if (cause->advice) {
            print_line("    ", NULL, cause->advice);
        }
    }
}

/* Causes of the process come before those of methods: if it cannot be attached to, no method
 * matters. */
static enum exit_code print_text(const struct diagnosis *diagnosis)
{
    printf("process %ld: ", (long)diagnosis->process->process);
    text_out(stdout, diagnosis->process->program, false);
    putchar('\n');
    print_causes(&diagnosis->causes);
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct diagnosed_method *method = &diagnosis->methods[i];
        printf("%08X  ", method->token);
        text_out(stdout, method->signature, false);
        putchar('\n');
        print_line("  ", NULL, method->assembly);
        print_causes(&method->causes);
    }
    if (diagnosis->left_out != 0) {
        printf("%zu more method%s of this name: name the type, or FILE\n", diagnosis->left_out,
               plural(diagnosis->left_out));
    }
    return EXIT_DONE;
}

/* ---- JSON ---- */

/* The array is there even if it is empty, unlike "advice". */
static void put_causes(struct ilpi_json *json, const struct causes *causes)
{
    ilpi_json_array(json, "causes", ILPI_JSON_LINES);
    for (size_t i = 0; i < causes->count; i++) {
        const struct cause *cause = &causes->items[i];
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_string(json, "cause", cause->word);
        ilpi_json_string(json, "text", cause->text);
        if (cause->advice) {
            ilpi_json_string(json, "advice", cause->advice);
        }
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

/* Members as in print_text(); "state" is there only if the profiler in the process has replied. */
static void put_method(struct ilpi_json *json, const struct diagnosed_method *method)
{
    ilpi_json_object(json, NULL, ILPI_JSON_LINES);
    ilpi_json_string(json, "assembly", method->assembly);
    ilpi_json_token(json, "token", method->token);
    ilpi_json_string(json, "signature", method->signature);
    if (method->state) {
        ilpi_json_string(json, "state", method->state);
    }
    put_causes(json, &method->causes);
    ilpi_json_end(json);
}

/* The same facts in the same order as print_text(), by data/doctor.schema.json. */
static enum exit_code print_json(const struct diagnosis *diagnosis)
{
    struct ilpi_json json;
    ilpi_json_begin(&json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(&json, SCHEMA_DOCTOR, ILPI_JSON_LINES);
    ilpi_json_unsigned(&json, "process", (uint64_t)diagnosis->process->process);
    ilpi_json_string(&json, "program", diagnosis->process->program);
    put_causes(&json, &diagnosis->causes);
    ilpi_json_array(&json, "methods", ILPI_JSON_LINES);
    for (size_t i = 0; i < diagnosis->count; i++) {
        put_method(&json, &diagnosis->methods[i]);
    }
    ilpi_json_end(&json);
    ilpi_json_unsigned(&json, "leftOut", diagnosis->left_out);
    ilpi_json_end(&json);
    return ilpi_json_finish(&json) == ILP_OK ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

/* ---- the command line ---- */

/* Printed also if the diagnosis is not complete; the exit code says so. */
static enum exit_code examine(struct diagnosis *diagnosis, bool json)
{
    enum exit_code code = diagnosis_find(diagnosis);
    enum exit_code printed = json ? print_json(diagnosis) : print_text(diagnosis);
    diagnosis_close(diagnosis);
    return printed != EXIT_DONE ? printed : code;
}

/* The installed profiler is needed first: what keeps attach out depends on which libraries the
 * profiler needs, and the process may lack them. dotnet_process_close() is right also if the
 * process was not found. */
static enum exit_code open_and_examine(struct diagnosis *diagnosis, process_id number,
                                       struct dotnet_process *process, bool json)
{
    char *profiler = NULL;
    enum exit_code code = launch_find_installed(PROFILER_FILE, &profiler);
    if (code != EXIT_DONE) {
        return code;
    }
    if (dotnet_process_open(process, number)) {
        dotnet_process_receive(process, dotnet_process_request(process),
                               deadline_after(SERVER_PATIENCE));
        diagnosis->process = process;
        diagnosis->profiler = profiler;
        code = examine(diagnosis, json);
    } else {
        report_message("cannot find process %ld. Run 'ilpatch ps' to list .NET processes",
                       (long)number);
        code = EXIT_BAD_INPUT;
    }
    dotnet_process_close(process);
    free(profiler);
    return code;
}

/* operands[2] is NULL if no file is named, since argv ends with it. */
static enum exit_code doctor(struct profiler_options *options, const struct option_reader *reader,
                             bool json)
{
    process_id number;
    struct method_name method;
    char **operands = reader->operands;
    if (reader->operand_count < 2 || reader->operand_count > 3 ||
        !process_number(operands[0], &number)) {
        return usage_error("doctor", "it takes the number of a process, a method, and perhaps the "
                                     "file that has it, for example: ilpatch doctor 1234 "
                                     "Shop.Cart::Total");
    }
    enum exit_code code = method_name_parse("doctor", operands[1], &method);
    struct diagnosis diagnosis = {.method = &method, .file = operands[2], .options = options};
    struct dotnet_process process;
    return code == EXIT_DONE ? open_and_examine(&diagnosis, number, &process, json) : code;
}

/* The options are those of `ilpatch attach`, so that a command which shows nothing can be repeated
 * with "doctor" and the method added. Without rules every method is meant, as there. */
enum exit_code cmd_doctor(int argc, char **argv)
{
    struct profiler_options options = {.command_version = NULL};
    struct option_reader reader;
    enum option_id option;
    enum exit_code code = EXIT_DONE;
    bool json = false;
    (void)argc;
    options_begin(&reader, TAKEN_BY_DOCTOR, argv, false);
    while (code == EXIT_DONE && (option = options_next(&reader)) != OPTION_END) {
        if (option == OPTION_HELP) {
            profiler_options_close(&options);
            return print_help(TAKEN_BY_DOCTOR, help, help_end);
        }
        if (option == OPTION_JSON) {
            json = true;
        } else if (!profiler_option(&options, option, reader.value)) {
            code = option_error("doctor", &reader);
        }
    }
    options.inspect_returns |= !request_options_select(&options.request);
    if (code == EXIT_DONE) {
        code = doctor(&options, &reader, json);
    }
    profiler_options_close(&options);
    return code;
}
