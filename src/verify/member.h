/* What tokens of methods and fields refer to: signatures with arguments substituted, and the
 * definition. */
#ifndef ILPI_VERIFY_MEMBER_H
#define ILPI_VERIFY_MEMBER_H

#include "verify/type.h"

/* How much of a member is known. */
enum ilpi_known {
    ILPI_KNOWN_NOT,       /* nothing: its token or signature is invalid, which was reported */
    ILPI_KNOWN_SIGNATURE, /* its type is not found, so only the reference's signature */
    ILPI_KNOWN_MISSING,   /* its type was found and has no such member */
    ILPI_KNOWN_ALL
};

/* A method as code calls it: its signature in the verifier's types, with the owner's arguments put
 * in. */
struct ilpi_method {
    uint8_t known;      /* enum ilpi_known */
    uint8_t convention; /* the first byte of its signature */
    bool is_ctor;       /* its name is .ctor */
    bool of_array;      /* it belongs to an array type: the runtime provides it */
    uint16_t flags;     /* of the MethodDef, when known is ALL */
    uint16_t impl_flags;
    struct ilp_image *image; /* with the MethodDef; NULL: none was found */
    ilp_rid rid;
    const char *name;                  /* borrowed; "" of a calli */
    const struct ilpi_vtype *owner;    /* the type in the reference; NULL: a global method */
    const struct ilpi_vtype *declarer; /* the type that defines it: `owner` or one of its bases */
    const struct ilpi_vtype *ret;
    uint32_t param_count;    /* without `this` */
    uint32_t required_count; /* of a vararg call: those before SENTINEL (II.23.2.2) */
    uint32_t generic_count;  /* the method's own type parameters */
    const struct ilpi_vtype *const *params;
};

/* The same for a field. */
struct ilpi_vfield {
    uint8_t known;  /* enum ilpi_known */
    uint16_t flags; /* of the Field row; 0: none was found */
    struct ilp_image *image;
    ilp_rid rid;
    const char *name;
    const struct ilpi_vtype *owner;
    const struct ilpi_vtype *type;
};

void ilpi_members_open(struct ilpi_verifier *verifier);
void ilpi_members_close(struct ilpi_verifier *verifier);

/* A MethodDef, MemberRef or MethodSpec of the verified image; never NULL. Remembered, except for
 * MethodSpecs. */
const struct ilpi_method *ilpi_method_of_token(struct ilpi_verifier *verifier, ilp_token token);

/* A StandAloneSig as the method that calli calls. */
const struct ilpi_method *ilpi_method_of_sig(struct ilpi_verifier *verifier, ilp_token token);

/* A Field or MemberRef. */
const struct ilpi_vfield *ilpi_field_of_token(struct ilpi_verifier *verifier, ilp_token token);

/* The method of a type with this name and, if there are several, number of parameters: for Invoke
 * of delegates. */
const struct ilpi_method *ilpi_method_named(struct ilpi_verifier *verifier,
                                            const struct ilpi_vtype *type, const char *name);

/* Whether a type (not its bases) has a method that overrides `method` by name and signature. */
enum ilp_tristate ilpi_type_overrides(struct ilpi_verifier *verifier, const struct ilpi_vtype *type,
                                      const struct ilpi_method *method);

#endif
