/* ilpatch resolve: prints where each referenced assembly is found, and by which rule.
 *
 * host/references.c finds them, as it does for a patch, and host/resolve/ has the rules of the
 * hosts. This command shows what was found, what was passed over and why, and which folders were
 * searched, so that a missing reference can be understood without a debugger.
 *
 *   App.dll:
 *     run as said in App.runtimeconfig.json
 *     framework Microsoft.NETCore.App 10.0.12  /usr/share/dotnet/shared/...
 *     System.Runtime 10.0.0.0  framework  /usr/share/.../System.Runtime.dll  10.0.0.0
 *     Gone 1.0.0.0  not found
 *         looked in: .
 *     module Part.netmodule  Part.netmodule */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "tools/cmd/input_files.h"
#include "host/resolve/program.h"
#include "host/text_out.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch resolve [options] FILE...\n"
    "\n"
    "Prints for each assembly that FILE refers to the file that was found, and the kind of its "
    "location\n"
    "(docs/RESOLVE.md). For one that was not found it prints the searched locations, and the files "
    "that were\n"
    "passed over. The other commands search in the same way.\n"
    "\n";

static const char help_end[] =
    "\n"
    "Exit codes: 0 all were found, 1 some were not, 2 bad usage, 3 bad input.\n";

struct resolve_options {
    struct input_files inputs;
    bool verbose;
};

/* The file being resolved. */
struct resolving {
    const struct opened_file *file;
    bool verbose;
    bool missing; /* something was not found */
};

/* ---- text ---- */

static void print_indented(const char *lead, const char *text)
{
    fputs(lead, stdout);
    text_out(stdout, text, false);
    putchar('\n');
}

static void print_version(const struct ilp_assembly_name *name)
{
    printf("%u.%u.%u.%u", name->version[0], name->version[1], name->version[2], name->version[3]);
}

/* "passed over" are files with the right name that are not it; "looked in" are places without
 * one. */
static void print_looked(const struct reference *reference)
{
    for (size_t i = 0; i < reference->passed_count; i++) {
        char *line = format_text("%s: %s", reference->passed[i].path, reference->passed[i].why);
        print_indented("      passed over: ", line);
        free(line);
    }
    for (size_t i = 0; i < reference->looked.count; i++) {
        print_indented("      looked in: ", reference->looked.items[i]);
    }
}

/* NAME VERSION  PLACE  PATH  FOUND-VERSION. Both versions, since a host accepts a higher one. */
static void print_reference(const struct resolving *resolving, const struct reference *reference)
{
    struct ilp_assembly_name found;
    fputs("  ", stdout);
    text_out(stdout, reference->name.name, false);
    putchar(' ');
    print_version(&reference->name);
    if (reference->image) {
        ilp_image_assembly_name(reference->image, &found);
        printf("  %s  ", place_word(reference->place));
        text_out(stdout, ilp_image_name(reference->image), false);
        fputs("  ", stdout);
        print_version(&found);
        putchar('\n');
    } else {
        puts("  not found");
    }
    if (!reference->image || resolving->verbose) {
        print_looked(reference);
    }
}

/* "not as the host would": where a file of the program is wrong, the host would end with an error,
 * while this resolver goes on with what it knows. */
static void print_program(struct program *program, bool for_framework)
{
    const char *deps_error = program_deps_error(program);
    if (for_framework) {
        puts("  built for .NET Framework: any version will do, as on Mono");
    }
    if (program->configured) {
        print_indented("  run as said in ", program->config.path);
    }
    if (program->frameworks.wrong) {
        print_indented("  not as the host would: ", program->frameworks.wrong);
    }
    if (deps_error) {
        print_indented("  not as the host would: ", deps_error);
    }
    for (size_t i = 0; i < program->frameworks.count; i++) {
        char *version = version_text(&program->frameworks.items[i].version);
        printf("  %s %s %s  ", program->guessed ? "newest" : "framework",
               program->frameworks.items[i].request.name, version);
        text_out(stdout, program->frameworks.items[i].directory, false);
        putchar('\n');
        free(version);
    }
}

/* ---- JSON ---- */

static void json_version(struct ilpi_json *json, const char *key,
                         const struct ilp_assembly_name *name)
{
    const uint16_t *version = name->version;
    ilpi_json_format(json, key, "%u.%u.%u.%u", version[0], version[1], version[2], version[3]);
}

/* Each object has all arrays, empty or not: a reader needs no test for their presence. */
static void json_reference(struct ilpi_json *json, const struct reference *reference)
{
    struct ilp_assembly_name found;
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "name", reference->name.name);
    json_version(json, "version", &reference->name);
    ilpi_json_string(json, "place", reference->image ? place_word(reference->place) : "not-found");
    if (reference->image) {
        ilp_image_assembly_name(reference->image, &found);
        ilpi_json_string(json, "path", ilp_image_name(reference->image));
        json_version(json, "foundVersion", &found);
    }
    ilpi_json_array(json, "passedOver", ILPI_JSON_INLINE);
    for (size_t i = 0; i < reference->passed_count; i++) {
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_string(json, "path", reference->passed[i].path);
        ilpi_json_string(json, "why", reference->passed[i].why);
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
    ilpi_json_array(json, "lookedIn", ILPI_JSON_INLINE);
    for (size_t i = 0; i < reference->looked.count; i++) {
        ilpi_json_string(json, NULL, reference->looked.items[i]);
    }
    ilpi_json_end(json);
    ilpi_json_end(json);
}

#define LIST_INDENT 6u /* frameworks, references and modules are lists on lines of their own */

