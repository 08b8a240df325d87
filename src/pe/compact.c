/* Plans a file with the compact layout. See compact.h.
 *
 * First every piece gets its offset, in the order of the file. Headers, and pieces that hold RVAs,
 * are filled in when the last offset is known: a piece only ever refers to places, never to bytes
 * that are not written yet.
 *
 *   ilpi_compact_begin   refuse what is not understood; entry stub, Win32 resources
 *   begin                room for headers (by the number of sections) and for the list of pieces
 *   place_text           .text: each place() or reserve() takes the next free RVA
 *   place_others         .sdata .rsrc .reloc
 *   finish               limits; headers, CLI header, stub, from the places
 *
 * Sizes are all known before, so one pass is enough: no piece's size depends on an offset. */
#include "pe/compact.h"

#include "pe/ready_to_run.h"
#include "pe/origin.h"

/* Pieces other than spans and debug data. */
#define MAX_OTHER_PIECES 16u

#define MAX_NEW_SECTIONS 4u

struct section {
    const char *name;
    uint32_t characteristics;
    uint64_t rva;
    uint64_t raw;
    uint64_t size;
};

/* What was placed where, for finish(). Pointers are to zeroed pieces that are filled in then; an
 * RVA of 0 means that the file has no such part. */
struct compact_parts {
    struct ilpi_stub_places places;
    uint8_t *iat;
    uint8_t *import;
    uint8_t *code;
    uint8_t *reloc;
    uint8_t *cli;
    uint8_t *debug_table;
    uint32_t cli_rva;
    uint32_t debug_rva;
    uint32_t resources_rva;
    uint32_t signature_rva;
    uint32_t root_rva;
};

struct planner {
    struct ilpi_compact *compact;
    struct ilpi_pe_plan *plan;
    const struct ilpi_compact_contents *contents;
    const struct ilpi_pe *pe;
    struct ilp_arena *arena;
    struct ilp_error *error;
    struct section sections[MAX_NEW_SECTIONS];
    unsigned section_count;
    struct compact_parts parts;
    bool failed; /* an allocation failed */
};

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static ilp_status refuse(const struct planner *planner, uint64_t offset, const char *reason)
{
    return ilpi_fail(planner->error, ILP_E_CANNOT_COMPACT, offset, 0, "%s", reason);
}

/* ---- places ---- */

static struct section *current(struct planner *planner)
{
    return &planner->sections[planner->section_count - 1];
}

/* The first section begins where headers end, in the file and, aligned, in memory; each other one
 * after the one before it. */
static void begin_section(struct planner *planner, const char *name, uint32_t characteristics)
{
    const struct ilpi_pe *pe = planner->pe;
    struct section next = {name, characteristics,
                           align_up(planner->plan->headers_size, pe->section_alignment),
                           planner->plan->headers_size, 0};
    if (planner->section_count != 0) {
        const struct section *last = current(planner);
        next.rva = align_up(last->rva + last->size, pe->section_alignment);
        next.raw = align_up(last->raw + last->size, pe->file_alignment);
    }
    planner->sections[planner->section_count++] = next;
}

/* The capacity was computed by begin(): spans, debug data, and at most MAX_OTHER_PIECES others. */
static void add_piece(struct planner *planner, struct ilp_bytes bytes)
{
    struct ilpi_compact *compact = planner->compact;
    struct section *section = current(planner);
    compact->pieces[compact->count++] = (struct ilpi_piece){section->raw + section->size, bytes};
    section->size += bytes.size;
}

/* Places bytes at the next RVA that is `residue` modulo `modulus`, and returns it. Sizes are
 * checked at the end. Alignment is that of RVAs: the file offset follows from the section's.
 *
 * `modulus` is a power of two, so `& (modulus - 1)` gives the padding also when the difference
 * wraps. */
