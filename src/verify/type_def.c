/* The kind of a definition: class, interface, delegate, value type or enum; its bases, its
 * primitive; and the core library (I.8.2, II.10.1.3, II.13).
 *
 *   How set_kind() decides, from top to bottom:
 *   the flag Interface                    INTERFACE
 *   extends System.Enum                   ENUM
 *   extends System.ValueType              VALUE, which may be byref-like
 *   extends System.MulticastDelegate      DELEGATE
 *   everything else                       CLASS
 *   no definition was found               UNRESOLVED */
#include "base/hash.h"
#include "metadata/flags.h"
#include "types/core_type.h"
#include "types/value_type.h"
#include "verify/type.h"
#include "verify/type_table.h"

/* ---- the core library ---- */

/* The core library is the image that defines System.Object, the one class without a base, whatever
 * its name: System.Private.CoreLib, mscorlib, or one of a test. */
static struct ilpi_module *module_of(struct ilpi_verifier *verifier, struct ilp_image *image)
{
    struct ilpi_types *types = verifier->types;
    for (struct ilpi_module *module = types->modules; module; module = module->next) {
        if (module->image == image) {
            return module;
        }
    }
    struct ilpi_module *module = ilpi_verify_take(verifier, 1, sizeof *module);
    if (module) {
        ilp_rid object = ilpi_find_type(image, 0, "System", "Object");
        *module = (struct ilpi_module){
            .image = image,
            .core = object != 0 &&
                    ILP_TOKEN_RID(ilp_cell(image, ILP_TypeDef, object, ILP_TypeDef_Extends)) == 0,
            .next = types->modules,
        };
        types->modules = module;
    }
    return module;
}

/* Through any of the image's references that resolves System.Object; without one, through a
 * reference with the name of a core library (types/core_type.c). */
static struct ilp_image *find_core(struct ilpi_verifier *verifier)
{
    struct ilp_image *image = verifier->image;
    const struct ilpi_module *module = module_of(verifier, image);
    if (module && module->core) {
        return image;
    }
    for (ilp_rid rid = 1; rid <= image->tables[ILP_TypeRef].count; rid++) {
        const char *name_space;
        const char *name;
        ilpi_type_name(image, ILP_TOKEN(ILP_TypeRef, rid), &name_space, &name);
        struct ilpi_type_def found = {NULL, 0};
        if (strcmp(name, "Object") == 0 && strcmp(name_space, "System") == 0) {
            found = ilpi_resolve_type(image, ILP_TOKEN(ILP_TypeRef, rid), &verifier->resolver);
        }
        if (found.image) {
            return found.image;
        }
    }
    for (ilp_rid rid = 1; rid <= image->tables[ILP_AssemblyRef].count; rid++) {
        struct ilp_assembly_name name;
        ilpi_assembly_ref_name(image, rid, &name);
        struct ilp_image *opened = ilpi_is_core_assembly(name.name)
                                       ? verifier->resolver.open(verifier->resolver.user, &name)
                                       : NULL;
        const struct ilpi_module *of = opened ? module_of(verifier, opened) : NULL;
        if (of && of->core) {
            return opened;
        }
    }
    return NULL;
}

/* Searched once, since that may open files; NULL is remembered too. */
static struct ilp_image *core_of(struct ilpi_verifier *verifier)
{
    struct ilpi_types *types = verifier->types;
    if (!types->core_known) {
        types->core = find_core(verifier);
        types->core_known = true;
    }
    return types->core;
}

/* ---- primitives ---- */

/* Only names of namespace System are primitives: Int32 of another namespace is a type like any. */
static uint8_t element_by_name(const struct ilp_image *image, ilp_token token)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(image, token, &name_space, &name);
    return strcmp(name_space, "System") == 0 ? ilpi_element_of_system_name(name, strlen(name)) : 0;
}

/* A reference to a core library that is only known by name. */
static bool names_a_core(const struct ilp_image *image, ilp_token ref)
{
    ilp_token scope = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(ref), ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_TABLE(scope) == ILP_AssemblyRef &&
           ilpi_is_core_assembly(
               ilp_string(image, ilp_cell(image, ILP_AssemblyRef, ILP_TOKEN_RID(scope),
                                          ILP_AssemblyRef_Name)));
}

/* ---- definitions ---- */

bool ilpi_def_is_named(const struct ilpi_def *def, const char *name_space, const char *name)
{
    return def && ilpi_type_is_named(def->image, def->token, name_space, name);
}

