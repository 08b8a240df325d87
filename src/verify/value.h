/* Values on the evaluation stack during verification (III.1.8.1.2): a kind, and a type. */
#ifndef ILPI_VERIFY_VALUE_H
#define ILPI_VERIFY_VALUE_H

#include "verify/type.h"

/* The kinds of values on the stack (III.1.1, I.12.3.2.1), and two for what verification needs
 * besides. */
enum ilpi_stack_kind {
    ILPI_STACK_UNKNOWN, /* of a type that was not found: compatible with everything */
    ILPI_STACK_INT32,
    ILPI_STACK_INT64,
    ILPI_STACK_NATIVE, /* native int, unmanaged pointers */
    ILPI_STACK_FLOAT,
    ILPI_STACK_NULL,
    ILPI_STACK_OBJECT, /* a reference; of a value type or generic parameter: to its boxed form */
    ILPI_STACK_STRUCT, /* a value type; an unboxed generic parameter */
    ILPI_STACK_BYREF,  /* `type` is what it refers to */
    ILPI_STACK_METHOD  /* the result of ldftn and ldvirtftn: `method` */
};

enum ilpi_value_flags {
    ILPI_VALUE_THIS = 1,     /* argument 0 of an instance method, if it is never stored to */
    ILPI_VALUE_UNINIT = 2,   /* `this` before the base constructor was called */
    ILPI_VALUE_READONLY = 4, /* a reference with controlled mutability (III.1.8.1.2.2) */
    ILPI_VALUE_LOCAL = 8,    /* a reference into this method's frame: to a local or argument */
    /* merged from unrelated classes: it may have any interface that they share */
    ILPI_VALUE_LOOSE = 16,
    ILPI_VALUE_INIT_ONLY = 32 /* a reference to an init-only field */
};

/* A value on the stack: 16 bytes, since states before blocks keep many. */
struct ilpi_stack_value {
    const struct ilpi_vtype *type; /* never NULL */
    ilp_token method;              /* of METHOD: what ldftn names; else 0 */
    uint8_t kind;                  /* enum ilpi_stack_kind */
    uint8_t flags;                 /* enum ilpi_value_flags */
};

/* The stack value of a loaded variable of this type (I.12.1, III.1.1). */
struct ilpi_stack_value ilpi_value_of(struct ilpi_verifier *verifier,
                                      const struct ilpi_vtype *type);

struct ilpi_stack_value ilpi_value_plain(struct ilpi_verifier *verifier, enum ilpi_stack_kind kind);

/* How well a value fits the expected type. */
enum ilpi_fit {
    ILPI_FIT_NOT,
    ILPI_FIT_UNKNOWN, /* a type was not found */
    ILPI_FIT_MIXED,   /* a managed pointer as a number, or the reverse */
    /* a read-only reference where a writable one is expected */
    ILPI_FIT_READONLY,
    ILPI_FIT_INIT_ONLY,
    ILPI_FIT_REINTERPRETED, /* references to memory without references in it */
    ILPI_FIT_RESIZED,       /* an int32 as a native int, where paths meet */
    ILPI_FIT
};

/* Whether it can be stored in a variable of this type, passed or returned as one (III.1.6,
 * III.1.8.1.2.3). */
enum ilpi_fit ilpi_value_fits(struct ilpi_verifier *verifier, struct ilpi_stack_value value,
                              const struct ilpi_vtype *type);

/* Merges *value with `other` where paths meet (III.1.8.1.3). NOT: impossible; MIXED and RESIZED: a
 * native int. *changed: it is different from before. */
enum ilpi_fit ilpi_value_merge(struct ilpi_verifier *verifier, struct ilpi_stack_value *value,
                               struct ilpi_stack_value other, bool *changed);

/* For messages: "int32", "a reference to int32", "null". */
struct ilpi_value_name {
    char text[128];
};
struct ilpi_value_name ilpi_value_name_of(struct ilpi_stack_value value);

#endif
