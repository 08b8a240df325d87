/* A Mono for the profiler to be loaded into: the functions of it that are called, which open images
 * and report them, and run nothing. There is one, as in a process.
 *
 *   played.place = 3;                              in which word a MonoImage has its bytes
 *   struct mono_functions mono = played_functions();
 *   mono_image *image = played_open("/app/App.exe", bytes);
 *   played_bytes(image)                            those that Mono reads
 *   played_close(image); */
#ifndef MONO_HOST_H
#define MONO_HOST_H

#include "profiler/mono/functions.h"
#include "host/profiler_environment.h"
#include "tests/unit/metadata_test.h"

#define PLAYED_WORDS 10u

struct mono_image {
    uintptr_t words[PLAYED_WORDS]; /* what a MonoImage begins with */
    char name[256];
    char *guid;               /* owned; NULL: it was not read */
    struct ilp_bytes own;     /* a copy of what it was opened with; {NULL, 0}: none was needed */
    struct ilp_bytes symbols; /* borrowed */
};

static struct {
    unsigned place;   /* the word in which images have the address of their bytes; 0: none has it */
    bool has_storage; /* the same address is in the first word as well, and no size follows it */
    const char *fails; /* the function that gives NULL */
    const char *guid;  /* of the next images; NULL: that of their MVID */
    mono_domain *domain;
    bool throws; /* what is invoked */

    void *user; /* of the callbacks */
    mono_image_event image_loading, image_loaded, image_failed, image_unloaded;
    mono_domain_event domain_unloaded;
    mono_event runtime_initialized, runtime_shutdown_end;
    mono_preload preload;
    void *preload_user;

    mono_image *refused; /* of an assembly that could not be loaded; it stays open */
    unsigned from_data;  /* images that were opened so */
    bool is_copied;      /* the last one of them */
    unsigned invoked;
    char addresses[128]; /* that the invoked method found in its environment */
} played;

/* Declared as Mono declares them: a library of the process finds them. */
#define MONO(result, name, parameters) \
    __attribute__((visibility("default"))) result mono_##name parameters;
#include "profiler/mono/functions.def"

static inline struct mono_functions played_functions(void)
{
    return (struct mono_functions){
#define MONO(result, name, parameters) .name = mono_##name,
#include "profiler/mono/functions.def"
    };
}

static inline bool played_fails(const char *function)
{
    return played.fails && strcmp(played.fails, function) == 0;
}

/* ---- events ---- */

void *mono_profiler_create(void *user)
{
    played.user = user;
    return &played;
}

#define PLAYED_CALLBACK(event, type)                                         \
    void mono_profiler_set_##event##_callback(void *profiler, type callback) \
    {                                                                        \
        assert_ptr_equal(profiler, &played);                                 \
        played.event = callback;                                             \
    }
PLAYED_CALLBACK(image_loading, mono_image_event)
PLAYED_CALLBACK(image_loaded, mono_image_event)
PLAYED_CALLBACK(image_failed, mono_image_event)
PLAYED_CALLBACK(image_unloaded, mono_image_event)
PLAYED_CALLBACK(domain_unloaded, mono_domain_event)
PLAYED_CALLBACK(runtime_initialized, mono_event)
PLAYED_CALLBACK(runtime_shutdown_end, mono_event)

static inline void played_report(mono_image_event event, mono_image *image)
{
    if (event) {
        event(played.user, image);
    }
}

/* ---- images ---- */

static inline void played_put_size(mono_image *image, unsigned word, uint32_t size)
{
    image->words[word] = ~(uintptr_t)0; /* flags follow it where a word has more bits */
    memcpy(&image->words[word], &size, sizeof size);
}

static inline mono_image *played_image(const char *name, struct ilp_bytes bytes)
{
    mono_image *image = calloc(1, sizeof *image);
    assert_non_null(image);
    snprintf(image->name, sizeof image->name, "%s", name);
    if (played.has_storage) {
        image->words[1] = (uintptr_t)bytes.data;
        played_put_size(image, 2, (uint32_t)bytes.size + 1);
    }
    if (played.place != 0) {
        image->words[played.place] = (uintptr_t)bytes.data;
        played_put_size(image, played.place + 1, (uint32_t)bytes.size);
    }
    return image;
}

static inline struct ilp_bytes played_bytes(const mono_image *image)
{
    uint32_t size;
    memcpy(&size, &image->words[played.place + 1], sizeof size);
    return (struct ilp_bytes){(const uint8_t *)image->words[played.place], size};
}

/* As mono_guid_to_string() writes it. */
static inline void played_note_guid(mono_image *image, const struct ilp_image *read)
{
    struct ilp_bytes mvid = ilp_guid(read, ilp_cell(read, ILP_Module, 1, ILP_Module_Mvid));
    const uint8_t *b = mvid.data;
    assert_int_equal(mvid.size, 16);
    char guid[37];
    snprintf(guid, sizeof guid,
             "%02X%02X%02X%02X-%02X%02X-%02X%02X-%02X%02X-%02X%02X%02X%02X%02X%02X", b[3], b[2],
             b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
             b[15]);
    image->guid = strdup(played.guid ? played.guid : guid);
    assert_non_null(image->guid);
}

