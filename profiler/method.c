/* A method of a module of the process, decided once, at the first query: by the JIT, the look-up of
 * native code, or an inliner.
 *
 *   file's body -> ilp_inspect_method() -> not inspected: done, for most
 *     -> GetILFunctionBody differs from the file's: inspected again, as the runtime has it
 *          -> refers to added rows: with a snapshot of the metadata
 *     -> verification_pass() -> unmanaged_note() -> keep(): body, map of offsets, id
 *
 * An error at any step leaves the method as it is; it is reported, and not tried again. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profiler/process_report.h"
#include "profiler/profiler.h"
#include "profiler/status.h"
#include "profiler/verification.h"

/* The runtime's current body: different from the file's if it was edited at run time. */
static struct ilp_bytes current_body(const struct profiler *profiler, const struct module *module,
                                     ilp_token token)
{
    struct ilp_bytes body = {NULL, 0};
    ULONG size;
    if (CALL(ICorProfilerInfo, GetILFunctionBody, profiler->info)(profiler->info, module->id, token,
                                                                  &body.data, &size) >= 0) {
        body.size = size;
    }
    return body;
}

/* Whether it is the module's original body. */
static bool is_original(const struct module *module, ilp_token token, struct ilp_bytes body)
{
    uint32_t rva = ilp_cell(module->image, ILP_MethodDef, ILP_TOKEN_RID(token), ILP_MethodDef_RVA);
    struct ilp_bytes original = ilp_image_rva(module->image, rva, NULL);
    return body.size <= original.size && memcmp(body.data, original.data, body.size) == 0;
}

/* The image and inspection for a method. */
struct view {
    struct ilp_image *image;
    struct ilp_inspection *inspection;
    struct verification *verification;
};

/* The snapshot if there is one, else the image of the file. */
static struct view newest_view(const struct module *module)
{
    return module->snapshot.inspection
               ? (struct view){module->snapshot.image, module->snapshot.inspection,
                               module->snapshot_verification}
               : (struct view){module->image, module->inspection, module->verification};
}

/* From here on rows that are added are noted for both images. */
static ilp_status open_snapshot(struct module *module, struct ilp_error *error)
{
    struct ilp_image *image = module->snapshot.image;
    verification_close(module->snapshot_verification);
    request_index_image(&module->request, image);
    module->snapshot_verification = verification_open(module, image);
    if (!module->snapshot_verification) {
        return ilpi_fail_memory(error, sizeof *module->snapshot_verification);
    }
    module->emitter.overlays[1] = &module->snapshot_verification->overlay;
    return module_open_inspection(module, image, &module->snapshot.inspection, error);
}

/* In the reverse order: the emitter refers to the verification, that to the snapshot's image. */
static void leave_snapshot(struct module *module)
{
    module->emitter.overlays[1] = NULL;
    verification_close(module->snapshot_verification);
    module->snapshot_verification = NULL;
    snapshot_close(&module->snapshot);
}

/* Makes a snapshot, if there are more rows now. */
static ilp_status look_again(const struct profiler *profiler, struct module *module, bool *taken,
                             struct ilp_error *error)
{
    const struct snapshot_source source = {profiler->info, module->id, module->image};
    shapes_leave_image(profiler->shapes, module->snapshot.image);
    module->emitter.image = module->image;
    ilp_status status = snapshot_take(&module->snapshot, &source, taken, error);
    if (status == ILP_OK && *taken) {
        status = open_snapshot(module, error);
    }
    if (status != ILP_OK) {
        leave_snapshot(module);
    }
    module->emitter.image = module->snapshot.image ? module->snapshot.image : module->image;
    return status;
}

/* An inspected method, and its view. */
struct inspected {
    struct view view;
    struct ilp_bytes old; /* its body; empty: that of the file */
    struct ilp_method_result result;
};

static ilp_status inspect_body(struct inspected *inspected, struct view view, ilp_token token,
                               struct ilp_bytes body, struct ilp_error *error)
{
    inspected->view = view;
    inspected->old = body;
    return ilp_inspect_method(view.inspection, token, body, &inspected->result, error);
}

/* A body that differs from the file's may use rows that were added for it: inspect it with
 * these. */
