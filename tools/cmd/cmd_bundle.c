/* ilpatch bundle: lists and extracts the files of a single-file program.
 *
 * src/bundle/ reads the manifest, host/bundle_file.c writes a file below the folder. Extracting
 * stops at the first failure, so that a full disk gives one message, but a path that the bundle
 * lacks does not stop it: the others are extracted, and the exit code is 1.
 *
 *         1234  assembly  App.dll                      SIZE  TYPE  PATH, in the order of the
 *        56789  native    libX.so  (20000 compressed)  manifest; SIZE is that after unpacking */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd/command_line.h"
#include "host/bundle_file.h"
#include "host/output_place.h"
#include "host/path.h"
#include "host/schemas.h"
#include "host/file_io.h"
#include "host/standard_streams.h"
#include "host/text_out.h"
#include "tools/tool.h"

static const char help[] = "ilpatch bundle list [--json] FILE\n"
                           "ilpatch bundle extract [-o DIR] FILE [PATH...]\n"
                           "\n"
                           "Shows what is in a single-file program of .NET, or extracts it: all of "
                           "its files, or those of the paths\n"
                           "that list prints.\n"
                           "\n";

static const char help_end[] =
    "\n"
    "All commands take what is inside by its path, as if FILE were a folder:\n"
    "  ilpatch list FILE/Lib.dll\n"
    "  ilpatch inspect FILE            the program's own assemblies\n"
    "  ilpatch inspect FILE/Lib.dll    that one; what was patched before stays\n"
    "\n"
    "Exit codes: 0 done, 1 no such PATH, 2 bad usage, 3 bad input, 4 cannot write.\n";

/* The types that the manifest has, as the list shows them. */
static const char *const type_words[ILP_BUNDLE_TYPES] = {
    [ILP_BUNDLE_UNKNOWN] = "file",
    [ILP_BUNDLE_ASSEMBLY] = "assembly",
    [ILP_BUNDLE_NATIVE] = "native",
    [ILP_BUNDLE_DEPS_JSON] = "deps",
    [ILP_BUNDLE_RUNTIME_CONFIG_JSON] = "config",
    [ILP_BUNDLE_SYMBOLS] = "symbols",
};

