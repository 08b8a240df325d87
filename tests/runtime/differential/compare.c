/* compare PATCHED METADATA BODIES: whether the bodies that the runtime had of a module's methods
 * (ILPATCH_BODIES, see docs/PROFILER.md) say the same as those of the file that was patched on
 * disk. Tokens are read in their own metadata and compared as text: names, signatures, strings.
 * Headers, instructions, clauses and locals have to be equal.
 *
 * Prints each method that differs, and `N same, N differ, N missing`: missing is one that is
 * inspected in the process and is not there in the file. Then how many bodies were other bytes
 * although they say the same. Exit code 1 unless all are the same. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tools/cmd/method_text.h"
#include "tools/tool.h"

struct side {
    struct ilp_image *image;
    struct ilp_arena *arena;
    struct ilpi_buf text;
};

static struct ilp_bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct ilp_bytes bytes = {NULL, 0};
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
        fprintf(stderr, "compare: %s cannot be read\n", path);
        exit(2);
    }
    uint8_t *memory = need(malloc((size_t)size + 1));
    bytes = (struct ilp_bytes){memory, fread(memory, 1, (size_t)size, file)};
    fclose(file);
    return bytes;
}

static struct side open_side(const char *path, struct ilpi_alloc *alloc)
{
    struct side side = {.text = {.alloc = alloc}};
    struct ilp_error error;
    if (ilp_image_open(&side.image, read_file(path), ILP_LAYOUT_FILE, path, NULL, &error) !=
            ILP_OK ||
        ilp_arena_open(&side.arena, NULL, &error) != ILP_OK) {
        report_file_error(path, &error);
        exit(2);
    }
    return side;
}

static const char *body_text(struct side *side, const struct ilp_body *body)
{
    side->text.size = 0;
    ilpi_buf_format(&side->text, "%s, max stack %u%s\n", body->fat ? "fat" : "tiny",
                    body->max_stack, body->init_locals ? ", init locals" : "");
    method_locals_text(side->image, body, &side->text);
    method_code_text(side->image, body, &side->text, NULL);
    ilpi_buf_u8(&side->text, 0);
    need(side->text.status == ILP_OK ? side : NULL);
    return (const char *)side->text.data;
}

enum answer { SAME, DIFFERS, MISSING };

static enum answer compare(struct side *file, struct side *process, ilp_token token,
                           struct ilp_bytes bytes, bool *same_bytes)
{
    struct method_body there;
    struct ilp_body body;
    struct ilp_error error;
    ilp_arena_reset(file->arena);
    ilp_arena_reset(process->arena);
    method_body_read(file->image, ILP_TOKEN_RID(token), file->arena, &there);
    if (there.kind != METHOD_IL) {
        return MISSING;
    }
    if (ilp_body_read(&body, bytes, 0, process->arena, &error) != ILP_OK) {
        return DIFFERS;
    }
    *same_bytes = body.size == there.body.size &&
                  memcmp(bytes.data, there.bytes.data, body.size) == 0;
    return strcmp(body_text(file, &there.body), body_text(process, &body)) == 0 ? SAME : DIFFERS;
}

int main(int argc, char **argv)
{
    uint32_t counts[3] = {0}, other_bytes = 0, head[2];
    if (argc != 4) {
        fputs("usage: compare PATCHED METADATA BODIES\n", stderr);
        return 2;
    }
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct side file = open_side(argv[1], &alloc), process = open_side(argv[2], &alloc);
    struct ilp_bytes bodies = read_file(argv[3]);
    while (bodies.size >= sizeof head) {
        memcpy(head, bodies.data, sizeof head);
        struct ilp_bytes body = {bodies.data + sizeof head, head[1]};
        if (body.size > bodies.size - sizeof head) {
            break;
        }
        bool same_bytes = false;
        enum answer answer = compare(&file, &process, head[0], body, &same_bytes);
        counts[answer]++;
        other_bytes += answer == SAME && !same_bytes;
        if (answer == DIFFERS) {
            printf("%08X\n--- file\n%s--- process\n%s", head[0], (const char *)file.text.data,
                   (const char *)process.text.data);
        }
        bodies = (struct ilp_bytes){body.data + body.size, bodies.size - sizeof head - body.size};
    }
    printf("%" PRIu32 " same, %" PRIu32 " differ, %" PRIu32 " missing; %" PRIu32
           " in other bytes\n",
           counts[SAME], counts[DIFFERS], counts[MISSING], other_bytes);
    return counts[SAME] == 0 || counts[DIFFERS] != 0 || counts[MISSING] != 0 || bodies.size != 0;
}
