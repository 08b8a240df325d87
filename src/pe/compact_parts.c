/* What prevents the compact layout; and the parts that hold RVAs and must be rebuilt or changed
 * when they move: the entry stub with its import (II.25.3.1), and Win32 resources (PE format, "The
 * .rsrc Section"). See compact.h.
 *
 * The parts of the stub (II.25.3.1), and what refers to what:
 *
 *   descriptor   +0 ILT --> RVA of the hint, 0    +12 name --> "mscoree.dll"
 *                +16 IAT --> RVA of the hint, which the loader replaces by the function's address
 *   hint         00 00, "_CorExeMain" or "_CorDllMain"
 *   code         FF 25 address: jmp [ImageBase + IAT]
 *   relocation   page, 12, one entry: that address */
#include "pe/compact.h"

static ilp_status refuse(struct ilp_error *error, uint64_t offset, const char *reason)
{
    return ilpi_fail(error, ILP_E_CANNOT_COMPACT, offset, 0, "%s", reason);
}

/* ---- what cannot be moved ---- */

/* Directories that an IL-only image does not have, or that concern native code. */
static ilp_status check_directories(const struct ilpi_pe *pe, struct ilp_error *error)
{
    static const uint8_t known[ILPI_DIR_COUNT] = {
        [ILPI_DIR_IMPORT] = 1,     [ILPI_DIR_RESOURCE] = 1, [ILPI_DIR_SECURITY] = 1,
        [ILPI_DIR_RELOCATION] = 1, [ILPI_DIR_DEBUG] = 1,    [ILPI_DIR_IAT] = 1,
        [ILPI_DIR_CLI] = 1};
    if ((pe->cli_flags & ILPI_CLI_ILONLY) == 0) {
        return refuse(error, pe->cli_offset + ILPI_CLI_AT_FLAGS,
                      "a mixed-mode image: native code cannot be moved");
    }
    for (unsigned i = 0; i < ILPI_DIR_COUNT; i++) {
        if (!known[i] && pe->directories[i].rva != 0) {
            return refuse(error, pe->directory_offset + (uint64_t)i * 8,
                          "a data directory (exports, TLS or the like) has to do with native code");
        }
    }
    return ILP_OK;
}

/* Sections of IL-only images: compilers' and ours. The contents of another section are known only
 * to whoever added it, and may be found by its name or RVA: protectors find encrypted bodies that
 * way, C++ its initializers (.rdata), and MSBuild the MVID of a reference assembly (.mvid). */
static ilp_status check_sections(const struct ilpi_pe *pe, struct ilp_error *error)
{
    static const char *const known[] = {".text", ".sdata", ".rsrc", ".reloc", ILPI_SECTION_NAME};
    for (unsigned i = 0; i < pe->section_count; i++) {
        uint64_t at = pe->section_table_offset + (uint64_t)i * ILPI_SECTION_HEADER_BYTES;
        const char *name = (const char *)pe->bytes.data + at;
        bool found = false;
        for (size_t j = 0; j < sizeof known / sizeof known[0]; j++) {
            found |= strncmp(name, known[j], ILPI_SECTION_NAME_BYTES) == 0;
        }
        if (!found) {
            return ilpi_fail(error, ILP_E_CANNOT_COMPACT, at, 0,
                             "section %u (%.8s) is not one of those that compilers of IL write",
                             i + 1, name);
        }
    }
    return ILP_OK;
}

/* What headers hold besides the fields that are written again. */
static ilp_status check_headers(const struct ilpi_pe *pe, struct ilp_error *error)
{
    const uint8_t *bytes = pe->bytes.data;
    if (ilpi_load_u32(bytes + pe->cli_offset) > ILPI_CLI_HEADER_BYTES) {
        return refuse(error, pe->cli_offset, "the CLI header has more members than are known");
    }
    if (ilpi_load_u32(bytes + pe->coff_offset + ILPI_COFF_SYMBOL_COUNT) != 0) {
        return refuse(error, pe->coff_offset + ILPI_COFF_SYMBOL_COUNT,
                      "there is a COFF symbol table");
    }
    for (uint32_t at = ilpi_pe_table_end(pe); at < ilpi_pe_contents_begin(pe); at++) {
        if (bytes[at] != 0) {
            return refuse(error, at, "data after the section table would be lost");
        }
    }
    return ILP_OK;
}

