/* Finds the scope from which the module gets a type of the core library. Its own core library is
 * searched first, then its other references, so that a reference is rarely added. Modules for .NET
 * refer to the core library through many assemblies that have a part of it each (System.Runtime,
 * System.Collections, System.Console ...): there a missing part may be added. mscorlib and
 * netstandard have everything. A core library itself has all that it may use. */
#include "inspect/embed/scope.h"

#include "inspect/core_scope.h"

/* The parts of the core library, with their public key tokens, which are the same in every
 * framework; the largest first. `whole` ones are complete and never added, and neither are
 * assemblies that are not parts. */
/*   kind               signed with   searched if the module refers to it   may be added
 *   PART_OF_CORE       part_key      yes                                   yes
 *   PART_OF_OPEN_KEY   open_key      yes                                   yes
 *   PART_KNOWN         -             yes                                   no
 *   PART_WHOLE         -             yes; nothing is added beside it       no */
enum part_kind { PART_OF_CORE, PART_OF_OPEN_KEY, PART_KNOWN, PART_WHOLE };

static const struct {
    const char *name;
    enum part_kind kind;
} parts[] = {
    {"mscorlib", PART_WHOLE},
    {"netstandard", PART_WHOLE},
    {"System.Private.CoreLib", PART_KNOWN},
    {"System", PART_KNOWN},
    {"System.Core", PART_KNOWN},
    {"System.Runtime", PART_OF_CORE},
    {"System.Runtime.Extensions", PART_OF_CORE},
    {"System.Collections", PART_OF_CORE},
    {"System.Console", PART_OF_CORE},
    {"System.Threading", PART_OF_CORE},
    {"System.Threading.Thread", PART_OF_CORE},
    {"System.Threading.ThreadPool", PART_OF_CORE},
    {"System.Threading.Timer", PART_OF_CORE},
    {"System.Threading.Tasks", PART_OF_CORE},
    {"System.Threading.Overlapped", PART_OF_CORE},
    {"System.Runtime.InteropServices", PART_OF_CORE},
    {"System.Runtime.Handles", PART_OF_CORE},
    {"System.IO", PART_OF_CORE},
    {"System.IO.FileSystem", PART_OF_CORE},
    {"System.IO.FileSystem.Primitives", PART_OF_CORE},
    {"System.Text.Encoding", PART_OF_CORE},
    {"System.Text.Encoding.Extensions", PART_OF_CORE},
    {"System.Text.RegularExpressions", PART_OF_CORE},
    {"System.Reflection", PART_OF_CORE},
    {"System.Reflection.Extensions", PART_OF_CORE},
    {"System.Reflection.Primitives", PART_OF_CORE},
    {"System.Reflection.TypeExtensions", PART_OF_CORE},
    {"System.Globalization", PART_OF_CORE},
    {"System.Linq", PART_OF_CORE},
    {"System.Memory", PART_OF_OPEN_KEY},
    {"System.Diagnostics.Debug", PART_OF_CORE},
    {"System.Diagnostics.Tools", PART_OF_CORE},
    {"System.Diagnostics.StackTrace", PART_OF_CORE},
    {"System.Diagnostics.Process", PART_OF_CORE},
    {"System.Collections.Concurrent", PART_OF_CORE},
    {"System.Collections.NonGeneric", PART_OF_CORE},
    {"System.Collections.Specialized", PART_OF_CORE},
    {"System.ComponentModel", PART_OF_CORE},
    {"System.ComponentModel.Primitives", PART_OF_CORE},
    {"System.ObjectModel", PART_OF_CORE},
    {"System.Resources.ResourceManager", PART_OF_CORE},
};

#define PARTS (sizeof parts / sizeof parts[0])

static const uint8_t part_key[] = {0xB0, 0x3F, 0x5F, 0x7F, 0x11, 0xD5, 0x0A, 0x3A};
static const uint8_t open_key[] = {0xCC, 0x7B, 0x13, 0xFF, 0xCD, 0x2D, 0xDD, 0x51};

