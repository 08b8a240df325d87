/* Types of the core library for which CoreCLR does not only consider their fields. */
#ifndef ILPI_CORE_TYPE_H
#define ILPI_CORE_TYPE_H

#include "metadata/resolve.h"

#define ILPI_POINTER_SIZE 16u /* a size that the machine decides */

/* A type whose size or alignment does not follow from its fields, and which runtimes know by
 * name. */
struct ilpi_core_type {
    const char *name_space;
    const char *name;
    uint32_t scalar; /* laid out as a primitive of this size, with that alignment; 0: by fields */
    uint8_t element; /* of that primitive; else 0 */
    uint32_t alignment; /* else a larger alignment than the fields need */
};

/* NULL for others: only types of the core library itself, which has System.Object, count. */
const struct ilpi_core_type *ilpi_find_core_type(struct ilpi_type_def def);

/* Whether a TypeDef, TypeRef or other named token has this name. */
bool ilpi_type_is_named(const struct ilp_image *image, ilp_token type, const char *name_space,
                        const char *name);

/* Whether it is the core library itself. */
bool ilpi_is_core_image(const struct ilp_image *image);

/* Whether it is System.NAME of the core library. */
bool ilpi_is_core_type(struct ilpi_type_def def, const char *name);

/* The assembly names of references to the core library, the most common first. */
#define ILPI_CORE_ASSEMBLIES 4u
extern const char *const ilpi_core_assemblies[ILPI_CORE_ASSEMBLIES];
bool ilpi_is_core_assembly(const char *name);

/* "System.Int32" of ILP_ELEMENT_I4; "?" for an element type without a definition. Static
 * storage. */
const char *ilpi_element_type_name(uint8_t element);

#endif
