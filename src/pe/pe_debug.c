/* The debug directory of a changed image: which entries are kept, what the symbol entries contain,
 * and the offsets of all data. See debug.h. */
#include "pe/pe_plan.h"

/* Entries that refer to symbols or vouch for them are stale once bodies have changed. Others, such
 * as the mark of a reproducible build, describe the file and stay true. */
static bool is_symbol_entry(uint32_t type)
{
    return type == ILPI_DEBUG_COFF || type == ILPI_DEBUG_CODEVIEW ||
           type == ILPI_DEBUG_EMBEDDED_PDB || type == ILPI_DEBUG_PDB_CHECKSUM ||
           type == ILPI_DEBUG_PERFMAP;
}

/* The new CodeView data: "RSDS", the new GUID, the old age, and the new path or the old rest. The
 * caller checked that the old data is at least ILPI_CODEVIEW_PATH long. */
static struct ilp_bytes code_view(const struct ilpi_debug_entry *entry,
                                  const struct ilp_symbols_link *link, struct ilp_arena *arena)
{
    struct ilp_bytes old = entry->data;
    size_t tail = link->path.size != 0 ? link->path.size + 1 : old.size - ILPI_CODEVIEW_PATH;
    uint8_t *data = ilpi_arena_alloc(arena, ILPI_CODEVIEW_PATH + tail);
    if (!data) {
        return (struct ilp_bytes){NULL, 0};
    }
    memcpy(data, old.data, ILPI_CODEVIEW_PATH);
    memcpy(data + 4, link->id, 16);
    if (link->path.size != 0) {
        memcpy(data + ILPI_CODEVIEW_PATH, link->path.data, link->path.size); /* a NUL follows */
    } else if (tail != 0) {
        memcpy(data + ILPI_CODEVIEW_PATH, old.data + ILPI_CODEVIEW_PATH, tail);
    }
    return (struct ilp_bytes){data, ILPI_CODEVIEW_PATH + tail};
}

/* Plans one entry. A symbol entry that the link does not mention is dropped: a debugger would load
 * symbols that do not match, or refuse those that do.
 *
 *                    no link     link
 *   portable CV      dropped     new id, new or old path
 *   embedded PDB     dropped     link->embedded, dropped if it is empty
 *   PDB checksum     dropped     link->checksum, dropped if it is empty
 *   other            dropped     dropped */
static ilp_status plan_entry(const struct ilpi_debug_entry *entry,
                             const struct ilp_symbols_link *link, struct ilpi_debug_change *change,
                             struct ilp_arena *arena, struct ilp_error *error)
{
    bool portable = entry->type == ILPI_DEBUG_CODEVIEW && entry->minor == ILPI_DEBUG_PORTABLE &&
                    entry->data.size >= ILPI_CODEVIEW_PATH;
    change->dropped = true;
    if (!link) {
        return ILP_OK;
    }
    if (portable) {
        change->stamp = ilpi_load_u32(link->id + 16);
        change->data = code_view(entry, link, arena);
        if (!change->data.data) {
            return ilpi_fail_memory(error, ILPI_CODEVIEW_PATH + link->path.size);
        }
    } else if (entry->type == ILPI_DEBUG_EMBEDDED_PDB) {
        change->data = link->embedded;
    } else if (entry->type == ILPI_DEBUG_PDB_CHECKSUM) {
        change->data = link->checksum;
    }
    change->dropped = change->data.size == 0;
    return ILP_OK;
}

/* What happens to entries of the debug directory, if bodies have changed:
 *
 *   entries about a PDB   UPDATE with a new PDB: replaced; KEEP: stale; else dropped
 *   other entries         unchanged
 *
 * Without changed bodies the symbols still match, and nothing is done. Data of new entries are
 * appended, aligned to 4. */
