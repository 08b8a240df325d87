/* Records the result of a patch. See patch_result.h.
 *
 * Whatever a patch has read, or would have read if it had been there, belongs to the result: a PDB
 * that appears later changes it as well. What cannot be compared (standard output, hashes of
 * modules, one file of a bundle) makes it unknown, and an unknown result is not cached. */
#include "tools/patch/patch_result.h"

#include <stdlib.h>
#include <string.h>

#include "host/mdb_file.h"
#include "host/path.h"
#include "host/resolve/program.h"
#include "tools/patch/cache_references.h"
#include "tools/patch/extracted.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

/* And its kept original. Takes the path over. Files that do not exist are recorded, too. */
static void add_file(struct patch_result *result, char *owned_path)
{
    if (owned_path) {
        path_list_add(&result->files, need(format_text("%s.orig", owned_path)));
        path_list_add(&result->files, owned_path);
    }
}

/* Both places of the PDB, and Mono's .mdb: whether they exist is part of the result. */
static void add_symbols(struct patch_result *result, const struct ilp_image *image,
                        const char *file)
{
    char *paths[2];
    symbols_paths(image, file, paths);
    add_file(result, paths[0]);
    add_file(result, paths[1]);
    add_file(result, need(mdb_path(file)));
}

/* For files in a bundle, PDBs that are beside the bundle. */
static void add_all_symbols(struct patch_result *result, const struct job *job,
                            const struct ilp_image *image)
{
    const struct extracted *extracted = job->request->extracted;
    char *file = extracted_beside(extracted, extracted ? extracted->shown : NULL, job->file);
    char *output = extracted_beside(extracted, extracted ? extracted->output : NULL,
                                    job->output_path);
    add_symbols(result, image, file);
    /* with -o the patch may have written symbols beside the output, too */
    if (strcmp(file, output) != 0) {
        add_symbols(result, image, output);
    }
    free(output);
    free(file);
}

/* The files that show whether the program is trimmed. */
static void add_program(struct patch_result *result, const struct job *job)
{
    const struct program *program = references_program(job->request->what->references);
    if (program->config.path) {
        add_file(result, need(strdup(program->config.path)));
    }
}

/* One letter for each inspector. */
static char *beside(const struct request *what, const bool *used, bool small)
{
    char *letters = need(calloc(what->inspector_file_count + 1, 1));
    for (size_t i = 0; i < what->inspector_file_count; i++) {
        letters[i] = (char)(!used || !used[i] ? BESIDE_NOTHING
                            : small && i == 0 ? BESIDE_SMALL
                                              : BESIDE_INSPECTOR);
    }
    return letters;
}

/* `used`: the inspectors that must be beside it; NULL: none. */
static void set_file(struct patch_result *result, const struct job *job, const bool *used)
{
    const struct patch_request *request = job->request;
    /* This runs after the commit: FILE.orig may have been made just now, and is the input of the
     * next run. */
    const char *kept = !request->output && file_exists(job->kept) ? job->kept : NULL;
    /* --in-place keeps no input to compare with, and -o - no output */
    result->unknown = result->unknown || request->in_place || request->alone;
    result->input = need(strdup(kept ? kept : job->input));
    result->beside = beside(request->what, used, request->report->small_because != NULL);
}

/* Called for each assembly of a bundle, so references are collected in one stream; the file itself
 * is recorded once, by patch_result_bundle(). */
void patch_result_assembly(struct patch_result *result, const struct job *job,
                           const struct ilp_image *image, bool mvid_recorded)
{
    const struct patch_request *request = job->request;
    const struct extracted *extracted = request->extracted;
    /* a module's hash depends on a file that is patched separately */
    result->unknown = result->unknown || ilp_row_count(image, ILP_File) != 0;
    add_all_symbols(result, job, image);
    if (!result->references) {
        result->references = need(open_memstream(&result->reference_text, &result->reference_size));
    }
    cache_references_print(result->references, request->what->references, job->shown,
                           extracted ? extracted->folder : NULL);
    if (extracted) {
        return;
    }
    result->mvid_recorded = mvid_recorded;
    set_file(result, job, request->what->embed ? NULL : request->report->used);
    if (request->report->small_because) {
        add_program(result, job);
    }
}

/* After its assemblies. `whole` is false if only some of its files were requested. */
void patch_result_bundle(struct patch_result *result, const struct job *job, bool whole)
{
    result->unknown = result->unknown || !whole;
    set_file(result, job, NULL);
}

void patch_result_free(struct patch_result *result)
{
    free(result->input);
    free(result->beside);
    if (result->references) {
        fclose(result->references);
    }
    free(result->reference_text);
    path_list_free(&result->files);
}
