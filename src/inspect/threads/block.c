/* Blocks of methods, built by one thread and taken by another. See block.h.
 *
 *   builder's thread                          caller's thread, in the order of methods
 *   inspect method -> body with provisional   requests -> emitter -> final tokens
 *     tokens, requests, places of tokens  ->  put tokens into the body at the places
 *
 * So tokens are made in the order in which one thread would make them, and the file is the same for
 * any number of threads. What a thread cannot do alone (refused requests, no memory) is marked
 * `again`, and done by the caller's thread from the start. */
#include "inspect/threads/block.h"

#include "il/body_format.h"
#include "inspect/rewriter.h"

/* The limit of a block's bodies: methods beyond it are done by the caller's thread. */
#define MOST_BYTES ((size_t)4 << 20)

/* ---- building ---- */

/* A builder has an inspection of its own, with own memory and budget; only what was found in the
 * image is shared, and read-only. */
ilp_status ilpi_builder_open(struct ilpi_block_builder *builder, const struct ilp_inspection *first,
                             const struct ilp_request *request, bool records,
                             struct ilp_error *error)
{
    *builder = (struct ilpi_block_builder){.records = records, .moves = request->symbols != NULL};
    ilpi_recorder_init(&builder->recorder);
    const struct ilpi_module_context *shared = &first->rewriter->module;
    ILPI_TRY(ilp_inspection_open(&builder->inspection, shared->image, request,
                                 records ? &builder->recorder.interface : NULL, error));
    struct ilpi_module_context *module = &builder->inspection->rewriter->module;
    module->found = shared->found;
    builder->made = ilpi_arena_alloc(&module->arena, module->made_size);
    if (!builder->made) {
        size_t size = module->made_size;
        ilpi_builder_close(builder);
        return ilpi_fail_memory(error, size);
    }
    return ILP_OK;
}

void ilpi_builder_close(struct ilpi_block_builder *builder)
{
    ilp_inspection_close(builder->inspection);
    builder->inspection = NULL;
}

/* Back to the tokens that were final when the block was begun (ilpi_builder_work()). */
static void forget_made(struct ilpi_block_builder *builder)
{
    const struct ilpi_module_context *module = &builder->inspection->rewriter->module;
    memcpy(module->made, builder->made, module->made_size);
}

/* Of four bytes of a body, which need not be aligned. */
static bool is_provisional(const uint8_t *token)
{
    return ILP_TOKEN_TABLE(ilpi_load_u32(token)) == ILPI_PROVISIONAL;
}

static ilp_status add_place(struct ilpi_block *block, size_t place)
{
    return ILPI_LIST_ADD(&block->alloc, &block->places, place, NULL);
}

/* The offsets of provisional tokens in a run of instructions. */
static ilp_status find_places_in(struct ilpi_block *block, struct ilp_bytes body, size_t start,
                                 size_t end)
{
    struct ilpi_insn insn;
    for (size_t at = start; at < end && ilpi_insn_read(body, (uint32_t)at, &insn);
         at += insn.size) {
        size_t place = at + insn.size - 4;
        switch (ilpi_opcodes[insn.op].operand) {
        case ILPI_OPERAND_TOKEN:
        case ILPI_OPERAND_METHOD:
        case ILPI_OPERAND_SIG:
        case ILPI_OPERAND_STRING:
            if (is_provisional(body.data + place)) {
                ILPI_TRY(add_place(block, place));
            }
            break;
        default: break;
        }
    }
    return ILP_OK;
}

/* They are in inserted and appended code, and in the header. Tokens of new clauses are made once
 * for a module, so they are final. LocalVarSigTok ends the fat header (II.25.4.3); a tiny one has
 * no token. */
static ilp_status find_places(struct ilpi_block *block, const struct ilpi_scratch *scratch,
                              struct ilp_bytes body)
{
    const struct ilpi_patch *patch = &scratch->patch;
    bool fat = (body.data[0] & ILPI_BODY_FAT) == ILPI_BODY_FAT;
    size_t code = fat ? ILPI_FAT_HEADER_BYTES : 1;
    if (fat && is_provisional(body.data + ILPI_FAT_HEADER_BYTES - 4)) {
        ILPI_TRY(add_place(block, ILPI_FAT_HEADER_BYTES - 4));
    }
    for (size_t i = 0; i < scratch->insertions.count; i++) {
        size_t start = code + ilpi_patch_start(patch, &scratch->insertions.items[i]);
        ILPI_TRY(
            find_places_in(block, body, start, start + scratch->insertions.items[i].bytes.size));
    }
    return find_places_in(block, body, code + ilpi_patch_end(patch, &scratch->code),
                          code + patch->code.size);
}

/* Places are only searched if there were requests: most bodies have final tokens, made for the
 * methods before. */
static ilp_status keep_body(struct ilpi_block_builder *builder, struct ilpi_block *block,
                            struct ilpi_block_method *method)
{
    struct ilp_rewriter *rewriter = ilp_inspection_rewriter(builder->inspection);
    struct ilpi_buf *bytes = &block->recording.bytes;
    struct ilp_bytes body = method->result.body;
    if (body.size == 0) {
        return ILP_OK;
    }
    method->body = (struct ilpi_block_part){bytes->size, body.size};
    ilpi_buf_bytes_add(bytes, body.data, body.size);
    if (method->requests.count != 0) {
        ILPI_TRY(find_places(block, &rewriter->scratch, body));
    }
    if (builder->moves) {
        const struct ilp_il_map *shifts;
        size_t count;
        ILPI_TRY(ilpi_rewriter_shifts(rewriter, &shifts, &count, NULL));
        ILPI_TRY(
            ILPI_LIST_RESERVE(&block->alloc, &block->shifts, block->shifts.count + count, NULL));
        for (size_t i = 0; i < count; i++) {
            block->shifts.items[block->shifts.count++] = shifts[i];
        }
    }
    return bytes->status;
}

