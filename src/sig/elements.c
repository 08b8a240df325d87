/* Properties of element types from elements.def, for reading, writing and naming (II.23.1.16). */
#include "sig/grammar.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *text;
    enum ilpi_element_form form;
} elements[] = {
#define ILP_ELEMENT(number, name, text, form) [number] = {text, ILPI_ELEMENT_FORM_##form},
#include "ilpatch/elements.def"
};

/* ilpatch.h lists them with their numbers. */
#define ILP_ELEMENT(number, name, text, form) static_assert(ILP_ELEMENT_##name == (number), #name);
#include "ilpatch/elements.def"

#define ELEMENT_COUNT (sizeof elements / sizeof elements[0])

/* Names in namespace System of the types with one-byte signatures. The core library's own TypeDefs
 * with these names are the same types (II.23.1.16, I.8.2.2), so a reader must not distinguish
 * them. */
static const char *const system_names[] = {
    [ILP_ELEMENT_VOID] = "Void",
    [ILP_ELEMENT_BOOLEAN] = "Boolean",
    [ILP_ELEMENT_CHAR] = "Char",
    [ILP_ELEMENT_I1] = "SByte",
    [ILP_ELEMENT_U1] = "Byte",
    [ILP_ELEMENT_I2] = "Int16",
    [ILP_ELEMENT_U2] = "UInt16",
    [ILP_ELEMENT_I4] = "Int32",
    [ILP_ELEMENT_U4] = "UInt32",
    [ILP_ELEMENT_I8] = "Int64",
    [ILP_ELEMENT_U8] = "UInt64",
    [ILP_ELEMENT_R4] = "Single",
    [ILP_ELEMENT_R8] = "Double",
    [ILP_ELEMENT_STRING] = "String",
    [ILP_ELEMENT_TYPEDBYREF] = "TypedReference",
    [ILP_ELEMENT_I] = "IntPtr",
    [ILP_ELEMENT_U] = "UIntPtr",
    [ILP_ELEMENT_OBJECT] = "Object",
};

#define SYSTEM_COUNT (sizeof system_names / sizeof system_names[0])

const uint8_t ilpi_type_tables[ILPI_TYPE_TAGS] = {ILP_TypeDef, ILP_TypeRef, ILP_TypeSpec};

enum ilpi_element_form ilpi_element_form(unsigned element)
{
    return element < ELEMENT_COUNT ? elements[element].form : ILPI_ELEMENT_FORM_UNKNOWN;
}

const char *ilpi_element_text(unsigned element)
{
    return element < ELEMENT_COUNT && elements[element].text ? elements[element].text : "";
}

const char *ilpi_element_system_name(unsigned element)
{
    return element < SYSTEM_COUNT && system_names[element] ? system_names[element] : "";
}

/* Linear over about twenty names; called for types of the core library alone. */
uint8_t ilpi_element_of_system_name(const char *name, size_t size)
{
    for (unsigned element = 0; element < SYSTEM_COUNT; element++) {
        const char *own = ilpi_element_system_name(element);
        if (own[0] != '\0' && strlen(own) == size && memcmp(own, name, size) == 0) {
            return (uint8_t)element;
        }
    }
    return 0;
}

bool ilpi_element_is_primitive_value(unsigned element)
{
    return (element >= ILP_ELEMENT_BOOLEAN && element <= ILP_ELEMENT_R8) ||
           element == ILP_ELEMENT_I || element == ILP_ELEMENT_U;
}

const struct ilp_type *ilpi_type_unmodified(const struct ilp_type *type)
{
    while (ilpi_element_form(type->element) == ILPI_ELEMENT_FORM_MODIFIER ||
           type->element == ILP_ELEMENT_PINNED) {
        type = type->inner;
    }
    return type;
}
