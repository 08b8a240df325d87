/* jit_calls ASSEMBLY: the profiler's work in a process, as the same calls in the same order each
 * time, so that instructions can be counted (count.sh). A simulated runtime
 * (tests/unit/profiler_host.h) loads the profiler in the folder $BUILD and its inspector, then
 * ASSEMBLY, and compiles each method once. Options are in ILPATCH_OPTIONS. Prints how many methods
 * got a new body. */
#include "tests/unit/profiler_host.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The runtime owns a body, and frees it after the method is compiled. */
static struct {
    void *body;
    unsigned bodies;
} jit;

static void *STDCALL alloc_body(void *self, ULONG size)
{
    (void)self;
    return jit.body = malloc(size);
}

static HRESULT STDCALL set_body(void *self, ModuleID module, ilp_token method, const uint8_t *body)
{
    (void)self, (void)module, (void)method;
    assert_ptr_equal(body, jit.body);
    jit.bodies++;
    return S_OK;
}

static struct host_module flat_module(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0 && fstat(file, &about) == 0);
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    assert_true(bytes != MAP_FAILED && close(file) == 0);
    return (struct host_module){
        .path = path, .image = {bytes, (size_t)about.st_size}, .flags = 1 | MODULE_FLAT_LAYOUT};
}

static uint32_t count_methods(struct ilp_bytes bytes)
{
    struct ilp_image *image;
    assert_int_equal(ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, NULL, NULL, NULL), ILP_OK);
    uint32_t methods = ilp_row_count(image, ILP_MethodDef);
    ilp_image_close(image);
    return methods;
}

int main(int argc, char **argv)
{
    static struct host host;
    static char inspector[PATH_MAX];
    assert_int_equal(argc, 2);
    snprintf(inspector, sizeof inspector, "%s/MyProfiler.dll", getenv("BUILD"));
    host_begin(&host, 14);
    host.major = 10;
    host.allocator_table[IMethodMalloc_Alloc_slot] = (void (*)(void))alloc_body;
    host.info_table[ICorProfilerInfo_SetILFunctionBody_slot] = (void (*)(void))set_body;
    host.modules[0] = flat_module(inspector);
    host.modules[1] = flat_module(argv[1]);
    load_library(&host);
    const uint32_t methods = count_methods(host.modules[1].image);

    const struct callback_table *table = CALLBACKS(host.callback);
    assert_int_equal(table->Initialize(host.callback, &host.info), S_OK);
    table->ModuleLoadFinished(host.callback, 1, S_OK);
    table->ModuleLoadFinished(host.callback, 2, S_OK);
    for (uint32_t rid = 1; rid <= methods; rid++) {
        table->JITCompilationStarted(host.callback, FUNCTION(2, ILP_TOKEN(ILP_MethodDef, rid)), 1);
        free(jit.body);
        jit.body = NULL;
    }
    table->Shutdown(host.callback);
    host_end(&host);
    printf("%u of %u\n", jit.bodies, methods);
    return 0;
}
