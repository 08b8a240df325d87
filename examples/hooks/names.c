/* Names of methods and classes. IMetaDataImport gives them as UTF-16; what is not ASCII is '?'
 * here, to keep the example short. */
#include "names.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 256 };

static void to_ascii(char *out, const WCHAR *text)
{
    size_t i = 0;
    for (; i + 1 < LONGEST && text[i]; i++) {
        out[i] = text[i] < 0x80 ? (char)text[i] : '?';
    }
    out[i] = 0;
}

static struct named *keep(uintptr_t id, const char *name)
{
    struct named *named = malloc(sizeof *named + strlen(name) + 1);
    if (named) {
        named->id = id;
        strcpy(named->name, name);
    }
    return named;
}

static void *import_of(void *info, ID module)
{
    void *import = NULL;
    return CALL(info, GetModuleMetaData, (void *, ID, uint32_t, const struct guid *, void **))(
               info, module, OF_READ, &metadata_import, &import) < 0
               ? NULL
               : import;
}

static bool type_name(void *import, uint32_t token, char *out)
{
    WCHAR name[LONGEST] = {0};
    uint32_t length, flags, base;
    bool found = CALL(import, GetTypeDefProps,
                      (void *, uint32_t, WCHAR *, uint32_t, uint32_t *, uint32_t *, uint32_t *))(
                     import, token, name, LONGEST, &length, &flags, &base) >= 0;
    to_ascii(out, name);
    return found;
}

/* Whether PROFILE is the last part of the module's path. */
static bool is_wanted(void *info, ID module)
{
    WCHAR wide[2048];
    char path[LONGEST];
    const char *wanted = getenv("PROFILE");
    const uint8_t *base;
    uint32_t length, flags;
    ID assembly;
    if (!wanted ||
        CALL(info, GetModuleInfo2,
             (void *, ID, const uint8_t **, uint32_t, uint32_t *, WCHAR *, ID *, uint32_t *))(
            info, module, &base, 2048, &length, wide, &assembly, &flags) < 0 ||
        length == 0 || length > 2048) {
        return false;
    }
    uint32_t from = length - 1; /* of the terminating null */
    while (from > 0 && wide[from - 1] != '/') {
        from--;
    }
    to_ascii(path, wide + from);
    return strcmp(path, wanted) == 0;
}

struct named *name_of_method(void *info, ID function)
{
    ID class, module;
    uint32_t token;
    struct named *result = NULL;
    if (CALL(info, GetFunctionInfo, (void *, ID, ID *, ID *, uint32_t *))(info, function, &class,
                                                                          &module, &token) < 0 ||
        !is_wanted(info, module)) {
        return NULL;
    }
    void *import = import_of(info, module);
    if (import) {
        WCHAR wide[LONGEST] = {0};
        char type[LONGEST], method[LONGEST], text[2 * LONGEST + 2];
        uint32_t owner = 0, length, attributes, size, rva, implementation;
        const uint8_t *signature;
        if (CALL(import, GetMethodProps,
                 (void *, uint32_t, uint32_t *, WCHAR *, uint32_t, uint32_t *, uint32_t *,
                  const uint8_t **, uint32_t *, uint32_t *,
                  uint32_t *))(import, token, &owner, wide, LONGEST, &length, &attributes,
                               &signature, &size, &rva, &implementation) >= 0 &&
            type_name(import, owner, type)) {
            to_ascii(method, wide);
            snprintf(text, sizeof text, "%s::%s", type, method);
            result = keep(function, text);
        }
        CALL(import, Release, (void *))(import);
    }
    return result;
}

/* ---- classes ---- */

static void class_text(void *info, ID class, char *out)
{
    ID module, element = 0;
    uint32_t token, kind, rank;
    strcpy(out, "?");
    if (CALL(info, IsArrayClass, (void *, ID, uint32_t *, ID *, uint32_t *))(
            info, class, &kind, &element, &rank) == S_OK) {
        if (element) {
            class_text(info, element, out);
        }
        out[LONGEST - 3] = 0;
        strcat(out, "[]");
    } else if (CALL(info, GetClassIDInfo, (void *, ID, ID *, uint32_t *))(info, class, &module,
                                                                          &token) >= 0) {
        void *import = import_of(info, module);
        if (import) {
            type_name(import, token, out);
            CALL(import, Release, (void *))(import);
        }
    }
}

/* Classes by a hash of their IDs. ObjectAllocated may allocate memory and call the runtime, unlike
 * hooks, but is often called: a class is named once. */
const struct named *name_of_class(void *info, ID class)
{
    enum { SLOTS = 1 << 14 };
    static const struct named *classes[SLOTS], unknown = {0};
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct named *found = NULL;
    size_t slot = (class >> 3) % SLOTS;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < SLOTS && !found; i++, slot = (slot + 1) % SLOTS) {
        if (!classes[slot]) {
            char text[LONGEST];
            class_text(info, class, text);
            classes[slot] = keep(class, text);
            found = classes[slot] ? classes[slot] : &unknown;
        } else if (classes[slot]->id == class) {
            found = classes[slot];
        }
    }
    pthread_mutex_unlock(&lock);
    return found ? found : &unknown;
}
