/* Refuses an inspector that was built for a newer framework than the program runs on: it would not
 * load there, and each call would throw. The framework is known by the assemblies that the resolver
 * finds; one that it does not find may exist where the program runs, and is no reason to refuse. */
#include "inspect/inspector_framework.h"

#include <stdio.h>

/* Facades of a core library whose versions grow with the framework. mscorlib is 4.0.0.0
 * everywhere. */
static bool is_versioned_core(const char *name)
{
    return strcmp(name, "System.Runtime") == 0 || strcmp(name, "netstandard") == 0 ||
           strcmp(name, "System.Private.CoreLib") == 0;
}

static bool is_newer(const struct ilp_assembly_name *one, const struct ilp_assembly_name *other)
{
    for (unsigned i = 0; i < 4; i++) {
        if (one->version[i] != other->version[i]) {
            return one->version[i] > other->version[i];
        }
    }
    return false;
}

/* The reference of a module with this name. */
static bool find_reference(const struct ilp_image *image, const char *name,
                           struct ilp_assembly_name *found)
{
    for (ilp_rid rid = 1; rid <= image->tables[ILP_AssemblyRef].count; rid++) {
        ilpi_assembly_ref_name(image, rid, found);
        if (strcmp(found->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the framework that the resolver finds requires assemblies in the requested version or
 * newer. .NET does (System.Runtime forwards to System.Private.CoreLib, or, as a reference assembly,
 * has the types), and .NET Framework; Mono takes any version. */
static bool is_strict(struct ilp_image *facade, const struct ilp_resolver *resolver)
{
    struct ilp_assembly_name name;
    ilp_rid object = 0;
    if (facade && ilp_image_assembly_name(facade, &name) && strcmp(name.name, "netstandard") != 0) {
        object = ilpi_find_type(facade, 0, "System", "Object");
    }
    if (facade && (object != 0 || find_reference(facade, "System.Private.CoreLib", &name))) {
        return true;
    }
    struct ilp_image *core = resolver->open(
        resolver->user, &(struct ilp_assembly_name){.name = "mscorlib", .culture = ""});
    return core && ilpi_find_type(core, 0, "System", "Object") != 0 &&
           ilpi_find_type(core, 0, "Mono", "Runtime") == 0;
}

/* Facades of .NET Framework have versions below this one. */
#define FIRST_DOTNET 5u

/* An inspector that was built for a newer framework than the target's does not load there.
 * References that the target has itself are present when it runs; those that the resolver does not
 * find may be. */
static ilp_status check_framework(const struct ilp_inspector *inspector,
                                  const struct ilp_image *image,
                                  const struct ilp_assembly_name *wanted,
                                  const struct ilp_resolver *resolver, struct ilp_error *error)
{
    struct ilp_assembly_name own;
    struct ilp_assembly_name found = {.name = wanted->name};
    if (find_reference(image, wanted->name, &own) && !is_newer(wanted, &own)) {
        return ILP_OK;
    }
    struct ilp_assembly_name any = *wanted; /* a resolver may refuse what is too old */
    memset(any.version, 0, sizeof any.version);
    struct ilp_image *facade = resolver->open(resolver->user, &any);
    if (facade ? !ilp_image_assembly_name(facade, &found) || !is_newer(wanted, &found)
               : wanted->version[0] < FIRST_DOTNET) {
        return ILP_OK;
    }
    if (!is_strict(facade, resolver)) {
        return ILP_OK;
    }
    char there[64] = "there is none";
    if (facade) {
        snprintf(there, sizeof there, "that is %u.%u.%u.%u", found.version[0], found.version[1],
                 found.version[2], found.version[3]);
    }
    return ilpi_fail(
        error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
        "the inspector %.60s needs %s %u.%u.%u.%u, but in this program's framework %s: build "
        "it for netstandard2.0, or name the right framework's folder as a reference path",
        inspector->identity.name, wanted->name, wanted->version[0], wanted->version[1],
        wanted->version[2], wanted->version[3], there);
}

/* The versions of core libraries that the inspector was compiled against, compared with the
 * program's. Without a resolver nothing is known, and nothing refused. */
ilp_status ilpi_inspector_check_framework(const struct ilp_inspector *inspector,
                                          const struct ilp_image *image,
                                          const struct ilp_resolver *resolver,
                                          struct ilp_error *error)
{
    const struct ilp_image *assembly = inspector->assembly;
    uint32_t count = resolver && resolver->open ? assembly->tables[ILP_AssemblyRef].count : 0;
    for (ilp_rid rid = 1; rid <= count; rid++) {
        struct ilp_assembly_name wanted;
        ilpi_assembly_ref_name(assembly, rid, &wanted);
        if (is_versioned_core(wanted.name)) {
            ILPI_TRY(check_framework(inspector, image, &wanted, resolver, error));
        }
    }
    return ILP_OK;
}
