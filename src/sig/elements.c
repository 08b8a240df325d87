/* What elements.def says of an element type, for reading, writing and naming (II.23.1.16). */
#include "sig/grammar.h"

static const struct {
    const char *text;
    enum ilpi_form form;
} elements[] = {
#define ELEMENT(number, name, text, form) [number] = {text, ILPI_FORM_##form},
#include "ilpatch/elements.def"
#undef ELEMENT
};

#define ELEMENT_COUNT (sizeof elements / sizeof elements[0])

const uint8_t ilpi_type_tables[ILPI_TYPE_TAGS] = {ILP_TypeDef, ILP_TypeRef, ILP_TypeSpec};

enum ilpi_form ilpi_element_form(unsigned element)
{
    return element < ELEMENT_COUNT ? elements[element].form : ILPI_FORM_UNKNOWN;
}

const char *ilpi_element_text(unsigned element)
{
    return element < ELEMENT_COUNT && elements[element].text ? elements[element].text : "";
}

bool ilpi_element_is_primitive_value(unsigned element)
{
    return (element >= ILP_ELEMENT_BOOLEAN && element <= ILP_ELEMENT_R8) ||
           element == ILP_ELEMENT_I || element == ILP_ELEMENT_U;
}

const struct ilp_type *ilpi_type_unmodified(const struct ilp_type *type)
{
    while (ilpi_element_form(type->element) == ILPI_FORM_MODIFIER ||
           type->element == ILP_ELEMENT_PINNED) {
        type = type->inner;
    }
    return type;
}