/* Precompiled images lose their native code, so its directories and sections are not looked at. */
ilp_status ilpi_compact_check(const struct ilpi_pe_plan *plan, struct ilp_error *error)
{
    const struct ilpi_pe *pe = plan->pe;
    const uint8_t *cli = pe->bytes.data + pe->cli_offset;
    if (!plan->info.native_code_dropped) {
        ILPI_TRY(check_directories(pe, error));
        ILPI_TRY(check_sections(pe, error));
    }
    ILPI_TRY(check_headers(pe, error));
    for (unsigned at = ILPI_CLI_AT_CODE_MANAGER; at < ILPI_CLI_AT_MANAGED_NATIVE_HEADER; at += 8) {
        if (ilpi_load_u32(cli + at) != 0) {
            return refuse(error, pe->cli_offset + at,
                          "the CLI header has native code (vtable fixups, exports)");
        }
    }
    /* bytes after the last section belong to another tool */
    for (uint64_t at = ilpi_pe_contents_end(pe); at < plan->kept_end; at++) {
        if (pe->bytes.data[at] != 0) {
            return refuse(error, at, "data after the last section would be lost");
        }
    }
    return ILP_OK;
}

/* ---- the entry stub ---- */

/* An import descriptor: ILT, stamp, forwarder, name, IAT; a zero descriptor ends the list. */
enum { DESCRIPTOR_BYTES = 20, DESCRIPTOR_NAME = 12, DESCRIPTOR_IAT = 16 };

/* Offsets in the import table that is written here. */
enum {
    IMPORT_ILT = 2 * DESCRIPTOR_BYTES,
    IMPORT_HINT = IMPORT_ILT + 8,
    IMPORT_DLL = IMPORT_HINT + 16
};

static const char stub_dll[] = "mscoree.dll";

static bool is_text(struct ilp_bytes bytes, const char *text)
{
    return bytes.size > strlen(text) && memcmp(bytes.data, text, strlen(text) + 1) == 0;
}

/* The name of the only function of the only import. The second descriptor must be zero and the list
 * of functions must end after one, or other imports would be lost. */
static bool read_import(struct ilpi_stub *stub, const struct ilpi_pe *pe)
{
    static const char *const functions[] = {"_CorExeMain", "_CorDllMain"};
    static const uint8_t zeros[DESCRIPTOR_BYTES];
    struct ilp_bytes table = ilpi_pe_rva(pe, pe->directories[ILPI_DIR_IMPORT].rva, NULL);
    if (table.size < 2 * DESCRIPTOR_BYTES ||
        memcmp(table.data + DESCRIPTOR_BYTES, zeros, sizeof zeros) != 0) {
        return false;
    }
    struct ilp_bytes dll = ilpi_pe_rva(pe, ilpi_load_u32(table.data + DESCRIPTOR_NAME), NULL);
    struct ilp_bytes list = ilpi_pe_rva(pe, ilpi_load_u32(table.data), NULL);
    if (!is_text(dll, stub_dll) || list.size < 8 || ilpi_load_u32(list.data + 4) != 0) {
        return false;
    }
    struct ilp_bytes hint = ilpi_pe_rva(pe, ilpi_load_u32(list.data), NULL);
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0] && hint.size > 2; i++) {
        if (is_text((struct ilp_bytes){hint.data + 2, hint.size - 2}, functions[i])) {
            memcpy(stub->function, functions[i], strlen(functions[i]) + 1);
            return true;
        }
    }
    return false;
}

/* Either nothing of the native start exists, or all of it as compilers write it for PE32: an import
 * of mscoree.dll, a `jmp [IAT]` (FF 25) at the entry point, one relocation (II.25.3.1). */