static uint32_t place(struct planner *planner, struct ilp_bytes bytes, uint32_t modulus,
                      uint32_t residue)
{
    struct section *section = current(planner);
    section->size += (residue - (uint32_t)(section->rva + section->size)) & (modulus - 1);
    uint64_t rva = section->rva + section->size;
    if (bytes.size != 0) {
        add_piece(planner, bytes);
    }
    return (uint32_t)rva;
}

/* The same for bytes that are filled in later. Failures are collected in `failed`, and finish()
 * reports them once; until then NULL pieces are not used. */
/* The same for bytes that are filled in later. */
static uint8_t *reserve(struct planner *planner, size_t size, uint32_t alignment, uint32_t *rva)
{
    uint8_t *bytes = ilpi_arena_alloc(planner->arena, size);
    if (!bytes) {
        planner->failed = true;
        return NULL;
    }
    *rva = place(planner, (struct ilp_bytes){bytes, size}, alignment, 0);
    return bytes;
}

/* Spans are in the order of their old RVAs, so methods stay beside their neighbours. */
static void place_spans(struct planner *planner, bool writable)
{
    for (size_t i = 0; i < planner->contents->span_count; i++) {
        struct ilpi_moved_span *span = &planner->contents->spans[i];
        if (span->writable == writable) {
            span->new_rva = place(planner, (struct ilp_bytes){span->bytes, span->size},
                                  span->modulus, span->rva);
        }
    }
}

/* Managed resources are one block, whose parts ManifestResource refers to by offset (II.22.24): it
 * moves as a whole. */
static ilp_status place_resources(struct planner *planner)
{
    const uint8_t *cli = planner->pe->bytes.data + planner->pe->cli_offset;
    uint32_t rva = ilpi_load_u32(cli + ILPI_CLI_AT_RESOURCES);
    uint32_t size = ilpi_load_u32(cli + ILPI_CLI_AT_RESOURCES + 4);
    struct ilp_bytes bytes = ilpi_pe_rva(planner->pe, rva, NULL);
    if (rva == 0 || size == 0) {
        return ILP_OK;
    }
    if (bytes.size < size) {
        return refuse(planner, planner->pe->cli_offset + ILPI_CLI_AT_RESOURCES,
                      "the resources are not whole");
    }
    planner->parts.resources_rva = place(planner, (struct ilp_bytes){bytes.data, size}, 8, 0);
    return ILP_OK;
}

/* With the flag the old signature is kept; a new one begins as zeros. A size in strong_name means
 * that a signature is made: pe_sign.c fills it in when all other bytes are known. */
static ilp_status place_signature(struct planner *planner)
{
    struct ilpi_directory_entry entry = planner->pe->strong_name_signature;
    struct ilp_bytes old = ilpi_pe_rva(planner->pe, entry.rva, NULL);
    if (entry.rva == 0 || entry.size == 0 ||
        planner->contents->strong_name->state == ILP_STRONG_NAME_CLEARED) {
        return ILP_OK;
    }
    if (old.size < entry.size) {
        return refuse(planner, planner->pe->cli_offset + ILPI_CLI_AT_STRONG_NAME_SIGNATURE,
                      "the signature is not whole");
    }
    uint8_t *bytes = reserve(planner, entry.size, 4, &planner->parts.signature_rva);
    if (bytes && planner->contents->strong_name->size == 0) {
        memcpy(bytes, old.data, entry.size);
    }
    planner->plan->signature = bytes;
    planner->plan->signature_offset = planner->compact->pieces[planner->compact->count - 1].offset;
    return ILP_OK;
}

/* The table, and the data of its entries. Entries hold both an RVA and a file offset, and the RVA
 * is 0 for data that no loader maps; that stays so. */