/* By flags and base class (II.10.1.3, II.23.1.15): nothing in a TypeDef says directly what it
 * defines. */
static void set_kind(struct ilpi_def *def)
{
    struct ilpi_type_def row = {def->image, ILP_TOKEN_RID(def->token)};
    if ((def->flags & ILPI_TYPE_INTERFACE) != 0) {
        def->what = ILPI_WHAT_INTERFACE;
        return;
    }
    switch (ilpi_value_type_of_def(row)) {
    case ILPI_VALUE_ENUM: def->what = ILPI_WHAT_ENUM; return;
    case ILPI_VALUE_BYREF_LIKE: def->byref_like = true; /* fall through */
    case ILPI_VALUE_STRUCT: def->what = ILPI_WHAT_VALUE; return;
    default: break;
    }
    ilp_token base = ilp_cell(row.image, ILP_TypeDef, row.rid, ILP_TypeDef_Extends);
    def->what = ilpi_type_is_named(row.image, base, "System", "MulticastDelegate")
                    ? ILPI_WHAT_DELEGATE
                    : ILPI_WHAT_CLASS;
}

/* By the owner's rows in GenericParam, which are adjacent (II.22.20: the table is sorted by
 * owner). */
uint32_t ilpi_generic_count(const struct ilp_image *image, ilp_token owner)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef, owner);
    uint32_t position = 0;
    uint32_t count = 0;
    while (ilpi_next_with_key(image, ILP_GenericParam, key, &position) != 0) {
        count++;
    }
    return count;
}

/* A type that was not found keeps its reference as its identity. If it is in the core library by
 * name, and a primitive by name, it is that primitive: the verifier also works without any
 * framework installed. */
static void describe(struct ilpi_verifier *verifier, struct ilpi_def *def)
{
    struct ilp_image *image = def->image;
    unsigned table = ILP_TOKEN_TABLE(def->token);
    if (table != ILP_TypeDef) {
        bool core = table == ILP_TypeRef && names_a_core(image, def->token);
        def->element = core ? element_by_name(image, def->token) : 0;
        def->supers_known = true;
        return;
    }
    const struct ilpi_module *module = module_of(verifier, image);
    def->flags = ilp_cell(image, ILP_TypeDef, ILP_TOKEN_RID(def->token), ILP_TypeDef_Flags);
    set_kind(def);
    def->generic_count = ilpi_generic_count(image, def->token);
    if (module && module->core && ilp_enclosing_type(image, ILP_TOKEN_RID(def->token)) == 0) {
        def->element = element_by_name(image, def->token);
    }
}

/* Each definition has one description, so definitions are compared by address. */
struct ilpi_def *ilpi_def_intern(struct ilpi_verifier *verifier, struct ilp_image *image,
                                 ilp_token token)
{
    struct ilpi_types *types = verifier->types;
    uintptr_t parts[2] = {(uintptr_t)image, token};
    uint64_t hash = XXH3_64bits(parts, sizeof parts);
    struct ilpi_map_search search = ilpi_map_find(&types->def_places, hash);
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        struct ilpi_def *def = types->defs.items[place - 1];
        if (def->image == image && def->token == token) {
            return def;
        }
    }
    struct ilpi_def *def = ilpi_can_keep(verifier, sizeof *def + ILPI_VERIFY_ENTRY)
                               ? ilpi_verify_take(verifier, 1, sizeof *def)
                               : NULL;
    if (!def) {
        return NULL;
    }
    ilpi_pay_memory(verifier, ILPI_VERIFY_ENTRY);
    if (ILPI_LIST_ADD(&verifier->alloc, &types->defs, def, NULL) != ILP_OK ||
        ilpi_map_add(&types->def_places, &verifier->alloc, hash, (uint32_t)types->defs.count,
                     NULL) != ILP_OK) {
        return ilpi_verify_no_memory(verifier, types->defs.count * sizeof *types->defs.items);
    }
    def->image = image;
    def->token = token;
    describe(verifier, def);
    return def;
}

/* Two references to one type give one description, if it can be resolved. The result is remembered
 * for each TypeRef of the verified image. */
