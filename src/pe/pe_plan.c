/* Plans the new PE file: room for one more section header, the offset of the new section, and the
 * header fields that change (II.25.2, II.25.3, and what CoreCLR's PE checks require of an IL-only
 * image).
 *
 * Room for a section header is taken from, in this order: 40 zero bytes after the section table;
 * headers grown by one file alignment (most C# compilers leave 16 bytes); or no header, by
 * extending the last section.
 *
 *   slack     headers | table | 40 zeros used     | sections | new section
 *   growth    headers | table | + FileAlignment   | sections, later in the file | new section
 *   extend    headers | table                     | sections ... last one, longer
 *
 * RVAs of existing bytes never change, so code, data and relocations need no change. */
#include "pe/pe_plan.h"

#include "pe/ready_to_run.h"

/* FileAlignment ends at 64 KB (II.25.2.3.2). */
#define MAX_FILE_ALIGNMENT 0x10000u

/* Extending a section writes its uninitialized part to the file: not for large ones. */
#define MAX_GAP 0x10000u

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* What every later step relies on: alignments are powers of two, so align_up() works by masks;
 * sections are within the file; and no RVA is both in the headers and in a section. */
ilp_status ilpi_pe_can_be_written(const struct ilpi_pe *pe, struct ilp_error *error)
{
    if (pe->layout == ILP_LAYOUT_METADATA) {
        return ILP_OK;
    }
    if (pe->layout == ILP_LAYOUT_MAPPED) {
        return ilpi_fail(error, ILP_E_MAPPED_WRITE, ILPI_NO_OFFSET, 0,
                         "an image in mapped layout cannot be written as a file");
    }
    if (pe->managed_native_header.rva != 0) {
        ILPI_TRY(ilpi_r2r_can_drop(pe, error));
    }
    if (!is_power_of_two(pe->file_alignment) || !is_power_of_two(pe->section_alignment) ||
        pe->file_alignment > MAX_FILE_ALIGNMENT || pe->section_count == 0) {
        return ilpi_fail(
            error, ILP_E_BAD_PE, pe->optional_offset, 0,
            "an alignment of the PE header is not a power of two or above 64 KB, or there are "
            "no sections");
    }
    for (unsigned i = 0; i < pe->section_count; i++) {
        const struct ilpi_section *section = &pe->sections[i];
        if (section->raw_size != 0 && (section->raw_offset > pe->bytes.size ||
                                       section->raw_size > pe->bytes.size - section->raw_offset)) {
            return ilpi_fail(error, ILP_E_BAD_PE,
                             pe->section_table_offset + (uint64_t)i * ILPI_SECTION_HEADER_BYTES, 0,
                             "section %u leads outside of the file", i + 1);
        }
        /* RVAs below SizeOfHeaders are file offsets; a section cannot begin there. */
        if (section->rva < pe->size_of_headers) {
            return ilpi_fail(error, ILP_E_BAD_PE,
                             pe->section_table_offset + (uint64_t)i * ILPI_SECTION_HEADER_BYTES, 0,
                             "section %u begins inside of the headers", i + 1);
        }
    }
    return ILP_OK;
}

uint32_t ilpi_pe_table_end(const struct ilpi_pe *pe)
{
    return pe->section_table_offset + pe->section_count * ILPI_SECTION_HEADER_BYTES;
}

/* Sections without raw data (.bss) have no contents in the file, and their offset means nothing. */
uint32_t ilpi_pe_contents_begin(const struct ilpi_pe *pe)
{
    uint64_t first = pe->bytes.size;
    for (unsigned i = 0; i < pe->section_count; i++) {
        const struct ilpi_section *section = &pe->sections[i];
        if (section->raw_size != 0 && section->raw_offset < first) {
            first = section->raw_offset;
        }
    }
    return (uint32_t)first;
}

