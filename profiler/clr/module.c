/* A module of the process: its metadata in the runtime's memory, and its inspection.
 *
 * The runtime maps an IL-only image as in the file, and one with native code by sections
 * (COR_PRF_MODULE_FLAT_LAYOUT). A module of Reflection.Emit has no image, and is left alone.
 *
 *   first query of a method -> module_find() -> make() -> begin()
 *     no methods wanted > framework > no image > no rule can match:   left, and remembered
 *     -> open_inspection(): references, emitter, inspection, verifier, records of methods
 *   before ModuleUnloadStarted returns -> module_forget(): report, ids, shapes, memory
 *
 * A module is opened when a method of it is first queried, not when it is loaded: most are loaded
 * and never compiled. All of this is under the profiler's lock. */
#include <stdlib.h>
#include <string.h>

#include "host/bundle_file.h"
#include "host/path.h"
#include "host/process.h"
#include "base/cursor.h"
#include "inspect/inspection.h"
#include "profiler/ids.h"
#include "profiler/process_report.h"
#include "profiler/profiler.h"
#include "profiler/settings.h"
#include "profiler/status.h"
#include "profiler/verification.h"
#include "profiler/clr/wide.h"

/* PE headers (II.25.2), which the runtime has validated. */
enum {
    DOS_PE_OFFSET = 0x3C,
    COFF_SECTIONS = 4 + 2,
    COFF_OPTIONAL_SIZE = 4 + 16,
    OPTIONAL = 4 + 20,
    OPTIONAL_SIZE_OF_IMAGE = 56,
    SECTION_BYTES = 40,
    SECTION_RAW_SIZE = 16,
    SECTION_RAW_OFFSET = 20
};

/* The size of an image from its base. */
static size_t extent(const uint8_t *base, bool flat)
{
    const uint8_t *pe = base + ilpi_load_u32(base + DOS_PE_OFFSET);
    const uint8_t *section = pe + OPTIONAL + ilpi_load_u16(pe + COFF_OPTIONAL_SIZE);
    size_t end = 0;
    if (!flat) {
        return ilpi_load_u32(pe + OPTIONAL + OPTIONAL_SIZE_OF_IMAGE);
    }
    for (unsigned i = ilpi_load_u16(pe + COFF_SECTIONS); i > 0; i--, section += SECTION_BYTES) {
        size_t raw_end = (size_t)ilpi_load_u32(section + SECTION_RAW_OFFSET) +
                         ilpi_load_u32(section + SECTION_RAW_SIZE);
        end = raw_end > end ? raw_end : end;
    }
    return end;
}

/* The bytes are the runtime's and stay mapped until the module is unloaded, so nothing is
 * copied. */
static ilp_status open_image(struct ilp_image **out, const char *path, const uint8_t *base,
                             ULONG flags, struct ilp_error *error)
{
    bool flat = (flags & MODULE_FLAT_LAYOUT) != 0;
    struct ilp_bytes bytes = {base, extent(base, flat)};
    return ilp_image_open(out, bytes, flat ? ILP_LAYOUT_FILE : ILP_LAYOUT_MAPPED, path, NULL,
                          error);
}

/* Opens what a trace needs. */
static ilp_status open_traced(struct module *module, struct ilp_error *error)
{
    module->method_count = ilp_row_count(module->image, ILP_MethodDef);
    module->traced = calloc((size_t)module->method_count + 1, sizeof *module->traced);
    return module->traced ? ILP_OK
                          : ilpi_fail_memory(error, module->method_count * sizeof *module->traced);
}

/* Opens what hooks need as well: the method selection. */
static ilp_status open_selection(struct module *module, struct ilp_error *error)
{
    const struct ilp_request *request = &module->request;
    return request->rules ? ilp_selector_open(&module->selector, request->rules, module->image,
                                              request->resolver, request->target, NULL, error)
                          : ILP_OK;
}

ilp_status module_open_inspection(struct module *module, struct ilp_image *image,
                                  struct ilp_inspection **out, struct ilp_error *error)
{
    return ilpi_inspection_open(out, image, &module->request, &module->emitter.interface,
                                module->traced ? &module->tracer : NULL, error);
}

