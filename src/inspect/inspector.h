/* The methods of an inspector, read from its assembly. */
#ifndef ILPI_INSPECTOR_H
#define ILPI_INSPECTOR_H

#include "metadata/image.h"
#include "metadata/resolve.h"
#include "sig/sig.h"

/* What a method of the inspector takes. */
enum ilpi_overload_form {
    ILPI_OVERLOAD_OBJECT,  /* any value, boxed */
    ILPI_OVERLOAD_TYPED,   /* values of one type, as they are */
    ILPI_OVERLOAD_GENERIC, /* values of any type, unboxed: <T>(T) */
    ILPI_OVERLOAD_NATIVE,  /* the address of a copy of any value, and its size */
    /* the arguments at entry: object (object[]) */
    ILPI_OVERLOAD_ARGUMENTS,
    ILPI_OVERLOAD_EXCEPTION, /* what was thrown, an object */
    ILPI_OVERLOAD_FORMS
};

/* A method that can be called. Each combination of parameters after the value is another
 * overload. */
struct ilpi_overload {
    ilp_rid method; /* in the inspector's assembly */
    enum ilpi_overload_form form;
    uint8_t takes; /* ILP_PASS_*: the parameter after the value */
    bool state;    /* and after it the state that MyArguments returned, an object */
    /* returns a value of the same type, which replaces the value */
    bool replaces;
    bool allows_ref; /* ILPI_OVERLOAD_GENERIC: also byref-like types */
    /* MyInspector, Inspect for generic ones, MyArguments, MyException; borrowed */
    const char *name;
    const struct ilp_type *type; /* ILPI_OVERLOAD_TYPED: as it is in the inspector's assembly */
};

/* Whether it is called only if a rule requests arguments or exceptions. */
static inline bool ilpi_overload_is_on_request(const struct ilpi_overload *overload)
{
    return overload->state || overload->form >= ILPI_OVERLOAD_ARGUMENTS;
}

/* MethodDefSig and StandAloneMethodSig of a native function: void (native int, uint32, int64). */
#define ILPI_NATIVE_SIGNATURE                                                                \
    {                                                                                        \
        ILP_CALL_DEFAULT, 3, ILP_ELEMENT_VOID, ILP_ELEMENT_I, ILP_ELEMENT_U4, ILP_ELEMENT_I8 \
    }

/* An open inspector: its class, and which overloads it has for which values. Immutable, and so
 * shared by rewriters. */
struct ilp_inspector {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    struct ilp_image *assembly;      /* borrowed, as are the names; NULL for a native function */
    const struct ilp_native *native; /* in the arena, as its names are; NULL: an assembly */
    struct ilp_assembly_name identity;
    const char *name_space;
    const char *type_name;
    struct ilpi_overload *overloads;
    size_t overload_count;
    bool forms[ILPI_OVERLOAD_FORMS][ILP_PASS_COUNT]; /* whether there is such an overload */
    bool stateful[ILP_PASS_COUNT];                   /* whether there is one with a state */
    /* overloads for values, [1] with a state, of the forms with one of each kind, which the typed
     * form is not; NULL: none */
    const struct ilpi_overload *values[2][ILPI_OVERLOAD_FORMS][ILP_PASS_COUNT];
    const struct ilpi_overload *arguments; /* the overload for arguments; NULL: none */
    /* overloads for exceptions, [1] with a state; NULL: none */
    const struct ilpi_overload *exceptions[2][ILP_PASS_COUNT];
};

/* The overload for exceptions, with or without a state. If the method's name is requested, one
 * without a name will do. NULL: there is none. */
static inline const struct ilpi_overload *
ilpi_exception_overload(const struct ilp_inspector *inspector, uint8_t pass, bool state)
{
    const struct ilpi_overload *const *overloads = inspector->exceptions[state];
    return pass == ILP_PASS_NAME && !overloads[pass] ? overloads[ILP_PASS_VALUE] : overloads[pass];
}

/* Whether a method has one of these names. */
bool ilpi_is_inspector_method(const struct ilp_image *image, uint32_t name);

/* Sets a bit per MemberRef row of `image` that is a method of the inspector: calls inserted by an
 * earlier patch. *calls is in the arena and allocated when needed: NULL when the image does not
 * refer to the inspector. */
ilp_status ilpi_inspector_calls(const struct ilp_inspector *inspector,
                                const struct ilp_image *image, struct ilp_arena *arena,
                                uint8_t **calls, struct ilp_error *error);

#endif
