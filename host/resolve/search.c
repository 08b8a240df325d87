/* Searches for assemblies in all places, cheap ones first: JSON files are read only if those fail.
 *
 *   beside the program, or a framework's copy or a package's variant if the host prefers that
 *     > --reference-path > packages of .deps.json > the program's frameworks
 *     > MONO_PATH > Mono's global cache > Mono's folders      unless the frameworks are certain
 *     > reference assemblies
 *
 * The first file with the right name and a version that is not too low is taken (candidate.c). What
 * was passed over, and where was looked, is kept in the reference for messages. */
#include "host/resolve/search.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/program_folder.h"
#include "host/resolve/candidate.h"
#include "host/resolve/image_cache.h"

bool search_open(struct search *search, const char *const *paths, size_t path_count)
{
    *search = (struct search){.paths = paths,
                              .path_count = path_count,
                              .images = image_cache_open(),
                              .installed = installed_open()};
    bool opened = search->images && search->installed;
    if (!opened) {
        image_cache_close(search->images);
        installed_close(search->installed);
    }
    return opened;
}

/* Images and installations are shared; the program, of which each search has its own, is not. */
void search_share(struct search *search, const struct search *other)
{
    *search = (struct search){.paths = other->paths,
                              .path_count = other->path_count,
                              .images = other->images,
                              .installed = other->installed,
                              .shares = true};
}

void search_leave_program(struct search *search)
{
    if (search->program_known) {
        program_close(&search->program);
    }
    search->program_known = false;
}

void search_close(struct search *search)
{
    search_leave_program(search);
    if (!search->shares) {
        image_cache_close(search->images);
        installed_close(search->installed);
    }
    free(search->looked_into);
    free(search->file);
}

struct program *search_program(struct search *search)
{
    if (!search->program_known) {
        program_open(&search->program, search->file ? search->file : "", search->installed);
        search->program_known = true;
    }
    return &search->program;
}

/* Images stay open: references borrow them. */
void search_forget(struct search *search)
{
    search_leave_program(search);
    free(search->looked_into);
    search->looked_into = NULL;
    installed_forget(search->installed);
}

/* By the references of an image. mscorlib and none of .NET's own: then the assembly runs on .NET
 * Framework or Mono. */
static bool is_of_framework(const struct ilp_image *image)
{
    static const char *const of_dotnet[] = {"System.Runtime", "System.Private.CoreLib",
                                            "netstandard"};
    bool found = false;
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_AssemblyRef); rid++) {
        const char *name = ilp_string(image,
                                      ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name));
        found = found || strcmp(name, "mscorlib") == 0;
        for (size_t i = 0; i < sizeof of_dotnet / sizeof of_dotnet[0]; i++) {
            if (strcmp(name, of_dotnet[i]) == 0) {
                return false;
            }
        }
    }
    return found;
}

static bool has_config(const char *directory)
{
    struct path_list configs = {NULL, 0};
    path_list_entries(&configs, directory, ".runtimeconfig.json");
    bool found = configs.count != 0;
    path_list_free(&configs);
    return found;
}

/* Whether the program's folder has any .runtimeconfig.json; cached, since files of one folder are
 * consecutive. */
static bool is_configured(struct search *search, const char *assembly_path)
{
    char *directory = path_directory(assembly_path);
    bool known = search->looked_into && directory && strcmp(search->looked_into, directory) == 0;
    if (!known) {
        char *program = program_folder(assembly_path);
        search->configured = has_config(program);
        free(program);
    }
    free(search->looked_into);
    search->looked_into = directory;
    return search->configured;
}

bool search_is_for_framework(struct search *search, const char *assembly_path)
{
    bool configured = is_configured(search, assembly_path);
    const struct ilp_image *image = configured
                                        ? NULL
                                        : image_cache_get(search->images, assembly_path, NULL);
    bool found = image && is_of_framework(image);
    image_cache_release_pages(search->images,
                              assembly_path); /* it is also open as the patched file */
    return found;
}

/* ---- single places ---- */

/* A file that is not there is not a candidate that was passed over. */
static bool try_file(struct search *search, struct reference *reference, const char *path,
                     enum place place)
{
    bool there;
    struct ilp_image *image = image_cache_get(search->images, path, &there);
    return there && candidate_try(reference, image, path, place);
}

/* Metadata for the Windows Runtime is in .winmd files, which are preferred for references that have
 * that content type and not tried for others. */
static bool try_folder(struct search *search, struct reference *reference, const char *directory,
                       enum place place)
{
    static const char *const endings[] = {".dll", ".exe", ".winmd"};
    bool windows = candidate_is_windows(&reference->name);
    bool found = false;
    path_list_add(&reference->looked, copy_text(directory));
    for (size_t i = 0; i < 3 && !found && directory; i++) {
        const char *ending = endings[windows ? 2 - i : i];
        if (windows || i != 2) {
            char *path = format_text("%s/%s%s", directory, reference->name.name, ending);
            found = try_file(search, reference, path, place);
            free(path);
        }
    }
    return found;
}

