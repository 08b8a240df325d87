/* Finds the methods of an inspector assembly that can be called with a value (II.22.26, II.23.2.1). */
#include "inspect/inspector.h"

#include <strings.h>

const char ilpi_inspector_method[] = "MyInspector";

/* static void (object) and static void (object, string) */
static const uint8_t takes_object[] = {0x00, 0x01, ILP_ELEMENT_VOID, ILP_ELEMENT_OBJECT};
static const uint8_t takes_object_and_name[] = {0x00, 0x02, ILP_ELEMENT_VOID, ILP_ELEMENT_OBJECT,
                                                ILP_ELEMENT_STRING};

/* Flags of II.23.1.15 (TypeAttributes) and II.23.1.10 (MethodAttributes). */
enum {
    TYPE_VISIBILITY_MASK = 0x7,
    TYPE_PUBLIC = 0x1,
    METHOD_ACCESS_MASK = 0x7,
    METHOD_PUBLIC = 0x6,
    METHOD_STATIC = 0x10
};

#define PUBLIC_KEY_FLAG 0x1u

static bool bytes_equal(struct ilp_bytes left, const uint8_t *right, size_t size)
{
    return left.size == size && memcmp(left.data, right, size) == 0;
}

/* Which forms of the method a type has: bit 0 (object), bit 1 (object, string). */
static unsigned forms_of(const struct ilp_image *image, ilp_rid type)
{
    unsigned forms = 0;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        uint32_t flags = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Flags);
        uint32_t name = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name);
        struct ilp_bytes signature =
            ilp_blob(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature));
        if ((flags & METHOD_ACCESS_MASK) != METHOD_PUBLIC || (flags & METHOD_STATIC) == 0 ||
            !ilpi_string_is(image, name, ilpi_inspector_method)) {
            continue;
        }
        forms |= bytes_equal(signature, takes_object, sizeof takes_object) ? 1u : 0;
        forms |= bytes_equal(signature, takes_object_and_name, sizeof takes_object_and_name) ? 2u : 0;
    }
    return forms;
}

static ilp_status find_class(struct ilp_inspector *inspector, struct ilp_error *error)
{
    const struct ilp_image *image = inspector->assembly;
    unsigned found = 0;
    for (ilp_rid type = 1; type <= image->tables[ILP_TypeDef].count; type++) {
        uint32_t flags = ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Flags);
        unsigned forms = (flags & TYPE_VISIBILITY_MASK) == TYPE_PUBLIC ? forms_of(image, type) : 0;
        if (forms == 0) {
            continue;
        }
        if (found++ != 0) {
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, ILP_TOKEN(ILP_TypeDef, type),
                             "more than one public class has a method %s", ilpi_inspector_method);
        }
        ilpi_type_name(image, ILP_TOKEN(ILP_TypeDef, type), &inspector->name_space,
                       &inspector->type_name);
        inspector->takes_value = (forms & 1) != 0;
        inspector->takes_name = (forms & 2) != 0;
    }
    if (found == 0) {
        return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                         "no public class has a method `public static void %s(object)` or "
                         "`(object, string)`",
                         ilpi_inspector_method);
    }
    return ILP_OK;
}

ilp_status ilp_inspector_open(struct ilp_inspector **out, struct ilp_image *assembly,
                              const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    struct ilp_inspector found = {.assembly = assembly};
    ilpi_heap_init(&found.heap, allocator);
    if (!ilp_image_assembly_name(assembly, &found.identity)) {
        return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                         "a module without an assembly's identity cannot be referenced");
    }
    /* An Assembly row always holds a whole key; the flag says so where the row becomes a reference. */
    found.identity.flags = found.identity.key.size != 0 ? PUBLIC_KEY_FLAG : 0;
    ILPI_TRY(find_class(&found, error));
    struct ilpi_heap heap = found.heap;
    struct ilp_inspector *inspector = ilpi_resize(&heap, NULL, 0, sizeof *inspector);
    if (!inspector) {
        return ilpi_fail_memory(error, sizeof *inspector);
    }
    *inspector = found;
    inspector->heap = heap;
    *out = inspector;
    return ILP_OK;
}

