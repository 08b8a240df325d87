/* profiler/clr/runtime.c, host/runtime_files.c: which version a runtime has, and which assemblies
 * are its own. */
#include "profiler/clr/runtime.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/path.h"
#include "tests/unit/inspect_image.h"

static char folder[] = "/tmp/ilpatch-test-runtime.XXXXXX";

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static char *in_folder(const char *name)
{
    return path_join(folder, name);
}

static void write_bytes(const char *name, struct ilp_bytes bytes)
{
    int error;
    char *path = in_folder(name);
    assert_true(file_write(path, bytes, NULL, &error));
    free(path);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, (struct ilp_bytes){(const uint8_t *)text, strlen(text)});
}

static void add_text(struct ib_image *b, const char *attribute, const char *text)
{
    uint8_t value[128] = {1, 0, (uint8_t)strlen(text)};
    size_t size = 3 + strlen(text);
    memcpy(value + 3, text, size - 3);
    ilp_token type = ii_type_ref(b, II_MSCORLIB, "System.Reflection", attribute);
    ilp_rid constructor = IB_ROW(b, MemberRef, type, ib_string(b, ".ctor"),
                                 ii_blob(b, "20 01 01 0E"));
    IB_ROW(b, CustomAttribute, ILP_TOKEN(ILP_Assembly, 1), ILP_TOKEN(ILP_MemberRef, constructor),
           ib_blob(b, value, size + 2));
}

static void write_assembly(const char *name, const char *version, const char *company)
{
    struct ib_image b;
    char *file = format_text("%s.dll", name);
    ii_begin(&b, name);
    add_text(&b, "AssemblyInformationalVersionAttribute", version);
    add_text(&b, "AssemblyCompanyAttribute", company);
    struct ilp_image *image = built_pe(&b, (struct ib_pe){.cli_flags = 1});
    write_bytes(file, image->pe.bytes);
    close_built(image);
    free(file);
}

#define CORE "System.Private.CoreLib"

/* ---- versions ---- */

static void test_version(void **state)
{
    static const struct {
        uint16_t answer[3];
        const char *core; /* what the core library says; NULL: it is not there */
        const char *expected;
    } cases[] = {
        {{10, 0, 12}, NULL, "10.0.12"},
        {{10, 0, 12}, "11.0.0", "10.0.12"},
        /* .NET Core 3.1.3 */
        {{4, 0, 30319},
         "3.1.3-servicing.20118.3+c5d3d752260383fbed72ba2b4d86d82fea673c76",
         "3.1.3"},
        {{4, 0, 30319}, "3.1.32", "3.1.32"},
        {{4, 0, 30319}, "soon", "4.0.30319"},
        {{4, 0, 30319}, "99999999999.1.1", "4.0.30319"},
        {{4, 0, 30319}, NULL, "4.0.30319"},
    };
    (void)state;
    char *library = in_folder("libcoreclr.so"), *core = in_folder(CORE ".dll");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct runtime runtime = {.shared = NULL};
        unlink(core);
        if (cases[i].core) {
            write_assembly(CORE, cases[i].core, "Microsoft Corporation");
        }
        runtime_set_version(&runtime, library, cases[i].answer);
        assert_string_equal(runtime.version_text, cases[i].expected);
    }
    unlink(core);
    free(library);
    free(core);
}

/* ---- files ---- */

static bool includes(const char *library, const char *path)
{
    struct runtime runtime = {.shared = NULL};
    runtime_find(&runtime, library);
    bool found = runtime_includes(&runtime, path);
    runtime_close(&runtime);
    return found;
}

static void test_shared(void **state)
{
    static const char library[] = "/opt/dotnet/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so";
    (void)state;
    assert_true(
        includes(library, "/opt/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Linq.dll"));
    assert_true(includes(
        library, "/opt/dotnet/shared/Microsoft.AspNetCore.App/10.0.12/Microsoft.AspNetCore.dll"));
    assert_false(includes(library, "/app/System.Linq.dll"));
    assert_false(includes(library, "System.Linq"));
}

static bool linked(const char *library, const char *path)
{
    char *from = in_folder(library), *to = in_folder(path);
    bool found = includes(from, to);
    free(from);
    free(to);
    return found;
}

static void make_folders(const char *path)
{
    char *all = in_folder(path);
    for (char *at = all + sizeof folder; (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = '\0';
        (void)mkdir(all, 0700);
    }
    free(all);
}

static void test_shared_link(void **state)
{
    (void)state;
    make_folders("a/shared/Microsoft.NETCore.App/10.0.12/");
    make_folders("b/shared/Microsoft.NETCore.App/");
    char *target = in_folder("a/shared/Microsoft.NETCore.App/10.0.12");
    char *link = in_folder("b/shared/Microsoft.NETCore.App/10.0.12");
    assert_int_equal(symlink(target, link), 0);
    free(target);
    free(link);
    write_text("a/shared/Microsoft.NETCore.App/10.0.12/System.Linq.dll", "");
    write_text("b/App.dll", "");
    static const char library[] = "a/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so";
    assert_true(linked(library, "b/shared/Microsoft.NETCore.App/10.0.12/System.Linq.dll"));
    assert_false(linked(library, "b/App.dll"));
    assert_false(linked(library, "b/shared/Microsoft.NETCore.App/10.0.12/Late.dll"));
}

static bool own(const char *name)
{
    char *library = in_folder("libcoreclr.so"), *path = in_folder(name);
    bool found = includes(library, path);
    free(library);
    free(path);
    return found;
}

static void test_own(void **state)
{
    static const char listed[] =
        "{\"runtimeTarget\": {\"name\": \"T\"}, \"targets\": {\"T\": {"
        "\"App/1.0.0\": {\"runtime\": {\"App.dll\": {}}},"
        "\"runtimepack.R/10.0.12\": {\"runtime\": {\"System.Linq.dll\": {}, \"Late.dll\": {}},"
        "\"native\": {\"" CORE ".dll\": {}, \"libcoreclr.so\": {}}}}},"
        "\"libraries\": {\"App/1.0.0\": {\"type\": \"project\"},"
        "\"runtimepack.R/10.0.12\": {\"type\": \"runtimepack\"}}}";
    (void)state;
    write_assembly("System.Linq", "10.0.12+one", "Microsoft Corporation");
    assert_false(own("System.Linq.dll")); /* no core library: it came with something else */
    write_assembly(CORE, "10.0.12-servicing.1+one", "Microsoft Corporation");
    write_assembly("Microsoft.AspNetCore", "10.0.12+two", "Microsoft Corporation");
    write_assembly("Package", "10.0.11+one", "Microsoft Corporation");
    write_assembly("App", "10.0.12+one", "Shop");
    write_text("Text.dll", "no image");
    assert_true(own(CORE ".dll"));
    assert_true(own("System.Linq.dll"));
    assert_true(own("Microsoft.AspNetCore.dll"));
    assert_false(own("Package.dll"));
    assert_false(own("App.dll"));
    assert_false(own("Text.dll"));
    assert_false(own("Late.dll"));
    write_text("App.deps.json", listed);
    assert_true(own("System.Linq.dll"));
    assert_true(own("Late.dll"));
    assert_true(own(CORE ".dll")); /* .NET Core 3 lists it so */
    assert_false(own("Microsoft.AspNetCore.dll"));
    assert_false(own("App.dll"));
    assert_false(own("plugins/System.Linq.dll"));
    write_text("App.deps.json", "{");
    assert_true(own("Microsoft.AspNetCore.dll"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shared_link),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