static ilp_status place_debug(struct planner *planner)
{
    const struct ilpi_debug_plan *debug = planner->contents->debug;
    if (debug->kept == 0) {
        return ILP_OK;
    }
    uint8_t *to = reserve(planner, (size_t)debug->kept * ILPI_DEBUG_ENTRY_BYTES, 4,
                          &planner->parts.debug_rva);
    for (uint32_t i = 0; i < debug->count && to; i++) {
        const struct ilpi_debug_change *change = &debug->changes[i];
        const uint8_t *bytes = debug->table.data + (size_t)i * ILPI_DEBUG_ENTRY_BYTES;
        struct ilpi_debug_entry entry = ilpi_debug_entry_read(planner->pe, bytes);
        struct ilp_bytes data = change->data.size != 0 ? change->data : entry.data;
        if (change->dropped) {
            continue;
        }
        memcpy(to, bytes, ILPI_DEBUG_ENTRY_BYTES);
        if (change->data.size != 0 && entry.type == ILPI_DEBUG_CODEVIEW) {
            ilpi_store_u32(to + ILPI_DEBUG_AT_STAMP, change->stamp);
        }
        if (data.size == 0 && ilpi_load_u32(bytes + ILPI_DEBUG_AT_SIZE) != 0) {
            return refuse(planner, debug->table_offset, "data of the debug directory is truncated");
        }
        ilpi_store_u32(to + ILPI_DEBUG_AT_SIZE, (uint32_t)data.size);
        if (data.size != 0) {
            uint32_t rva = place(planner, data, 4, 0);
            bool mapped = change->data.size != 0 || ilpi_load_u32(bytes + ILPI_DEBUG_AT_RVA) != 0;
            ilpi_store_u32(to + ILPI_DEBUG_AT_RVA, mapped ? rva : 0);
            ilpi_store_u32(to + ILPI_DEBUG_AT_RAW,
                           (uint32_t)planner->compact->pieces[planner->compact->count - 1].offset);
        }
        to += ILPI_DEBUG_ENTRY_BYTES;
    }
    return ILP_OK;
}

/* The order inside .text; see compact.h. The import address table is first, where linkers have it;
 * bodies are at a multiple of 8, because `bodies` also holds data at such offsets (edit.h). */
static ilp_status place_text(struct planner *planner)
{
    struct compact_parts *parts = &planner->parts;
    uint32_t unused;
    begin_section(planner, ".text", ILPI_SECTION_CODE_EXECUTE_READ);
    if (planner->compact->stub.there) {
        parts->iat = reserve(planner, ILPI_STUB_IAT_BYTES, 8, &parts->places.iat);
    }
    parts->cli = reserve(planner, ILPI_CLI_HEADER_BYTES, 4, &parts->cli_rva);
    place_spans(planner, false);
    planner->compact->bodies_rva = place(planner, planner->contents->bodies, 8, 0);
    ILPI_TRY(place_resources(planner));
    ILPI_TRY(place_signature(planner));
    ILPI_TRY(place_debug(planner));
    planner->compact->origin = reserve(planner, ILPI_ORIGIN_BYTES, 4, &unused);
    parts->root_rva = place(planner, (struct ilp_bytes){NULL, planner->contents->root_size}, 4, 0);
    if (planner->compact->stub.there) {
        parts->import = reserve(planner, ILPI_STUB_IMPORT_BYTES, 4, &parts->places.import);
        parts->code = reserve(planner, ILPI_STUB_CODE_BYTES, 4, &parts->places.code);
    }
    return ILP_OK;
}

/* Sections that exist only if they have contents. `writable` spans need a section of their own:
 * .text cannot be written, and code may store to the field's data. */
static void place_others(struct planner *planner, bool writable)
{
    struct compact_parts *parts = &planner->parts;
    uint32_t rva;
    if (writable) {
        begin_section(planner, ".sdata", ILPI_SECTION_DATA_READ_WRITE);
        place_spans(planner, true);
    }
    if (planner->compact->win32.size != 0) {
        begin_section(planner, ".rsrc", ILPI_SECTION_DATA_READ);
        uint8_t *copy = reserve(planner, planner->compact->win32.size, 8, &rva);
        if (copy) {
            ilpi_win32_move(planner->pe, planner->compact->win32, copy, rva);
        }
    }
    if (planner->compact->stub.there) {
        begin_section(planner, ".reloc", ILPI_SECTION_DATA_READ_DISCARDABLE);
        parts->reloc = reserve(planner, ILPI_STUB_RELOC_BYTES, 4, &rva);
    }
}