/* Whatever follows, a certificate or an overlay, is not part of any section. */
uint64_t ilpi_pe_contents_end(const struct ilpi_pe *pe)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < pe->section_count; i++) {
        const struct ilpi_section *section = &pe->sections[i];
        uint64_t section_end = (uint64_t)section->raw_offset + section->raw_size;
        end = section->raw_size != 0 && section_end > end ? section_end : end;
    }
    return end;
}

/* A certificate at the end of the file signs bytes that change, so it is dropped. Other data after
 * the last section stays. */
static uint64_t kept_end(const struct ilpi_pe *pe, bool *certificate)
{
    struct ilpi_directory_entry security = pe->directories[ILPI_DIR_SECURITY];
    uint64_t size = pe->bytes.size;
    *certificate = security.rva != 0 && security.size != 0;
    return *certificate && security.rva >= ilpi_pe_contents_end(pe) && security.rva < size &&
                   security.size >= size - security.rva
               ? security.rva
               : size;
}

/* ---- room for a section header ---- */

/* Free is what is zero and mapped as header: bytes after SizeOfHeaders are not, and bytes after the
 * first section's start are that section's. */
static bool slack_is_free(const struct ilpi_pe_plan *plan, uint32_t bytes)
{
    const struct ilpi_pe *pe = plan->pe;
    uint32_t from = ilpi_pe_table_end(pe);
    uint32_t limit = plan->headers_end < pe->size_of_headers ? plan->headers_end
                                                             : pe->size_of_headers;
    if (limit < from || limit - from < bytes) {
        return false;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        if (plan->pe->bytes.data[from + i] != 0) {
            return false;
        }
    }
    return true;
}

/* Growing moves everything after the section table. The only thing there that an RVA may refer to
 * is the table of bound imports, which can be moved as well.
 *
 * Refused if alignments are equal and RVAs are file offsets (the file is mapped as it is, so an
 * offset cannot change without its RVA), or if larger headers would reach into the first
 * section. */
static bool can_grow(const struct ilpi_pe_plan *plan, const struct ilpi_rva_references *references,
                     uint32_t growth)
{
    const struct ilpi_pe *pe = plan->pe;
    for (unsigned i = 0; i < pe->section_count; i++) {
        const struct ilpi_section *section = &pe->sections[i];
        bool mapped_as_is = pe->section_alignment == pe->file_alignment &&
                            section->rva == section->raw_offset;
        if (mapped_as_is || section->rva < (uint64_t)pe->size_of_headers + growth) {
            return false;
        }
    }
    for (unsigned i = 0; i < ILPI_DIR_COUNT; i++) {
        uint32_t rva = pe->directories[i].rva;
        if (i != ILPI_DIR_SECURITY && i != ILPI_DIR_BOUND_IMPORT && rva >= ilpi_pe_table_end(pe) &&
            rva < pe->size_of_headers) {
            return false;
        }
    }
    /* no compiler puts a body or data into the headers, but loaders accept it */
    return !references->any(references->user, ilpi_pe_table_end(pe), pe->size_of_headers) &&
           plan->headers_end >= ilpi_pe_table_end(pe);
}

/* The last section by RVA can be extended if its contents are also the last of the file. */
static const struct ilpi_section *extensible_section(const struct ilpi_pe_plan *plan)
{
    const struct ilpi_pe *pe = plan->pe;
    const struct ilpi_section *last = &pe->sections[0];
    for (unsigned i = 1; i < pe->section_count; i++) {
        last = pe->sections[i].rva > last->rva ? &pe->sections[i] : last;
    }
    bool at_end = (uint64_t)last->raw_offset + last->raw_size == plan->kept_end;
    bool small_gap = last->virtual_size <= (uint64_t)last->raw_size + MAX_GAP;
    return at_end && small_gap && (last->characteristics & ILPI_SECTION_WRITE) == 0 ? last : NULL;
}

