/* A process of the played Mono (mono_host.h), with a folder for its files.
 *
 *   begin_process("--inspect-returns");
 *   ...
 *   end_process();                           nothing is left of it
 *   says("module\t");                        a line of the status file */
#ifndef MONO_PROCESS_H
#define MONO_PROCESS_H

#include "profiler/messages.h"
#include "profiler/mono/images.h"
#include "profiler/mono/loader.h"
#include "profiler/mono/no_lines.h"
#include "profiler/mono/process.h"
#include "profiler/status.h"
#include "tests/unit/folder_tree.h"
#include "tests/unit/inspect_image.h"
#include "tests/unit/mono_host.h"

static struct tree tree;
static struct mono_process process;
static char status_text[1 << 14]; /* the status file */
static char reported[1 << 14];

static inline void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rbe");
    text[file ? fread(text, 1, size - 1, file) : 0] = '\0';
    if (file) {
        fclose(file);
    }
}

static inline void says(const char *text)
{
    if (!strstr(status_text, text)) {
        fail_msg("no '%s': %s", text, status_text);
    }
}

static inline void does_not_say(const char *text)
{
    if (strstr(status_text, text)) {
        fail_msg("'%s': %s", text, status_text);
    }
}

/* ---- assemblies ---- */

/* static int Int() => 42; */
static inline struct ilp_bytes make_assembly(const char *name)
{
    struct ib_image b;
    ii_begin(&b, name);
    ii_type(&b, "N", "C", II_OBJECT);
    ii_body(&b, ii_method(&b, "Int", "00 00 08"), "0E 1F 2A 2A");
    struct ilp_bytes bytes = taken_file(ib_pe_file(&b, (struct ib_pe){0}));
    ib_end(&b);
    return bytes;
}

/* The program, as one test after the other has it. */
static struct ilp_bytes app;

static inline int make_app(void **state)
{
    (void)state;
    app = make_assembly("App");
    return 0;
}

static inline int drop_app(void **state)
{
    (void)state;
    drop(app);
    return 0;
}

static inline void mvid_of(struct ilp_bytes assembly, uint8_t mvid[16])
{
    struct ilp_image *image = open_image(assembly, ILP_LAYOUT_FILE);
    struct ilp_bytes found = ilp_guid(image, ilp_cell(image, ILP_Module, 1, ILP_Module_Mvid));
    assert_int_equal(found.size, 16);
    memcpy(mvid, found.data, 16);
    ilp_image_close(image);
}

/* Symbols in Mono's format. */
static inline struct ilp_bytes make_mdb(const uint8_t mvid[16])
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf written = {.alloc = &alloc};
    no_lines_write(&written, mvid);
    assert_int_equal(written.status, ILP_OK);
    struct ilp_bytes mdb = exact(written.data, written.size);
    ilpi_buf_free(&written);
    return mdb;
}

static inline bool has_text(struct ilp_bytes bytes, const char *text)
{
    return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

/* By the reference to the stock inspector. */
static inline bool is_patched(const mono_image *image)
{
    return has_text(played_bytes(image), INSPECTOR_NAME);
}

/* Opens and closes it; true: it was patched. */
static inline bool patches(const char *name, struct ilp_bytes bytes)
{
    mono_image *image = played_open(name, bytes);
    assert_non_null(image);
    bool patched = is_patched(image);
    assert_true(patched || played_bytes(image).data == bytes.data);
    assert_null(image->symbols.data);
    played_close(image);
    return patched;
}

/* ---- the process ---- */

/* No variable of another test stays. */
static inline void begin_environment(const char *options)
{
    static const char *const variables[] = {ENV_INSPECTORS, ENV_RULES,     ENV_CHILDREN, ENV_REPORT,
                                            ENV_PROFILER,   ENV_REDACT,    ENV_OUTPUT,   ENV_COUNT,
                                            ENV_ELAPSED,    ENV_NO_REDACT, ENV_LINES};
    for (size_t i = 0; i < COUNT(variables); i++) {
        unsetenv(variables[i]);
    }
    setenv(ENV_OPTIONS, options, 1);
    setenv(ENV_STATUS, tree_path(&tree, "status"), 1);
    memset(&played, 0, sizeof played);
    played.place = 3;
    played.domain = (mono_domain *)(void *)tree.folder;
    process = (struct mono_process){.mono = played_functions(), .version = "Mono 6.8"};
    process.inspector = strdup("/opt/" INSPECTOR_FILE);
}

/* As mono_profiler_init_ilpatch() begins it; false: the options cannot be used. */
static inline bool open_process(void)
{
    status_open(getenv(ENV_STATUS));
    messages_open();
    assert_true(ilpi_mutex_open(&process.lock));
    if (!patching_open(&process.patching, process.version)) {
        return false;
    }
    atomic_store(&process.works, true);
    void *handle = mono_profiler_create(&process);
    images_watch(&process, handle);
    loader_watch(&process, handle);
    return true;
}

/* With files that are in the tree. */
static inline void begin_in_tree(const char *options)
{
    begin_environment(options);
    setenv(ENV_REPORT, tree_path(&tree, "report.json"), 1);
    assert_true(open_process());
}

static inline void begin_process(const char *options)
{
    tree_begin(&tree);
    begin_in_tree(options);
}

static inline void close_process(void)
{
    process_report_write(process.patching.report);
    patching_close(&process.patching);
    if (played.domain_unloaded) {
        played.domain_unloaded(&process, played.domain);
    }
    ilpi_mutex_close(&process.lock);
    free(process.program);
    free(process.assemblies);
    free(process.inspector);
    status_close();
}

/* What was said and reported stays. */
static inline void read_files(void)
{
    read_text(tree_path(&tree, "status"), status_text, sizeof status_text);
    read_text(tree_path(&tree, "report.json"), reported, sizeof reported);
}

static inline void end_process(void)
{
    close_process();
    assert_null(process.replaced);
    assert_null(process.domains);
    read_files();
    tree_end(&tree);
}

#endif
