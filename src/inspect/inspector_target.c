/* Keeps an inspector from being called by code that it calls: searches everything it refers to for
 * the target. See inspector_target.h for why. */
#include "inspect/inspector_target.h"

#include <strings.h>

#include "inspect/inspector_framework.h"

/* How many assemblies are searched for a path from the inspector to the target. .NET 10 has 167. */
#define MAX_CLOSURE 512u

/* The framework refers only to itself, so it has no path to a program. */
static bool is_framework(const char *name)
{
    return strcmp(name, "mscorlib") == 0 || strcmp(name, "netstandard") == 0 ||
           strcmp(name, "System") == 0 || strncmp(name, "System.", 7) == 0;
}

/* Packages have such names as well. */
static bool may_be_framework(const char *name)
{
    return is_framework(name) || strncmp(name, "Microsoft.", 10) == 0;
}

/* The assemblies that the inspector refers to, directly or indirectly. */
struct closure {
    const char *target;
    const struct ilp_resolver *resolver;
    bool reached;   /* the target is one of them */
    bool framework; /* also follow the framework's references */
    struct ilp_image *images[MAX_CLOSURE];
    size_t count;
    bool full;
};

/* Breadth first. `full`: the closure is larger than the limit, so nothing is known of the rest. */
static void add_to_closure(struct closure *closure, struct ilp_image *image)
{
    struct ilp_assembly_name name;
    for (size_t i = 0; i < closure->count; i++) {
        if (closure->images[i] == image) {
            return;
        }
    }
    bool is_target = ilp_image_assembly_name(image, &name) &&
                     strcasecmp(name.name, closure->target) == 0;
    closure->reached = closure->reached || is_target;
    closure->full = closure->count == MAX_CLOSURE;
    if (!closure->full) {
        closure->images[closure->count++] = image;
    }
}

/* netstandard forwards types to the whole framework: only the assemblies of used types count. */
static void add_types(struct closure *closure, struct ilp_image *image, ilp_token facade)
{
    for (ilp_rid rid = 1; rid <= image->tables[ILP_TypeRef].count; rid++) {
        struct ilpi_type_def found = {NULL, 0};
        if (ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope) == facade) {
            found = ilpi_resolve_type(image, ILP_TOKEN(ILP_TypeRef, rid), closure->resolver);
        }
        if (found.image) {
            add_to_closure(closure, found.image);
        }
    }
}

/* A facade has no methods; only the assemblies that its types are forwarded to are followed. */
static void add_references(struct closure *closure, struct ilp_image *image)
{
    const struct ilp_resolver *resolver = closure->resolver;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_AssemblyRef].count && !closure->reached; rid++) {
        struct ilp_assembly_name name;
        ilpi_assembly_ref_name(image, rid, &name);
        closure->reached = strcasecmp(name.name, closure->target) == 0;
        bool followed = resolver && resolver->open &&
                        (closure->framework || !is_framework(name.name));
        struct ilp_image *found = followed ? resolver->open(resolver->user, &name) : NULL;
        if (found && found->tables[ILP_MethodDef].count != 0) {
            add_to_closure(closure, found);
        } else if (found) {
            add_types(closure, image, ILP_TOKEN(ILP_AssemblyRef, rid));
        }
    }
}

/* Refuses everything that the inspector calls, or may call. A breadth-first search over
 * assemblies. The framework is not followed unless the target may be a part of it: it has no
 * references to programs. */
static ilp_status check_closure(const struct ilp_inspector *inspector, const char *target,
                                const struct ilp_resolver *resolver, struct ilp_error *error)
{
    struct closure closure = {.target = target,
                              .resolver = resolver,
                              .framework = may_be_framework(target),
                              .images = {inspector->assembly},
                              .count = 1};
    for (size_t i = 0; i < closure.count; i++) {
        add_references(&closure, closure.images[i]);
        if (closure.reached) {
            return ilpi_fail(error, ILP_E_SELF_INSPECTION, ILPI_NO_OFFSET, 0,
                             "the inspector %s uses %s%s, which would call it back without end",
                             inspector->identity.name, i == 0 ? "" : "other assemblies that use ",
                             target);
        }
    }
    return closure.full
               ? ilpi_fail(error, ILP_E_SELF_INSPECTION, ILPI_NO_OFFSET, 0,
                           "the inspector %s uses more than %u assemblies, of which one may use %s",
                           inspector->identity.name, MAX_CLOSURE, target)
               : ILP_OK;
}

/* An inspector must not inspect itself, nor what it calls: it would be called from its own code
 * without end. */
ilp_status ilpi_inspector_check_target(const struct ilp_inspector *inspector,
                                       const struct ilp_image *image,
                                       const struct ilp_resolver *resolver, struct ilp_error *error)
{
    struct ilp_assembly_name target;
    if (!ilp_image_assembly_name(image, &target)) {
        return ILP_OK;
    }
    if (strcasecmp(target.name, inspector->identity.name) == 0) {
        return ilpi_fail(error, ILP_E_SELF_INSPECTION, ILPI_NO_OFFSET, 0,
                         "%s is the inspector itself", target.name);
    }
    ILPI_TRY(check_closure(inspector, target.name, resolver, error));
    return ilpi_inspector_check_framework(inspector, image, resolver, error);
}
