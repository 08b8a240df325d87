/* Edits .deps.json files (the host's dependency manifest):
 *
 *   { "runtimeTarget": { "name": T }, "targets": { T: { "Name/1.0.0": { "runtime": { "Name.dll": {...} } } } },
 *     "libraries": { "Name/1.0.0": { "type": "reference", "serviceable": false, "sha512": "" } } }
 */
#include "deps_json.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One file and the entry in question. */
struct deps_edit {
    const char *path;
    char *key;        /* "MyProfiler/1.0.0" */
    char *file_name;  /* "MyProfiler.dll" */
    char *version;    /* "1.0.0.0" */
};

static json_t *load(struct ilp_bytes bytes)
{
    return json_loadb((const char *)bytes.data, bytes.size, 0, NULL);
}

/* The libraries of the target that is run; NULL when the file is no such manifest. */
static json_t *target_of(json_t *deps)
{
    const json_t *runtime = json_object_get(deps, "runtimeTarget");
    const char *name = json_string_value(json_is_string(runtime) ? runtime
                                                                 : json_object_get(runtime, "name"));
    json_t *target = name ? json_object_get(json_object_get(deps, "targets"), name) : NULL;
    return json_is_object(target) ? target : NULL;
}

static bool has_entry(json_t *deps, const struct deps_edit *edit)
{
    return json_object_get(target_of(deps), edit->key) != NULL;
}

static json_t *library_entry(void)
{
    return need(json_pack("{s:s,s:b,s:s}", "type", "reference", "serviceable", 0, "sha512", ""));
}

static json_t *target_entry(const struct deps_edit *edit)
{
    return need(json_pack("{s:{s:{s:s,s:s}}}", "runtime", edit->file_name, "assemblyVersion",
                          edit->version, "fileVersion", edit->version));
}

/* Whether the entry is as add_entry() makes it; an application may list the assembly by itself. */
static bool has_our_entry(json_t *deps, const struct deps_edit *edit)
{
    json_t *library = library_entry();
    json_t *target = target_entry(edit);
    bool ours = json_equal(json_object_get(target_of(deps), edit->key), target) &&
                json_equal(json_object_get(json_object_get(deps, "libraries"), edit->key), library);
    json_decref(target);
    json_decref(library);
    return ours;
}

static void add_entry(json_t *deps, const struct deps_edit *edit)
{
    json_t *libraries = json_object_get(deps, "libraries");
    if (!json_is_object(libraries)) {
        libraries = json_object();
        json_object_set_new(deps, "libraries", libraries);
    }
    json_object_set_new(target_of(deps), edit->key, target_entry(edit));
    json_object_set_new(libraries, edit->key, library_entry());
}

static void remove_entry(json_t *deps, const struct deps_edit *edit)
{
    json_object_del(target_of(deps), edit->key);
    json_object_del(json_object_get(deps, "libraries"), edit->key);
}

static char *text_of(json_t *deps)
{
    return need(json_dumps(deps, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17)));
}

static bool write_text(const char *path, const char *text)
{
    int error;
    if (!file_write(path, (struct ilp_bytes){(const uint8_t *)text, strlen(text)}, path, &error)) {
        tell("%s: cannot write: %s", path, strerror(error));
        return false;
    }
    return true;
}

/* A *.deps.json.orig that is there already is somebody's, and stays: then the entry is taken out again by itself,
 * and only the layout of the file may come out differently. */
static int add_to_file(const struct deps_edit *edit, struct ilp_bytes bytes)
{
    json_t *deps = load(bytes);
    int changed = 0;
    if (target_of(deps) && !has_entry(deps, edit)) {
        char *kept = format_text("%s.orig", edit->path);
        int error;
        if (file_exists(kept) || file_write(kept, bytes, edit->path, &error)) {
            add_entry(deps, edit);
            char *text = text_of(deps);
            changed = write_text(edit->path, text) ? 1 : -1;
            free(text);
        } else {
            tell("%s: cannot write: %s", kept, strerror(error));
            changed = -1;
        }
        free(kept);
    }
    json_decref(deps);
    return changed;
}

/* Whether `bytes` is what adding the entry makes of the original. */
static bool is_made_from(struct ilp_bytes bytes, struct ilp_bytes original,
                         const struct deps_edit *edit)
{
    json_t *deps = load(original);
    bool made = false;
    if (target_of(deps)) {
        add_entry(deps, edit);
        char *text = text_of(deps);
        made = bytes_equal(bytes, (struct ilp_bytes){(const uint8_t *)text, strlen(text)});
        free(text);
    }
    json_decref(deps);
    return made;
}

static int remove_from_file(const struct deps_edit *edit, struct ilp_bytes bytes)
{
    char *kept = format_text("%s.orig", edit->path);
    json_t *deps = load(bytes);
    struct file_view original = {.bytes = {NULL, 0}};
    int changed = 0;
    if (has_our_entry(deps, edit)) {
        if (file_view_open(&original, kept) && is_made_from(bytes, original.bytes, edit)) {
            changed = rename(kept, edit->path) == 0 ? 1 : -1;
        } else {
            remove_entry(deps, edit);
            char *text = text_of(deps);
            changed = write_text(edit->path, text) ? 1 : -1;
            free(text);
        }
    }
    file_view_close(&original);
    json_decref(deps);
    free(kept);
    return changed;
}

static int for_each_file(const char *directory, const struct ilp_assembly_name *assembly,
                         int (*change)(const struct deps_edit *edit, struct ilp_bytes bytes))
{
    struct deps_edit edit = {
        .key = format_text("%s/%u.%u.%u", assembly->name, assembly->version[0], assembly->version[1],
                           assembly->version[2]),
        .file_name = format_text("%s.dll", assembly->name),
        .version = format_text("%u.%u.%u.%u", assembly->version[0], assembly->version[1],
                               assembly->version[2], assembly->version[3]),
    };
    int total = 0;
    DIR *entries = opendir(directory);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        struct file_view view;
        char *path = path_join(directory, entry->d_name);
        if (ends_with(entry->d_name, ".deps.json") && file_view_open(&view, path)) {
            edit.path = path;
            int changed = change(&edit, view.bytes);
            total = changed < 0 || total < 0 ? -1 : total + changed;
            file_view_close(&view);
        }
        free(path);
    }
    if (entries) {
        closedir(entries);
    }
    free(edit.key);
    free(edit.file_name);
    free(edit.version);
    return total;
}

int deps_add(const char *directory, const struct ilp_assembly_name *assembly)
{
    return for_each_file(directory, assembly, add_to_file);
}

int deps_remove(const char *directory, const struct ilp_assembly_name *assembly)
{
    return for_each_file(directory, assembly, remove_from_file);
}
