/* Patches in memory: opens the bytes as an image, inspects and edits it like a file, and writes it
 * to memory. See patch.h.
 *
 *   bytes -> image -> an inspector? no methods? no rule can match? -> left: NULL
 *     -> edit, symbols -> methods inspected: report, ids -> nothing changed? -> NULL
 *     -> ilp_edit_write() -> patched: bytes, symbols, MVID
 *
 * An error leaves the assembly as it is, and the program runs on. Nothing is kept between
 * assemblies but the state in `patching`. */
#include "profiler/mono/patch.h"

#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "host/symbols_file.h"
#include "inspect/inspection.h"
#include "profiler/mono/no_lines.h"
#include "profiler/profiler.h"
#include "profiler/status.h"

bool patching_open(struct patching *patching, const char *runtime)
{
    patching->settings = settings_open(getenv(ENV_OPTIONS), false);
    if (!patching->settings) {
        status_line("failed", "the options in " ENV_OPTIONS " cannot be used");
        return false;
    }
    const struct request *request = settings_request(patching->settings);
    const char *ids = settings_id_map(patching->settings);
    patching->id_map = ids ? path_of_process(ids, process_own()) : NULL;
    if (ids && (!patching->id_map || id_map_open(&patching->ids, patching->id_map) != EXIT_DONE)) {
        status_line("failed", "the file of ids cannot be used");
        return false;
    }
    patching->inspectors = inspectors_open(request);
    patching->report = process_report_open(getenv(ENV_REPORT), request, runtime);
    if (!patching->inspectors) {
        status_line("failed", "out of memory");
    }
    return patching->inspectors != NULL;
}

void patching_close(struct patching *patching)
{
    process_report_close(patching->report);
    inspectors_close(patching->inspectors);
    id_map_close(patching->ids);
    free(patching->id_map);
    if (patching->settings) {
        settings_close(patching->settings);
    }
    *patching = (struct patching){.settings = NULL};
}

void patched_free(struct patched *patched)
{
    if (patched) {
        ilpi_buf_free(&patched->bytes);
        ilpi_buf_free(&patched->symbols);
        free(patched);
    }
}

/* ---- one assembly ---- */

/* Of one assembly; ends with patch(). */
struct work {
    struct patching *patching;
    struct module module; /* for reports: its path, its image, its methods */
    struct ilp_edit *edit;
    struct symbols_file symbols;
    struct ilp_write_options write;
    struct ilp_error error;
};

static ilp_status take_method(void *user, ilp_token method, const struct ilp_method_result *result,
                              struct ilp_error *error)
{
    struct work *work = user;
    (void)error;
    status_slot()->by_reason[result->reason]++;
    process_report_method(work->patching->report, &work->module, method, result);
    if (result->id != 0 && work->patching->ids) {
        id_map_add(work->patching->ids, result->id);
    }
    return ILP_OK;
}

/* The ids are in their file before any is passed. */
static ilp_status inspect(struct work *work)
{
    struct patching *patching = work->patching;
    const struct request *what = settings_request(patching->settings);
    struct ilp_resolver resolver = references_resolver(what->references);
    struct ilp_request request = request_for_library(what, &resolver);
    struct ilp_report report = {work, take_method};
    request.symbols = work->symbols.library;
    request.module_number = patching->ids ? id_map_module(patching->ids, work->module.image) : 0;
    request_index_image(&request, work->module.image);
    ILPI_TRY(ilp_inspect_returns(work->module.image, work->edit, &request, &report, &work->error));
    if (patching->ids && id_map_write(patching->ids) != EXIT_DONE) { /* which has reported why */
        status_line("unwritten", "the file of ids %s", patching->id_map);
    }
    return ILP_OK;
}

/* Symbols in a file are passed to Mono with the image; for those in its own format it would report
 * a mismatch. */
static ilp_status keep_symbols(struct work *work, struct patched *patched)
{
    const struct symbols_file *symbols = &work->symbols;
    patched->symbols.alloc = &patched->alloc;
    if (symbols->answer == SYMBOLS_ANSWER_UPDATED && symbols->input) {
        ilpi_buf_bytes_add(&patched->symbols, symbols->pdb.data, symbols->pdb.size);
    } else if (symbols->answer == SYMBOLS_ANSWER_ASIDE && symbols->input) {
        no_lines_write(&patched->symbols, patched->mvid);
    }
    return patched->symbols.status == ILP_OK
               ? ILP_OK
               : ilpi_fail_memory(&work->error, patched->symbols.size);
}

