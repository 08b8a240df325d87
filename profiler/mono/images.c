/* See images.h.
 *
 *   image_loading    Mono has the bytes of an assembly: patched ones replace them
 *   image_loaded     it has read those, and gets their symbols
 *   image_unloaded   they are freed
 *
 * Precompiled code of a patched assembly is not used: its MVID differs (II.22.30), by which Mono
 * detects a stale AOT image. */
#include "profiler/mono/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/memory.h"
#include "host/path.h"
#include "profiler/mono/process.h"
#include "profiler/status.h"

/* A patched assembly, until Mono unloads it. */
struct replaced_image {
    struct replaced_image *next;
    const mono_image *image;
    struct patched *patched;
};

static _Thread_local bool leaves_images;

void images_leave(bool on)
{
    leaves_images = on;
}

/* The core library is in a folder of Mono's, beside those of other profiles and the global assembly
 * cache: /usr/lib/mono/4.5/mscorlib.dll. */
static void note_core_library(struct mono_process *process, const char *path)
{
    char *folder = path_directory(path);
    char *above = folder ? path_directory(folder) : NULL;
    process->assemblies = above ? format_text("%s/", above) : NULL;
    free(above);
    free(folder);
}

/* The first loaded one is the program, wherever it is: mcs.exe is in Mono's folder. */
static bool is_framework(struct mono_process *process, const char *path)
{
    bool is_core = strcasecmp(path_name(path), "mscorlib.dll") == 0;
    if (is_core && !process->assemblies) {
        note_core_library(process, path);
    }
    bool is_program = process->program && strcmp(process->program, path) == 0;
    return is_core || (process->assemblies && !is_program &&
                       strncmp(path, process->assemblies, strlen(process->assemblies)) == 0);
}

/* Without a file: Assembly.Load(byte[]). */
static bool has_file(const char *name)
{
    return name[0] == '/';
}

/* The first file that is loaded is the program. An image without a file is patched as if it were
 * beside it. */
static struct patched *patch_named(struct mono_process *process, const char *name,
                                   struct ilp_bytes bytes)
{
    struct patching *patching = &process->patching;
    if (!process->program && has_file(name)) {
        process->program = copy_text(name);
    }
    if (has_file(name) && is_framework(process, name) &&
        !settings_wants_framework(patching->settings)) {
        process_report_left(patching->report, name, "framework", NULL);
        return NULL;
    }
    return has_file(name)     ? patch(patching, bytes, name, name)
           : process->program ? patch(patching, bytes, process->program, "")
                              : NULL;
}

static void replace(struct mono_process *process, mono_image *image, struct patched *patched)
{
    struct replaced_image *replaced = new_items(1, sizeof *replaced);
    if (!replaced) {
        patched_free(patched);
        return;
    }
    *replaced = (struct replaced_image){process->replaced, image, patched};
    process->replaced = replaced;
    image_bytes_replace(&process->place, image, ilpi_buf_bytes(&patched->bytes));
}

/* Once, before the first image. */
static void find_bytes(struct mono_process *process)
{
    if (!process->place.is_probed) {
        process->place.is_probed = true;
        if (!image_bytes_find(&process->place, &process->mono)) {
            atomic_store(&process->works, false);
            status_line("failed", "%s has the bytes of images where they are not found",
                        process->version);
        }
    }
}

/* The first images are the probes themselves (image_bytes_note()). What is no PE file is left: Mono
 * opens symbols as images as well. */
static void image_loading(void *user, mono_image *image)
{
    struct mono_process *process = user;
    if (image_bytes_note(&process->place, image) || leaves_images) {
        return;
    }
    find_bytes(process);
    if (!atomic_load(&process->works)) {
        return;
    }
    struct ilp_bytes bytes = image_bytes(&process->place, image);
    const char *name = process->mono.image_get_filename(image);
    if (bytes.size < 2 || memcmp(bytes.data, "MZ", 2) != 0 || !name) { /* for example symbols */
        return;
    }
    ilpi_mutex_lock(&process->lock);
    struct patched *patched = patch_named(process, name, bytes);
    if (patched) {
        replace(process, image, patched);
    }
    ilpi_mutex_unlock(&process->lock);
}

static struct replaced_image **find_replaced(struct mono_process *process, const mono_image *image)
{
    struct replaced_image **link = &process->replaced;
    while (*link && (*link)->image != image) {
        link = &(*link)->next;
    }
    return link;
}

/* NULL: not patched. */
static struct patched *patched_of(struct mono_process *process, const mono_image *image)
{
    ilpi_mutex_lock(&process->lock);
    struct replaced_image *replaced = *find_replaced(process, image);
    ilpi_mutex_unlock(&process->lock);
    return replaced ? replaced->patched : NULL;
}

/* The last eight bytes of a GUID's text are in memory order. */
static bool has_mvid(const char *guid, const uint8_t mvid[16])
{
    char end[18];
    size_t length = guid ? strlen(guid) : 0;
    snprintf(end, sizeof end, "%02x%02x-%02x%02x%02x%02x%02x%02x", mvid[8], mvid[9], mvid[10],
             mvid[11], mvid[12], mvid[13], mvid[14], mvid[15]);
    return length >= sizeof end - 1 && strcasecmp(guid + length - (sizeof end - 1), end) == 0;
}

/* By the MVID, which shows whether Mono has read the replaced bytes or had read the old ones
 * before. */
static void image_loaded(void *user, mono_image *image)
{
    struct mono_process *process = user;
    struct patched *patched = patched_of(process, image);
    if (!patched) {
        return;
    }
    if (!has_mvid(process->mono.image_get_guid(image), patched->mvid)) {
        status_line("message", "%s: Mono has not taken the patched assembly, and shows nothing",
                    process->mono.image_get_filename(image));
    }
    if (patched->symbols.size != 0) {
        process->mono.debug_open_image_from_memory(image, patched->symbols.data,
                                                   (int)patched->symbols.size);
    }
}

static void image_failed(void *user, mono_image *image)
{
    struct mono_process *process = user;
    if (patched_of(process, image)) {
        status_line("message", "%s: Mono cannot read the patched assembly",
                    process->mono.image_get_filename(image));
    }
}

static void image_unloaded(void *user, mono_image *image)
{
    struct mono_process *process = user;
    ilpi_mutex_lock(&process->lock);
    struct replaced_image **link = find_replaced(process, image);
    struct replaced_image *replaced = *link;
    if (replaced) {
        *link = replaced->next;
        patched_free(replaced->patched);
        free(replaced);
    }
    ilpi_mutex_unlock(&process->lock);
}

void images_watch(struct mono_process *process, void *handle)
{
    const struct mono_functions *mono = &process->mono;
    mono->profiler_set_image_loading_callback(handle, image_loading);
    mono->profiler_set_image_loaded_callback(handle, image_loaded);
    mono->profiler_set_image_failed_callback(handle, image_failed);
    mono->profiler_set_image_unloaded_callback(handle, image_unloaded);
}
