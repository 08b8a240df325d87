/* Whether two options write to one place, or one of them to a file that is read. See
 * output_places.h. */
#include "tools/patch/output_places.h"

#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"
#include "host/output_place.h"
#include "host/path.h"
#include "host/standard_streams.h"
#include "tools/tool.h"

/* An input that is no assembly and that the output `path` would take the place of. */
static const char *read_from(const char *path, const struct output_places *places)
{
    const struct request_options *request = places->request;
    for (size_t i = 0; i < request->rules.count; i++) {
        if (file_is_same(path, request->rules.items[i])) {
            return request->rules.items[i];
        }
    }
    if (places->key && file_is_same(path, places->key)) {
        return places->key;
    }
    return request->inspector && file_is_same(path, request->inspector) ? request->inspector : NULL;
}

/* Where the patched file goes. Owned by the caller. */
static char *output_of(const struct output_places *places, const char *given)
{
    char *file = host_assembly(given);
    const char *output = places->output;
    if (output && path_is_directory(output)) {
        char *path = path_join(output, path_name(file));
        free(file);
        return path;
    }
    if (output) {
        free(file);
        return need(strdup(output));
    }
    return file;
}

/* Whether `path` is the patched file at `output`, or one that belongs to it: the original, the
 * record of it, the PDB. */
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

/* `option` names a file that is written beside the patched ones: it has to be a place of its
 * own. */
static enum exit_code check_place(const char *option, const char *path,
                                  const struct output_places *places)
{
    if (!path || is_standard(path)) {
        return EXIT_DONE;
    }
    const char *replaced = read_from(path, places);
    for (int i = 0; i < places->count && !replaced; i++) {
        replaced = file_is_same(path, places->files[i]) ? places->files[i] : NULL;
    }
    if (replaced) {
        return usage_error("inspect", "%s would replace %s", option, replaced);
    }
    for (int i = 0; i < places->count; i++) {
        char *output = output_of(places, places->files[i]);
        bool taken = !is_standard(output) && belongs_to(path, output);
        free(output);
        if (taken) {
            return usage_error("inspect", "%s %s: this name is needed for what is written of %s",
                               option, path, places->files[i]);
        }
    }
    const char *kind = output_place_kind(path, false);
    return kind ? usage_error("inspect", "%s %s: a file of this name is %s; choose another name",
                              option, path, kind)
                : EXIT_DONE;
}

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
    if (code == EXIT_DONE && places->id_map && places->report &&
        file_is_same_place(places->id_map, places->report)) {
        code = usage_error("inspect", "--id-map and --report name one file");
    }
    return code;
}

/* Whether `path` is where an inspector is put beside the patched file at `output`. */
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

static enum exit_code check_inspectors(const struct output_places *places,
                                       const struct request *what, const char *option,
                                       const char *path)
{
    for (size_t i = 0; i < what->inspector_file_count && path && !is_standard(path); i++) {
        for (int j = 0; j < places->count && !what->inspector_files[i].native; j++) {
            char *output = output_of(places, places->files[j]);
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

enum exit_code places_check_inspectors(const struct output_places *places,
                                       const struct request *what)
{
    if (what->embed) {
        return EXIT_DONE;
    }
    enum exit_code code = check_inspectors(places, what, "--report", places->report);
    return code == EXIT_DONE ? check_inspectors(places, what, "--id-map", places->id_map) : code;
}
