/* Writes trees as text, in ILAsm's form (ECMA-335 II.7.1, II.15.3), and as ildasm does where ILAsm
 * leaves a choice. ILAsm writes a type from the inside out: "int32[]&" is a BYREF of an SZARRAY,
 * and each node appends its own word to that of its inner type.
 *
 * Trees come from sig_read.c, whose limits on depth and rank bound the text of a node; the whole is
 * cut at ILPI_TEXT_LIMIT. */
#include "sig/grammar.h"

/* An ILAsm word and a blank. */
static void write_word(struct ilpi_buf *buf, const char *word)
{
    ilpi_buf_text(buf, word);
    ilpi_buf_u8(buf, ' ');
}

/* The text being written. Beyond `end` it is cut: each later name and each later run of types is
 * "...". */
struct writer {
    struct ilpi_buf *buf;
    const struct ilpi_sig_names *names;
    size_t end;
};

static void write_type(const struct writer *writer, const struct ilp_type *type);
static void write_sig(const struct writer *writer, const struct ilp_sig *sig, const char *name);

static bool is_cut(const struct writer *writer)
{
    return writer->buf->size > writer->end;
}

static void write_name(const struct writer *writer, ilp_token token)
{
    const struct ilpi_sig_names *names = writer->names;
    if (is_cut(writer)) {
        ilpi_buf_text(writer->buf, "...");
    } else if (names) {
        names->type(names->user, writer->buf, token);
    } else {
        ilpi_buf_format(writer->buf, "0x%08X", (unsigned)token);
    }
}

/* Types from `type` on, with ILAsm's "..." before number `sentinel`. */
static void write_chain(const struct writer *writer, const struct ilp_type *type,
                        const char *separator, uint32_t sentinel)
{
    struct ilpi_buf *buf = writer->buf;
    for (uint32_t i = 0; type; type = type->next, i++) {
        if (i != 0) {
            ilpi_buf_text(buf, separator);
        }
        if (is_cut(writer)) {
            ilpi_buf_text(buf, "...");
            return;
        }
        if (i == sentinel) {
            ilpi_buf_text(buf, ilpi_element_text(ILP_ELEMENT_SENTINEL));
            ilpi_buf_text(buf, separator);
        }
        write_type(writer, type);
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

/* The form decides what surrounds the word: prefix words (class, valuetype) come before a name, all
 * others after the inner type. */
static void write_type(const struct writer *writer, const struct ilp_type *type)
{
    struct ilpi_buf *buf = writer->buf;
    const struct ilpi_sig_names *names = writer->names;
    const char *word = ilpi_element_text(type->element);
    switch (ilpi_element_form(type->element)) {
    case ILPI_ELEMENT_FORM_TOKEN:
        write_word(buf, word);
        write_name(writer, type->token);
        break;
    case ILPI_ELEMENT_FORM_MODIFIER:
        write_type(writer, type->inner);
        ilpi_buf_u8(buf, ' ');
        ilpi_buf_text(buf, word);
        ilpi_buf_u8(buf, '(');
        write_name(writer, type->token);
        ilpi_buf_text(buf, ")");
        break;
    case ILPI_ELEMENT_FORM_INNER:
        write_type(writer, type->inner);
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
        write_type(writer, type->inner);
        write_shape(buf, type);
        break;
    case ILPI_ELEMENT_FORM_GENERIC:
        write_type(writer, type->inner);
        ilpi_buf_text(buf, "<");
        write_chain(writer, type->inner->next, ",", UINT32_MAX);
        ilpi_buf_text(buf, ">");
        break;
    case ILPI_ELEMENT_FORM_METHOD:
        write_word(buf, word);
        write_sig(writer, type->method, NULL);
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

static void write_sig(const struct writer *writer, const struct ilp_sig *sig, const char *name)
{
    struct ilpi_buf *buf = writer->buf;
    switch (sig->kind) {
    case ILP_SIG_METHOD:
    case ILP_SIG_PROPERTY:
        write_convention(buf, sig->convention);
        write_type(writer, sig->ret);
        ilpi_buf_u8(buf, ' ');
        ilpi_buf_text(buf, name ? name : "*");
        if (sig->generic_count != 0) {
            ilpi_buf_format(buf, "<%u>", (unsigned)sig->generic_count);
        }
        ilpi_buf_text(buf, "(");
        write_chain(writer, sig->params, ", ", sig->required_count);
        ilpi_buf_text(buf, ")");
        break;
    case ILP_SIG_LOCALS:
        ilpi_buf_text(buf, "(");
        write_chain(writer, sig->params, ", ", UINT32_MAX);
        ilpi_buf_text(buf, ")");
        break;
    case ILP_SIG_METHOD_SPEC:
        ilpi_buf_text(buf, name ? name : "");
        ilpi_buf_u8(buf, '<');
        write_chain(writer, sig->params, ",", UINT32_MAX);
        ilpi_buf_text(buf, ">");
        break;
    default: /* FIELD, TYPE_SPEC */
        write_type(writer, sig->ret);
        if (name) {
            ilpi_buf_u8(buf, ' ');
            ilpi_buf_text(buf, name);
        }
        break;
    }
}

/* The limit is for this text; what the buffer has already does not count. */
void ilpi_type_text(struct ilpi_buf *buf, const struct ilp_type *type,
                    const struct ilpi_sig_names *names)
{
    struct writer writer = {buf, names, buf->size + ILPI_TEXT_LIMIT};
    write_type(&writer, type);
}

void ilpi_sig_text(struct ilpi_buf *buf, const struct ilp_sig *sig, const char *name,
                   const struct ilpi_sig_names *names)
{
    struct writer writer = {buf, names, buf->size + ILPI_TEXT_LIMIT};
    write_sig(&writer, sig, name);
}
