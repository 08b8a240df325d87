/* ilpatch verify: checks the metadata and IL of assemblies, and prints the findings.
 *
 * src/verify/ finds them, one call for each, so nothing is collected: a finding is counted, and
 * printed at once if its kind is listed. Errors and warnings always are; what is merely
 * unverifiable or not known is listed on request, because ordinary code of compilers (pointers,
 * stackalloc) has much of it. Only errors set the exit code. */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "tools/cmd/input_files.h"
#include "tools/cmd/finding_text.h"
#include "tools/cmd/method_name.h"
#include "host/text_out.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch verify [options] FILE...\n"
    "\n"
    "Checks assemblies against ECMA-335, changing nothing: tables, signatures, and the code of "
    "every method,\n"
    "instruction by instruction, with the types that are on the stack. Prints a line for each "
    "finding:\n"
    "  token, offset in the code, kind, code, method, what exactly\n"
    "and one for each file with the numbers. The first thousand findings of a file are listed, the "
    "rest is\n"
    "counted. docs/VERIFY.md has all codes.\n"
    "\n"
    "Kinds:\n"
    "  error         not valid: a runtime may refuse it, or do anything. The exit code is 1.\n"
    "  warning       violates ECMA-335, but runtimes accept it\n"
    "  unverifiable  correct, but cannot be proved type-safe: unmanaged pointers, "
    "mostly.\n"
    "                C# makes it of `unsafe` code. Only counted, unless requested.\n"
    "  unknown       could not be checked: a referenced assembly was not found. Only counted, "
    "too.\n"
    "\n";

static const char help_end[] =
    "\n" METHOD_NAME_HELP "\n"
    "Examples:\n"
    "  ilpatch verify App.dll                                did patching leave it valid?\n"
    "  ilpatch verify --unverifiable --method Ns.Type::M App.dll\n"
    "\n"
    "Exit codes: 0 no errors, 1 errors, or no such METHOD, 2 bad usage, 3 bad input.\n";

static const char *const count_words[FINDING_KINDS] = {"errors", "warnings", "unverifiable",
                                                       "unknown"};

struct verify_options {
    struct input_files inputs;
    struct method_name method;
    bool listed[FINDING_KINDS];
};

/* The file being verified. */
struct verifying {
    const struct verify_options *options;
    const struct opened_file *file;
    struct ilp_arena *arena;
    unsigned long counts[FINDING_KINDS];
    unsigned long unlisted; /* of listed kinds, but beyond the limit */
    unsigned long listed;
    unsigned long methods; /* that --method selects */
};

/* ---- findings ---- */

/* All are counted, also beyond the limit, so that the summary is complete. */
static ilp_status take_finding(void *user, const struct ilp_verify_finding *finding,
                               struct ilp_error *error)
{
    struct verifying *verifying = user;
    (void)error;
    verifying->counts[finding->kind]++;
    if (!verifying->options->listed[finding->kind]) {
        return ILP_OK;
    }
    if (verifying->listed == MAX_LISTED_FINDINGS) {
        verifying->unlisted++;
        return ILP_OK;
    }
    verifying->listed++;
    if (verifying->file->json) {
        finding_json(verifying->file->json, verifying->file->image, verifying->arena, finding);
    } else {
        finding_line(stdout, verifying->file->image, verifying->arena, finding);
        putchar('\n');
    }
    return ILP_OK;
}

/* Counts the methods that --method means, since none is an error. */
static bool is_wanted(void *user, ilp_token method)
{
    struct verifying *verifying = user;
    bool wanted = method_is_meant(verifying->file->image, ILP_TOKEN_RID(method),
                                  &verifying->options->method, verifying->arena);
    verifying->methods += wanted;
    return wanted;
}

/* ---- one file ---- */

/* Also after a failure: it says what was found before it. In JSON it ends the array of findings
 * first.
 *
 *   App.dll: 0 errors, 1 warning, 12 unverifiable, 0 unknown; 3 not listed */