ilp_status ilpi_stub_read(struct ilpi_stub *stub, const struct ilpi_pe *pe, struct ilp_error *error)
{
    uint32_t entry =
        ilpi_load_u32(pe->bytes.data + pe->optional_offset + ILPI_OPTIONAL_ENTRY_POINT);
    struct ilp_bytes code = ilpi_pe_rva(pe, entry, NULL);
    *stub = (struct ilpi_stub){.there = pe->directories[ILPI_DIR_IMPORT].rva != 0};
    if (!stub->there) {
        return entry == 0 && pe->directories[ILPI_DIR_RELOCATION].rva == 0 &&
                       pe->directories[ILPI_DIR_IAT].rva == 0
                   ? ILP_OK
                   : refuse(error, pe->optional_offset + ILPI_OPTIONAL_ENTRY_POINT,
                            "there is native code that nothing imports for");
    }
    /* one block with one relocation and its padding */
    if (pe->pe32_plus || !read_import(stub, pe) || code.size < 6 || code.data[0] != 0xFF ||
        code.data[1] != 0x25 || pe->directories[ILPI_DIR_RELOCATION].size > ILPI_STUB_RELOC_BYTES) {
        return refuse(error, pe->directory_offset + 8,
                      "imports are not those of an image of IL alone in PE32");
    }
    return ILP_OK;
}

/* All four parts are zeroed by their owner, so terminators and padding need not be written. The
 * code begins at +2, so that the operand at +4 is aligned. */
void ilpi_stub_write(const struct ilpi_stub *stub, const struct ilpi_stub_places *places,
                     uint32_t image_base, uint8_t *iat, uint8_t *import, uint8_t *code,
                     uint8_t *reloc)
{
    uint32_t operand = places->code + 4;
    ilpi_store_u32(iat, places->import + IMPORT_HINT);
    ilpi_store_u32(import, places->import + IMPORT_ILT);
    ilpi_store_u32(import + DESCRIPTOR_NAME, places->import + IMPORT_DLL);
    ilpi_store_u32(import + DESCRIPTOR_IAT, places->iat);
    ilpi_store_u32(import + IMPORT_ILT, places->import + IMPORT_HINT);
    memcpy(import + IMPORT_HINT + 2, stub->function, strlen(stub->function));
    memcpy(import + IMPORT_DLL, stub_dll, sizeof stub_dll - 1);
    code[2] = 0xFF; /* jmp [iat], so that the address is at a multiple of 4 */
    code[3] = 0x25;
    ilpi_store_u32(code + 4, image_base + places->iat);
    ilpi_store_u32(reloc, operand & ~0xFFFu);
    ilpi_store_u32(reloc + 4, ILPI_STUB_RELOC_BYTES);
    ilpi_store_u16(reloc + 8, (uint16_t)(0x3000 | (operand & 0xFFF))); /* HIGHLOW */
}

/* ---- Win32 resources ---- */

/* A directory: 12 bytes, numbers of named and other entries, entries of 8 bytes; a leaf begins with
 * RVA and size.
 *
 *   directory (type) --> directory (name) --> directory (language) --> leaf --> bytes
 *        offsets from the start of the tree, with the upper bit set         RVA
 *
 * Only leaves hold RVAs. So the tree is copied as it is, and then each leaf is changed. */
enum { TREE_NAMED = 12, TREE_ENTRIES = 16, TREE_ENTRY_BYTES = 8, LEAF_BYTES = 16 };
#define TREE_IS_DIRECTORY 0x80000000u

/* Type, name, language: no reader goes deeper. The entry limit is more than any tree has, and ends
 * a tree with cycles. */
#define MAX_TREE_DEPTH   3u
#define MAX_TREE_ENTRIES 0x10000u

/* One walk does both jobs: with `copy` NULL it checks and measures, with a copy it relocates. The
 * second walk sees the same tree, so it needs no checks of its own. */
struct resource_walk {
    struct ilp_bytes tree; /* to the end of its section */
    uint32_t rva;
    uint32_t visited;
    uint64_t end;  /* of everything visited, from the start of the tree */
    uint8_t *copy; /* NULL: only measure */
    uint32_t new_rva;
};

static void include_end(struct resource_walk *walk, uint64_t end)
{
    walk->end = end > walk->end ? end : walk->end;
}

