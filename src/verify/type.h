/* Types as the verifier compares them: across images, each exists once, so that equal types have
 * one address.
 *
 *   signature's tree --type_load--> ilpi_vtype --substitute--> ilpi_vtype
 *   TypeDef, TypeRef --type_def--> ilpi_def      kind, base and interfaces of a type
 *
 * Modifiers are left out, and so are the signatures of function pointers: no rule about values
 * needs them. */
#ifndef ILPI_VERIFY_TYPE_H
#define ILPI_VERIFY_TYPE_H

#include "sig/sig.h"
#include "verify/verifier.h"

/* The kind of a type definition, by its base class (II.10.1.3). */
enum ilpi_what {
    ILPI_WHAT_UNRESOLVED,
    ILPI_WHAT_CLASS,
    ILPI_WHAT_INTERFACE,
    ILPI_WHAT_DELEGATE,
    ILPI_WHAT_VALUE,
    ILPI_WHAT_ENUM
};

struct ilpi_vtype;

/* A TypeDef, or a TypeRef or TypeSpec that is not resolved. */
struct ilpi_def {
    struct ilp_image *image; /* with the row: for UNRESOLVED that of the reference */
    ilp_token token;
    uint32_t flags;  /* of the TypeDef; 0 for UNRESOLVED */
    uint8_t what;    /* enum ilpi_what */
    uint8_t element; /* its element type in signatures (System.Int32: I4), 0 for others */
    bool byref_like;
    bool supers_known; /* base and interfaces are loaded (ilpi_def_supers()), or being loaded */
    uint8_t unmanaged; /* 0: not computed yet; then enum ilp_tristate plus one */
    uint32_t generic_count;
    /* NULL: none. It and the interfaces are in terms of the type's own parameters */
    const struct ilpi_vtype *base;
    const struct ilpi_vtype **interfaces;
    uint32_t interface_count;
    const struct ilpi_vtype *underlying; /* of an enum */
};

/* `kind` decides which members are used, an element type of II.23.1.16 or ILPI_KIND_*:
 *   CLASS VALUETYPE         def (a definition without arguments)
 *   GENERICINST             def, args, number: CLASS or VALUETYPE
 *   VAR MVAR                number, of the current method and its type
 *   PTR BYREF SZARRAY       inner
 *   ARRAY                   inner, number: the rank
 *   FNPTR and primitives    nothing
 *   UNKNOWN                 number: CLASS, BYREF or PTR if a signature says that it is a
 *                           reference, a managed pointer or an unmanaged one; or 0.
 *                           inner: of BYREF, if that is known to be a reference */
struct ilpi_vtype {
    uint8_t kind;
    bool open; /* contains a VAR or MVAR */
    uint8_t depth;
    uint16_t size; /* nodes, as a tree */
    uint32_t number;
    uint32_t arg_count;
    uint32_t place; /* in ilpi_types.all */
    struct ilpi_def *def;
    const struct ilpi_vtype *inner;
    const struct ilpi_vtype *const *args;
};

/* Not element types. UNKNOWN is everything that is invalid; VAGUE a def that is not resolved, and
 * may be a class or a value type. */
enum { ILPI_KIND_UNKNOWN = 0, ILPI_KIND_VAGUE = 0x70 };

/* Larger types are UNKNOWN: compilers do not make them, and substitution could be endless. */
#define ILPI_TYPE_MAX_DEPTH 60u
#define ILPI_TYPE_MAX_SIZE  1000u

void ilpi_types_open(struct ilpi_verifier *verifier);
void ilpi_types_close(struct ilpi_verifier *verifier);

/* None of these returns NULL: a failure gives the type UNKNOWN. `kind` is the signature's CLASS or
 * VALUETYPE, and is used if `def` is not resolved. */
const struct ilpi_vtype *ilpi_type_of_element(struct ilpi_verifier *verifier, uint8_t element);
const struct ilpi_vtype *ilpi_type_wrapped(struct ilpi_verifier *verifier, uint8_t kind,
                                           const struct ilpi_vtype *inner, uint32_t rank);
const struct ilpi_vtype *ilpi_type_var(struct ilpi_verifier *verifier, uint8_t kind,
                                       uint32_t number);
const struct ilpi_vtype *ilpi_type_instance(struct ilpi_verifier *verifier, struct ilpi_def *def,
                                            uint8_t kind, const struct ilpi_vtype *const *args,
                                            uint32_t count);

/* A definition without arguments; `kind` may also be VAGUE. */
const struct ilpi_vtype *ilpi_type_of_def(struct ilpi_verifier *verifier, struct ilpi_def *def,
                                          uint8_t kind);

/* A definition seen from inside: its own parameters are its arguments. */
const struct ilpi_vtype *ilpi_type_self(struct ilpi_verifier *verifier, struct ilpi_def *def);

/* From a signature's tree, and from a TypeDef, TypeRef or TypeSpec token of an image. */
const struct ilpi_vtype *ilpi_type_load(struct ilpi_verifier *verifier, struct ilp_image *image,
                                        const struct ilp_type *tree);
const struct ilpi_vtype *ilpi_type_of_token(struct ilpi_verifier *verifier, struct ilp_image *image,
                                            ilp_token token);

