/* Checks that no two options write to one path, or to a file that is read. See output_places.h.
 *
 *   outputs                    must not be
 *   --report, --id-map, cache  an input; what is written of a FILE; each other; FILE.orig
 *   -o                         a rule file, key or inspector
 *   a placed inspector         the output of an option
 *
 * It is checked before anything is written. Paths are compared by the files that they name, so
 * links do not hide that two are one. */
#include "tools/patch/output_places.h"

#include <stdlib.h>
#include <string.h>

#include "host/output_place.h"
#include "host/path.h"
#include "host/standard_streams.h"
#include "tools/tool.h"

/* The option whose rule file or inspector is at `path`. */
static const char *given_at(const char *path, const struct request_options *given)
{
    for (size_t i = 0; i < given->rules.count; i++) {
        if (file_is_same(path, given->rules.items[i])) {
            return given->rules.items[i];
        }
    }
    return given->inspector && file_is_same(path, given->inspector) ? given->inspector : NULL;
}

/* The option or rule whose inspector is at `path`. */
static const char *inspector_at(const char *path, const struct request *what)
{
    if (what->library && file_is_same(path, what->library)) {
        return what->library;
    }
    for (size_t i = 0; i < what->inspector_file_count; i++) {
        const struct inspector_file *inspector = &what->inspector_files[i];
        const char *name = inspector->stock || inspector->native
                               ? NULL
                               : ilp_image_name(inspector->assembly);
        if (file_is_same(path, name)) {
            return name;
        }
    }
    return NULL;
}

/* An input other than an assembly that the output `path` would replace. */
static const char *read_from(const char *path, const struct output_places *places)
{
    return places->key && file_is_same(path, places->key) ? places->key
                                                          : given_at(path, places->request);
}

/* The output path of the file with this number. Owned by the caller. */
static char *output_of(const struct output_places *places, size_t number)
{
    return named_file_output(&places->files->items[number], places->output);
}

/* Whether `path` is the patched file at `output`, or belongs to it: the original, the record of it,
 * the PDB. */
static bool belongs_to(const char *path, const char *output)
{
    const char *name = path_name(output);
    const char *dot = strrchr(name, '.');
    int stem = dot ? (int)(dot - name) : (int)strlen(name);
    char *folder = path_directory(output);
    char *names[] = {format_text("%s", name), format_text("%s.orig", name),
                     format_text(".%s.ilpatch", name), format_text("%.*s.pdb", stem, name),
                     format_text("%.*s.pdb.orig", stem, name)};
    bool belongs = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *written = path_join(folder, names[i]);
        belongs = belongs || file_is_same_place(path, written);
        free(written);
        free(names[i]);
    }
    free(folder);
    return belongs;
}

/* `option` names a file that is written in addition: its path must be unique. */
static enum exit_code check_place(const char *option, const char *path,
                                  const struct output_places *places)
{
    if (!path || is_standard(path)) {
        return EXIT_DONE;
    }
    const char *replaced = read_from(path, places);
    for (size_t i = 0; i < places->files->count && !replaced; i++) {
        const char *file = places->files->items[i].path;
        replaced = file_is_same(path, file) ? file : NULL;
    }
    if (replaced) {
        return usage_error("inspect", "%s would replace %s", option, replaced);
    }
    for (size_t i = 0; i < places->files->count; i++) {
        char *output = output_of(places, i);
        bool taken = !is_standard(output) && belongs_to(path, output);
        free(output);
        if (taken) {
            return usage_error("inspect", "%s %s: this name is needed for what is written of %s",
                               option, path, places->files->items[i].path);
        }
    }
    const char *kind = output_place_kind(path, false);
    return kind ? usage_error("inspect", "%s %s: a file of this name is %s; choose another name",
                              option, path, kind)
                : EXIT_DONE;
}