/* With the requested inspectors; in the core library, and in assemblies that those need themselves,
 * the unmanaged one substitutes them. */
static ilp_status open_rewriter(struct profiler *profiler, struct module *module,
                                struct ilp_error *error)
{
    struct ilp_request *request = &module->request;
    const struct request *what = settings_request(profiler->settings);
    if (profiler->ids || profiler->unmanaged || request_calls(what, true)) {
        request->module_number = ids_module(profiler->ids, module->id, module->image);
    }
    if (profiler->unmanaged && !unmanaged_take_number(module->id, request->module_number)) {
        return ilpi_fail(error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, 0,
                         "no number is free for it: there are %d modules, or another one has had "
                         "the same ids",
                         MAX_MODULES - 1);
    }
    if (profiler->unmanaged) {
        if (!profiler->ids) {
            request->module_number = unmanaged_number_in_watch(request->module_number);
        }
        ILPI_TRY(unmanaged_begin(&module->unmanaged, module->path,
                                 ilp_row_count(module->image, ILP_MethodDef),
                                 request->module_number, error));
    }
    module->calls_assemblies = request_calls(what, false);
    request_index_image(request, module->image);
    ilp_status status = module_open_inspection(module, module->image, &module->inspection, error);
    if (!profiler->unmanaged || !runtime_includes(&profiler->runtime, module->path) ||
        (status != ILP_E_CORE_LIBRARY && status != ILP_E_SELF_INSPECTION)) {
        return status;
    }
    request->stand_in = settings_unmanaged(profiler->settings);
    module->calls_assemblies = false;
    return module_open_inspection(module, module->image, &module->inspection, error);
}

/* Resolve lazily: most modules never need references, and opening them reads the module's folder.
 * Without user: no memory, which was counted (host/memory.h). */
static struct ilp_resolver files_of(struct module *module)
{
    if (!module->references) {
        module->references = settings_open_references(module->settings, module->path);
    }
    return module->references ? references_resolver(module->references)
                              : (struct ilp_resolver){.user = NULL};
}

/* Files first, by the host's rules; then the inspectors, which need not be beside the program. */
static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    struct module *module = user;
    struct ilp_resolver files = files_of(module);
    struct ilp_image *image = files.user ? files.open(files.user, name) : NULL;
    return image ? image : inspectors_find_beside(module->inspectors, name);
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    struct ilp_resolver files = files_of(user);
    return files.user ? files.open_module(files.user, image, file) : NULL;
}

static struct ilp_symbols *open_symbols(void *user, const struct ilp_image *image,
                                        struct ilp_error *error)
{
    struct ilp_resolver files = files_of(user);
    if (!files.user) {
        ilpi_note_memory(error, 0);
        return NULL;
    }
    return files.open_symbols(files.user, image, error);
}

/* Opens everything that methods of this module need. A trace by hooks needs the selection alone;
 * one by IL and values need bodies. The order is that of what needs what, and close_inspection()
 * undoes any part of it. */
static ilp_status open_inspection(struct profiler *profiler, struct module *module,
                                  struct ilp_error *error)
{
    module->settings = profiler->settings;
    module->inspectors = profiler->inspectors;
    module->resolver = (struct ilp_resolver){.user = module,
                                             .open = open_assembly,
                                             .open_module = open_module,
                                             .open_symbols = open_symbols};
    module->request = request_for_library(settings_request(profiler->settings), &module->resolver);
    module->request.off_switches = profiler->off_switches;
    if (settings_trace(profiler->settings)) {
        ILPI_TRY(open_traced(module, error));
        if (!profiler_traces_il(profiler)) {
            return open_selection(module, error);
        }
        module->tracer = profiler->tracer;
        module->tracer.user = module;
    } else if (inspectors_include(profiler->inspectors, module->image, error)) {
        return error->status;
    }
    com_emitter_open(&module->emitter, profiler->info, module->id, module->image);
    ILPI_TRY(module->traced
                 ? module_open_inspection(module, module->image, &module->inspection, error)
                 : open_rewriter(profiler, module, error));
    module->verification = verification_open(module, module->image);
    if (!module->verification) {
        return ilpi_fail_memory(error, sizeof *module->verification);
    }
    module->emitter.overlays[0] = &module->verification->overlay;
    module->method_count = ilp_row_count(module->image, ILP_MethodDef);
    module->methods = calloc((size_t)module->method_count + 1, sizeof *module->methods);
    if (!module->methods) {
        return ilpi_fail_memory(error, module->method_count * sizeof *module->methods);
    }
    if (!module->is_recompiled &&
        CALL(ICorProfilerInfo, GetILFunctionBodyAllocator,
             profiler->info)(profiler->info, module->id, &module->allocator) < 0) {
        return ilpi_fail(error, ILP_E_CALLBACK, ILPI_NO_OFFSET, 0,
                         "the runtime has no memory for method bodies");
    }
    return ILP_OK;
}