/* Where the contents go: *extended is the section that grows; NULL: a section is added. */
static ilp_status choose_placement(struct ilpi_pe_plan *plan,
                                   const struct ilpi_rva_references *references,
                                   const struct ilpi_section **extended, struct ilp_error *error)
{
    const struct ilpi_pe *pe = plan->pe;
    uint32_t growth = (uint32_t)align_up(ILPI_SECTION_HEADER_BYTES, pe->file_alignment);
    bool has_number = pe->section_count < ILPI_MAX_SECTIONS;
    *extended = NULL;
    if (has_number && slack_is_free(plan, ILPI_SECTION_HEADER_BYTES)) {
        return ILP_OK;
    }
    if (has_number && can_grow(plan, references, growth)) {
        plan->growth = growth;
        return ILP_OK;
    }
    *extended = extensible_section(plan);
    if (!*extended) {
        return ilpi_fail(error, ILP_E_NO_ROOM, ilpi_pe_table_end(pe), 0,
                         "no room for one more section header, and the last section cannot grow");
    }
    return ILP_OK;
}

/* ---- places ---- */

/* Sums are in 64 bits and compared once at the end. */
static ilp_status place_contents(struct ilpi_pe_plan *plan, const struct ilpi_section *extended,
                                 struct ilp_error *error)
{
    const struct ilpi_pe *pe = plan->pe;
    uint64_t rva = 0;
    if (!extended) {
        /* After RVA + AlignUp(VirtualSize) of every section, not only after the last one: sections
         * of ReadyToRun images for Unix begin at unaligned RVAs, and CoreCLR checks them all. */
        for (unsigned i = 0; i < pe->section_count; i++) {
            const struct ilpi_section *section = &pe->sections[i];
            uint32_t size = section->virtual_size != 0 ? section->virtual_size : section->raw_size;
            uint64_t end = section->rva + align_up(size, pe->section_alignment);
            rva = end > rva ? end : rva;
        }
        rva = align_up(rva, pe->section_alignment);
        plan->contents_offset = align_up(plan->kept_end + plan->growth, pe->file_alignment);
    } else {
        uint32_t size = extended->virtual_size > extended->raw_size ? extended->virtual_size
                                                                    : extended->raw_size;
        rva = align_up((uint64_t)extended->rva + size, 8); /* the alignment of field data */
        plan->contents_offset = extended->raw_offset + (rva - extended->rva);
    }
    uint64_t end = plan->contents_offset + plan->contents_size;
    plan->file_size = align_up(end, pe->file_alignment);
    if (rva + plan->contents_size + pe->section_alignment > INT32_MAX ||
        plan->file_size > UINT32_MAX) {
        return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                         "the image would be larger than 2 GB");
    }
    plan->contents_rva = (uint32_t)rva;
    return ILP_OK;
}

/* ---- headers ---- */

static void set_field(struct ilpi_pe_plan *plan, uint32_t offset, uint32_t value)
{
    ilpi_store_u32(plan->headers + offset, value);
}

static void add_growth(struct ilpi_pe_plan *plan, uint32_t offset)
{
    uint32_t value = ilpi_load_u32(plan->headers + offset);
    set_field(plan, offset, value != 0 ? value + plan->growth : 0);
}

/* The fields in the order of the section header in the PE/COFF specification. SizeOfCode is kept in
 * agreement, though only tools read it. */