static bool try_folders(struct search *search, struct reference *reference,
                        const struct path_list *folders, enum place place)
{
    bool found = false;
    for (size_t i = 0; i < folders->count && !found; i++) {
        found = try_folder(search, reference, folders->items[i], place);
    }
    return found;
}

/* The manifests are what was looked into, for messages. */
static bool try_package(struct search *search, struct reference *reference)
{
    struct program *program = search_program(search);
    char *path = program_package_file(program, reference->name.name);
    for (size_t i = 0; i < program->deps_files.count; i++) {
        path_list_add(&reference->looked, copy_text(program->deps_files.items[i]));
    }
    bool found = try_file(search, reference, path, PLACE_PACKAGE);
    free(path);
    return found;
}

/* The program's own copy, unless the host would prefer a framework's, or a variant for this
 * machine. A file in a subfolder of the program (a plug-in) has two folders of its own: that one,
 * and the program's. */
static bool try_beside(struct search *search, struct reference *reference)
{
    struct program *program = search_program(search);
    char *directory = path_directory(search->file ? search->file : "");
    char *path = directory ? format_text("%s/%s.dll", directory, reference->name.name) : NULL;
    bool there = path_is_there(path);
    const char *preferred = there ? program_preferred_framework(program, reference->name.name)
                                  : NULL;
    if (there && !preferred && program_has_variant(program, reference->name.name)) {
        free(path);
        free(directory);
        return try_package(search, reference);
    }
    bool found = preferred ? try_folder(search, reference, preferred, PLACE_FRAMEWORK)
                           : try_folder(search, reference, directory, PLACE_BESIDE);
    if (!found && directory && program->directory && strcmp(directory, program->directory) != 0) {
        found = try_folder(search, reference, program->directory, PLACE_BESIDE);
    }
    free(path);
    free(directory);
    return found;
}

static bool try_paths(struct search *search, struct reference *reference)
{
    bool found = false;
    for (size_t i = 0; i < search->path_count && !found; i++) {
        found = try_folder(search, reference, search->paths[i], PLACE_REFERENCE_PATH);
    }
    return found;
}

/* In the order of the program's frameworks. */
static bool try_frameworks(struct search *search, struct reference *reference)
{
    const struct program *program = search_program(search);
    bool found = false;
    for (size_t i = 0; i < program->frameworks.count && !found; i++) {
        found = try_folder(search, reference, program->frameworks.items[i].directory,
                           program->guessed ? PLACE_NEWEST : PLACE_FRAMEWORK);
    }
    return found;
}

/* Candidates are whole paths here, so the folders of the cache are noted as places. */
static bool try_gac(struct search *search, struct reference *reference)
{
    const struct mono_places *mono = installed_mono(search->installed);
    struct path_list files = {NULL, 0};
    bool found = false;
    mono_gac_files(&files, mono, &reference->name);
    for (size_t i = 0; i < mono->gacs.count; i++) {
        path_list_add(&reference->looked, copy_text(mono->gacs.items[i]));
    }
    for (size_t i = 0; i < files.count && !found; i++) {
        found = try_file(search, reference, files.items[i], PLACE_GAC);
    }
    path_list_free(&files);
    return found;
}

static bool try_mono(struct search *search, struct reference *reference)
{
    const struct mono_places *mono = installed_mono(search->installed);
    return try_folders(search, reference, &mono->path, PLACE_MONO_PATH) ||
           try_gac(search, reference) || try_folders(search, reference, &mono->folders, PLACE_MONO);
}

static bool try_reference_assemblies(struct search *search, struct reference *reference)
{
    return try_folders(search, reference, installed_packs(search->installed),
                       PLACE_REFERENCE_ASSEMBLY);
}

/* ---- all places ---- */

/* Mono does not run a program whose frameworks are certain. One built for .NET Framework may run on
 * both: then the types of inspector and program are those of .NET, if it is installed. */
void search_assembly(struct search *search, struct reference *reference)
{
    reference->lax = search->for_framework || candidate_is_windows(&reference->name);
    if (try_beside(search, reference) || try_paths(search, reference) ||
        try_package(search, reference) || try_frameworks(search, reference)) {
        return;
    }
    bool certain = search_program(search)->configured && !search->program.guessed;
    if (certain || !try_mono(search, reference)) {
        try_reference_assemblies(search, reference);
    }
}

void search_release_pages(struct search *search, const struct ilp_image *image)
{
    image_cache_release_pages(search->images, image ? ilp_image_name(image) : NULL);
}

/* The other files of an assembly are in its folder (II.6.1). */
struct ilp_image *search_module(struct search *search, const struct ilp_image *image,
                                const char *file)
{
    char *directory = path_directory(ilp_image_name(image));
    char *path = path_join(directory, file);
    struct ilp_image *found = image_cache_get(search->images, path, NULL);
    free(path);
    free(directory);
    return found;
}