/* Everything about the inspection, in the reverse order of what refers to what. Bodies from the
 * runtime's allocator are its own, and are not freed. */
static void close_inspection(struct module *module)
{
    snapshot_close(&module->snapshot);
    verification_close(module->snapshot_verification);
    verification_close(module->verification);
    ilp_inspection_close(module->inspection);
    ilp_selector_close(module->selector);
    unmanaged_end(module->unmanaged);
    ilp_inlining_close(module->inlining);
    com_emitter_close(&module->emitter);
    ilp_image_close(module->image);
    ilp_image_close(module->types);
    if (module->references) {
        references_close(module->references);
    }
    for (uint32_t i = 0; module->methods && i <= module->method_count; i++) {
        if (module->methods[i] && module->methods[i] != &module->left_method) {
            if (!module->allocator) {
                free(module->methods[i]->body);
            }
            free(module->methods[i]->map);
            free(module->methods[i]);
        }
    }
    if (module->allocator) {
        CALL(IUnknown, Release, module->allocator)(module->allocator);
    }
    free(module->methods);
    free(module->traced);
    compilations_close(&module->compilations);
    *module = (struct module){.next = module->next,
                              .id = module->id,
                              .path = module->path,
                              .is_recompiled = module->is_recompiled};
}

/* Most rules concern few assemblies. Other modules need no references, no inlining tables and no
 * method records. If it cannot be decided, the module is opened. */
static bool can_be_inspected(const struct profiler *profiler, const struct module *module)
{
    struct ilp_request request = request_for_library(settings_request(profiler->settings), NULL);
    struct ilp_error error;
    bool possible;
    return (settings_trace(profiler->settings) && !profiler_traces_il(profiler)) ||
           ilpi_inspection_possible(module->image, &request, &possible, &error) != ILP_OK ||
           possible;
}

#define MAX_PATH_UNITS 4096u

/* In a single-file program the runtime names modules by their paths inside; as files, these follow
 * the program's own path (bundle_file.h). Takes over `path`. */
static char *path_in_bundle(struct profiler *profiler, char *path)
{
    enum ilp_file_kind kind;
    if (path_is_absolute(path) || path[0] == '\0') {
        return path;
    }
    if (!profiler->program) {
        profiler->program = process_own_program();
        free(started_assembly(profiler->program, &kind));
        profiler->is_bundle = kind == ILP_FILE_BUNDLE;
    }
    if (!profiler->program) {
        free(path);
        return NULL;
    }
    if (!profiler->is_bundle) {
        return path;
    }
    char *full = path_join(profiler->program, path);
    free(path);
    return full;
}

/* The runtime's facts about a module; the path is owned by the caller, NULL: no memory. Without an
 * image `base` is NULL. Under the lock. */
static char *module_info(struct profiler *profiler, ModuleID id, const uint8_t **base, ULONG *flags)
{
    WCHAR name[MAX_PATH_UNITS] = {0};
    ULONG length;
    AssemblyID assembly;
    if (CALL(ICorProfilerInfo3, GetModuleInfo2, profiler->info)(
            profiler->info, id, base, MAX_PATH_UNITS, &length, name, &assembly, flags) < 0) {
        *base = NULL;
    }
    name[MAX_PATH_UNITS - 1] = 0;
    char *path = narrow_of(name);
    if (!path) {
        memory_failed();
        return NULL;
    }
    path_unify(path);
    return path_in_bundle(profiler, path);
}