static ilp_status inspect_changed(const struct profiler *profiler, struct module *module,
                                  ilp_token token, struct inspected *inspected,
                                  struct ilp_error *error)
{
    bool taken;
    struct ilp_bytes body = current_body(profiler, module, token);
    if (body.size == 0 || is_original(module, token, body)) {
        return ILP_OK;
    }
    ilp_status status = inspect_body(inspected, newest_view(module), token, body, error);
    if (status == ILP_OK && inspected->result.body.size != 0) {
        return ILP_OK;
    }
    ILPI_TRY(look_again(profiler, module, &taken, error));
    if (taken) {
        return inspect_body(inspected, newest_view(module), token, body, error);
    }
    inspected->view = newest_view(module);
    return status;
}

/* A body that was passed in is the runtime's, with its image. */
static void find_old(struct inspected *inspected, ilp_token token)
{
    const struct ilp_image *image = inspected->view.image;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, ILP_TOKEN_RID(token), ILP_MethodDef_RVA);
    if (inspected->old.size == 0) {
        inspected->old = ilp_image_rva(image, rva, NULL);
    }
}

static ilp_status verify(struct inspected *inspected, ilp_token token, struct ilp_error *error)
{
    return inspected->result.body.size != 0
               ? verification_pass(inspected->view.verification, token, inspected->old,
                                   ilp_inspection_rewriter(inspected->view.inspection),
                                   &inspected->result, error)
               : ILP_OK;
}

/* Most methods are not inspected, so the runtime is queried for a body only when it would be
 * changed. */
static ilp_status inspect(const struct profiler *profiler, struct module *module, ilp_token token,
                          struct inspected *inspected, struct ilp_error *error)
{
    const struct view loaded = {module->image, module->inspection, module->verification};
    const struct ilp_bytes original = {NULL, 0};
    ILPI_TRY(inspect_body(inspected, loaded, token, original, error));
    if (inspected->result.body.size != 0) {
        ILPI_TRY(inspect_changed(profiler, module, token, inspected, error));
    }
    find_old(inspected, token);
    return verify(inspected, token, error);
}

/* If the runtime keeps the pointer instead of a copy, the memory must be its own. */
static ilp_status keep_body(const struct module *module, struct method *method,
                            struct ilp_bytes body, struct ilp_error *error)
{
    uint8_t *memory = module->allocator ? CALL(IMethodMalloc, Alloc, module->allocator)(
                                              module->allocator, (ULONG)body.size)
                                        : new_items(body.size, 1);
    if (!memory && !module->allocator) {
        return ilpi_fail_memory(error, body.size);
    }
    if (!memory) {
        return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0,
                         "the runtime has no memory for its body");
    }
    memcpy(memory, body.data, body.size);
    method->body = memory;
    method->size = (ULONG)body.size;
    return ILP_OK;
}

/* Most methods only return at their end. Code inserted there moves nothing. */
static ilp_status keep_map(const struct view *view, struct method *method, struct ilp_error *error)
{
    const struct ilp_il_map *map;
    size_t count;
    ILPI_TRY(ilp_rewriter_map(ilp_inspection_rewriter(view->inspection), &map, &count, error));
    method->map = new_items(count, sizeof *method->map);
    if (!method->map) {
        return ilpi_fail_memory(error, count * sizeof *method->map);
    }
    method->map_count = (ULONG)count;
    for (size_t i = 0; i < count; i++) {
        method->map[i] = (struct cor_il_map){map[i].old_offset, map[i].new_offset, 1};
    }
    return ILP_OK;
}

/* Without a new body only the reason is kept. */
static ilp_status keep(const struct module *module, const struct inspected *inspected,
                       struct method *method, struct ilp_error *error)
{
    const struct ilp_method_result *result = &inspected->result;
    if (result->body.size == 0) {
        return ILP_OK;
    }
    if (result->moved) {
        ILPI_TRY(keep_map(&inspected->view, method, error));
    }
    ILPI_TRY(keep_body(module, method, result->body, error));
    method->old = inspected->old.data;
    method->id = result->id;
    return ILP_OK;
}

/* If the module's metadata is fixed, no other method of it could be inspected either: it is
 * left. */
static void report_failure(struct profiler *profiler, struct module *module, ilp_token token,
                           const struct ilp_error *error)
{
    if (module->emitter.fixed_by) {
        module->is_left = true;
        status_module(module->path, error);
    } else {
        status_method(module->path, token, error);
    }
    process_report_failed(profiler->report, module, token, error);
}