static void put_new_section(struct ilpi_pe_plan *plan)
{
    const struct ilpi_pe *pe = plan->pe;
    uint32_t at = ilpi_pe_table_end(pe);
    uint32_t raw_size = (uint32_t)(plan->file_size - plan->contents_offset);
    memcpy(plan->headers + at, ILPI_SECTION_NAME, ILPI_SECTION_NAME_BYTES);
    set_field(plan, at + ILPI_SECTION_VIRTUAL_SIZE, plan->contents_size);
    set_field(plan, at + ILPI_SECTION_RVA, plan->contents_rva);
    set_field(plan, at + ILPI_SECTION_RAW_SIZE, raw_size);
    set_field(plan, at + ILPI_SECTION_RAW_OFFSET, (uint32_t)plan->contents_offset);
    set_field(plan, at + ILPI_SECTION_CHARACTERISTICS, ILPI_SECTION_CODE_EXECUTE_READ);
    ilpi_store_u16(plan->headers + pe->coff_offset + ILPI_COFF_SECTION_COUNT,
                   (uint16_t)(pe->section_count + 1));
    set_field(plan, pe->optional_offset + ILPI_OPTIONAL_SIZE_OF_CODE,
              ilpi_load_u32(plan->headers + pe->optional_offset + ILPI_OPTIONAL_SIZE_OF_CODE) +
                  raw_size);
}

/* The raw size includes the uninitialised part, which is now in the file as zeros, up to the new
 * contents: MAX_GAP bounds it. The loader may discard a DISCARDABLE section (II.25.3), so metadata
 * must not be in one. */
static void put_extended_section(struct ilpi_pe_plan *plan, const struct ilpi_section *section)
{
    uint32_t at = plan->pe->section_table_offset +
                  (uint32_t)(section - plan->pe->sections) * ILPI_SECTION_HEADER_BYTES;
    set_field(plan, at + ILPI_SECTION_VIRTUAL_SIZE,
              plan->contents_rva + plan->contents_size - section->rva);
    set_field(plan, at + ILPI_SECTION_RAW_SIZE, (uint32_t)(plan->file_size - section->raw_offset));
    set_field(plan, at + ILPI_SECTION_CHARACTERISTICS,
              section->characteristics & ~ILPI_SECTION_DISCARDABLE);
}

/* The headers up to the first section's contents, copied with a gap of `growth` after the section
 * table. All fields are then set in the copy; offsets in the headers before the table do not move,
 * and directories that refer to headers were excluded by can_grow(). */
static ilp_status build_headers(struct ilpi_pe_plan *plan, const struct ilpi_section *extended,
                                const struct ilpi_debug_plan *debug, struct ilp_arena *arena,
                                struct ilp_error *error)
{
    const struct ilpi_pe *pe = plan->pe;
    const uint8_t *original = plan->pe->bytes.data;
    plan->headers_size = (size_t)plan->headers_end + plan->growth;
    plan->headers = ilpi_arena_alloc(arena, plan->headers_size);
    if (!plan->headers) {
        return ilpi_fail_memory(error, plan->headers_size);
    }
    uint32_t split = plan->growth != 0 ? ilpi_pe_table_end(pe) : plan->headers_end;
    memcpy(plan->headers, original, split);
    memcpy(plan->headers + split + plan->growth, original + split, plan->headers_end - split);

