/* Fuzzes the verifier: opens the input as a file, and verifies it, with references that lead to
 * itself and without.
 *
 * What is promised: no crash, no leak, memory and work in proportion to the input, the same
 * findings the second time, and an error only when memory ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ilpatch.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger inputs show nothing that smaller ones do not. */
#define VERIFY_MOST_INPUT ((size_t)64 * 1024)

struct verify_findings {
    uint64_t count;
    uint64_t sum;
};

static ilp_status verify_take(void *user, const struct ilp_verify_finding *finding,
                              struct ilp_error *error)
{
    struct verify_findings *findings = user;
    (void)error;
    FUZZ_CHECK(finding->kind <= ILP_FINDING_UNKNOWN);
    FUZZ_CHECK(memchr(finding->message, '\0', sizeof finding->message) != NULL);
    findings->count++;
    findings->sum = findings->sum * 31 + finding->token + finding->offset +
                    (uint8_t)finding->code[0];
    return ILP_OK;
}

static struct ilp_image *verify_open(void *user, const struct ilp_assembly_name *name)
{
    (void)name;
    return user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ilp_image *image;
    struct ilp_bytes bytes = {data, size};
    struct verify_findings findings[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (size > VERIFY_MOST_INPUT ||
        ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, "fuzz", NULL, NULL) != ILP_OK) {
        return 0;
    }
    struct ilp_resolver resolver = {.user = image, .open = verify_open};
    for (unsigned i = 0; i < 3; i++) {
        struct fuzz_memory memory = {0};
        struct ilp_allocator allocator = {.resize = fuzz_resize, .user = &memory};
        struct ilp_findings_sink sink = {&findings[i], NULL, verify_take};
        FUZZ_CHECK(ilp_verify(image, i == 0 ? NULL : &resolver, &sink, &allocator, NULL) == ILP_OK);
        FUZZ_CHECK(memory.out == 0);
        FUZZ_CHECK(memory.most <= 64 * size + ((size_t)32 << 20));
    }
    FUZZ_CHECK(findings[1].count == findings[2].count && findings[1].sum == findings[2].sum);
    ilp_image_close(image);
    return 0;
}