/* The arguments for VAR and MVAR; NULL arrays leave them unchanged. */
struct ilpi_args {
    const struct ilpi_vtype *const *types;
    uint32_t type_count;
    const struct ilpi_vtype *const *methods;
    uint32_t method_count;
};
const struct ilpi_vtype *ilpi_type_substituted(struct ilpi_verifier *verifier,
                                               const struct ilpi_vtype *type,
                                               const struct ilpi_args *args);

/* The arguments of an instance, for members of its definition. */
struct ilpi_args ilpi_args_of(const struct ilpi_vtype *type);

/* The definition of a TypeDef or TypeRef; NULL only for lack of memory. */
struct ilpi_def *ilpi_def_of_token(struct ilpi_verifier *verifier, struct ilp_image *image,
                                   ilp_token token);

/* The definition of a class, value type, primitive, string or object; NULL for others. */
struct ilpi_def *ilpi_def_of_type(struct ilpi_verifier *verifier, const struct ilpi_vtype *type);

/* A type of the core library by name, as the verified image refers to it. */
const struct ilpi_vtype *ilpi_core_type(struct ilpi_verifier *verifier, const char *name_space,
                                        const char *name, uint8_t kind);

/* Its base and interfaces, with the arguments of `type` substituted. */
void ilpi_def_supers(struct ilpi_verifier *verifier, struct ilpi_def *def);
const struct ilpi_vtype *ilpi_type_base(struct ilpi_verifier *verifier,
                                        const struct ilpi_vtype *type);

bool ilpi_def_is_named(const struct ilpi_def *def, const char *name_space, const char *name);

static inline bool ilpi_def_is_value_type(const struct ilpi_def *def)
{
    return def->what == ILPI_WHAT_VALUE || def->what == ILPI_WHAT_ENUM;
}

/* Only its name is known, or not even that. */
static inline bool ilpi_type_is_unresolved(const struct ilpi_vtype *type)
{
    return type->kind == ILPI_KIND_UNKNOWN ||
           (type->def && type->def->what == ILPI_WHAT_UNRESOLVED);
}

/* Only known to be a reference type: null and objects fit. */
static inline bool ilpi_type_is_unknown_reference(const struct ilpi_vtype *type)
{
    return type->kind == ILPI_KIND_UNKNOWN && type->number == ILP_ELEMENT_CLASS;
}

/* The GenericParam rows of a TypeDef or MethodDef. */
uint32_t ilpi_generic_count(const struct ilp_image *image, ilp_token owner);

/* Classes, interfaces, delegates, arrays, string, object. */

enum ilp_tristate ilpi_type_is_reference(struct ilpi_verifier *verifier,
                                         const struct ilpi_vtype *type);
enum ilp_tristate ilpi_type_is_byref_like(struct ilpi_verifier *verifier,
                                          const struct ilpi_vtype *type);

/* A number, a pointer, or a struct of only these: memory without references for the garbage
 * collector. */
bool ilpi_type_is_unmanaged(struct ilpi_verifier *verifier, const struct ilpi_vtype *type);

/* The underlying type of an enum; any other type itself. */
const struct ilpi_vtype *ilpi_type_underlying(struct ilpi_verifier *verifier,
                                              const struct ilpi_vtype *type);

/* I.8.7.1: the underlying type of enums, with integers made signed. Pointees and elements are
 * compared by it. */
const struct ilpi_vtype *ilpi_type_reduced(struct ilpi_verifier *verifier,
                                           const struct ilpi_vtype *type);

/* YES if both are, NO if one is not. */
static inline enum ilp_tristate ilpi_both(enum ilp_tristate left, enum ilp_tristate right)
{
    if (left == ILP_NO || right == ILP_NO) {
        return ILP_NO;
    }
    return left == ILP_YES ? right : left;
}

/* Whether two types are the same, as far as they are known. */
enum ilp_tristate ilpi_type_is_same(struct ilpi_verifier *verifier, const struct ilpi_vtype *left,
                                    const struct ilpi_vtype *right);

/* A name for messages, truncated if long. */
struct ilpi_type_name {
    char text[96];
};
struct ilpi_type_name ilpi_type_name_of(const struct ilpi_vtype *type);

/* assign.c: whether a reference of one type is assignable to another (I.8.7.3); `from` a value type
 * or generic parameter is its boxed form. */
enum ilp_tristate ilpi_type_is_assignable(struct ilpi_verifier *verifier,
                                          const struct ilpi_vtype *from,
                                          const struct ilpi_vtype *to);

/* A reference that is not a boxed value: a class, or a generic parameter that can only be a
 * class. */
enum ilp_tristate ilpi_type_is_plain_reference(struct ilpi_verifier *verifier,
                                               const struct ilpi_vtype *type);

/* The closest common base class; at last object. */
const struct ilpi_vtype *ilpi_type_common(struct ilpi_verifier *verifier,
                                          const struct ilpi_vtype *left,
                                          const struct ilpi_vtype *right);

/* The current method, whose generic parameters are VAR and MVAR. */
void ilpi_set_context(struct ilpi_verifier *verifier, ilp_rid type, ilp_rid method);

/* Flags of the GenericParam of a VAR or MVAR (II.23.1.7), and its constraints one by one; NULL
 * after the last. */
uint32_t ilpi_param_flags(struct ilpi_verifier *verifier, const struct ilpi_vtype *var);
const struct ilpi_vtype *ilpi_param_constraint(struct ilpi_verifier *verifier,
                                               const struct ilpi_vtype *var, uint32_t number);

#endif