static enum exit_code list_as_json(const struct bundle_file *file, const char *path)
{
    size_t count;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(file->bundle, &count);
    struct ilpi_json json;
    ilpi_json_begin(&json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(&json, SCHEMA_BUNDLE, ILPI_JSON_INLINE);
    ilpi_json_string(&json, "file", path);
    ilpi_json_array(&json, "files", ILPI_JSON_LINES_ALWAYS);
    for (size_t i = 0; i < count; i++) {
        ilpi_json_object(&json, NULL, ILPI_JSON_INLINE);
        ilpi_json_string(&json, "path", entries[i].path);
        ilpi_json_string(&json, "type", type_words[entries[i].type]);
        ilpi_json_unsigned(&json, "size", entries[i].size);
        if (entries[i].packed_size != 0) {
            ilpi_json_unsigned(&json, "compressed", entries[i].packed_size);
        }
        ilpi_json_end(&json);
    }
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    return ilpi_json_finish(&json) == ILP_OK ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

/* In the order of the manifest; a compressed file has both sizes. */
static enum exit_code list_files(const struct bundle_file *file)
{
    size_t count;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(file->bundle, &count);
    for (size_t i = 0; i < count; i++) {
        printf("%10llu  %-8s  ", (unsigned long long)entries[i].size, type_words[entries[i].type]);
        text_out(stdout, entries[i].path, false);
        if (entries[i].packed_size != 0) {
            printf("  (%llu compressed)", (unsigned long long)entries[i].packed_size);
        }
        putchar('\n');
    }
    return EXIT_DONE;
}

/* Files of a bundle may have any name, and may be extracted into a folder with patched files. A
 * name that ilpatch gives to its own files, such as NAME.orig, would be taken for one of them by
 * the next run. */
static enum exit_code extract_one(const struct bundle_file *file,
                                  const struct ilp_bundle_entry *entry, const char *directory)
{
    char *path = path_join(directory, entry->path);
    const char *kept = path ? output_place_kept(path) : NULL;
    if (kept) {
        report_message("%s: not extracted: a file of this name is %s", path, kept);
    }
    free(path);
    return kept ? EXIT_CANNOT_WRITE : bundle_extract(file, entry, directory);
}

/* Extracts the named files, or all; in the end *missing is a name that the bundle lacks. */
static enum exit_code extract_files(const struct bundle_file *file, const char *directory,
                                    int count, char **paths, const char **missing)
{
    size_t entry_count;
    enum exit_code code = EXIT_DONE;
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(file->bundle, &entry_count);
    for (size_t i = 0; i < entry_count && count == 0 && code == EXIT_DONE; i++) {
        code = extract_one(file, &entries[i], directory);
    }
    for (int i = 0; i < count && code == EXIT_DONE; i++) {
        const struct ilp_bundle_entry *entry = ilp_bundle_find(file->bundle, paths[i]);
        *missing = entry ? *missing : paths[i];
        code = entry ? extract_one(file, entry, directory) : EXIT_DONE;
    }
    return code;
}

/* -o -: the one named file goes to standard output. It is unpacked in memory before its first byte
 * is written: of a damaged one nothing is. */
static enum exit_code extract_to_standard(const struct bundle_file *file, const char *path,
                                          const char **missing)
{
    struct ilp_arena *arena;
    struct ilp_bytes contents;
    struct ilp_error error;
    enum exit_code code = EXIT_DONE;
    const struct ilp_bundle_entry *entry = ilp_bundle_find(file->bundle, path);
    if (!entry) {
        *missing = path;
        return EXIT_DONE;
    }
    need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
    if (ilp_bundle_read(file->bundle, entry, arena, &contents, &error) != ILP_OK) {
        report_file_error(path, &error);
        code = exit_code_of(&error);
    } else if (!write_all(STDOUT_FILENO, contents)) {
        report_message("cannot write to standard output: %s", strerror(errno));
        code = EXIT_CANNOT_WRITE;
    }
    ilp_arena_close(arena);
    return code;
}

/* A missing path is reported after everything else, because it matters only if nothing worse
 * happened. */
static enum exit_code run(bool extract, bool as_json, const char *directory, const char *path,
                          int count, char **paths)
{
    struct bundle_file file;
    struct ilp_error error;
    const char *missing = NULL;
    if (!bundle_file_open(&file, path, &error)) {
        report_file_error(path, &error);
        return EXIT_BAD_INPUT;
    }
    enum exit_code code;
    if (!extract) {
        code = as_json ? list_as_json(&file, path) : list_files(&file);
    } else if (is_standard(directory)) {
        code = extract_to_standard(&file, paths[0], &missing);
    } else {
        code = extract_files(&file, directory, count, paths, &missing);
    }
    if (missing) {
        report_message(
            "%s: cannot find %s in the bundle. Run 'ilpatch bundle list %s' to print all paths",
            path, missing, path);
        code = code > EXIT_INCOMPLETE ? code : EXIT_INCOMPLETE;
    }
    bundle_file_close(&file);
    return code;
}

/* Bytes are not written to a terminal, and two files not to one stream. */
enum exit_code cmd_bundle(int argc, char **argv)
{
    (void)argc;
    const char *directory = NULL;
    bool as_json = false;
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_BUNDLE, argv, false);
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_OUTPUT: directory = reader.value; break;
        case OPTION_JSON: as_json = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_BUNDLE, help, help_end);
        default: return option_error("bundle", &reader);
        }
    }
    char **rest = reader.operands;
    const char *action = reader.operand_count != 0 ? rest[0] : "";
    bool extract = strcmp(action, "extract") == 0;
    if (!extract && strcmp(action, "list") != 0) {
        static const char *const actions[] = {"list", "extract"};
        return unknown_word("bundle", "action", action, actions,
                            sizeof actions / sizeof actions[0]);
    }
    int count = reader.operand_count - 2;
    if (count < 0 || (!extract && (count > 0 || directory))) {
        return usage_error("bundle",
                           count < 0 ? "no file is named" : "list takes one file, and no -o");
    }
    if (extract && as_json) {
        return usage_error("bundle", "--json is for list");
    }
    if (directory && is_standard(directory) && count != 1) {
        return usage_error("bundle", "standard output has room for one file: name one PATH");
    }
    if (directory && is_standard(directory) && isatty(STDOUT_FILENO)) {
        return usage_error(
            "bundle", "-o - writes binary data, and standard output is a terminal: redirect it");
    }
    return run(extract, as_json, directory ? directory : ".", rest[1], count, rest + 2);
}
