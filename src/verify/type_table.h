/* What the files that implement type.h share: all types and definitions of a verification, each
 * exists once. */
#ifndef ILPI_VERIFY_TYPE_TABLE_H
#define ILPI_VERIFY_TYPE_TABLE_H

#include "base/list.h"
#include "base/map.h"
#include "metadata/resolve.h"

struct ilpi_def;
struct ilpi_verifier;
struct ilpi_vtype;

/* An image that a definition was found in. */
struct ilpi_module {
    struct ilp_image *image; /* borrowed from the resolver */
    bool core;               /* it defines System.Object */
    struct ilpi_module *next;
};

/* Whether one type may be used as another, as it was answered last: code asks the same few
 * questions again and again. */
struct ilpi_remembered_answer {
    const struct ilpi_vtype *from;
    const struct ilpi_vtype *to;
    uint8_t answer;
};
#define ILPI_REMEMBERED_ANSWERS 4096u

/* In own_specs: an invalid TypeSpec, or one that is being loaded, and so would contain itself. */
#define ILPI_UNKNOWN_SPEC UINT32_MAX

/* All types of a verifier. Each exists once, so that they are compared by address. */
struct ilpi_types {
    ILPI_LIST(const struct ilpi_vtype *) all;
    struct ilpi_map places; /* 1 + index of `all`, by the type's parts */
    ILPI_LIST(struct ilpi_def *) defs;
    struct ilpi_map def_places; /* the same, by image and token */
    struct ilpi_module *modules;
    struct ilp_image *core; /* NULL: not found */
    bool core_known;        /* it was searched for */
    /* the classes of primitives, string and object, in the core library; NULL: not needed yet, or
     * not found */
    struct ilpi_def *by_element[ILP_ELEMENT_OBJECT + 1];
    const struct ilpi_vtype *unknown; /* static, and not in `all` */
    ilp_rid context_type;             /* whose parameters VAR are now */
    ilp_rid context_method;           /* and MVAR */
    unsigned answer_depth;            /* of assignable() within itself */
    /* per TypeSpec row of the verified image: 1 + index of `all`, 0, or ILPI_UNKNOWN_SPEC */
    uint32_t *own_specs;
    struct ilpi_def **own_refs; /* per TypeRef row */
    struct ilpi_remembered_answer answers[ILPI_REMEMBERED_ANSWERS];
};

/* The definition of a row that is neither kind of primitive: found or made. */
struct ilpi_def *ilpi_def_intern(struct ilpi_verifier *verifier, struct ilp_image *image,
                                 ilp_token token);

#endif
