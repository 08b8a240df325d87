/* Passes parsed rule files between processes. See parsed_rules.h. Files are found by their hash and
 * size, not by name, so what is used is always what the file has now. */
#include "host/parsed_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "host/file_map.h"
#include "host/memory.h"
#include "host/own_file.h"
#include "rules/rules.h"

/*   magic | hash (16) | size of the XML (8) | size of the form (8) | parsed form | hash ...
 *
 * One side collects, and passes the memory on by name; the other maps it and looks files up by
 * hash. Reading XML needs libxml2 and time, and each process of a run would do it again. */
struct parsed_rules {
    struct ilpi_alloc alloc;
    struct ilpi_buf collected; /* owned */
    const void *mapped;        /* NULL: this one is being collected */
    size_t size;
};

static const uint8_t magic[8] = {'i', 'l', 'p', 'r', 'u', 'l', 'e', 's'};

struct parsed_rules *parsed_rules_collect(void)
{
    struct parsed_rules *parsed = new_items(1, sizeof *parsed);
    if (parsed) {
        ilpi_alloc_init(&parsed->alloc, NULL);
        parsed->collected.alloc = &parsed->alloc;
    }
    return parsed;
}

struct parsed_rules *parsed_rules_open(const char *name)
{
    struct parsed_rules *parsed = parsed_rules_collect();
    if (parsed) {
        parsed->mapped = own_file_map(name, &parsed->size);
    }
    if (parsed && (!parsed->mapped || parsed->size < sizeof magic ||
                   memcmp(parsed->mapped, magic, sizeof magic) != 0)) {
        parsed_rules_close(parsed);
        parsed = NULL;
    }
    return parsed;
}

void parsed_rules_close(struct parsed_rules *parsed)
{
    if (!parsed) {
        return;
    }
    if (parsed->mapped) {
        file_unmap(parsed->mapped, parsed->size);
    }
    ilpi_buf_free(&parsed->collected);
    free(parsed);
}

/* The parsed form of these bytes; empty: not found. */
static struct ilp_bytes find(const struct parsed_rules *parsed, XXH128_hash_t hash, size_t size)
{
    struct ilp_bytes all = {parsed->mapped, parsed->size};
    struct ilpi_cursor cursor = ilpi_cursor_over(all, 0, "parsed rules", NULL);
    cursor.at += sizeof magic;
    while (ilpi_cursor_left(&cursor) != 0) {
        bool same = ilpi_read_u64(&cursor) == hash.low64;
        same = ilpi_read_u64(&cursor) == hash.high64 && same;
        same = ilpi_read_u64(&cursor) == size && same;
        uint64_t rest = ilpi_read_u64(&cursor);
        if (rest > ilpi_cursor_left(&cursor)) {
            break;
        }
        if (same) {
            return (struct ilp_bytes){cursor.at, (size_t)rest};
        }
        cursor.at += rest;
    }
    return (struct ilp_bytes){NULL, 0};
}

/* Adds a file and its parsed form, which is appended directly. */
static ilp_status collect(struct parsed_rules *parsed, XXH128_hash_t hash, struct ilp_rules *rules,
                          struct ilp_bytes xml, const char *file, struct ilp_error *error)
{
    struct ilpi_buf *collected = &parsed->collected;
    size_t before = collected->size;
    if (before == 0) {
        ilpi_buf_bytes_add(collected, magic, sizeof magic);
    }
    ilpi_buf_u64(collected, hash.low64);
    ilpi_buf_u64(collected, hash.high64);
    ilpi_buf_u64(collected, xml.size);
    ilpi_buf_u64(collected, 0); /* its size is not known yet */
    size_t start = collected->size;
    ilp_status status = ilpi_rules_add_xml(rules, xml, file, collected, error);
    if (status != ILP_OK) {
        collected->size = before;
    } else {
        ilpi_store_u64(collected->data + start - 8, collected->size - start);
    }
    return status;
}

/* Known by hash and size of the XML. Parsed rules that are refused are read again as XML, for
 * errors with columns. */
ilp_status parsed_rules_add(struct parsed_rules *parsed, struct ilp_rules *rules,
                            struct ilp_bytes xml, const char *file, struct ilp_error *error)
{
    if (!parsed || xml.size == 0) {
        return ilp_rules_add(rules, xml, file, error);
    }
    XXH128_hash_t hash = XXH3_128bits(xml.data, xml.size);
    struct ilp_bytes known = parsed->mapped ? find(parsed, hash, xml.size)
                                            : (struct ilp_bytes){NULL, 0};
    if (known.size != 0 && ilpi_rules_add_parsed(rules, known, file, error) == ILP_OK) {
        return ILP_OK;
    }
    if (parsed->mapped) { /* with columns in errors */
        return ilp_rules_add(rules, xml, file, error);
    }
    return collect(parsed, hash, rules, xml, file, error);
}

/* -1 with errno 0: there is nothing to pass on, and the process parses the rules itself. */
int parsed_rules_file(const struct parsed_rules *parsed)
{
    const struct ilpi_buf *collected = &parsed->collected;
    errno = 0;
    return collected->size != 0 && collected->status == ILP_OK
               ? own_file_in_memory("ilpatch-rules", ilpi_buf_bytes(collected))
               : -1;
}
