/* bundle_changes BUNDLE
 *
 * Writes a bundle with a byte in the place of each of its files, to nowhere: as many changes as there
 * are files, which a command would need as many assemblies for. Prints how large it would be. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/file_view.h"
#include "ilpatch.h"

static ilp_status count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return ILP_OK;
}

static struct ilp_bundle_change *changes_of(const struct ilp_bundle *bundle, size_t *count)
{
    const struct ilp_bundle_entry *entries = ilp_bundle_entries(bundle, count);
    struct ilp_bundle_change *changes = calloc(*count, sizeof *changes);
    for (size_t i = 0; changes && i < *count; i++) {
        changes[i] = (struct ilp_bundle_change){.path = entries[i].path,
                                                .bytes = {(const uint8_t *)"", 1}};
    }
    return changes;
}

int main(int argc, char **argv)
{
    struct file_view view;
    struct ilp_bundle *bundle;
    struct ilp_error error;
    uint64_t size = 0;
    size_t count;
    struct ilp_sink sink = {&size, count_bytes};
    if (argc != 2 || !file_view_open(&view, argv[1])) {
        return 2;
    }
    if (ilp_bundle_open(&bundle, view.bytes, NULL, &error) != ILP_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    struct ilp_bundle_change *changes = changes_of(bundle, &count);
    ilp_status status = changes ? ilp_bundle_write(bundle, changes, count, &sink, &error)
                                : ILP_E_NO_MEMORY;
    printf("%" PRIu64 "\n", size);
    free(changes);
    ilp_bundle_close(bundle);
    file_view_close(&view);
    return status == ILP_OK ? 0 : 1;
}