/* Modules of Reflection.Emit and resources have none. */
static bool has_image(const uint8_t *base, ULONG flags)
{
    return base && (flags & (MODULE_DYNAMIC | MODULE_RESOURCE)) == 0;
}

/* An image for reading types only; NULL: none. `name` is borrowed. */
static struct ilp_image *types_of(const char *name, const uint8_t *base, ULONG flags)
{
    struct ilp_image *image = NULL;
    if (has_image(base, flags) &&
        ilp_status_class(open_image(&image, name, base, flags, NULL)) == ILP_CLASS_MEMORY) {
        memory_failed();
    }
    return image;
}

/* Whether all inspectors are loaded now, this module being perhaps the last of them. */
bool module_completes_inspectors(struct profiler *profiler, ModuleID id)
{
    const uint8_t *base = NULL;
    ULONG flags = 0;
    pthread_mutex_lock(&profiler->lock);
    char *path = module_info(profiler, id, &base, &flags);
    struct ilp_image *image = path ? types_of(path, base, flags) : NULL;
    bool complete = image && profiler->inspectors &&
                    inspectors_note_loaded(profiler->inspectors, image);
    pthread_mutex_unlock(&profiler->lock);
    ilp_image_close(image);
    free(path);
    return complete;
}

/* The reasons for leaving a module alone, the cheap ones first: most modules of a process are the
 * framework's, and are never opened. */
static void begin(struct profiler *profiler, struct module *module)
{
    const uint8_t *base = NULL;
    struct ilp_error error = {.status = ILP_OK};
    ULONG flags = 0;
    module->path = module_info(profiler, module->id, &base, &flags);
    /* methods of collectible modules cannot be reverted: they are compiled once (rejit.c) */
    module->is_recompiled = profiler->info10 && (flags & MODULE_COLLECTIBLE) == 0;
    if (!module->path || !settings_wants_methods(profiler->settings)) {
        return;
    }
    if (runtime_includes(&profiler->runtime, module->path) &&
        !settings_wants_framework(profiler->settings)) {
        process_report_left(profiler->report, module->path, "framework", NULL);
        return;
    }
    if (!has_image(base, flags)) {
        process_report_left(profiler->report, module->path, "no-image", NULL);
        return;
    }
    unsigned failures = memory_failures();
    ilp_status status = open_image(&module->image, module->path, base, flags, &error);
    if (status == ILP_OK && !can_be_inspected(profiler, module)) {
        process_report_left(profiler->report, module->path, "rules", NULL);
        close_inspection(module);
        return;
    }
    if (status == ILP_OK) {
        status = open_inspection(profiler, module, &error);
    }
    /* an id or a reference may be missing */
    if (status == ILP_OK && memory_failures() != failures) {
        status = ilpi_fail(&error, ILP_E_NO_MEMORY, ILPI_NO_OFFSET, 0, "out of memory");
    }
    if (status != ILP_OK) {
        status_module(module->path, &error);
        process_report_left(profiler->report, module->path, NULL, &error);
        close_inspection(module);
    }
}

/* For shapes: types of every loaded assembly may be needed to show a value. */
void module_comes(struct profiler *profiler, ModuleID id)
{
    const uint8_t *base = NULL;
    ULONG flags = 0;
    char *path = module_info(profiler, id, &base, &flags);
    if (path) {
        shapes_module_comes(profiler->shapes, id, types_of("", base, flags), path_name(path));
    }
    free(path);
}

/* Unknown counts as collectible: then it is not requested again. */
bool module_is_collectible(struct profiler *profiler, ModuleID id)
{
    const uint8_t *base;
    ULONG length, flags;
    AssemblyID assembly;
    void *info = profiler->info;
    HRESULT result = CALL(ICorProfilerInfo3, GetModuleInfo2, info)(info, id, &base, 0, &length,
                                                                   NULL, &assembly, &flags);
    return result < 0 || (flags & MODULE_COLLECTIBLE) != 0;
}

/* ---- modules without a record ---- */

static unsigned left_index(const struct profiler *profiler, ModuleID id)
{
    unsigned i = 0;
    while (i < profiler->left_modules.count && profiler->left_modules.ids[i] != id) {
        i++;
    }
    return i;
}

