/* Feeds files to the fuzz targets, without libFuzzer:  fuzz_replay FILE...
 *
 * Files in a folder named sig, body, rules, bundle, symbols, spool, options, key or condition go to
 * that target, all others to fuzz_image, fuzz_verify and fuzz_whole. Ends by a crash, or with the
 * number of files. Each file is in memory of exactly its size, so that ASan sees one byte too far.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LLVMFuzzerTestOneInput fuzz_image
#include "tests/fuzz/fuzz_image.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_sig
#include "tests/fuzz/fuzz_sig.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_body
#include "tests/fuzz/fuzz_body.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_rules
#include "tests/fuzz/fuzz_rules.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_verify
#include "tests/fuzz/fuzz_verify.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_symbols
#include "tests/fuzz/fuzz_symbols.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_spool
#include "tests/fuzz/fuzz_spool.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_bundle
#include "tests/fuzz/fuzz_bundle.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_options
#include "tests/fuzz/fuzz_options.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_key
#include "tests/fuzz/fuzz_key.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_condition
#include "tests/fuzz/fuzz_condition.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_whole
#include "tests/fuzz/fuzz_whole.c"
#undef LLVMFuzzerTestOneInput

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size != 0 ? size : 1);
    if (!data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    if (strstr(path, "/sig/")) {
        fuzz_sig(data, size);
    } else if (strstr(path, "/body/")) {
        fuzz_body(data, size);
    } else if (strstr(path, "/rules/")) {
        fuzz_rules(data, size);
    } else if (strstr(path, "/bundle/")) {
        fuzz_bundle(data, size);
    } else if (strstr(path, "/symbols/")) {
        fuzz_symbols(data, size);
    } else if (strstr(path, "/spool/")) {
        fuzz_spool(data, size);
    } else if (strstr(path, "/options/")) {
        fuzz_options(data, size);
    } else if (strstr(path, "/key/")) {
        fuzz_key(data, size);
    } else if (strstr(path, "/condition/")) {
        fuzz_condition(data, size);
    } else {
        fuzz_image(data, size);
        fuzz_verify(data, size);
        fuzz_whole(data, size);
    }
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        fprintf(stderr, "%s\n", argv[i]); /* so that the last line before a crash names the file */
        failed |= replay(argv[i]);
    }
    printf("%d files\n", argc - 1);
    return failed;
}