/* Data before the tree or after its section would not move with it: refused. */
static bool visit_leaf(struct resource_walk *walk, uint32_t at)
{
    if (at > walk->tree.size || walk->tree.size - at < LEAF_BYTES) {
        return false;
    }
    uint32_t rva = ilpi_load_u32(walk->tree.data + at);
    uint32_t size = ilpi_load_u32(walk->tree.data + at + 4);
    if (rva < walk->rva || rva - walk->rva > walk->tree.size ||
        size > walk->tree.size - (rva - walk->rva)) {
        return false;
    }
    include_end(walk, at + (uint64_t)LEAF_BYTES);
    include_end(walk, (uint64_t)(rva - walk->rva) + size);
    if (walk->copy) {
        ilpi_store_u32(walk->copy + at, rva - walk->rva + walk->new_rva);
    }
    return true;
}

/* Offsets in the tree come from the file, so directories may be shared or form a circle: depth and
 * the number of entries bound the walk. The subtractions cannot wrap, because `at` was compared
 * with the size first. */
static bool visit(struct resource_walk *walk, uint32_t at, unsigned depth)
{
    if (at > walk->tree.size || walk->tree.size - at < TREE_ENTRIES || depth == MAX_TREE_DEPTH) {
        return false;
    }
    const uint8_t *directory = walk->tree.data + at;
    uint32_t count = (uint32_t)ilpi_load_u16(directory + TREE_NAMED) +
                     ilpi_load_u16(directory + TREE_NAMED + 2);
    if (count > (walk->tree.size - at - TREE_ENTRIES) / TREE_ENTRY_BYTES ||
        count > MAX_TREE_ENTRIES - walk->visited) {
        return false;
    }
    walk->visited += count;
    include_end(walk, at + (uint64_t)TREE_ENTRIES + (uint64_t)count * TREE_ENTRY_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = directory + TREE_ENTRIES + (size_t)i * TREE_ENTRY_BYTES;
        uint32_t name = ilpi_load_u32(entry);
        uint32_t to = ilpi_load_u32(entry + 4);
        uint32_t string = name & ~TREE_IS_DIRECTORY;
        if (name != string) { /* a length, then that many UTF-16 units */
            if (string > walk->tree.size || walk->tree.size - string < 2) {
                return false;
            }
            include_end(walk, string + 2 + 2 * (uint64_t)ilpi_load_u16(walk->tree.data + string));
        }
        if (!((to & TREE_IS_DIRECTORY) != 0 ? visit(walk, to & ~TREE_IS_DIRECTORY, depth + 1)
                                            : visit_leaf(walk, to))) {
            return false;
        }
    }
    return walk->end <= walk->tree.size;
}

static struct resource_walk walk_of(const struct ilpi_pe *pe)
{
    uint32_t rva = pe->directories[ILPI_DIR_RESOURCE].rva;
    return (struct resource_walk){.tree = ilpi_pe_rva(pe, rva, NULL), .rva = rva};
}

/* The tree of resource directories has only offsets in itself, except at its leaves (RVAs of data):
 * its size is found by visiting it. */
ilp_status ilpi_win32_find(const struct ilpi_pe *pe, struct ilp_bytes *resources,
                           struct ilp_error *error)
{
    struct ilpi_directory_entry entry = pe->directories[ILPI_DIR_RESOURCE];
    struct resource_walk walk = walk_of(pe);
    *resources = (struct ilp_bytes){NULL, 0};
    if (entry.rva == 0) {
        return ILP_OK;
    }
    include_end(&walk, entry.size);
    if (!visit(&walk, 0, 0)) {
        return refuse(error, pe->directory_offset + ILPI_DIR_RESOURCE * 8,
                      "the Win32 resources cannot be read");
    }
    *resources = (struct ilp_bytes){walk.tree.data, (size_t)walk.end};
    return ILP_OK;
}

void ilpi_win32_move(const struct ilpi_pe *pe, struct ilp_bytes resources, uint8_t *copy,
                     uint32_t new_rva)
{
    struct resource_walk walk = walk_of(pe);
    memcpy(copy, resources.data, resources.size);
    walk.copy = copy;
    walk.new_rva = new_rva;
    visit(&walk, 0, 0);
}