/* PARTS for a name that is not a part of any core library. */
static size_t part_of(const char *name)
{
    size_t i = 0;
    while (i < PARTS && strcmp(parts[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* The type that is searched for. The first assembly that has it ends the search. */
struct scope_search {
    struct ilpi_embedding *embedding;
    const char *name_space;
    const char *name;
    struct ilpi_embed_ref *ref; /* receives the outcome of the last assembly tried */
};

/* Whether an assembly has the type. One that cannot be opened is trusted if it is a whole core
 * library: this machine then has none to check. A type that was forwarded counts as there:
 * resolving follows ExportedType (II.22.14). */
static void try_assembly(const struct scope_search *search,
                         const struct ilp_assembly_name *assembly, ilp_token scope, bool trust)
{
    struct ilpi_embed_ref *ref = search->ref;
    bool there;
    ref->def = ilpi_resolve_name(assembly, search->name_space, search->name,
                                 search->embedding->resolver, &there);
    ref->found = ref->def.image != NULL || (trust && !there);
    ref->scope = scope;
    ref->add = *assembly;
}

static void try_references(const struct scope_search *search)
{
    const struct ilp_image *to = search->embedding->to;
    for (ilp_rid rid = 1; rid <= ilp_row_count(to, ILP_AssemblyRef) && !search->ref->found; rid++) {
        struct ilp_assembly_name name;
        ilpi_assembly_ref_name(to, rid, &name);
        if (part_of(name.name) != PARTS) {
            try_assembly(search, &name, ILP_TOKEN(ILP_AssemblyRef, rid), false);
        }
    }
}

/* Before .NET 5 the parts had their own versions, none below 4.0. */
static void set_version(struct ilp_assembly_name *name, const struct ilp_assembly_name *core)
{
    static const uint16_t lowest[4] = {4, 0, 0, 0};
    bool one_version = core->version[0] >= 5 && core->version[0] != UINT16_MAX;
    memcpy(name->version, one_version ? core->version : lowest, sizeof name->version);
}

static void try_parts(const struct scope_search *search, const struct ilp_assembly_name *core)
{
    for (size_t i = 0; i < PARTS && !search->ref->found; i++) {
        bool open = parts[i].kind == PART_OF_OPEN_KEY;
        struct ilp_assembly_name name = {.name = parts[i].name,
                                         .culture = "",
                                         .key = {open ? open_key : part_key, sizeof part_key}};
        set_version(&name, core);
        if (parts[i].kind == PART_OF_CORE || open) {
            try_assembly(search, &name, 0, false);
        }
    }
}

/* Searches, in this order:
 *
 *   1. the module's core library
 *   2. its other references, if they are parts of a core library
 *   3. a part that it does not refer to yet: added
 *
 * *offered is false if none has the type: the module's framework is older than what the inspector
 * needs. */
ilp_status ilpi_embed_find(struct ilpi_embedding *embedding, ilp_rid type_ref,
                           struct ilpi_embed_ref *ref, bool *offered, struct ilp_error *error)
{
    ilp_token scope = ilp_cell(embedding->from, ILP_TypeRef, type_ref, ILP_TypeRef_ResolutionScope);
    struct ilp_assembly_name theirs;
    struct ilp_assembly_name core = embedding->core_name;
    struct scope_search search = {embedding, NULL, NULL, ref};
    *ref = (struct ilpi_embed_ref){.found = false};
    *offered = false;
    ilpi_assembly_ref_name(embedding->from, ILP_TOKEN_RID(scope), &theirs);
    if (part_of(theirs.name) == PARTS) {
        return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_TypeRef, type_ref), error,
                                 "it uses %.200s, which is not in a core library", theirs.name);
    }
    ilpi_type_name(embedding->from, ILP_TOKEN(ILP_TypeRef, type_ref), &search.name_space,
                   &search.name);
    if (embedding->core_scope == ILPI_OWN_SCOPE) {
        ref->scope = embedding->core_scope;
        ref->def.rid = ilpi_find_type(embedding->to, 0, search.name_space, search.name);
        ref->def.image = ref->def.rid != 0 ? embedding->to : NULL;
        *offered = ref->found = ref->def.rid != 0;
        return ILP_OK;
    }
    if (embedding->core_scope != 0) {
        ilpi_assembly_ref_name(embedding->to, ILP_TOKEN_RID(embedding->core_scope), &core);
    }
    size_t part = part_of(core.name);
    bool whole = part != PARTS && parts[part].kind == PART_WHOLE;
    try_assembly(&search, &core, embedding->core_scope, whole);
    if (!ref->found) {
        try_references(&search);
    }
    if (!ref->found && !whole) {
        try_parts(&search, &core);
    }
    *offered = ref->found;
    return ILP_OK;
}
