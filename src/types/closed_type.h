/* Closed types: a type as a signature has it, the image whose rows it names, and what its type
 * parameters stand for (I.8.7, II.9.8). Nothing is copied: parameters are looked up when a type is
 * looked at.
 *
 * src/verify/ has a form of its own (verify/type.h), which is made once for each type: it compares
 * one with many others, and merges them where paths meet. */
#ifndef ILPI_CLOSED_TYPE_H
#define ILPI_CLOSED_TYPE_H

#include "metadata/resolve.h"
#include "sig/sig.h"

struct ilpi_type_arguments;

struct ilpi_closed_type {
    struct ilp_image *image;
    const struct ilp_type *type;                 /* NULL: not known */
    const struct ilpi_type_arguments *arguments; /* NULL: parameters stand for themselves */
};

/* What VAR and MVAR stand for: lists of types. One that has too few makes a type that is not
 * known. */
struct ilpi_type_arguments {
    struct ilp_image *image;
    const struct ilp_type *types;
    const struct ilp_type *methods;
    const struct ilpi_type_arguments *outer; /* of the parameters in them */
};

/* The type without modifiers, and what it stands for if it is a parameter. */
struct ilpi_closed_type ilpi_type_bound(struct ilpi_closed_type type);

/* When two named types are the same. */
enum ilpi_type_names {
    ILPI_NAMES_OF_ONE_IMAGE, /* by row */
    ILPI_NAMES_AS_TEXT,      /* by namespace and name, for what may not be found */
    /* By definition: mscorlib's System.Decimal is System.Runtime's where both lead to one TypeDef.
     * What cannot be found is the same as nothing, and neither is a parameter or a function
     * pointer: it means another one in each image. */
    ILPI_NAMES_RESOLVED
};

struct ilpi_type_equality {
    enum ilpi_type_names names;
    bool modifiers;                      /* they count; inside function pointers they always do */
    const struct ilp_resolver *resolver; /* for RESOLVED; may be NULL */
};

/* How deep types nest is limited by the reader of signatures. */
bool ilpi_same_type(const struct ilpi_type_equality *equality, struct ilpi_closed_type left,
                    struct ilpi_closed_type right);

/* The same of a method's or field's signature. */
struct ilpi_closed_signature {
    struct ilp_image *image;
    const struct ilp_sig *sig;
    const struct ilpi_type_arguments *arguments;
};
bool ilpi_same_signature(const struct ilpi_type_equality *equality,
                         struct ilpi_closed_signature left, struct ilpi_closed_signature right);

/* Whether two images are one module, by name and MVID: an inspector that the target refers to as
 * well is read twice. */
bool ilpi_same_module(const struct ilp_image *left, const struct ilp_image *right);

#endif
