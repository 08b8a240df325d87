/* Resolves type references: TypeRef -> scope -> assembly -> TypeDef, through forwarders.
 *
 *   TypeRef --ResolutionScope--> Module        the same image
 *                            --> TypeRef       the enclosing type, resolved first
 *                            --> AssemblyRef   another image, opened by the caller's resolver; an
 *                                              ExportedType there forwards to a third
 *                            --> ModuleRef     another file of the same assembly, opened in the
 *                                              same way; an ExportedType refers to it by a File */
#include "metadata/resolve.h"

/* Chains of forwards and nested references in compilers' files are shorter. One budget for a whole
 * reference, so that a circle of forwarders or of nested TypeRefs ends, across images as well. */
#define MAX_STEPS 32u

struct resolve_walk {
    const struct ilp_resolver *resolver;
    unsigned steps; /* left for this reference */
};

/* The columns from MajorVersion on are the four parts of the version, in AssemblyRef and in
 * Assembly alike (II.22.5, II.22.2). */
void ilpi_assembly_ref_name(const struct ilp_image *image, ilp_rid row,
                            struct ilp_assembly_name *name)
{
    unsigned table = ILP_AssemblyRef;
    *name = (struct ilp_assembly_name){
        .name = ilp_string(image, ilp_cell(image, table, row, ILP_AssemblyRef_Name)),
        .culture = ilp_string(image, ilp_cell(image, table, row, ILP_AssemblyRef_Culture)),
        .flags = ilp_cell(image, table, row, ILP_AssemblyRef_Flags),
        .key = ilp_blob(image, ilp_cell(image, table, row, ILP_AssemblyRef_PublicKeyOrToken)),
    };
    for (unsigned i = 0; i < 4; i++) {
        name->version[i] = (uint16_t)ilp_cell(image, table, row, ILP_AssemblyRef_MajorVersion + i);
    }
}

bool ilp_image_reference_name(const struct ilp_image *image, ilp_rid assembly_ref,
                              struct ilp_assembly_name *name)
{
    ilpi_assembly_ref_name(image, assembly_ref, name);
    return assembly_ref - 1 < ilp_row_count(image, ILP_AssemblyRef);
}

/* Row 1 is the only one (II.22.2). Cells of a missing row are 0, and so the names are empty. */
bool ilp_image_assembly_name(const struct ilp_image *image, struct ilp_assembly_name *name)
{
    unsigned table = ILP_Assembly;
    *name = (struct ilp_assembly_name){
        .name = ilp_string(image, ilp_cell(image, table, 1, ILP_Assembly_Name)),
        .culture = ilp_string(image, ilp_cell(image, table, 1, ILP_Assembly_Culture)),
        .flags = ilp_cell(image, table, 1, ILP_Assembly_Flags),
        .key = ilp_blob(image, ilp_cell(image, table, 1, ILP_Assembly_PublicKey)),
    };
    for (unsigned i = 0; i < 4; i++) {
        name->version[i] = (uint16_t)ilp_cell(image, table, 1, ILP_Assembly_MajorVersion + i);
    }
    return ilp_row_count(image, table) != 0;
}

static struct ilp_image *open_assembly(const struct resolve_walk *walk,
                                       const struct ilp_image *image, ilp_rid assembly_ref)
{
    if (!walk->resolver || !walk->resolver->open) {
        return NULL;
    }
    struct ilp_assembly_name name;
    ilpi_assembly_ref_name(image, assembly_ref, &name);
    /* cppcheck-suppress returnDanglingLifetime ; what is returned does not refer to `name` */
    return walk->resolver->open(walk->resolver->user, &name);
}

/* Another file of the assembly: a row of File or ModuleRef names it. */
static struct ilp_image *open_module(const struct resolve_walk *walk, const struct ilp_image *image,
                                     ilp_token file)
{
    unsigned table = ILP_TOKEN_TABLE(file);
    if (!walk->resolver || !walk->resolver->open_module || ILP_TOKEN_RID(file) == 0) {
        return NULL;
    }
    unsigned column = table == ILP_File ? (unsigned)ILP_File_Name : (unsigned)ILP_ModuleRef_Name;
    const char *name = ilp_string(image, ilp_cell(image, table, ILP_TOKEN_RID(file), column));
    return name[0] != '\0' ? walk->resolver->open_module(walk->resolver->user, image, name) : NULL;
}

