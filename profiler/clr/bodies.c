/* Writes bodies as the runtime has them, when the process ends. Everything is read back from the
 * runtime, so that it is what the JIT got, not what we intended. See bodies.h.
 *
 *   Name.dll.metadata   "BSJB" ...                          with all rows that were added
 *   Name.dll.bodies     token | size | body | token | ...   of methods with a new body
 *
 * It is for debugging, and for tests. */
#include "profiler/clr/bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/status.h"
#include "host/profiler_environment.h"

/* FOLDER/Name.dll.KIND, the second with that name Name.dll.2.KIND and so on. "x": a file that is
 * there is never replaced, which is also how the next free number is found. */
static FILE *create(const char *folder, const struct module *module, unsigned number,
                    const char *kind)
{
    const char *slash = strrchr(module->path, '/');
    const char *name = slash ? slash + 1 : module->path;
    char *path = number == 1 ? format_text("%s/%s.%s", folder, name, kind)
                             : format_text("%s/%s.%u.%s", folder, name, number, kind);
    FILE *file = path ? fopen(path, "wbxe") : NULL;
    free(path);
    return file;
}

/* The metadata root ("BSJB") with all added rows. */
static bool write_metadata(const struct module *module, FILE *file)
{
    void *emit = module->emitter.emit;
    ULONG size = 0;
    bool done = false;
    if (CALL(IMetaDataEmit, GetSaveSize, emit)(emit, SAVE_ACCURATE, &size) >= 0) {
        uint8_t *bytes = new_items(size, 1);
        done = bytes && CALL(IMetaDataEmit, SaveToMemory, emit)(emit, bytes, size) >= 0 &&
               fwrite(bytes, 1, size, file) == size;
        free(bytes);
    }
    return done;
}

static bool has_body(const struct module *module, uint32_t rid)
{
    return module->methods[rid] && module->methods[rid]->body;
}

/* For each method its token, the size of its body, and the body; numbers are little-endian, of 4
 * bytes. */
static bool write_bodies(const struct profiler *profiler, const struct module *module, FILE *file)
{
    bool done = true;
    for (uint32_t rid = 1; rid <= module->method_count && done; rid++) {
        ilp_token token = ILP_TOKEN(ILP_MethodDef, rid);
        const uint8_t *body;
        ULONG size;
        if (has_body(module, rid) && CALL(ICorProfilerInfo, GetILFunctionBody, profiler->info)(
                                         profiler->info, module->id, token, &body, &size) >= 0) {
            uint32_t head[] = {token, size};
            done = fwrite(head, sizeof head, 1, file) == 1 && fwrite(body, 1, size, file) == size;
        }
    }
    return done;
}

/* A module without any has no files. */
static bool has_bodies(const struct module *module)
{
    for (uint32_t rid = 1; module->methods && rid <= module->method_count; rid++) {
        if (has_body(module, rid)) {
            return true;
        }
    }
    return false;
}

/* Closes both; if `bodies` could not be created, nothing is written. */
static bool write_files(const struct profiler *profiler, const struct module *module,
                        FILE *metadata, FILE *bodies)
{
    bool done = bodies && write_metadata(module, metadata) &&
                write_bodies(profiler, module, bodies);
    done = fclose(metadata) == 0 && done;
    return (!bodies || fclose(bodies) == 0) && done;
}

static void write_module(const struct profiler *profiler, const struct module *module,
                         const char *folder)
{
    bool done = false;
    FILE *metadata = NULL;
    for (unsigned number = 1; !metadata && number <= 100; number++) {
        metadata = create(folder, module, number, "metadata");
        if (metadata) {
            FILE *bodies = create(folder, module, number, "bodies");
            done = write_files(profiler, module, metadata, bodies);
        }
    }
    if (!done) {
        status_line("failed", "the bodies of %s cannot be written to %s", module->path, folder);
    }
}

void bodies_write(const struct profiler *profiler)
{
    const char *folder = getenv(ENV_BODIES);
    for (const struct module *module = profiler->modules; folder && module; module = module->next) {
        if (has_bodies(module)) {
            write_module(profiler, module, folder);
        }
    }
}
