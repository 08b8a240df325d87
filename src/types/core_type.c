/* Core library types that CoreCLR lays out specially. See core_type.h. A signature in the core
 * library may use the definition of a primitive. */
#include "types/core_type.h"

#define POINTER ILPI_POINTER_SIZE

/* The first part has the layout of a primitive, the second only its alignment. */
static const struct ilpi_core_type core_types[] = {
    {"System", "Boolean", 1, ILP_ELEMENT_BOOLEAN, 0},
    {"System", "Char", 2, ILP_ELEMENT_CHAR, 0},
    {"System", "SByte", 1, ILP_ELEMENT_I1, 0},
    {"System", "Byte", 1, ILP_ELEMENT_U1, 0},
    {"System", "Int16", 2, ILP_ELEMENT_I2, 0},
    {"System", "UInt16", 2, ILP_ELEMENT_U2, 0},
    {"System", "Int32", 4, ILP_ELEMENT_I4, 0},
    {"System", "UInt32", 4, ILP_ELEMENT_U4, 0},
    {"System", "Int64", 8, ILP_ELEMENT_I8, 0},
    {"System", "UInt64", 8, ILP_ELEMENT_U8, 0},
    {"System", "Single", 4, ILP_ELEMENT_R4, 0},
    {"System", "Double", 8, ILP_ELEMENT_R8, 0},
    {"System", "IntPtr", POINTER, ILP_ELEMENT_I, 0},
    {"System", "UIntPtr", POINTER, ILP_ELEMENT_U, 0},
    {"System", "RuntimeArgumentHandle", POINTER, ILP_ELEMENT_U, 0},
    {"System", "RuntimeMethodHandleInternal", POINTER, ILP_ELEMENT_U, 0},
    {"System", "RuntimeFieldHandleInternal", POINTER, ILP_ELEMENT_U, 0},
    {"System", "Int128", 0, 0, 16},
    {"System", "UInt128", 0, 0, 16},
    {"System.Runtime.Intrinsics", "Vector64`1", 0, 0, 8},
    {"System.Runtime.Intrinsics", "Vector128`1", 0, 0, 16},
    {"System.Runtime.Intrinsics", "Vector256`1", 0, 0, 32},
    {"System.Runtime.Intrinsics", "Vector512`1", 0, 0, 64},
};

const char *const ilpi_core_assemblies[] = {"System.Runtime", "mscorlib", "netstandard",
                                            "System.Private.CoreLib"};

bool ilpi_is_core_assembly(const char *name)
{
    size_t i = 0;
    while (i < ILPI_CORE_ASSEMBLIES && strcmp(name, ilpi_core_assemblies[i]) != 0) {
        i++;
    }
    return i < ILPI_CORE_ASSEMBLIES;
}

bool ilpi_type_is_named(const struct ilp_image *image, ilp_token type, const char *name_space,
                        const char *name)
{
    const char *own_space;
    const char *own_name;
    ilpi_type_name(image, type, &own_space, &own_name);
    return strcmp(own_space, name_space) == 0 && strcmp(own_name, name) == 0;
}

/* True for a core library of any name, and for a program with a System.Object of its own. */
static bool has_object(const struct ilp_image *image)
{
    return ilpi_find_type(image, 0, "System", "Object") != 0;
}

bool ilpi_is_core_image(const struct ilp_image *image)
{
    /* others may define a System.Object as well */
    return ilp_row_count(image, ILP_AssemblyRef) == 0 && has_object(image);
}

bool ilpi_is_core_type(struct ilpi_type_def def, const char *name)
{
    return ilpi_type_is_named(def.image, ILP_TOKEN(ILP_TypeDef, def.rid), "System", name) &&
           ilpi_is_core_image(def.image);
}

/* The name is compared first and the core library looked for second: nearly all types fail the
 * first test. */
const struct ilpi_core_type *ilpi_find_core_type(struct ilpi_type_def def)
{
    for (size_t i = 0; i < sizeof core_types / sizeof *core_types; i++) {
        const struct ilpi_core_type *core = &core_types[i];
        if (ilpi_type_is_named(def.image, ILP_TOKEN(ILP_TypeDef, def.rid), core->name_space,
                               core->name)) {
            return has_object(def.image) ? core : NULL;
        }
    }
    return NULL;
}

const char *ilpi_element_type_name(uint8_t element)
{
    static const char *const names[] = {
        [ILP_ELEMENT_VOID] = "System.Void",     [ILP_ELEMENT_BOOLEAN] = "System.Boolean",
        [ILP_ELEMENT_CHAR] = "System.Char",     [ILP_ELEMENT_I1] = "System.SByte",
        [ILP_ELEMENT_U1] = "System.Byte",       [ILP_ELEMENT_I2] = "System.Int16",
        [ILP_ELEMENT_U2] = "System.UInt16",     [ILP_ELEMENT_I4] = "System.Int32",
        [ILP_ELEMENT_U4] = "System.UInt32",     [ILP_ELEMENT_I8] = "System.Int64",
        [ILP_ELEMENT_U8] = "System.UInt64",     [ILP_ELEMENT_R4] = "System.Single",
        [ILP_ELEMENT_R8] = "System.Double",     [ILP_ELEMENT_I] = "System.IntPtr",
        [ILP_ELEMENT_U] = "System.UIntPtr",     [ILP_ELEMENT_STRING] = "System.String",
        [ILP_ELEMENT_OBJECT] = "System.Object", [ILP_ELEMENT_TYPEDBYREF] = "System.TypedReference",
    };
    const char *name = element < sizeof names / sizeof names[0] ? names[element] : NULL;
    return name ? name : "?";
}