/* ---- headers ---- */

static void set_member(struct planner *planner, uint32_t member, uint32_t value)
{
    ilpi_store_u32(planner->plan->headers + planner->pe->optional_offset + member, value);
}

static const struct section *section_named(const struct planner *planner, const char *name)
{
    for (unsigned i = 0; i < planner->section_count; i++) {
        if (strcmp(planner->sections[i].name, name) == 0) {
            return &planner->sections[i];
        }
    }
    return NULL;
}

static void put_directory(struct planner *planner, enum ilpi_directory directory, uint32_t rva,
                          uint32_t size)
{
    ilpi_pe_put_directory(planner->pe, planner->plan->headers, directory, rva, size);
}

/* All directories are cleared first: those that are not set again (bound imports, the certificate)
 * refer to bytes that are not in the new file. */
static void put_directories(struct planner *planner)
{
    uint32_t debug_size = planner->contents->debug->kept * ILPI_DEBUG_ENTRY_BYTES;
    const struct compact_parts *parts = &planner->parts;
    const struct section *win32 = section_named(planner, ".rsrc");
    const struct section *reloc = section_named(planner, ".reloc");
    for (unsigned i = 0; i < ILPI_DIR_COUNT; i++) {
        put_directory(planner, (enum ilpi_directory)i, 0, 0);
    }
    put_directory(planner, ILPI_DIR_CLI, parts->cli_rva, ILPI_CLI_HEADER_BYTES);
    if (parts->debug_rva != 0) {
        put_directory(planner, ILPI_DIR_DEBUG, parts->debug_rva, debug_size);
    }
    if (win32) {
        put_directory(planner, ILPI_DIR_RESOURCE, (uint32_t)win32->rva,
                      (uint32_t)planner->compact->win32.size);
    }
    if (reloc) {
        put_directory(planner, (enum ilpi_directory)ILPI_DIR_IMPORT, parts->places.import,
                      ILPI_STUB_IMPORT_BYTES);
        put_directory(planner, (enum ilpi_directory)ILPI_DIR_IAT, parts->places.iat,
                      ILPI_STUB_IAT_BYTES);
        put_directory(planner, (enum ilpi_directory)ILPI_DIR_RELOCATION, (uint32_t)reloc->rva,
                      ILPI_STUB_RELOC_BYTES);
    }
}

/* BaseOfData exists in PE32 only (II.25.2.3.1); PE32+ has the upper half of ImageBase there. */
static void put_sections(struct planner *planner)
{
    const struct ilpi_pe *pe = planner->pe;
    uint8_t *headers = planner->plan->headers;
    uint32_t data = 0;
    for (unsigned i = 0; i < planner->section_count; i++) {
        const struct section *section = &planner->sections[i];
        uint8_t *to = headers + pe->section_table_offset + (size_t)i * ILPI_SECTION_HEADER_BYTES;
        uint32_t raw_size = (uint32_t)align_up(section->size, pe->file_alignment);
        memcpy(to, section->name, strlen(section->name));
        ilpi_store_u32(to + ILPI_SECTION_VIRTUAL_SIZE, (uint32_t)section->size);
        ilpi_store_u32(to + ILPI_SECTION_RVA, (uint32_t)section->rva);
        ilpi_store_u32(to + ILPI_SECTION_RAW_SIZE, raw_size);
        ilpi_store_u32(to + ILPI_SECTION_RAW_OFFSET, (uint32_t)section->raw);
        ilpi_store_u32(to + ILPI_SECTION_CHARACTERISTICS, section->characteristics);
        data += i != 0 ? raw_size : 0;
    }
    const struct section *text = &planner->sections[0];
    ilpi_store_u16(headers + pe->coff_offset + ILPI_COFF_SECTION_COUNT,
                   (uint16_t)planner->section_count);
    ilpi_store_u32(headers + pe->coff_offset + ILPI_COFF_SYMBOL_TABLE, 0);
    ilpi_store_u32(headers + pe->coff_offset + ILPI_COFF_SYMBOL_COUNT, 0);
    set_member(planner, ILPI_OPTIONAL_SIZE_OF_CODE,
               (uint32_t)align_up(text->size, pe->file_alignment));
    set_member(planner, ILPI_OPTIONAL_SIZE_OF_DATA, data);
    set_member(planner, ILPI_OPTIONAL_SIZE_OF_BSS, 0);
    set_member(planner, ILPI_OPTIONAL_BASE_OF_CODE, (uint32_t)text->rva);
    if (!pe->pe32_plus) {
        set_member(planner, ILPI_OPTIONAL_BASE_OF_DATA,
                   planner->section_count > 1 ? (uint32_t)text[1].rva : 0);
    }
}