/* What the command line alone shows. */
enum exit_code places_check(const struct output_places *places)
{
    const char *replaced = places->output && !is_standard(places->output)
                               ? read_from(places->output, places)
                               : NULL;
    if (replaced) {
        return usage_error("inspect", "-o would replace %s", replaced);
    }
    enum exit_code code = check_place("--report", places->report, places);
    if (code == EXIT_DONE) {
        code = check_place("--id-map", places->id_map, places);
    }
    if (code == EXIT_DONE) {
        code = check_place("--cache", places->cache, places);
    }
    if (code == EXIT_DONE && places->id_map && places->report &&
        file_is_same_place(places->id_map, places->report)) {
        code = usage_error("inspect", "--id-map and --report name one file");
    }
    return code;
}

/* Whether `path` is where an inspector is placed for the patched file at `output`. */
static bool is_inspector(const char *path, const char *output,
                         const struct inspector_file *inspector)
{
    char *folder = path_directory(output);
    char *name = format_text("%s.dll", inspector->name.name);
    char *placed = path_join(folder, name);
    bool same = file_is_same_place(path, placed);
    free(placed);
    free(name);
    free(folder);
    return same;
}

/* Checks that no inspector is overwritten, and none is placed on the output of another option. */
static enum exit_code check_inspectors(const struct output_places *places,
                                       const struct request *what, const char *option,
                                       const char *path)
{
    if (!path || is_standard(path)) {
        return EXIT_DONE;
    }
    const char *replaced = inspector_at(path, what);
    if (replaced) {
        return usage_error("inspect", "%s would replace %s", option, replaced);
    }
    for (size_t i = 0; i < what->inspector_file_count && !what->embed; i++) {
        for (size_t j = 0; j < places->files->count && !what->inspector_files[i].native; j++) {
            char *output = output_of(places, j);
            bool taken = !is_standard(output) &&
                         is_inspector(path, output, &what->inspector_files[i]);
            free(output);
            if (taken) {
                return usage_error("inspect", "%s %s: the inspector itself has to be there", option,
                                   path);
            }
        }
    }
    return EXIT_DONE;
}

/* What is known when the rules are read: they name inspectors as well. */
enum exit_code places_check_inspectors(const struct output_places *places,
                                       const struct request *what)
{
    const char *replaced = NULL;
    for (size_t i = 0; i < places->files->count && places->output && !replaced; i++) {
        char *output = output_of(places, i);
        replaced = is_standard(output) ? NULL : inspector_at(output, what);
        free(output);
    }
    if (replaced) {
        return usage_error("inspect", "-o would replace %s", replaced);
    }
    enum exit_code code = check_inspectors(places, what, "--report", places->report);
    code = code == EXIT_DONE ? check_inspectors(places, what, "--id-map", places->id_map) : code;
    return code == EXIT_DONE ? check_inspectors(places, what, "--cache", places->cache) : code;
}

/* ---- for a running program ---- */

enum exit_code outputs_check_names(const char *command, const struct named_output *outputs,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (outputs[i].path && is_standard(outputs[i].path)) {
            return usage_error(command, "--%s has to name a file, and - is standard output",
                               option_name(outputs[i].option));
        }
    }
    return EXIT_DONE;
}

/* Pipes and terminals may be named twice: nothing replaces them. */
static enum exit_code check_named(const char *command, const struct named_output *outputs,
                                  size_t number, const struct request_options *given,
                                  const struct request *what)
{
    const struct named_output *output = &outputs[number];
    if (!output->path || !path_is_file_or_free(output->path)) {
        return EXIT_DONE;
    }
    const char *replaced = given_at(output->path, given);
    replaced = replaced ? replaced : inspector_at(output->path, what);
    if (replaced) {
        return usage_error(command, "--%s would replace %s", option_name(output->option), replaced);
    }
    for (size_t i = 0; i < number; i++) {
        if (file_is_same_place(output->path, outputs[i].path)) {
            return usage_error(command,
                               "%s would be written twice; give each option a file of its own",
                               output->path);
        }
    }
    return EXIT_DONE;
}

enum exit_code outputs_check_places(const char *command, const struct named_output *outputs,
                                    size_t count, const struct request_options *given,
                                    const struct request *what)
{
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        code = check_named(command, outputs, i, given, what);
    }
    return code;
}