void ilp_inspector_close(struct ilp_inspector *inspector)
{
    if (inspector) {
        struct ilpi_heap heap = inspector->heap;
        ilpi_resize(&heap, inspector, sizeof *inspector, 0);
    }
}

struct ilp_bytes ilpi_inspector_signature(bool with_name)
{
    return with_name
               ? (struct ilp_bytes){takes_object_and_name, sizeof takes_object_and_name}
               : (struct ilp_bytes){takes_object, sizeof takes_object};
}

/* Whether a TypeRef names the inspector's class in an assembly of the inspector's name. */
static bool is_inspector_type(const struct ilp_inspector *inspector, const struct ilp_image *image,
                              ilp_token type)
{
    ilp_rid rid = ILP_TOKEN_RID(type);
    if (ILP_TOKEN_TABLE(type) != ILP_TypeRef) {
        return false;
    }
    ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_TABLE(scope) == ILP_AssemblyRef &&
           ilpi_string_is(image, ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_TypeName),
                          inspector->type_name) &&
           ilpi_string_is(image, ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_TypeNamespace),
                          inspector->name_space) &&
           ilpi_string_is(image,
                          ilp_cell(image, ILP_AssemblyRef, ILP_TOKEN_RID(scope), ILP_AssemblyRef_Name),
                          inspector->identity.name);
}

ilp_status ilpi_inspector_calls(const struct ilp_inspector *inspector,
                                const struct ilp_image *image, struct ilp_arena *arena,
                                uint8_t **calls, struct ilp_error *error)
{
    uint32_t count = image->tables[ILP_MemberRef].count;
    for (ilp_rid rid = 1; rid <= count; rid++) {
        if (!ilpi_string_is(image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name),
                            ilpi_inspector_method) ||
            !is_inspector_type(inspector, image,
                               ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class))) {
            continue;
        }
        if (!*calls) {
            *calls = ilpi_arena_alloc(arena, (size_t)count / 8 + 1);
            if (!*calls) {
                return ilpi_fail_memory(error, (size_t)count / 8 + 1);
            }
        }
        (*calls)[rid / 8] |= (uint8_t)(1u << rid % 8);
    }
    return ILP_OK;
}

/* ---- recursion ---- */

/* How many assemblies are looked through for a way from the inspector to the target. */
#define MAX_CLOSURE 64u

/* The framework refers to nothing but itself, so that no way leads on from there. */
static bool is_framework(const char *name)
{
    return strcmp(name, "mscorlib") == 0 || strcmp(name, "netstandard") == 0 ||
           strcmp(name, "System") == 0 || strncmp(name, "System.", 7) == 0;
}

struct closure {
    const struct ilp_image *images[MAX_CLOSURE];
    size_t count;
};

static void add_to_closure(struct closure *closure, const struct ilp_image *image)
{
    for (size_t i = 0; i < closure->count; i++) {
        if (closure->images[i] == image) {
            return;
        }
    }
    if (image && closure->count < MAX_CLOSURE) {
        closure->images[closure->count++] = image;
    }
}

/* Whether an assembly refers to `target`; what it refers to besides is added to the closure. */
static bool refers_to(struct closure *closure, const struct ilp_image *image, const char *target,
                      const struct ilp_resolver *resolver)
{
    for (ilp_rid rid = 1; rid <= image->tables[ILP_AssemblyRef].count; rid++) {
        struct ilp_assembly_name name;
        ilpi_assembly_ref_name(image, rid, &name);
        if (strcasecmp(name.name, target) == 0) {
            return true;
        }
        if (resolver && resolver->open && closure->count < MAX_CLOSURE && !is_framework(name.name)) {
            add_to_closure(closure, resolver->open(resolver->user, &name));
        }
    }
    return false;
}

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
    struct closure closure = {{inspector->assembly}, 1};
    for (size_t i = 0; i < closure.count; i++) {
        if (refers_to(&closure, closure.images[i], target.name, resolver)) {
            return ilpi_fail(error, ILP_E_SELF_INSPECTION, ILPI_NO_OFFSET, 0,
                             "the inspector %s uses %s%s, which would call it back without end",
                             inspector->identity.name, i == 0 ? "" : "other assemblies that use ",
                             target.name);
        }
    }
    return ILP_OK;
}
