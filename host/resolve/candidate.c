/* Compares a file with a reference. Names are compared ignoring case. CoreCLR refuses a version
 * below the requested one and accepts a higher one; Mono accepts any. Neither compares the keys of
 * files that it finds by name (tested with .NET 10 and Mono 6.8); Mono's global assembly cache has
 * them in its folders' names. */
#include "host/resolve/candidate.h"

#include <stdlib.h>
#include <string.h>

static const bool strict[] = {
#define PLACE(name, word, strict) [PLACE_##name] = strict,
#include "host/resolve/place.def"
#undef PLACE
};

/* Remembers why a file that was there was not taken, for the message about an assembly that was not
 * found. Owns `owned_why`, also where there is no memory: then the message has one reason less,
 * which is no reason to give up. False, so that a caller can return it. */
static bool pass_over(struct reference *reference, const char *path, char *owned_why)
{
    struct passed_over passed = {copy_text(path), owned_why};
    struct passed_over *items = passed.path && passed.why
                                    ? grow_items(reference->passed, reference->passed_count + 1,
                                                 sizeof *items)
                                    : NULL;
    if (items) {
        reference->passed = items;
        reference->passed[reference->passed_count++] = passed;
    } else {
        free(passed.path);
        free(passed.why);
    }
    return false;
}

/* 65535 in a reference is a wildcard for this part of the version and all that follow. */
static bool is_lower(const struct ilp_assembly_name *found, const struct ilp_assembly_name *wanted)
{
    for (unsigned i = 0; i < 4 && wanted->version[i] != UINT16_MAX; i++) {
        if (found->version[i] != wanted->version[i]) {
            return found->version[i] < wanted->version[i];
        }
    }
    return false;
}

/* The reason is remembered for every file that had the right name and was not taken. A module and a
 * file that is no image have no assembly name to compare. */
bool candidate_try(struct reference *reference, struct ilp_image *image, const char *path,
                   enum place place)
{
    struct ilp_assembly_name found;
    if (!image) {
        return pass_over(reference, path, copy_text("no .NET assembly"));
    }
    if (!ilp_image_assembly_name(image, &found)) {
        return pass_over(reference, path, copy_text("a module of an assembly"));
    }
    if (strcasecmp(found.name, reference->name.name) != 0) {
        return pass_over(reference, path, format_text("the assembly %s", found.name));
    }
    if (strict[place] && !reference->lax && is_lower(&found, &reference->name)) {
        return pass_over(reference, path,
                         format_text("version %u.%u.%u.%u is too low", found.version[0],
                                     found.version[1], found.version[2], found.version[3]));
    }
    reference->image = image;
    reference->place = place;
    return true;
}

#define CONTENT_TYPE    0xE00u
#define CONTENT_WINDOWS 0x200u

/* A reference with the content type WindowsRuntime (AssemblyFlags, bits 0xE00) is to a .winmd
 * file. */
bool candidate_is_windows(const struct ilp_assembly_name *name)
{
    return (name->flags & CONTENT_TYPE) == CONTENT_WINDOWS;
}