ilp_status ilpi_debug_plan(struct ilpi_debug_plan *debug, const struct ilpi_pe *pe,
                           const struct ilp_write_options *options, bool bodies_changed,
                           struct ilp_arena *arena, struct ilp_error *error)
{
    const struct ilp_symbols_link *link = options->symbols == ILP_SYMBOLS_UPDATE ? options->link
                                                                                 : NULL;
    *debug = (struct ilpi_debug_plan){.table = {NULL, 0}};
    debug->table = ilpi_debug_table(pe, &debug->table_offset);
    debug->count = debug->kept = (uint32_t)(debug->table.size / ILPI_DEBUG_ENTRY_BYTES);
    debug->changes = ilpi_arena_array(arena, debug->count, sizeof *debug->changes);
    if (!debug->changes) {
        return ilpi_fail_memory(error, debug->count * sizeof *debug->changes);
    }
    for (uint32_t i = 0; i < debug->count && bodies_changed; i++) {
        struct ilpi_debug_change *change = &debug->changes[i];
        struct ilpi_debug_entry entry =
            ilpi_debug_entry_read(pe, debug->table.data + i * ILPI_DEBUG_ENTRY_BYTES);
        if (!is_symbol_entry(entry.type)) {
            continue;
        }
        if (options->symbols == ILP_SYMBOLS_KEEP) {
            debug->symbols_stale = true;
            continue;
        }
        ILPI_TRY(plan_entry(&entry, link, change, arena, error));
        change->at = debug->size;
        if (change->data.size > INT32_MAX - debug->size - 4) {
            return ilpi_fail(error, ILP_E_TOO_LARGE, debug->table_offset, 0,
                             "the symbols are larger than 2 GB");
        }
        debug->size += (uint32_t)(change->data.size + 3) & ~3u;
        debug->kept -= change->dropped;
        debug->symbols_dropped |= change->dropped && !link;
        debug->symbols_updated |= !change->dropped;
    }
    return ILP_OK;
}

/* Entries hold file offsets beside RVAs (PointerToRawData), which move with the sections. Kept
 * entries become contiguous, and zeros follow: the patch has the size of the old table. */
ilp_status ilpi_pe_plan_debug(struct ilpi_pe_plan *plan, const struct ilpi_pe_contents *contents,
                              struct ilp_arena *arena, struct ilp_error *error)
{
    const struct ilpi_debug_plan *debug = contents->debug;
    if (debug->count == 0 ||
        (plan->growth == 0 && debug->size == 0 && debug->kept == debug->count)) {
        return ILP_OK;
    }
    uint8_t *to = ilpi_pe_add_patch(plan, debug->table_offset, debug->table.size, arena);
    if (!to) {
        return ilpi_fail_memory(error, debug->table.size);
    }
    for (uint32_t i = 0; i < debug->count; i++) {
        const struct ilpi_debug_change *change = &debug->changes[i];
        const uint8_t *entry = debug->table.data + i * ILPI_DEBUG_ENTRY_BYTES;
        if (change->dropped) {
            continue;
        }
        uint32_t raw = ilpi_load_u32(entry + ILPI_DEBUG_AT_RAW);
        memcpy(to, entry, ILPI_DEBUG_ENTRY_BYTES);
        ilpi_store_u32(to + ILPI_DEBUG_AT_RAW, raw != 0 ? raw + plan->growth : 0);
        if (change->data.size != 0) {
            uint32_t at = contents->debug_at + change->at;
            if (ilpi_load_u32(entry + ILPI_DEBUG_AT_TYPE) == ILPI_DEBUG_CODEVIEW) {
                ilpi_store_u32(to + ILPI_DEBUG_AT_STAMP, change->stamp);
            }
            ilpi_store_u32(to + ILPI_DEBUG_AT_SIZE, (uint32_t)change->data.size);
            ilpi_store_u32(to + ILPI_DEBUG_AT_RVA, plan->contents_rva + at);
            ilpi_store_u32(to + ILPI_DEBUG_AT_RAW, (uint32_t)plan->contents_offset + at);
        }
        to += ILPI_DEBUG_ENTRY_BYTES;
    }
    return ILP_OK;
}

/* In the order and with the padding that `change->at` was counted with. */
void ilpi_debug_write(const struct ilpi_debug_plan *debug, struct ilpi_out *out)
{
    for (uint32_t i = 0; i < debug->count; i++) {
        size_t size = debug->changes[i].data.size;
        ilpi_out_bytes(out, debug->changes[i].data.data, size);
        ilpi_out_zeros(out, (4 - size % 4) % 4);
    }
}