/* A trace has no other report. */
static void report_untraced(const struct module *module, ilp_token token,
                            const struct ilp_method_result *result)
{
    enum ilp_reason_kind kind = ilp_reason_kind(result->reason);
    struct ilp_error error;
    if (module->traced && result->body.size == 0 && kind != ILP_REASON_LEFT_OUT &&
        result->reason != ILP_REASON_NO_BODY) {
        const char *why = result->detail[0] != '\0' ? result->detail
                                                    : ilp_reason_text(result->reason);
        ilpi_fail(&error, ILP_E_CALLBACK, ILPI_NO_OFFSET, token, "it is not traced: %s", why);
        status_method(module->path, token, &error);
    }
}

/* What the method becomes: decided by the rules and built, verified, and prepared for the unmanaged
 * inspector, each of which may refuse it. A failure is reported, and the method runs as it is. */
static void decide(struct profiler *profiler, struct module *module, ilp_token token,
                   struct method *method)
{
    struct inspected inspected;
    struct ilp_error error;
    unsigned failures = memory_failures();
    ilp_status status = inspect(profiler, module, token, &inspected, &error);
    if (status == ILP_OK && memory_failures() != failures) { /* a reference may have been missed */
        status = ilpi_fail(&error, ILP_E_NO_MEMORY, ILPI_NO_OFFSET, token, "out of memory");
    }
    if (status != ILP_OK) {
        report_failure(profiler, module, token, &error);
        return;
    }
    const struct ilp_method_result *result = &inspected.result;
    if (result->body.size != 0 && result->native && module->unmanaged) {
        status = unmanaged_note(module->unmanaged, profiler->shapes, inspected.view.image, token,
                                result, &error);
    }
    if (status == ILP_OK) {
        status = keep(module, &inspected, method, &error);
    }
    if (status != ILP_OK) {
        status_method(module->path, token, &error);
        process_report_failed(profiler->report, module, token, &error);
        return;
    }
    method->is_decided = true;
    method->reason = (uint8_t)result->reason;
    report_untraced(module, token, result);
    profiler->by_reason[result->reason]++;
    process_report_method(profiler->report, module, token, result);
}

/* The record stays, without a body: a query finds it and leaves the method alone. */
void method_leave(struct profiler *profiler, struct module *module, ilp_token token,
                  const struct ilp_error *error)
{
    struct method *method = method_find(profiler, module, token);
    if (!method || !method->body) {
        return;
    }
    if (!module->allocator) {
        free(method->body);
    }
    method->body = NULL;
    method->is_given_up = true;
    process_report_failed(profiler->report, module, token, error);
}

void method_give_up(struct profiler *profiler, struct module *module, ilp_token token)
{
    struct ilp_error error;
    const struct method *method = method_find(profiler, module, token);
    if (!method || !method->body) {
        return;
    }
    ilpi_fail(&error, ILP_E_CALLBACK, ILPI_NO_OFFSET, token,
              "the runtime did not compile its new body, and a call has failed: it has its old one "
              "again");
    method_leave(profiler, module, token, &error);
    status_method(module->path, token, &error);
}

/* Rows added since then are not in the image. Reported once: there may be any number. */
static void report_added(struct module *module, ilp_token token)
{
    struct ilp_error error;
    if (!module->has_added) {
        module->has_added = true;
        ilpi_fail(&error, ILP_E_CALLBACK, ILPI_NO_OFFSET, token,
                  "it was added to the module while the program runs, and is not looked at, as are "
                  "all that follow");
        status_method(module->path, token, &error);
    }
}

/* Under the profiler's lock. A failed method is remembered as well, so that it is tried only
 * once. */
struct method *method_find(struct profiler *profiler, struct module *module, ilp_token token)
{
    uint32_t rid = ILP_TOKEN_RID(token);
    if (!module->inspection || module->is_left || ILP_TOKEN_TABLE(token) != ILP_MethodDef) {
        return NULL;
    }
    if (rid > module->method_count) {
        report_added(module, token);
        return NULL;
    }
    struct method **method = &module->methods[rid];
    if (!*method) {
        *method = new_items(1, sizeof **method);
        if (*method) {
            decide(profiler, module, token, *method);
        } else {
            struct ilp_error error;
            *method = &module->left_method;
            ilpi_fail_memory(&error, sizeof **method);
            status_method(module->path, token, &error);
            process_report_failed(profiler->report, module, token, &error);
        }
    }
    return *method;
}
