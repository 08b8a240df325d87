/* Any bytes as a spool: opened, walked, made a tree of, within bounded memory. Checks are put right
 * first, so that the search gets past them; a tree's own times have to add up. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "trace/call_tree.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"

#define SPOOL_MEMORY ((size_t)256 << 20)

static void spool_mend(uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size && size - at >= ILPI_CHUNK_HEAD;) {
        uint32_t records = ilpi_load_u32(data + at + CHUNK_SIZE);
        bool whole = ilpi_load_u32(data + at + CHUNK_MAGIC) == ILPI_SPOOL_MAGIC &&
                     records <= size - at - ILPI_CHUNK_HEAD &&
                     records <= ILPI_CHUNK_SIZE - ILPI_CHUNK_HEAD;
        if (whole) {
            ilpi_store_u32(data + at + CHUNK_CHECK,
                           ilpi_chunk_check(data + at, records + ILPI_CHUNK_HEAD));
        }
        at += whole ? records + ILPI_CHUNK_HEAD : 1;
    }
}

static void spool_tree(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                       size_t limit)
{
    struct ilpi_call_tree tree;
    struct ilp_error error;
    ilp_status status = ilpi_call_tree_open(&tree, file, process, true, limit, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_NO_MEMORY);
    if (status == ILP_OK) {
        uint64_t own = 0;
        for (size_t i = 0; i < tree.nodes.count; i++) {
            own += tree.nodes.items[i].exclusive;
        }
        FUZZ_CHECK(own == tree.nodes.items[0].inclusive);
    }
    ilpi_call_tree_close(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {0};
    const struct ilp_allocator limited = {
        .resize = fuzz_resize, .user = &memory, .limit = SPOOL_MEMORY};
    struct ilpi_spool_file file;
    struct ilp_error error;
    uint8_t *copy = malloc(size != 0 ? size : 1);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, size);
    spool_mend(copy, size);
    ilp_status status = ilpi_spool_open(&file, (struct ilp_bytes){copy, size}, &limited, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_BAD_SPOOL || status == ILP_E_NO_MEMORY);
    for (size_t i = 0; status == ILP_OK && i < file.processes.count && i < 8; i++) {
        spool_tree(&file, &file.processes.items[i], 0);
        spool_tree(&file, &file.processes.items[i], 5);
    }
    ilpi_spool_close(&file);
    free(copy);
    return 0;
}