struct ilpi_def *ilpi_def_of_token(struct ilpi_verifier *verifier, struct ilp_image *image,
                                   ilp_token token)
{
    struct ilpi_types *types = verifier->types;
    struct ilpi_def **memory = NULL;
    if (ILP_TOKEN_TABLE(token) == ILP_TypeRef && image == verifier->image &&
        ILP_TOKEN_RID(token) <= image->tables[ILP_TypeRef].count) {
        memory = &types->own_refs[ILP_TOKEN_RID(token)];
        if (*memory) {
            return *memory;
        }
    }
    struct ilpi_type_def found = ilpi_resolve_type(image, token, &verifier->resolver);
    struct ilpi_def *def = found.image ? ilpi_def_intern(verifier, found.image,
                                                         ILP_TOKEN(ILP_TypeDef, found.rid))
                                       : ilpi_def_intern(verifier, image, token);
    if (memory) {
        *memory = def;
    }
    return def;
}

/* ---- bases ---- */

/* More than compilers' types have; those beyond are not searched. */
#define MAX_INTERFACES 1024u

/* Base and interfaces are loaded when they are needed first: most types that a method mentions are
 * never compared with others. */
void ilpi_def_supers(struct ilpi_verifier *verifier, struct ilpi_def *def)
{
    if (def->supers_known) {
        return;
    }
    def->supers_known = true; /* set early: a definition may refer back to itself */
    struct ilp_image *image = def->image;
    ilp_rid rid = ILP_TOKEN_RID(def->token);
    ilp_token base = ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_Extends);
    if (ILP_TOKEN_RID(base) != 0) {
        def->base = ilpi_type_of_token(verifier, image, base);
    }
    uint32_t count = 0;
    for (uint32_t position = 0;
         ilpi_next_with_key(image, ILP_InterfaceImpl, rid, &position) != 0;) {
        count++;
    }
    count = count > MAX_INTERFACES ? MAX_INTERFACES : count;
    const struct ilpi_vtype **interfaces = ilpi_can_keep(verifier, count * sizeof *interfaces)
                                               ? ilpi_verify_take(verifier, count,
                                                                  sizeof *interfaces)
                                               : NULL;
    uint32_t position = 0;
    ilp_rid row;
    for (uint32_t i = 0; interfaces && i < count; i++) {
        row = ilpi_next_with_key(image, ILP_InterfaceImpl, rid, &position);
        interfaces[i] = ilpi_type_of_token(
            verifier, image, ilp_cell(image, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface));
    }
    def->interfaces = interfaces;
    def->interface_count = interfaces ? count : 0;
}

/* The base is stored once for the definition, with its type parameters; for an instance they are
 * replaced by its arguments. */
const struct ilpi_vtype *ilpi_type_base(struct ilpi_verifier *verifier,
                                        const struct ilpi_vtype *type)
{
    struct ilpi_def *def = ilpi_def_of_type(verifier, type);
    if (!def) {
        return NULL;
    }
    ilpi_def_supers(verifier, def);
    struct ilpi_args args = ilpi_args_of(type);
    return def->base ? ilpi_type_substituted(verifier, def->base, &args) : NULL;
}

/* The definition of a type. For a primitive it is that of its class in the core library
 * (System.Int32), which members are looked up in. */
struct ilpi_def *ilpi_def_of_type(struct ilpi_verifier *verifier, const struct ilpi_vtype *type)
{
    struct ilpi_types *types = verifier->types;
    if (type->def || type->kind > ILP_ELEMENT_OBJECT || type->kind == ILPI_KIND_UNKNOWN) {
        return type->def;
    }
    struct ilpi_def **known = &types->by_element[type->kind];
    struct ilp_image *core = *known ? NULL : core_of(verifier);
    const char *name = ilpi_element_system_name(type->kind);
    ilp_rid rid = core && name[0] != '\0' ? ilpi_find_type(core, 0, "System", name) : 0;
    if (rid != 0) {
        *known = ilpi_def_intern(verifier, core, ILP_TOKEN(ILP_TypeDef, rid));
    }
    return *known;
}

/* Without a core library the type is unknown, so that nothing is reported for it. */
const struct ilpi_vtype *ilpi_core_type(struct ilpi_verifier *verifier, const char *name_space,
                                        const char *name, uint8_t kind)
{
    struct ilp_image *core = core_of(verifier);
    ilp_rid rid = core ? ilpi_find_type(core, 0, name_space, name) : 0;
    if (rid == 0) {
        return verifier->types->unknown;
    }
    return ilpi_type_of_def(verifier, ilpi_def_intern(verifier, core, ILP_TOKEN(ILP_TypeDef, rid)),
                            kind);
}