/* By which Mono identifies the image. */
static ilp_status note_mvid(struct patched *patched, struct ilp_error *error)
{
    struct ilp_image *image;
    ILPI_TRY(ilp_image_open(&image, ilpi_buf_bytes(&patched->bytes), ILP_LAYOUT_FILE, NULL, NULL,
                            error));
    struct ilp_bytes mvid = image_mvid(image);
    if (mvid.size == sizeof patched->mvid) {
        memcpy(patched->mvid, mvid.data, mvid.size);
    }
    ilp_image_close(image);
    return ILP_OK;
}

/* After this the edit is not needed: `patched` owns copies. */
static ilp_status write_image(struct work *work, struct patched *patched)
{
    struct ilp_write_info written;
    patched->bytes.alloc = &patched->alloc;
    struct ilp_sink sink = ilpi_buf_sink(&patched->bytes);
    ILPI_TRY(ilp_edit_write(work->edit, &work->write, &sink, &written, &work->error));
    ILPI_TRY(note_mvid(patched, &work->error));
    return keep_symbols(work, patched);
}

/* *patched stays NULL if nothing changes. No file is replaced, so none has to be kept. */
static ilp_status change(struct work *work, struct patched **patched)
{
    const struct symbols_place place = {
        .file = work->module.path, .output = work->module.path, .in_place = true};
    ILPI_TRY(ilp_edit_open(&work->edit, work->module.image, NULL, &work->error));
    symbols_find(&work->symbols, ILP_SYMBOLS_UPDATE, work->module.image, &place);
    ILPI_TRY(inspect(work));
    if (ilp_edit_is_empty(work->edit)) {
        return ILP_OK;
    }
    ILPI_TRY(symbols_make(&work->symbols, work->edit, &work->write, &work->error));
    struct patched *made = new_items(1, sizeof *made);
    if (!made) {
        return ilpi_fail_memory(&work->error, sizeof *made);
    }
    ilpi_alloc_init(&made->alloc, NULL);
    ilp_status status = write_image(work, made);
    if (status != ILP_OK) {
        patched_free(made);
        return status;
    }
    *patched = made;
    return ILP_OK;
}

/* Most rules concern few assemblies. */
static bool can_be_inspected(const struct work *work)
{
    const struct request *what = settings_request(work->patching->settings);
    struct ilp_request request = request_for_library(what, NULL);
    struct ilp_error error;
    bool possible;
    return ilpi_inspection_possible(work->module.image, &request, &possible, &error) != ILP_OK ||
           possible;
}

/* False: it is left alone; *status: whether that is an error. */
static bool is_meant(struct work *work, ilp_status *status)
{
    struct ilp_image *image = work->module.image;
    *status = ILP_OK;
    if (inspectors_include(work->patching->inspectors, image, &work->error)) {
        *status = work->error.status;
        return false;
    }
    if (ilp_row_count(image, ILP_MethodDef) == 0) { /* resource-only assemblies, facades */
        return false;
    }
    bool meant = can_be_inspected(work);
    if (!meant) {
        process_report_left(work->patching->report, work->module.path, "rules", NULL);
    }
    return meant;
}

static ilp_status patch_image(struct work *work, const char *path, struct patched **patched)
{
    const struct request *what = settings_request(work->patching->settings);
    unsigned failures = memory_failures();
    ilp_status status;
    if (!is_meant(work, &status)) {
        return status;
    }
    if (!references_set_target(what->references, path)) {
        return ilpi_fail_memory(&work->error, 0);
    }
    ILPI_TRY(change(work, patched));
    if (memory_failures() != failures) { /* an id or a reference may be missing */
        patched_free(*patched);
        *patched = NULL;
        return ilpi_fail_memory(&work->error, 0);
    }
    return ILP_OK;
}

struct patched *patch(struct patching *patching, struct ilp_bytes bytes, const char *path,
                      const char *shown)
{
    struct work work = {.patching = patching, .module = {.path = (char *)(uintptr_t)path}};
    struct patched *patched = NULL;
    ilp_status status = ilp_image_open(&work.module.image, bytes, ILP_LAYOUT_FILE, shown, NULL,
                                       &work.error);
    work.module.path = (char *)(uintptr_t)shown; /* borrowed */
    status = status == ILP_OK ? patch_image(&work, path, &patched) : status;
    if (status != ILP_OK) {
        status_module(shown, &work.error);
        process_report_left(patching->report, shown, NULL, &work.error);
    }
    process_report_module(patching->report, &work.module);
    symbols_close(&work.symbols);
    ilp_edit_close(work.edit);
    ilp_image_close(work.module.image);
    return patched;
}