/* "guessed": the program does not say which framework it runs with, and the newest one is taken. */
static void json_program(struct ilpi_json *json, struct program *program, bool for_framework)
{
    const char *wrong = program->frameworks.wrong ? program->frameworks.wrong
                                                  : program_deps_error(program);
    ilpi_json_bool(json, "anyVersion", for_framework);
    ilpi_json_bool(json, "guessed", program->guessed);
    if (program->configured) {
        ilpi_json_string(json, "config", program->config.path);
    }
    if (wrong) {
        ilpi_json_string(json, "wrong", wrong);
    }
    ilpi_json_line(json, LIST_INDENT);
    ilpi_json_array(json, "frameworks", ILPI_JSON_INLINE);
    for (size_t i = 0; i < program->frameworks.count; i++) {
        char *version = version_text(&program->frameworks.items[i].version);
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_string(json, "name", program->frameworks.items[i].request.name);
        ilpi_json_string(json, "version", version);
        ilpi_json_string(json, "directory", program->frameworks.items[i].directory);
        ilpi_json_end(json);
        free(version);
    }
    ilpi_json_end(json);
}

/* ---- one file ---- */

/* Every row of AssemblyRef, in order (II.22.5). A name that cannot be a file's, such as one with a
 * separator, is not searched for. */
static void resolve_references(struct resolving *resolving)
{
    const struct ilp_image *image = resolving->file->image;
    struct ilpi_json *json = resolving->file->json;
    struct ilp_assembly_name name;
    for (ilp_rid rid = 1; ilp_image_reference_name(image, rid, &name); rid++) {
        const struct reference *reference = references_find(resolving->file->references, &name);
        if (!reference) {
            report_message("%s: the name of assembly reference %u is not valid",
                           ilp_image_name(image), rid);
            resolving->missing = true;
            continue;
        }
        resolving->missing = resolving->missing || !reference->image;
        if (json) {
            json_reference(json, reference);
        } else {
            print_reference(resolving, reference);
        }
    }
}

#define NO_METADATA 1u /* FileAttributes.ContainsNoMetaData (II.23.1.6) */

/* The other files of an assembly; a module names those it uses. A file without metadata is a
 * resource, which has nothing to resolve. */
static void resolve_modules(struct resolving *resolving)
{
    const struct ilp_image *image = resolving->file->image;
    struct ilp_resolver resolver = references_resolver(resolving->file->references);
    struct ilpi_json *json = resolving->file->json;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_File); rid++) {
        const char *file = ilp_string(image, ilp_cell(image, ILP_File, rid, ILP_File_Name));
        if (ilp_cell(image, ILP_File, rid, ILP_File_Flags) & NO_METADATA) {
            continue;
        }
        const struct ilp_image *module = resolver.open_module(resolver.user, image, file);
        resolving->missing = resolving->missing || !module;
        if (json) {
            ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
            ilpi_json_string(json, "file", file);
            ilpi_json_bool(json, "found", module != NULL);
            ilpi_json_end(json);
        } else {
            fputs("  module ", stdout);
            text_out(stdout, file, false);
            fputs("  ", stdout);
            text_out(stdout, module ? ilp_image_name(module) : "not found", false);
            putchar('\n');
        }
    }
}

/* Exit code 1 for a reference that is missing, because a patch of this file would leave methods
 * alone for that.
 *
 *   {"file", "anyVersion", "guessed", "config", "wrong", "frameworks": [...],
 *    "references": [{"name", "version", "place", "path", ...}], "modules": [{"file", "found"}]} */
static enum exit_code resolve_image(void *user, const struct opened_file *file)
{
    const struct resolve_options *options = user;
    struct resolving resolving = {.file = file, .verbose = options->verbose};
    struct program *program = references_program(file->references);
    bool for_framework = references_for_framework(file->references);
    struct ilpi_json *json = file->json;
    if (json) {
        json_program(json, program, for_framework);
        ilpi_json_line(json, LIST_INDENT);
        ilpi_json_array(json, "references", ILPI_JSON_HANGING);
        resolve_references(&resolving);
        ilpi_json_end(json);
        ilpi_json_line(json, LIST_INDENT);
        ilpi_json_array(json, "modules", ILPI_JSON_INLINE);
        resolve_modules(&resolving);
        ilpi_json_end(json);
    } else {
        text_out(stdout, file->path, false);
        puts(":");
        print_program(program, for_framework);
        resolve_references(&resolving);
        resolve_modules(&resolving);
    }
    return resolving.missing ? EXIT_INCOMPLETE : EXIT_DONE;
}

/* ---- the command line ---- */

/* *finished: nothing is left to do, after help or an error. */
static enum exit_code parse(char **argv, struct resolve_options *options, bool *finished)
{
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_RESOLVE, argv, false);
    *finished = true;
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_VERBOSE: options->verbose = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_RESOLVE, help, help_end);
        default:
            if (!input_files_option(&options->inputs, option, reader.value)) {
                return option_error("resolve", &reader);
            }
        }
    }
    enum exit_code code = input_files_operands(&options->inputs, &reader, "resolve");
    *finished = code != EXIT_DONE;
    return code;
}

enum exit_code cmd_resolve(int argc, char **argv)
{
    struct resolve_options options = {.verbose = false};
    bool finished;
    input_files_begin(&options.inputs, argc, SCHEMA_RESOLVE);
    enum exit_code code = parse(argv, &options, &finished);
    if (!finished) {
        code = each_file(&options.inputs, resolve_image, &options);
    }
    input_files_end(&options.inputs);
    return code;
}
