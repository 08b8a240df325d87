/* bench_warm FILE N [THREADS]: the whole job in memory, N times: open, select, rewrite, write to a
 * buffer. Prints the median of the times in milliseconds; with THREADS also that of the part that
 * they share, ilp_inspect_returns(). References are opened once and stay open, and freed memory is
 * reused, as in a process that patches one assembly after the other. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/references.h"
#include "host/file_view.h"

/* The output: as large as the previous one. */
struct memory {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
};

static ilp_status write_memory(void *user, const void *bytes, size_t size)
{
    struct memory *memory = user;
    if (size > memory->capacity - memory->size) {
        size_t capacity = (memory->size + size) * 2;
        uint8_t *grown = realloc(memory->bytes, capacity);
        if (!grown) {
            return ILP_E_NO_MEMORY;
        }
        memory->bytes = grown;
        memory->capacity = capacity;
    }
    memcpy(memory->bytes + memory->size, bytes, size);
    memory->size += size;
    return ILP_OK;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;
    return *a < *b ? -1 : *a > *b;
}

static ilp_status once(struct ilp_bytes bytes, const struct ilp_request *request,
                       struct memory *memory, double *inspecting, struct ilp_error *error)
{
    struct ilp_image *image = NULL;
    struct ilp_edit *edit = NULL;
    struct ilp_sink sink = {memory, write_memory};
    struct ilp_write_options compact = {.layout = ILP_WRITE_AUTO};
    memory->size = 0;
    ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, error);
    if (status == ILP_OK) {
        status = ilp_edit_open(&edit, image, NULL, error);
    }
    if (status == ILP_OK) {
        double start = now();
        status = ilp_inspect_returns(image, edit, request, NULL, error);
        *inspecting = now() - start;
    }
    if (status == ILP_OK) {
        status = ilp_edit_write(edit, &compact, &sink, NULL, error);
    }
    ilp_edit_close(edit);
    ilp_image_close(image);
    return status;
}

int main(int argc, char **argv)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    struct file_view view;
    struct ilp_image *assembly;
    struct ilp_inspector *inspector;
    struct ilp_error error = {.message = "cannot read the file"};
    int runs = argc == 3 || argc == 4 ? atoi(argv[2]) : 0;
    if (runs <= 0) {
        fprintf(stderr, "usage: bench_warm FILE RUNS [THREADS]\n");
        return 2;
    }
    struct ilp_bytes stock = stock_inspector_bytes(EDITION_FULL);
    struct references *references = references_open(NULL, 0);
    struct ilp_resolver resolver = references_resolver(references);
    struct memory memory = {NULL, 0, 0};
    double *times = calloc((size_t)runs, sizeof *times);
    double *inspecting = calloc((size_t)runs, sizeof *inspecting);
    struct ilp_request request = {.inspector_count = 1, .resolver = &resolver};
    request.threads = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
    references_set_target(references, argv[1]);
    bool ok = times && inspecting && file_view_open(&view, argv[1]) &&
              ilp_image_open(&assembly, stock, ILP_LAYOUT_FILE, NULL, NULL, &error) == ILP_OK &&
              ilp_inspector_open(&inspector, assembly, NULL, &error) == ILP_OK;
    request.inspectors = (const struct ilp_inspector *const *)&inspector;
    for (int i = 0; ok && i < runs; i++) {
        double start = now();
        ok = once(view.bytes, &request, &memory, &inspecting[i], &error) == ILP_OK;
        times[i] = now() - start;
    }
    if (!ok) {
        fprintf(stderr, "bench_warm: %s: %s\n", argv[1], error.message);
        return 1;
    }
    qsort(times, (size_t)runs, sizeof *times, compare);
    qsort(inspecting, (size_t)runs, sizeof *inspecting, compare);
    printf("%.3f", times[runs / 2]);
    if (request.threads != 0) {
        printf(" %.3f", inspecting[runs / 2]);
    }
    printf("\n");
    return 0;
}