/* Reads what is there after image_loading. */
static inline bool played_read(mono_image *image)
{
    struct ilp_image *read = NULL;
    bool reads = !played_fails("image") && played.place != 0 &&
                 ilp_image_open(&read, played_bytes(image), ILP_LAYOUT_FILE, NULL, NULL, NULL) ==
                     ILP_OK;
    if (reads) {
        played_note_guid(image, read);
    }
    ilp_image_close(read);
    return reads;
}

static inline void played_free(mono_image *image)
{
    drop(image->own);
    free(image->guid);
    free(image);
}

static inline void played_close(mono_image *image)
{
    played_report(played.image_unloaded, image);
    played_free(image);
}

/* NULL: Mono cannot read it, which was reported. `bytes` have to stay, as those of a file do. */
static inline mono_image *played_load(mono_image *image)
{
    played_report(played.image_loading, image);
    if (played_read(image)) {
        played_report(played.image_loaded, image);
        return image;
    }
    played_report(played.image_failed, image);
    played_close(image);
    return NULL;
}

static inline mono_image *played_open(const char *name, struct ilp_bytes bytes)
{
    return played_load(played_image(name, bytes));
}

mono_image *mono_image_open_from_data_with_name(char *data, uint32_t size, int32_t copied,
                                                int *status, int32_t reflection_only,
                                                const char *name)
{
    struct ilp_bytes bytes = {(const uint8_t *)data, size};
    struct ilp_bytes own = copied ? exact(data, size) : (struct ilp_bytes){NULL, 0};
    assert_false(reflection_only);
    played.from_data++;
    played.is_copied = copied;
    mono_image *image = played_image(name ? name : "data-0x1000", copied ? own : bytes);
    image->own = own;
    if (!played_fails("image_open_from_data_with_name")) {
        image = played_load(image);
    } else {
        played_close(image);
        image = NULL;
    }
    *status = image ? 0 : 3; /* MONO_IMAGE_IMAGE_INVALID */
    return image;
}

const char *mono_image_get_filename(mono_image *image)
{
    return played_fails("image_get_filename") ? NULL : image->name;
}

const char *mono_image_get_guid(mono_image *image)
{
    return played_fails("image_get_guid") ? NULL : image->guid;
}

void mono_debug_open_image_from_memory(mono_image *image, const uint8_t *pdb, int size)
{
    image->symbols = (struct ilp_bytes){pdb, (size_t)size};
}

/* ---- assemblies: each is its image, and a name is a text ---- */

void mono_install_assembly_preload_hook(mono_preload preload, void *user)
{
    played.preload = preload;
    played.preload_user = user;
}

mono_assembly *mono_assembly_load_from_full(mono_image *image, const char *file, int *status,
                                            int32_t reflection_only)
{
    assert_string_equal(file, image->name);
    assert_false(reflection_only);
    *status = 0;
    if (played_fails("assembly_load_from_full")) {
        played.refused = image;
        return NULL;
    }
    return (mono_assembly *)(void *)image;
}

const char *mono_assembly_name_get_name(mono_assembly_name *name)
{
    return (const char *)name;
}

/* The program refers to an assembly. */
static inline mono_image *played_want(const char *name)
{
    mono_assembly *found = played.preload((mono_assembly_name *)(uintptr_t)name, NULL,
                                          played.preload_user);
    return (mono_image *)(void *)found;
}

/* ---- managed code ---- */

mono_domain *mono_domain_get(void)
{
    return played.domain;
}

mono_class *mono_class_from_name(mono_image *image, const char *space, const char *name)
{
    assert_string_equal(space, "");
    assert_string_equal(name, "StartupHook");
    return played_fails("class_from_name") ? NULL : (mono_class *)(void *)image;
}

mono_method *mono_class_get_method_from_name(mono_class *class, const char *name, int parameters)
{
    assert_string_equal(name, "Initialize");
    assert_int_equal(parameters, 0);
    return played_fails("class_get_method_from_name") ? NULL : (mono_method *)(void *)class;
}

/* As the stock inspector does, it takes the variable away. */
void *mono_runtime_invoke(mono_method *method, void *self, void **arguments, void **exception)
{
    const char *addresses = getenv(ENV_PROFILER);
    assert_non_null(method);
    assert_null(self);
    assert_null(arguments);
    snprintf(played.addresses, sizeof played.addresses, "%s", addresses ? addresses : "");
    unsetenv(ENV_PROFILER);
    played.invoked++;
    *exception = played.throws ? &played : NULL;
    return NULL;
}

char *mono_get_runtime_build_info(void)
{
    return played_fails("get_runtime_build_info") ? NULL : strdup("6.8.0.105 (Debian 6.8.0.105)");
}

void mono_free(void *block)
{
    free(block);
}

#endif
