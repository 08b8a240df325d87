/* patch_calli IN OUT KIND ADDRESS TYPE: inspects what methods of TYPE return by a native function
 * at ADDRESS. KIND is cdecl, managed or suppress. Prints what the ids mean, in the form of
 * --id-map. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ilpatch.h"

static struct ilp_image *image;
static struct ilp_arena *arena;
static struct ilp_error error;

static void check(ilp_status status)
{
    if (status != ILP_OK) {
        fprintf(stderr, "patch_calli: %s\n", error.message);
        exit(1);
    }
}

static struct ilp_bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(16u << 20);
    size_t size = file && bytes ? fread(bytes, 1, 16u << 20, file) : 0;
    if (file) {
        fclose(file);
    }
    return (struct ilp_bytes){bytes, size};
}

static ilp_status write_bytes(void *user, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size ? ILP_OK : ILP_E_CALLBACK;
}

static ilp_status take(void *user, ilp_token method, const struct ilp_method_result *result,
                       struct ilp_error *why)
{
    const char *name;
    (void)user, (void)method, (void)why;
    if (result->id != 0) {
        ilp_arena_reset(arena);
        check(ilp_method_name_text(image, (ilp_token)result->id, arena, &name, &error));
        printf("{\"id\": %" PRId64 ", \"name\": \"%s\"}\n", result->id, name);
    }
    return ILP_OK;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        return 2;
    }
    struct ilp_native native = {.call = strcmp(argv[3], "cdecl") == 0 ? ILP_NATIVE_CALLI
                                        : strcmp(argv[3], "managed") == 0
                                            ? ILP_NATIVE_CALLI_MANAGED
                                            : ILP_NATIVE_CALLI_NO_TRANSITION,
                                .address = strtoull(argv[4], NULL, 0)};
    char xml[256];
    snprintf(xml, sizeof xml, "<rules><include><type name=\"%s\"/></include></rules>", argv[5]);
    struct ilp_rules *rules;
    struct ilp_inspector *inspector;
    struct ilp_edit *edit;
    check(ilp_image_open(&image, read_file(argv[1]), ILP_LAYOUT_FILE, argv[1], NULL, &error));
    check(ilp_arena_open(&arena, NULL, &error));
    check(ilp_rules_open(&rules, NULL, &error));
    check(ilp_rules_add(rules, (struct ilp_bytes){(const uint8_t *)xml, strlen(xml)}, "type",
                        &error));
    check(ilp_inspector_open_native(&inspector, &native, NULL, &error));
    check(ilp_edit_open(&edit, image, NULL, &error));
    const struct ilp_inspector *inspectors[] = {inspector};
    struct ilp_request request = {
        .inspectors = inspectors, .inspector_count = 1, .rules = rules, .module_number = 1};
    struct ilp_report report = {NULL, take};
    check(ilp_inspect_returns(image, edit, &request, &report, &error));
    FILE *out = fopen(argv[2], "wb");
    struct ilp_sink sink = {out, write_bytes};
    check(ilp_edit_write(edit, NULL, &sink, NULL, &error));
    return out && fclose(out) == 0 ? 0 : 1;
}