static ilp_status keep_tail_sites(struct ilpi_block *block, const struct ilp_method_result *result)
{
    for (size_t i = 0; i < result->tail_site_count; i++) {
        ILPI_TRY(ILPI_LIST_ADD(&block->alloc, &block->tail_sites, result->tail_sites[i], NULL));
    }
    return ILP_OK;
}

/* Copies what the result borrows; the lists already begin at the method's parts. */
static ilp_status keep(struct ilpi_block_builder *builder, struct ilpi_block *block,
                       struct ilpi_block_method *method)
{
    method->requests.count = block->recording.requests.count - method->requests.first;
    ILPI_TRY(keep_body(builder, block, method));
    ILPI_TRY(keep_tail_sites(block, &method->result));
    method->places.count = block->places.count - method->places.first;
    method->shifts.count = block->shifts.count - method->shifts.first;
    method->tail_sites.count = block->tail_sites.count - method->tail_sites.first;
    return ILP_OK;
}

/* After a method with refused requests the module's memory of tokens may have provisional ones,
 * which mean nothing for the next method: so it is reset. */
static void build(struct ilpi_block_builder *builder, struct ilpi_block *block, ilp_rid rid)
{
    struct ilpi_block_method *method = &block->methods[rid - block->first];
    struct ilp_bytes own = {NULL, 0};
    method->body = (struct ilpi_block_part){0, 0};
    method->requests.first = block->recording.requests.count;
    method->places.first = block->places.count;
    method->shifts.first = block->shifts.count;
    method->tail_sites.first = block->tail_sites.count;
    method->again = block->recording.bytes.size > MOST_BYTES;
    if (method->again) {
        return;
    }
    ilpi_recorder_begin(&builder->recorder, &block->recording);
    ilp_status status = ilp_inspect_method(builder->inspection, ILP_TOKEN(ILP_MethodDef, rid), own,
                                           &method->result, NULL);
    method->again = status != ILP_OK || builder->recorder.refused ||
                    keep(builder, block, method) != ILP_OK;
    if (builder->recorder.refused || builder->recorder.remembered) {
        forget_made(builder);
    }
}

/* Keeps the memory for the next block in this slot of the ring. */
static void empty(struct ilpi_block *block)
{
    block->recording.bytes.size = 0;
    block->recording.bytes.status = ILP_OK;
    block->recording.requests.count = 0;
    block->places.count = 0;
    block->shifts.count = 0;
    block->tail_sites.count = 0;
}

void ilpi_builder_work(struct ilpi_block_builder *builder, struct ilpi_block *block)
{
    empty(block);
    ilpi_inspection_refill(builder->inspection);
    forget_made(builder);
    for (uint32_t i = 0; i < block->count; i++) {
        build(builder, block, block->first + i);
    }
    block->spent = ilpi_inspection_spent(builder->inspection);
}

/* ---- taking ---- */

void ilpi_block_init(struct ilpi_block *block, const struct ilp_allocator *allocator)
{
    ilpi_alloc_init(&block->alloc, allocator);
    block->recording.bytes.alloc = &block->alloc;
}

void ilpi_block_free(struct ilpi_block *block)
{
    ilpi_buf_free(&block->recording.bytes);
    ILPI_LIST_FREE(&block->alloc, &block->recording.requests);
    ILPI_LIST_FREE(&block->alloc, &block->places);
    ILPI_LIST_FREE(&block->alloc, &block->shifts);
    ILPI_LIST_FREE(&block->alloc, &block->tail_sites);
    ILPI_LIST_FREE(&block->alloc, &block->tokens);
}

static ilp_status make_tokens(struct ilpi_block *block, const struct ilpi_block_method *method,
                              const struct ilp_emitter *emitter)
{
    struct ilpi_block_part requests = method->requests;
    ILPI_TRY(ILPI_LIST_RESERVE(&block->alloc, &block->tokens, requests.count, NULL));
    return ilpi_recording_replay(&block->recording, requests.first, requests.count, emitter,
                                 block->tokens.items, NULL);
}

static void put_tokens(struct ilpi_block *block, const struct ilpi_block_method *method)
{
    uint8_t *body = block->recording.bytes.data + method->body.first;
    for (size_t i = 0; i < method->places.count; i++) {
        uint8_t *place = body + block->places.items[method->places.first + i];
        ilpi_store_u32(place, ilpi_final_token(block->tokens.items, ilpi_load_u32(place)));
    }
}

/* False: the method has to be done again by the caller, with the file's emitter. Tokens are put
 * into a body that has room for them already: they have a fixed size. */
bool ilpi_block_take(struct ilpi_block *block, ilp_rid rid, const struct ilp_emitter *emitter,
                     struct ilpi_built *built)
{
    struct ilpi_block_method *method = &block->methods[rid - block->first];
    struct ilp_method_result *result = &method->result;
    if (method->again || make_tokens(block, method, emitter) != ILP_OK) {
        return false;
    }
    if (method->body.count != 0) {
        put_tokens(block, method);
        result->body = (struct ilp_bytes){block->recording.bytes.data + method->body.first,
                                          method->body.count};
    }
    result->tail_sites = block->tail_sites.items + method->tail_sites.first;
    *built = (struct ilpi_built){result, block->shifts.items + method->shifts.first,
                                 method->shifts.count};
    return true;
}