/* The checksum stays 0 unless the original had one; image_write.c then sums the finished file. */
static void put_headers(struct planner *planner)
{
    const struct ilpi_pe *pe = planner->pe;
    struct ilpi_pe_plan *plan = planner->plan;
    const struct section *last = current(planner);
    if (plan->info.native_code_dropped) {
        ilpi_r2r_drop_headers(pe, plan->headers);
    }
    put_sections(planner);
    put_directories(planner);
    set_member(planner, ILPI_OPTIONAL_ENTRY_POINT,
               planner->compact->stub.there ? planner->parts.places.code + 2 : 0);
    set_member(planner, ILPI_OPTIONAL_SIZE_OF_IMAGE,
               (uint32_t)align_up(last->rva + last->size, pe->section_alignment));
    set_member(planner, ILPI_OPTIONAL_SIZE_OF_HEADERS, (uint32_t)plan->headers_size);
    set_member(planner, ILPI_OPTIONAL_CHECKSUM, 0);
}

/* The old header with the new places (II.25.3.3). Longer headers, which no runtime knows, become 72
 * bytes. */
static void put_cli_header(struct planner *planner)
{
    const struct ilpi_pe *pe = planner->pe;
    const struct compact_parts *parts = &planner->parts;
    uint8_t *cli = parts->cli;
    memcpy(cli, planner->pe->bytes.data + pe->cli_offset, ILPI_CLI_HEADER_BYTES);
    ilpi_store_u32(cli, ILPI_CLI_HEADER_BYTES);
    ilpi_store_u32(cli + ILPI_CLI_AT_METADATA, parts->root_rva);
    ilpi_store_u32(cli + ILPI_CLI_AT_METADATA + 4, planner->contents->root_size);
    if (parts->resources_rva != 0) {
        ilpi_store_u32(cli + ILPI_CLI_AT_RESOURCES, parts->resources_rva);
    }
    if (parts->signature_rva != 0) {
        ilpi_store_u32(cli + ILPI_CLI_AT_STRONG_NAME_SIGNATURE, parts->signature_rva);
    }
    ilpi_strong_name_put(planner->contents->strong_name, cli);
    if (planner->plan->info.native_code_dropped) {
        ilpi_r2r_drop_cli(cli);
    }
}

/* ---- the plan ---- */

/* The size of the headers decides the offsets of all sections, so the number of sections is
 * computed before any piece is placed. */
static ilp_status begin(struct planner *planner, bool *writable)
{
    const struct ilpi_pe *pe = planner->pe;
    struct ilpi_pe_plan *plan = planner->plan;
    struct ilpi_compact *compact = planner->compact;
    const struct ilpi_compact_contents *contents = planner->contents;
    *writable = false;
    for (size_t i = 0; i < contents->span_count; i++) {
        *writable |= contents->spans[i].writable;
    }
    unsigned sections = 1u + *writable + (planner->compact->win32.size != 0) +
                        planner->compact->stub.there;
    uint64_t headers = pe->section_table_offset + (uint64_t)sections * ILPI_SECTION_HEADER_BYTES;
    plan->headers_size = (size_t)align_up(headers, pe->file_alignment);
    plan->headers = ilpi_arena_alloc(planner->arena, plan->headers_size);
    compact->capacity = contents->span_count + contents->debug->count + MAX_OTHER_PIECES;
    compact->pieces = ilpi_arena_array(planner->arena, compact->capacity, sizeof *compact->pieces);
    if (!plan->headers || !compact->pieces) {
        return ilpi_fail_memory(planner->error, plan->headers_size);
    }
    memcpy(plan->headers, planner->pe->bytes.data, pe->section_table_offset);
    return ILP_OK;
}

