/* Fuzzes single-file bundles: what opens is read through, written with one file replaced and one
 * added, and read again: those two have their new contents, all others their old ones.
 *
 *   the whole input is the file */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BUNDLE_MEMORY ((size_t)64 << 20)

static bool bundle_same(const struct ilp_bundle *before, const struct ilp_bundle_entry *old,
                        const struct ilp_bundle *after, const struct ilp_bundle_entry *new,
                        struct ilp_arena *arena)
{
    struct ilp_bytes a;
    struct ilp_bytes b;
    ilp_arena_reset(arena);
    ilp_status status = ilp_bundle_read(before, old, arena, &a, NULL);
    return status == ilp_bundle_read(after, new, arena, &b, NULL) &&
           (status != ILP_OK || ilpi_bytes_equal(a, b));
}

static void bundle_rewrite(struct ilp_bundle *bundle, struct ilp_arena *arena,
                           struct ilpi_alloc *alloc)
{
    size_t count;
    size_t new_count;
    static const uint8_t text[] = "new contents";
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, &count);
    struct ilp_bundle_change changes[2] = {
        {.path = "a/new.dll", .type = ILP_BUNDLE_ASSEMBLY, .bytes = {text, sizeof text}}};
    size_t change_count = 1;
    if (count != 0 && strcmp(entries[0].path, changes[0].path) != 0) {
        changes[change_count++] = (struct ilp_bundle_change){
            .path = entries[0].path, .type = ILP_BUNDLE_UNKNOWN, .bytes = {text, 3}};
    }
    struct ilpi_buf written = {.alloc = alloc};
    struct ilp_sink sink = ilpi_buf_sink(&written);
    ilp_status status = ilp_bundle_write(bundle, changes, change_count, &sink, NULL);
    if (status != ILP_OK) {
        FUZZ_CHECK(status == ILP_E_SIGNED_HOST || status == ILP_E_NO_MEMORY);
        ilpi_buf_free(&written);
        return;
    }
    struct ilp_bundle *again;
    struct ilp_digest origin;
    FUZZ_CHECK(ilp_bundle_open(&again, ilpi_buf_bytes(&written), NULL, NULL) == ILP_OK);
    FUZZ_CHECK(ilp_bundle_origin(again, &origin));
    const struct ilp_bundle_entry *after = ilp_bundle_entries(again, &new_count);
    FUZZ_CHECK(new_count == count + (ilp_bundle_find(bundle, changes[0].path) == NULL));
    FUZZ_CHECK(ilp_bundle_find(again, changes[0].path)->size == sizeof text);
    for (size_t i = 0; i < count; i++) {
        bool changed = strcmp(entries[i].path, changes[0].path) == 0 ||
                       strcmp(entries[i].path, entries[0].path) == 0;
        FUZZ_CHECK(strcmp(entries[i].path, after[i].path) == 0 && entries[i].type == after[i].type);
        FUZZ_CHECK(changed || bundle_same(bundle, &entries[i], again, &after[i], arena));
    }
    ilp_bundle_close(again);
    ilpi_buf_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ilp_bundle *bundle;
    struct ilp_arena *arena;
    struct ilpi_alloc alloc;
    struct fuzz_memory memory = {0};
    const struct ilp_allocator limited = {
        .resize = fuzz_resize, .user = &memory, .limit = BUNDLE_MEMORY};
    ilpi_alloc_init(&alloc, &limited);
    FUZZ_CHECK(ilp_file_kind_text(ilp_file_kind_of((struct ilp_bytes){data, size}))[0] != 0);
    if (ilp_bundle_open(&bundle, (struct ilp_bytes){data, size}, NULL, NULL) != ILP_OK) {
        return 0;
    }
    FUZZ_CHECK(ilp_arena_open(&arena, &limited, NULL) == ILP_OK);
    bundle_rewrite(bundle, arena, &alloc);
    ilp_arena_close(arena);
    ilp_bundle_close(bundle);
    return 0;
}