static bool is_left(const struct profiler *profiler, ModuleID id)
{
    return profiler->left_modules.is_full ||
           left_index(profiler, id) < profiler->left_modules.count;
}

/* Truncates its path: there is no memory for it, nor for finding the process's program. */
static void put_path(const struct profiler *profiler, ModuleID id, char *text, size_t size)
{
    WCHAR name[MAX_PATH_UNITS] = {0};
    const uint8_t *base;
    ULONG length, flags, units = 0;
    AssemblyID assembly;
    CALL(ICorProfilerInfo3, GetModuleInfo2, profiler->info)
    (profiler->info, id, &base, MAX_PATH_UNITS, &length, name, &assembly, &flags);
    while (units < MAX_PATH_UNITS && name[units] != 0) {
        units++;
    }
    narrow_into(text, size, (const uint8_t *)name, units);
}

/* Without memory for a record the module is remembered by its id alone, in an array of fixed size;
 * when that is full, all further ones are left alone. */
static void leave_module(struct profiler *profiler, ModuleID id)
{
    char path[1024];
    enum { LIMIT = sizeof profiler->left_modules.ids / sizeof profiler->left_modules.ids[0] };
    struct ilp_error error;
    profiler->left_modules.is_full = profiler->left_modules.count == LIMIT;
    if (!profiler->left_modules.is_full) {
        profiler->left_modules.ids[profiler->left_modules.count++] = id;
    }
    ilpi_fail(&error, ILP_E_NO_MEMORY, ILPI_NO_OFFSET, 0, "out of memory: it is left alone%s",
              profiler->left_modules.is_full ? ", as are all that follow" : "");
    put_path(profiler, id, path, sizeof path);
    status_module(path, &error);
    process_report_left(profiler->report, path, NULL, &error);
}

static void forget_left(struct profiler *profiler, ModuleID id)
{
    unsigned i = left_index(profiler, id);
    if (i < profiler->left_modules.count) {
        profiler->left_modules.ids[i] = profiler->left_modules.ids[--profiler->left_modules.count];
    }
}

/* ---- records ---- */

/* NULL: no memory. */
static struct module *make(struct profiler *profiler, ModuleID id)
{
    struct module *module = new_items(1, sizeof *module);
    if (!module) {
        return NULL;
    }
    module->id = id;
    begin(profiler, module);
    if (!module->path) {
        free(module);
        return NULL;
    }
    return module;
}

/* The module that was found moves to the front of the list: queries come in runs of one module. */
struct module *module_find(struct profiler *profiler, ModuleID id)
{
    struct module **link = &profiler->modules;
    while (*link && (*link)->id != id) {
        link = &(*link)->next;
    }
    struct module *module = *link;
    if (module) {
        *link = module->next;
    } else if (is_left(profiler, id)) {
        return NULL;
    } else {
        module = make(profiler, id);
        if (!module) {
            leave_module(profiler, id);
            return NULL;
        }
    }
    module->next = profiler->modules;
    profiler->modules = module;
    return module;
}

/* An image for reading types, also of a module that is not inspected. */
struct ilp_image *module_types(struct profiler *profiler, struct module *module)
{
    const uint8_t *base = NULL;
    ULONG flags = 0;
    if (!module->image && !module->types) {
        free(module_info(profiler, module->id, &base, &flags));
        module->types = types_of(module->path, base, flags);
    }
    return module->image ? module->image : module->types;
}

/* Before the runtime unloads it: its image's memory, which inspection and shapes refer to, is still
 * there. */
void module_forget(struct profiler *profiler, ModuleID id)
{
    forget_left(profiler, id);
    for (struct module **link = &profiler->modules; *link; link = &(*link)->next) {
        struct module *module = *link;
        if (module->id == id) {
            *link = module->next;
            process_report_module(profiler->report, module);
            ids_write(profiler->ids, module);
            shapes_leave_owner(profiler->shapes, module->unmanaged);
            shapes_forget_image(profiler->shapes, module->image);
            shapes_forget_image(profiler->shapes, module->types);
            close_inspection(module);
            free(module->path);
            free(module);
            return;
        }
    }
}