    for (uint32_t i = 0; i < pe->section_count; i++) {
        if (pe->sections[i].raw_size != 0) {
            add_growth(plan, pe->section_table_offset + i * ILPI_SECTION_HEADER_BYTES +
                                 ILPI_SECTION_RAW_OFFSET);
        }
    }
    add_growth(plan, pe->coff_offset + ILPI_COFF_SYMBOL_TABLE);
    set_field(plan, pe->optional_offset + ILPI_OPTIONAL_SIZE_OF_HEADERS,
              pe->size_of_headers + plan->growth);
    set_field(plan, pe->optional_offset + ILPI_OPTIONAL_CHECKSUM, 0);
    struct ilpi_directory_entry bound = pe->directories[ILPI_DIR_BOUND_IMPORT];
    if (bound.rva >= ilpi_pe_table_end(pe) && bound.rva < pe->size_of_headers) {
        ilpi_pe_put_directory(pe, plan->headers, ILPI_DIR_BOUND_IMPORT, bound.rva + plan->growth,
                              bound.size);
    }
    /* a strong-name signature is made as if there were no certificate, even where the entry refers
     * to nothing */
    if (plan->info.certificate_dropped || plan->info.strong_name == ILP_STRONG_NAME_SIGNED) {
        ilpi_pe_put_directory(pe, plan->headers, ILPI_DIR_SECURITY, 0, 0);
    }
    if (debug->kept != debug->count) {
        uint32_t size = debug->kept * ILPI_DEBUG_ENTRY_BYTES;
        ilpi_pe_put_directory(pe, plan->headers, ILPI_DIR_DEBUG,
                              size != 0 ? pe->directories[ILPI_DIR_DEBUG].rva : 0, size);
    }
    if (plan->info.native_code_dropped) {
        ilpi_r2r_drop_headers(pe, plan->headers);
    }
    if (extended) {
        put_extended_section(plan, extended);
    } else {
        put_new_section(plan);
    }
    uint64_t image_end = (uint64_t)plan->contents_rva + plan->contents_size;
    set_field(plan, pe->optional_offset + ILPI_OPTIONAL_SIZE_OF_IMAGE,
              (uint32_t)align_up(image_end, pe->section_alignment));
    return ILP_OK;
}

uint32_t ilpi_pe_checksum_offset(const struct ilpi_pe *pe)
{
    return pe->optional_offset + ILPI_OPTIONAL_CHECKSUM;
}

/* Common to both layouts; the fields of `info` that depend on the layout are set by their
 * planners. */
ilp_status ilpi_pe_plan_begin(struct ilpi_pe_plan *plan, const struct ilpi_pe *pe,
                              const struct ilpi_debug_plan *debug,
                              const struct ilpi_strong_name *strong_name, struct ilp_error *error)
{
    *plan = (struct ilpi_pe_plan){.pe = pe, .checksum = pe->checksum != 0};
    ILPI_TRY(ilpi_pe_can_be_written(pe, error));
    plan->kept_end = kept_end(pe, &plan->info.certificate_dropped);
    plan->info.native_code_dropped = pe->managed_native_header.rva != 0;
    plan->info.bound_to = plan->info.native_code_dropped ? ilpi_r2r_bound_to(pe) : NULL;
    plan->info.symbols_dropped = debug->symbols_dropped;
    plan->info.symbols_updated = debug->symbols_updated;
    plan->info.symbols_stale = debug->symbols_stale;
    plan->info.strong_name = strong_name->state;
    return ILP_OK;
}

/* Order of decisions: how far headers may grow, where the new contents are (the last section, or a
 * new one), then everything that has an address in it. */
ilp_status ilpi_pe_plan(struct ilpi_pe_plan *plan, const struct ilpi_pe *pe,
                        const struct ilpi_pe_contents *contents, struct ilp_arena *arena,
                        struct ilp_error *error)
{
    ILPI_TRY(ilpi_pe_plan_begin(plan, pe, contents->debug, contents->strong_name, error));
    plan->contents_size = contents->size;
    plan->headers_end = ilpi_pe_contents_begin(pe);
    if (plan->headers_end < ilpi_pe_table_end(pe) || plan->kept_end < plan->headers_end ||
        pe->cli_offset < plan->headers_end) {
        return ilpi_fail(error, ILP_E_NO_ROOM, ilpi_pe_table_end(pe), 0,
                         "sections and headers share their bytes");
    }
    const struct ilpi_section *extended;
    ILPI_TRY(choose_placement(plan, &contents->references, &extended, error));
    plan->info.headers_grown = plan->growth != 0;
    plan->info.section_extended = extended != NULL;
    ILPI_TRY(place_contents(plan, extended, error));
    plan->info.size = plan->file_size;
    ILPI_TRY(ilpi_pe_plan_debug(plan, contents, arena, error));
    ILPI_TRY(build_headers(plan, extended, contents->debug, arena, error));
    return ilpi_pe_plan_patches(plan, contents, arena, error);
}