static void print_summary(const struct verifying *verifying)
{
    struct ilpi_json *json = verifying->file->json;
    if (json) {
        ilpi_json_end(json);
        for (unsigned i = 0; i < FINDING_KINDS; i++) {
            ilpi_json_unsigned(json, count_words[i], verifying->counts[i]);
        }
        if (verifying->unlisted != 0) {
            ilpi_json_unsigned(json, "unlisted", verifying->unlisted);
        }
        return;
    }
    text_out(stdout, verifying->file->path, false);
    fputs(": ", stdout);
    for (unsigned i = 0; i < FINDING_KINDS; i++) {
        bool one = verifying->counts[i] == 1;
        printf("%s%lu %s", i == 0 ? "" : ", ", verifying->counts[i],
               one ? finding_kinds[i] : count_words[i]);
    }
    if (verifying->unlisted != 0) {
        printf("; %lu not listed", verifying->unlisted);
    }
    putchar('\n');
}

/* Without --method the sink has no filter, and findings of tables are reported, too. */
static enum exit_code verify(struct verifying *verifying)
{
    const struct verify_options *options = verifying->options;
    const struct opened_file *file = verifying->file;
    struct ilp_error error;
    struct ilp_resolver resolver = references_resolver(file->references);
    struct ilp_findings_sink sink = {verifying, options->method.text ? is_wanted : NULL,
                                     take_finding};
    ilp_status status = ilp_verify(file->image, &resolver, &sink, NULL, &error);
    print_summary(verifying);
    if (status != ILP_OK) {
        report_file_error(file->path, &error);
        return exit_code_of(&error);
    }
    if (options->method.text && verifying->methods == 0) {
        return method_not_found(file->path, &options->method);
    }
    return verifying->counts[ILP_FINDING_ERROR] != 0 ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* As a file_work (input_files.h): references and the object of JSON are those of the caller. */
static enum exit_code verify_image(void *user, const struct opened_file *file)
{
    struct verifying verifying = {.options = user, .file = file};
    need(ilp_arena_open(&verifying.arena, NULL, NULL) == ILP_OK ? verifying.arena : NULL);
    if (file->json) {
        ilpi_json_array(file->json, "findings", ILPI_JSON_LINES);
    }
    enum exit_code code = verify(&verifying);
    ilp_arena_close(verifying.arena);
    return code;
}

/* ---- the command line ---- */

static enum exit_code parse(char **argv, struct verify_options *options, bool *finished)
{
    struct option_reader reader;
    enum option_id option;
    enum exit_code code = EXIT_DONE;
    options_begin(&reader, TAKEN_BY_VERIFY, argv, false);
    *finished = true;
    while (code == EXIT_DONE && (option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_METHOD:
            code = options->method.text
                       ? usage_error("verify", "--method is given twice: pass one name or pattern")
                       : method_name_parse("verify", reader.value, &options->method);
            break;
        case OPTION_UNVERIFIABLE: options->listed[ILP_FINDING_UNVERIFIABLE] = true; break;
        case OPTION_UNKNOWN: options->listed[ILP_FINDING_UNKNOWN] = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_VERIFY, help, help_end);
        default:
            if (!input_files_option(&options->inputs, option, reader.value)) {
                return option_error("verify", &reader);
            }
        }
    }
    if (code == EXIT_DONE) {
        code = input_files_operands(&options->inputs, &reader, "verify");
    }
    *finished = code != EXIT_DONE;
    return code;
}

enum exit_code cmd_verify(int argc, char **argv)
{
    struct verify_options options = {
        .listed = {[ILP_FINDING_ERROR] = true, [ILP_FINDING_WARNING] = true}};
    bool finished;
    input_files_begin(&options.inputs, argc, SCHEMA_VERIFY);
    enum exit_code code = parse(argv, &options, &finished);
    if (!finished) {
        code = each_file(&options.inputs, verify_image, &options);
    }
    input_files_end(&options.inputs);
    return code;
}
