/* Closed types: a type as in a signature, the image whose rows it refers to, and the arguments of
 * its type parameters (I.8.7, II.9.8). Nothing is copied: parameters are substituted when a type is
 * read.
 *
 * src/verify/ has its own form (verify/type.h), made once for each type, since it compares one with
 * many others and merges them where paths meet. */
#ifndef ILPI_CLOSED_TYPE_H
#define ILPI_CLOSED_TYPE_H

#include "metadata/resolve.h"
#include "sig/sig.h"

struct ilpi_type_arguments;

/* A type and what its parameters mean: passed by value, never built. */
struct ilpi_closed_type {
    struct ilp_image *image;
    const struct ilp_type *type;                 /* NULL: unknown */
    const struct ilpi_type_arguments *arguments; /* NULL: parameters are left as they are */
};

/* The arguments of VAR and MVAR: lists of types. A list that is too short makes the type
 * unknown. */
struct ilpi_type_arguments {
    struct ilp_image *image;                 /* whose rows the arguments refer to */
    const struct ilp_type *types;            /* of VAR, linked through `next`; NULL: none */
    const struct ilp_type *methods;          /* of MVAR */
    const struct ilpi_type_arguments *outer; /* of the parameters in them */
};

/* The type without modifiers, or its argument if it is a type parameter. */
struct ilpi_closed_type ilpi_type_bound(struct ilpi_closed_type type);

/* When two named types are equal. */
enum ilpi_type_names {
    ILPI_NAMES_OF_ONE_IMAGE, /* by row */
    ILPI_NAMES_AS_TEXT,      /* by namespace and name, for types that may not be found */
    /* By definition: mscorlib's System.Decimal equals System.Runtime's if both resolve to one
     * TypeDef. A type that is not found equals nothing, and neither does a type parameter or a
     * function pointer, whose meaning differs between images. */
    ILPI_NAMES_RESOLVED
};

/* When two types are equal: by names in one image, or by definitions across images. */
struct ilpi_type_equality {
    enum ilpi_type_names names;
    bool modifiers;                      /* compare modifiers; inside function pointers they always
                                            count */
    const struct ilp_resolver *resolver; /* for RESOLVED; may be NULL */
};

/* The reader of signatures limits the nesting of types. */
bool ilpi_same_type(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                    struct ilpi_closed_type right);

/* Compares signatures of methods or fields. */
struct ilpi_closed_signature {
    struct ilp_image *image;
    const struct ilp_sig *sig;
    const struct ilpi_type_arguments *arguments;
};
bool ilpi_same_signature(const struct ilpi_type_equality *equality,
                         struct ilpi_closed_signature left, struct ilpi_closed_signature right);

/* Whether two images are one module, by name and MVID: an inspector that the target also refers to
 * is read twice. */
bool ilpi_same_module(const struct ilp_image *left, const struct ilp_image *right);

#endif
