/* Trees as text, in ILAsm's form (ECMA-335 II.7.1, II.15.3) and with ildasm's choices where ILAsm
 * leaves one. ILAsm writes a type from the inside out: what is around it follows it, so "int32[]&"
 * is a BYREF of an SZARRAY and each node adds its own word behind that of its inner type.
 *
 * Trees come from sig_read.c, whose limits on depth and rank bound the text.
 */
#include "sig/grammar.h"

/* One of ILAsm's words and the blank after it. */
static void write_word(struct ilpi_buf *buf, const char *word)
{
    ilpi_buf_text(buf, word);
    ilpi_buf_u8(buf, ' ');
}

static void write_name(struct ilpi_buf *buf, ilp_token token, const struct ilpi_sig_names *names)
{
    if (names) {
        names->type(names->user, buf, token);
    } else {
        ilpi_buf_format(buf, "0x%08X", (unsigned)token);
    }
}

/* Types from `type` on, with ILAsm's "..." before number `sentinel`. */
static void write_chain(struct ilpi_buf *buf, const struct ilp_type *type, const char *separator,
                        uint32_t sentinel, const struct ilpi_sig_names *names)
{
    for (uint32_t i = 0; type; type = type->next, i++) {
        if (i != 0) {
            ilpi_buf_text(buf, separator);
        }
        if (i == sentinel) {
            ilpi_buf_text(buf, ilpi_element_text(ILP_ELEMENT_SENTINEL));
            ilpi_buf_text(buf, separator);
        }
        ilpi_type_text(buf, type, names);
    }
}

/* One dimension of an array (II.14.2): "", "size", "lower...", "lower...upper". */
static void write_dimension(struct ilpi_buf *buf, const struct ilp_array_shape *shape, uint32_t i)
{
    bool sized = i < shape->size_count;
    int64_t lower = i < shape->bound_count ? shape->bounds[i] : 0;
    if (sized && lower == 0) {
        ilpi_buf_format(buf, "%u", (unsigned)shape->sizes[i]);
    } else if (i < shape->bound_count) {
        ilpi_buf_format(buf, "%lld...", (long long)lower);
        if (sized) {
            ilpi_buf_format(buf, "%lld", (long long)(lower + shape->sizes[i] - 1));
        }
    }
}

static void write_shape(struct ilpi_buf *buf, const struct ilp_type *array)
{
    const struct ilp_array_shape *shape = array->shape;
    ilpi_buf_text(buf, "[");
    if (array->number == 1 && shape->size_count == 0 && shape->bound_count == 0) {
        ilpi_buf_text(buf, "..."); /* "[]" would be a vector, SZARRAY */
    }
    for (uint32_t i = 0; i < array->number; i++) {
        if (i != 0) {
            ilpi_buf_text(buf, ",");
        }
        write_dimension(buf, shape, i);
    }
    ilpi_buf_text(buf, "]");
}

void ilpi_type_text(struct ilpi_buf *buf, const struct ilp_type *type,
                    const struct ilpi_sig_names *names)
{
    const char *word = ilpi_element_text(type->element);
    switch (ilpi_element_form(type->element)) {
    case ILPI_ELEMENT_FORM_TOKEN:
        write_word(buf, word);
        write_name(buf, type->token, names);
        break;
    case ILPI_ELEMENT_FORM_MODIFIER:
        ilpi_type_text(buf, type->inner, names);
        ilpi_buf_u8(buf, ' ');
        ilpi_buf_text(buf, word);
        ilpi_buf_u8(buf, '(');
        write_name(buf, type->token, names);
        ilpi_buf_text(buf, ")");
        break;
    case ILPI_ELEMENT_FORM_INNER:
        ilpi_type_text(buf, type->inner, names);
        ilpi_buf_text(buf, type->element == ILP_ELEMENT_PINNED ? " " : "");
        ilpi_buf_text(buf, word);
        break;
    case ILPI_ELEMENT_FORM_NUMBER:
        if (type->element != ILP_ELEMENT_VAR || !names || !names->parameter ||
            !names->parameter(names->user, buf, type->number)) {
            ilpi_buf_format(buf, "%s%u", word, (unsigned)type->number);
        }
        break;
    case ILPI_ELEMENT_FORM_ARRAY:
        ilpi_type_text(buf, type->inner, names);
        write_shape(buf, type);
        break;
    case ILPI_ELEMENT_FORM_GENERIC:
        ilpi_type_text(buf, type->inner, names);
        ilpi_buf_text(buf, "<");
        write_chain(buf, type->inner->next, ",", UINT32_MAX, names);
        ilpi_buf_text(buf, ">");
        break;
    case ILPI_ELEMENT_FORM_METHOD:
        write_word(buf, word);
        ilpi_sig_text(buf, type->method, NULL, names);
        break;
    default: ilpi_buf_text(buf, word); break;
    }
}

/* The first byte of a method or property (II.15.3). */
static void write_convention(struct ilpi_buf *buf, uint8_t convention)
{
    static const char *const words[ILP_CALL_MASK + 1] = {
        [ILP_CALL_C] = "unmanaged cdecl ", [2] = "unmanaged stdcall ",
        [3] = "unmanaged thiscall ",       [4] = "unmanaged fastcall ",
        [ILP_CALL_VARARG] = "vararg ",     [ILP_CALL_UNMANAGED] = "unmanaged ",
    };
    const char *word = words[convention & ILP_CALL_MASK];
    if (convention & ILP_CALL_HASTHIS) {
        ilpi_buf_text(buf, "instance ");
    }
    if (convention & ILP_CALL_EXPLICITTHIS) {
        ilpi_buf_text(buf, "explicit ");
    }
    if (word) {
        ilpi_buf_text(buf, word);
    }
}

void ilpi_sig_text(struct ilpi_buf *buf, const struct ilp_sig *sig, const char *name,
                   const struct ilpi_sig_names *names)
{
    switch (sig->kind) {
    case ILP_SIG_METHOD:
    case ILP_SIG_PROPERTY:
        write_convention(buf, sig->convention);
        ilpi_type_text(buf, sig->ret, names);
        ilpi_buf_u8(buf, ' ');
        ilpi_buf_text(buf, name ? name : "*");
        if (sig->generic_count != 0) {
            ilpi_buf_format(buf, "<%u>", (unsigned)sig->generic_count);
        }
        ilpi_buf_text(buf, "(");
        write_chain(buf, sig->params, ", ", sig->required_count, names);
        ilpi_buf_text(buf, ")");
        break;
    case ILP_SIG_LOCALS:
        ilpi_buf_text(buf, "(");
        write_chain(buf, sig->params, ", ", UINT32_MAX, names);
        ilpi_buf_text(buf, ")");
        break;
    case ILP_SIG_METHOD_SPEC:
        ilpi_buf_text(buf, name ? name : "");
        ilpi_buf_u8(buf, '<');
        write_chain(buf, sig->params, ",", UINT32_MAX, names);
        ilpi_buf_text(buf, ">");
        break;
    default: /* FIELD, TYPE_SPEC */
        ilpi_type_text(buf, sig->ret, names);
        if (name) {
            ilpi_buf_u8(buf, ' ');
            ilpi_buf_text(buf, name);
        }
        break;
    }
}
