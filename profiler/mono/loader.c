/* Loads inspectors: from memory, when Mono searches for an assembly of their name. See loader.h.
 *
 *   runtime_initialized   hook for preload; the stock inspector is loaded if it is called
 *   preload               a reference to an inspector: its image is made from our bytes
 *   a new domain          the first preload in it starts the stock inspector there as well
 *   domain_unloaded       its record is removed, as its address may be used again
 *
 * images_leave() keeps inspectors from being patched themselves. */
#include "profiler/mono/loader.h"

#include <stdlib.h>
#include <strings.h>

#include "host/memory.h"
#include "host/process.h"
#include "host/profiler_environment.h"
#include "profiler/mono/images.h"
#include "profiler/mono/process.h"
#include "profiler/status.h"
#include "profiler/unmanaged.h"

/* A domain in which the stock inspector was started. */
struct known_domain {
    struct known_domain *next;
    const mono_domain *domain;
};

/* The stock inspector passes its lines to the profiler, and removes the variable. */
static bool begin_inspector(struct mono_process *process)
{
    const struct mono_functions *mono = &process->mono;
    mono_class *hook = mono->class_from_name(process->stock, "", "StartupHook");
    mono_method *initialize = hook ? mono->class_get_method_from_name(hook, "Initialize", 0) : NULL;
    char *addresses = initialize ? unmanaged_addresses() : NULL;
    bool begins = addresses && setenv(ENV_PROFILER, addresses, 1) == 0;
    void *exception = NULL;
    if (begins) {
        mono->runtime_invoke(initialize, NULL, NULL, &exception);
    }
    free(addresses);
    return begins && !exception;
}

/* True once per domain, since each has its own static fields. */
static bool is_new_domain(struct mono_process *process, const mono_domain *domain)
{
    ilpi_mutex_lock(&process->lock);
    struct known_domain *known = process->domains;
    while (known && known->domain != domain) {
        known = known->next;
    }
    struct known_domain *noted = known ? NULL : new_items(1, sizeof *noted);
    if (noted) {
        *noted = (struct known_domain){process->domains, domain};
        process->domains = noted;
    }
    ilpi_mutex_unlock(&process->lock);
    return noted != NULL;
}

static void domain_unloaded(void *user, mono_domain *domain)
{
    struct mono_process *process = user;
    ilpi_mutex_lock(&process->lock);
    struct known_domain **link = &process->domains;
    while (*link && (*link)->domain != domain) {
        link = &(*link)->next;
    }
    struct known_domain *known = *link;
    if (known) {
        *link = known->next;
        free(known);
    }
    ilpi_mutex_unlock(&process->lock);
}

/* Before any code of the program can call it in the domain. */
static void begin_in_domain(struct mono_process *process)
{
    if (process->stock && is_new_domain(process, process->mono.domain_get()) &&
        !begin_inspector(process)) {
        status_line("message", "%s: it could not be started, and writes its lines itself",
                    process->inspector);
    }
}

static mono_assembly *load_inspector(struct mono_process *process,
                                     const struct inspector_file *file)
{
    const struct mono_functions *mono = &process->mono;
    const char *path = file->stock ? process->inspector : ilp_image_name(file->assembly);
    int status = 0;
    images_leave(true);
    mono_image *image = mono->image_open_from_data_with_name((char *)(uintptr_t)file->bytes.data,
                                                             (uint32_t)file->bytes.size, true,
                                                             &status, false, path);
    mono_assembly *assembly = image ? mono->assembly_load_from_full(image, path, &status, false)
                                    : NULL;
    images_leave(false);
    if (!assembly) {
        status_line("missing", "%s", path);
    } else if (file->stock) {
        process->stock = image;
        begin_in_domain(process);
    }
    return assembly;
}

/* Inspectors are neither in the program's folder nor in Mono's. For a new domain this is the first
 * callback. */
static mono_assembly *preload(mono_assembly_name *name, char **paths, void *user)
{
    struct mono_process *process = user;
    const struct request *request = settings_request(process->patching.settings);
    const char *wanted = process->mono.assembly_name_get_name(name);
    (void)paths;
    begin_in_domain(process);
    for (size_t i = 0; i < request->inspector_file_count && wanted; i++) {
        const struct inspector_file *file = &request->inspector_files[i];
        if (!file->native && strcasecmp(file->name.name, wanted) == 0) {
            return load_inspector(process, file);
        }
    }
    return NULL;
}

/* Before any thread of the program runs. */
static void runtime_initialized(void *user)
{
    struct mono_process *process = user;
    if (!atomic_load(&process->works)) {
        return;
    }
    const struct request *request = settings_request(process->patching.settings);
    process->mono.install_assembly_preload_hook(preload, process);
    status_line("inspector", "%ld", (long)process_own());
    for (size_t i = 0; i < request->inspector_file_count && !process->stock; i++) {
        if (request->inspector_files[i].stock && request_calls_inspector(request, i)) {
            load_inspector(process, &request->inspector_files[i]);
        }
    }
}

void loader_watch(struct mono_process *process, void *handle)
{
    process->mono.profiler_set_runtime_initialized_callback(handle, runtime_initialized);
    process->mono.profiler_set_domain_unloaded_callback(handle, domain_unloaded);
}
