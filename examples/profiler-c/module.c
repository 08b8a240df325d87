/* A module's metadata where the runtime has it, and the emitter, which adds rows to it. */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the emitter: tokens come from the runtime ---- */

/* Trap: success is any number that is not negative. GetTokenFromSig answers META_S_DUPLICATE for
 * one that is there. */
static ilp_status answer(HRESULT result)
{
    return result >= 0 ? ILP_OK : ILP_E_CALLBACK;
}

static ilp_status type_spec(void *emit, struct ilp_bytes blob, ilp_token *token,
                            struct ilp_error *error)
{
    (void)error;
    return answer(
        CALL(emit, GetTokenFromTypeSpec, (void *, const uint8_t *, uint32_t, ilp_token *))(
            emit, blob.data, (uint32_t)blob.size, token));
}

static ilp_status standalone_sig(void *emit, struct ilp_bytes blob, ilp_token *token,
                                 struct ilp_error *error)
{
    (void)error;
    return answer(CALL(emit, GetTokenFromSig, (void *, const uint8_t *, uint32_t, ilp_token *))(
        emit, blob.data, (uint32_t)blob.size, token));
}

/* ---- modules ---- */

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* How many bytes there are at `base` (II.25.2): SizeOfImage if sections are mapped, else to the end
 * of the last one. */
static size_t extent(const uint8_t *base, bool flat)
{
    const uint8_t *pe = base + u32(base + 0x3C);
    const uint8_t *section = pe + 24 + (u32(pe + 20) & 0xFFFF);
    size_t end = flat ? 0 : u32(pe + 24 + 56);
    for (uint32_t i = flat ? u32(pe + 4) >> 16 : 0; i > 0; i--, section += 40) {
        size_t section_end = (size_t)u32(section + 20) + u32(section + 16);
        end = section_end > end ? section_end : end;
    }
    return end;
}

void module_close(struct module *module)
{
    void *objects[] = {module->emit, module->allocator};
    ilp_inspection_close(module->inspection);
    ilp_inlining_close(module->inlining);
    ilp_image_close(module->image);
    ilp_arena_close(module->names);
    free(module->methods);
    for (unsigned i = 0; i < 2; i++) {
        if (objects[i]) {
            CALL(objects[i], Release, (void *))(objects[i]);
        }
    }
    *module = (struct module){0};
}

static bool open_all(struct module *module, void *info, const struct loaded_module *loaded,
                     const struct ilp_request *request, struct ilp_error *error)
{
    const struct ilp_bytes bytes = {loaded->base, extent(loaded->base, loaded->flat)};
    const enum ilp_layout layout = loaded->flat ? ILP_LAYOUT_FILE : ILP_LAYOUT_MAPPED;
    /* Trap: a module with native code is mapped by section, one of IL alone is as in the file. */
    if (ilp_image_open(&module->image, bytes, layout, NULL, NULL, error) == ILP_OK &&
        ilp_arena_open(&module->names, NULL, error) == ILP_OK &&
        ilp_inlining_open(&module->inlining, module->image, NULL, error) == ILP_OK &&
        CALL(info, GetModuleMetaData, (void *, ID, uint32_t, const struct guid *, void **))(
            info, module->id, OF_WRITE, &metadata_emit2, &module->emit) >= 0 &&
        CALL(info, GetILFunctionBodyAllocator, (void *, ID, void **))(info, module->id,
                                                                      &module->allocator) >= 0) {
        module->emitter = (struct ilp_emitter){
            .user = module->emit, .type_spec = type_spec, .standalone_sig = standalone_sig};
        module->methods = calloc((size_t)ilp_row_count(module->image, ILP_MethodDef) + 1,
                                 sizeof *module->methods);
        return module->methods && ilp_inspection_open(&module->inspection, module->image, request,
                                                      &module->emitter, error) == ILP_OK;
    }
    return false;
}

void module_open(struct module *module, void *info, const struct loaded_module *loaded,
                 const struct ilp_inspector *inspector, uint32_t number)
{
    struct ilp_error error = {
        .message = "the runtime gives no access to its metadata, or no memory"};
    /* without a resolver, structs of other assemblies are known only if they are in the library's
     * own list */
    const struct ilp_request request = {
        .inspectors = &inspector, .inspector_count = 1, .module_number = number};
    module->id = loaded->id;
    if (!open_all(module, info, loaded, &request, &error)) {
        fprintf(stderr, "example: %s\n", error.message);
        module_close(module);
    }
}