/* Sizes are known at the end, so headers are made last. 2 GB is the limit of what a runtime maps,
 * and of the offsets in a plan. */
static ilp_status finish(struct planner *planner)
{
    const struct section *last = current(planner);
    struct ilpi_pe_plan *plan = planner->plan;
    plan->file_size = align_up(last->raw + last->size, planner->pe->file_alignment);
    if (planner->failed) {
        return ilpi_fail_memory(planner->error, 0);
    }
    if (last->rva + last->size + planner->pe->section_alignment > INT32_MAX ||
        plan->file_size > INT32_MAX) {
        return ilpi_fail(planner->error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "the image would be larger than 2 GB");
    }
    put_headers(planner);
    put_cli_header(planner);
    if (planner->compact->stub.there) {
        uint32_t base =
            ilpi_load_u32(plan->headers + planner->pe->optional_offset + ILPI_OPTIONAL_IMAGE_BASE);
        ilpi_stub_write(&planner->compact->stub, &planner->parts.places, base, planner->parts.iat,
                        planner->parts.import, planner->parts.code, planner->parts.reloc);
    }
    plan->info.size = plan->file_size;
    plan->info.compacted = true;
    return ILP_OK;
}

/* Everything here needs headers alone. image_write.c calls it before it walks over the rows, so a
 * file that cannot have this layout costs little. */
ilp_status ilpi_compact_begin(struct ilpi_compact *compact, struct ilpi_pe_plan *plan,
                              const struct ilpi_pe *pe,
                              const struct ilpi_compact_contents *contents, struct ilp_error *error)
{
    *compact = (struct ilpi_compact){.count = 0};
    ILPI_TRY(ilpi_pe_plan_begin(plan, pe, contents->debug, contents->strong_name, error));
    ILPI_TRY(ilpi_compact_check(plan, error));
    if (!plan->info.native_code_dropped) {
        ILPI_TRY(ilpi_stub_read(&compact->stub, pe, error));
    }
    return ilpi_win32_find(pe, &compact->win32, error);
}

/* In the order of the file: what precedes decides where the rest begins. */
ilp_status ilpi_compact_plan(struct ilpi_compact *compact, struct ilpi_pe_plan *plan,
                             const struct ilpi_compact_contents *contents, struct ilp_arena *arena,
                             struct ilp_error *error)
{
    struct planner planner = {.compact = compact,
                              .plan = plan,
                              .contents = contents,
                              .pe = plan->pe,
                              .arena = arena,
                              .error = error};
    bool writable;
    ILPI_TRY(begin(&planner, &writable));
    ILPI_TRY(place_text(&planner));
    place_others(&planner, writable);
    return finish(&planner);
}

/* Pieces are in the order of the file, so it is written from start to end; what has no bytes is the
 * metadata root, which is made while it is written. */
void ilpi_compact_write(const struct ilpi_compact *compact, const struct ilpi_pe_plan *plan,
                        const struct ilpi_root_emission *root, struct ilpi_out *out)
{
    ilpi_out_bytes(out, plan->headers, plan->headers_size);
    for (size_t i = 0; i < compact->count; i++) {
        const struct ilpi_piece *piece = &compact->pieces[i];
        ilpi_out_to(out, piece->offset);
        if (piece->bytes.data) {
            ilpi_out_bytes(out, piece->bytes.data, piece->bytes.size);
        } else {
            root->emit(root->user, out);
        }
    }
    ilpi_out_to(out, plan->file_size);
}
