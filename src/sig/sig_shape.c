/* The head of a signature: its kind, and everything before the first type.
 *
 * The stack effect of a call follows from the head and the return type, so ilpi_sig_call_shape() is
 * here and builds no tree: stack.c calls it for every call instruction of every method. */
#include "sig/grammar.h"

#include <stdarg.h>
#include <stdio.h>

/* Values of the first byte that are not calling conventions (II.23.2.4-6, II.23.2.15). */
enum { FIELD = 0x6, LOCAL_SIG = 0x7, PROPERTY = 0x8, GENERICINST = 0xA };

#define ONE(convention) (1u << (convention))

/* DEFAULT, the four unmanaged ones of II.23.2.3, VARARG; and UNMANAGED, added for C# 9. */
#define CALLS \
    (ONE(ILP_CALL_DEFAULT) | 0xFu << ILP_CALL_C | ONE(ILP_CALL_VARARG) | ONE(ILP_CALL_UNMANAGED))

const struct ilpi_sig_grammar ilpi_sig_grammars[ILP_SIG_STANDALONE] = {
    [ILP_SIG_METHOD] = {.place = "method signature",
                        .conventions = CALLS,
                        .flags = ILP_CALL_GENERIC | ILP_CALL_HASTHIS | ILP_CALL_EXPLICITTHIS,
                        .typed = true,
                        .counted = true,
                        .type_may = ILPI_MAY_BE_VOID},
    [ILP_SIG_FIELD] = {.place = "field signature",
                       .conventions = ONE(FIELD),
                       .typed = true,
                       .type_may = ILPI_MAY_BE_PINNED},
    [ILP_SIG_PROPERTY] = {.place = "property signature",
                          .conventions = ONE(PROPERTY),
                          .flags = ILP_CALL_HASTHIS,
                          .typed = true,
                          .counted = true},
    [ILP_SIG_LOCALS] = {.place = "locals signature",
                        .conventions = ONE(LOCAL_SIG),
                        .counted = true,
                        .list_may = ILPI_MAY_BE_PINNED},
    [ILP_SIG_TYPE_SPEC] = {.place = "TypeSpec signature", .typed = true},
    [ILP_SIG_METHOD_SPEC] = {.place = "MethodSpec signature",
                             .conventions = ONE(GENERICINST),
                             .counted = true,
                             .least = 1},
};

struct ilpi_cursor ilpi_sig_cursor(struct ilp_bytes blob, enum ilp_sig_kind kind, uint64_t origin,
                                   struct ilp_error *error)
{
    static const uint8_t nothing[1];
    if (blob.size == 0) {
        blob.data = nothing; /* an empty blob may come without an address */
    }
    struct ilpi_cursor in = ilpi_cursor_over(blob, origin, ilpi_sig_grammars[kind].place, error);
    in.failure = ILP_E_BAD_SIGNATURE; /* a blob has an exact length: reading past it is an invalid
                                         signature, not a truncated file */
    return in;
}

/* The position goes back to the refused byte, so the error has its offset. */
void ilpi_sig_refuse(struct ilpi_cursor *in, const uint8_t *at, ilp_status status,
                     const char *format, ...)
{
    if (in->status == ILP_OK) {
        char what[160];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
        in->at = at;
        ilpi_cursor_fail(in, status, what);
    }
}

bool ilpi_sig_begins_with(enum ilp_sig_kind kind, uint8_t first)
{
    const struct ilpi_sig_grammar *grammar = &ilpi_sig_grammars[kind];
    return (grammar->conventions & ONE(first & ILP_CALL_MASK)) != 0 &&
           (first & ~(ILP_CALL_MASK | grammar->flags)) == 0;
}

/* A count is compared with the bytes left, since each item has at least one: memory for it is then
 * bounded by the blob. */
uint32_t ilpi_sig_read_count(struct ilpi_cursor *in, uint32_t least)
{
    const uint8_t *at = in->at;
    uint32_t count = ilpi_read_packed(in);
    if (count < least) {
        ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "a count is 0");
    }
    if (count > ilpi_cursor_left(in)) {
        ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "a count of %u, but only %zu bytes are left",
                        (unsigned)count, ilpi_cursor_left(in));
    }
    return in->status == ILP_OK ? count : 0;
}

/* What all kinds begin with, as far as the grammar says that they have it: convention, generic
 * count, count of parameters. */
void ilpi_sig_read_head(struct ilpi_cursor *in, enum ilp_sig_kind kind, struct ilp_sig *sig)
{
    const struct ilpi_sig_grammar *grammar = &ilpi_sig_grammars[kind];
    sig->kind = kind;
    if (grammar->conventions != 0) {
        const uint8_t *at = in->at;
        sig->convention = ilpi_read_u8(in);
        if (!ilpi_sig_begins_with(kind, sig->convention)) {
            ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "it cannot begin with 0x%02X",
                            sig->convention);
        }
    }
    if (sig->convention & ILP_CALL_GENERIC) {
        const uint8_t *at = in->at;
        sig->generic_count = ilpi_read_packed(in); /* these have no parameters */
        if (sig->generic_count == 0) {
            ilpi_sig_refuse(in, at, ILP_E_BAD_SIGNATURE, "a generic method without parameters");
        }
    }
    if (grammar->counted) {
        sig->param_count = ilpi_sig_read_count(in, grammar->least);
        sig->required_count = sig->param_count;
    }
}

/* Modifiers before the return type may be many, but each takes two bytes at least, so the loop is
 * bounded by the blob. */
ilp_status ilpi_sig_call_shape(struct ilp_bytes blob, uint64_t origin, struct ilpi_sig_call *call,
                               struct ilp_error *error)
{
    struct ilpi_cursor in = ilpi_sig_cursor(blob, ILP_SIG_METHOD, origin, error);
    struct ilp_sig head = {0};
    ilpi_sig_read_head(&in, ILP_SIG_METHOD, &head);
    uint8_t element = ilpi_read_u8(&in);
    while (ilpi_element_form(element) == ILPI_ELEMENT_FORM_MODIFIER) {
        ilpi_read_packed(&in); /* an `init` accessor returns void modreq(IsExternalInit) */
        element = ilpi_read_u8(&in);
    }
    *call = (struct ilpi_sig_call){head.convention, head.param_count, element != ILP_ELEMENT_VOID};
    return in.status;
}

bool ilpi_sig_locals(struct ilp_bytes blob, struct ilp_bytes *types, uint32_t *count)
{
    struct ilpi_cursor in = ilpi_sig_cursor(blob, ILP_SIG_LOCALS, 0, NULL);
    bool locals = ilpi_read_u8(&in) == LOCAL_SIG;
    *count = ilpi_read_packed(&in);
    *types = (struct ilp_bytes){in.at, ilpi_cursor_left(&in)};
    return locals && in.status == ILP_OK;
}
