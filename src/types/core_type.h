/* Types of the core library that are more to CoreCLR than their fields. */
#ifndef ILPI_CORE_TYPE_H
#define ILPI_CORE_TYPE_H

#include "metadata/resolve.h"

#define ILPI_POINTER_SIZE 16u /* a size that the machine decides */

struct ilpi_core_type {
    const char *name_space;
    const char *name;
    uint32_t scalar; /* laid out as the primitive of this size, which is that of this */
    uint8_t element;
    uint32_t alignment; /* else more than the fields ask for */
};

/* NULL for others: only those of the core library itself, which has System.Object, count. */
const struct ilpi_core_type *ilpi_find_core_type(struct ilpi_type_def def);

/* Whether a TypeDef, TypeRef or what else has a name is called so. */
bool ilpi_type_is_named(const struct ilp_image *image, ilp_token type, const char *name_space,
                        const char *name);

/* Whether it is the core library itself, */
bool ilpi_is_core_image(const struct ilp_image *image);

/* or System.NAME of it. */
bool ilpi_is_core_type(struct ilpi_type_def def, const char *name);

/* The assemblies that references to the core library name, those that most modules name first. */
#define ILPI_CORE_ASSEMBLIES 4u
extern const char *const ilpi_core_assemblies[ILPI_CORE_ASSEMBLIES];
bool ilpi_is_core_assembly(const char *name);

/* "System.Int32" of ILP_ELEMENT_I4; "?" for what is no type of its own. Static storage. */
const char *ilpi_element_type_name(uint8_t element);

#endif
