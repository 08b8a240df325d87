/* Finds the core library of a module: the scope of its System.Object. Primitives are boxed by
 * TypeRefs into that scope, so that System.Int32 is the same type as everywhere else in the module.
 * In a core library itself the scope is its own Module row, and no reference is made.
 *
 *   1  a TypeDef System.Object without a base      -> the module itself
 *   2  a TypeRef to Object, ValueType, Enum, ...   -> its AssemblyRef
 *   3  an AssemblyRef with a known name            -> that
 *   4  bases in other assemblies, up to one that has 2 or 3: its name */
#include "inspect/core_scope.h"

#include <assert.h>

#include "types/core_type.h"

/* Limits of the search: bases of one chain, and chains. */
#define MAX_BASES  32u
#define MAX_CHAINS 64u

static bool is_named(const struct ilp_image *image, ilp_token type, const char *name)
{
    bool ref = ILP_TOKEN_TABLE(type) == ILP_TypeRef;
    unsigned table = ref ? ILP_TypeRef : ILP_TypeDef;
    unsigned column = ref ? (unsigned)ILP_TypeRef_TypeName : (unsigned)ILP_TypeDef_TypeName;
    ilp_rid rid = ILP_TOKEN_RID(type);
    static_assert(ILP_TypeRef_TypeNamespace == ILP_TypeRef_TypeName + 1 &&
                      ILP_TypeDef_TypeNamespace == ILP_TypeDef_TypeName + 1,
                  "a namespace follows its name");
    return ilpi_string_is(image, ilp_cell(image, table, rid, column), name) &&
           ilpi_string_is(image, ilp_cell(image, table, rid, column + 1), "System");
}

/* Only the core library defines System.Object, with no base; programs may have types of that
 * name. */
bool ilpi_defines_object(const struct ilp_image *image)
{
    for (ilp_rid rid = 1; rid <= image->tables[ILP_TypeDef].count; rid++) {
        if (is_named(image, ILP_TOKEN(ILP_TypeDef, rid), "Object") &&
            ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_Extends) == 0) {
            return true;
        }
    }
    return false;
}

/* The AssemblyRef of a type in namespace System, 0 when the module does not name it. */
static ilp_token scope_of(const struct ilp_image *image, const char *name)
{
    for (ilp_rid rid = 1; rid <= image->tables[ILP_TypeRef].count; rid++) {
        ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
        if (ILP_TOKEN_TABLE(scope) == ILP_AssemblyRef &&
            is_named(image, ILP_TOKEN(ILP_TypeRef, rid), name)) {
            return scope;
        }
    }
    return 0;
}

/* The AssemblyRef with this name, 0 if there is none. */
static ilp_token reference_to(const struct ilp_image *image, const char *name)
{
    for (ilp_rid rid = 1; rid <= image->tables[ILP_AssemblyRef].count; rid++) {
        if (ilpi_string_is(image, ilp_cell(image, ILP_AssemblyRef, rid, ILP_AssemblyRef_Name),
                           name)) {
            return ILP_TOKEN(ILP_AssemblyRef, rid);
        }
    }
    return 0;
}

/* By a type that only the core library, or its facade, has; else by a reference with one of its
 * names. A module whose types all derive from another module's may have neither. */
static ilp_token core_scope_of(const struct ilp_image *image)
{
    static const char *const types[] = {
        "Object",    "ValueType",         "Enum", "String", "Attribute",
        "Exception", "MulticastDelegate", "Int32"};
    ilp_token scope = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0] && scope == 0; i++) {
        scope = scope_of(image, types[i]);
    }
    for (size_t i = 0; i < ILPI_CORE_ASSEMBLIES && scope == 0; i++) {
        scope = reference_to(image, ilpi_core_assemblies[i]);
    }
    return scope;
}

/* Follows base types into other assemblies until one names the core library. */
static void name_through_bases(struct ilp_image *image, ilp_token base,
                               const struct ilp_resolver *resolver, struct ilp_assembly_name *name)
{
    for (unsigned step = 0; step < MAX_BASES && base != 0; step++) {
        struct ilpi_type_def def = ilpi_resolve_type(image, base, resolver);
        if (!def.image) {
            return;
        }
        ilp_token scope = def.image != image ? core_scope_of(def.image) : 0;
        if (scope != 0) {
            ilpi_assembly_ref_name(def.image, ILP_TOKEN_RID(scope), name);
            return;
        }
        image = def.image;
        base = ilp_cell(image, ILP_TypeDef, def.rid, ILP_TypeDef_Extends);
    }
}

/* A facade may refer to several parts of a framework, none of which has System.Object itself: then
 * the base classes of its types are followed to the image that defines it, at most MAX_CHAINS of
 * them. */
struct ilpi_core_scope ilpi_core_scope_find(struct ilp_image *image,
                                            const struct ilp_resolver *resolver)
{
    struct ilpi_core_scope core = {.token = ilpi_defines_object(image) ? ILPI_OWN_SCOPE
                                                                       : core_scope_of(image)};
    unsigned chains = core.token == 0 ? 0 : MAX_CHAINS;
    /* row 1 is <Module>, which has no base (II.22.37) */
    for (ilp_rid rid = 2; rid <= image->tables[ILP_TypeDef].count && chains < MAX_CHAINS; rid++) {
        ilp_token base = ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_Extends);
        if (ILP_TOKEN_TABLE(base) != ILP_TypeRef) {
            continue;
        }
        chains++;
        name_through_bases(image, base, resolver, &core.name);
        if (core.name.name) {
            core.token = reference_to(image, core.name.name);
            break;
        }
    }
    return core;
}