/* The image that a scope of a reference, or the implementation of an exported type, refers to. */
static struct ilp_image *open_scope(const struct resolve_walk *walk, const struct ilp_image *image,
                                    ilp_token scope)
{
    switch (ILP_TOKEN_TABLE(scope)) {
    case ILP_AssemblyRef: return open_assembly(walk, image, ILP_TOKEN_RID(scope));
    case ILP_File:
    case ILP_ModuleRef: return open_module(walk, image, scope);
    default: return NULL;
    }
}

/* A top-level type of an image, or the type that it is forwarded to. A TypeDef wins over an
 * ExportedType of the same name. Without an ExportedType rid is 0, the scope null and the image
 * NULL, which ends the loop. */
static struct ilpi_type_def find_top_level(struct resolve_walk *walk, struct ilp_image *image,
                                           const char *name_space, const char *name)
{
    for (; image && walk->steps != 0; walk->steps--) {
        ilp_rid rid = ilpi_find_type(image, 0, name_space, name);
        if (rid != 0) {
            return (struct ilpi_type_def){image, rid};
        }
        rid = ilpi_find_exported(image, name_space, name);
        ilp_token scope = ilp_cell(image, ILP_ExportedType, rid, ILP_ExportedType_Implementation);
        image = open_scope(walk, image, scope);
    }
    return (struct ilpi_type_def){NULL, 0};
}

/* Recursion is by enclosing types only, and each level takes a step, so the stack is bounded by
 * MAX_STEPS. A null scope (II.22.38: the type is in ExportedType) has table 0, which is Module, and
 * the same look-up finds the type. */
static struct ilpi_type_def resolve(struct resolve_walk *walk, struct ilp_image *image,
                                    ilp_token token)
{
    static const struct ilpi_type_def none;
    if (ILP_TOKEN_TABLE(token) == ILP_TypeDef) {
        bool exists = ILP_TOKEN_RID(token) - 1 < image->tables[ILP_TypeDef].count;
        return exists ? (struct ilpi_type_def){image, ILP_TOKEN_RID(token)} : none;
    }
    if (ILP_TOKEN_TABLE(token) != ILP_TypeRef || walk->steps == 0) {
        return none;
    }
    walk->steps--;
    ilp_token scope = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(token),
                               ILP_TypeRef_ResolutionScope);
    const char *name_space;
    const char *name;
    ilpi_type_name(image, token, &name_space, &name);
    switch (ILP_TOKEN_TABLE(scope)) {
    case ILP_Module: return find_top_level(walk, image, name_space, name);
    case ILP_AssemblyRef:
    case ILP_ModuleRef:
        return find_top_level(walk, open_scope(walk, image, scope), name_space, name);
    case ILP_TypeRef: {
        struct ilpi_type_def outer = resolve(walk, image, scope);
        ilp_rid rid = outer.image ? ilpi_find_type(outer.image, outer.rid, name_space, name) : 0;
        return rid != 0 ? (struct ilpi_type_def){outer.image, rid} : none;
    }
    default: return none;
    }
}

struct ilpi_type_def ilpi_resolve_type(struct ilp_image *image, ilp_token token,
                                       const struct ilp_resolver *resolver)
{
    struct resolve_walk walk = {resolver, MAX_STEPS};
    return resolve(&walk, image, token);
}

/* By a name as text, for types that a program does not refer to; `there` distinguishes a missing
 * assembly from a missing type. */
struct ilpi_type_def ilpi_resolve_name(const struct ilp_assembly_name *assembly,
                                       const char *name_space, const char *name,
                                       const struct ilp_resolver *resolver, bool *there)
{
    struct resolve_walk walk = {resolver, MAX_STEPS};
    struct ilp_image *image = resolver && resolver->open ? resolver->open(resolver->user, assembly)
                                                         : NULL;
    if (there) {
        *there = image != NULL;
    }
    return find_top_level(&walk, image, name_space, name);
}
