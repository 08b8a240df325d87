/* Tokens and signatures as text. See token_text.h.
 *
 * src/metadata/ and src/sig/ make names and signatures; what they refuse is printed as bytes here,
 * because `dump` and `diff` are for files with errors, too. Strings of ldstr have C#'s escapes, and
 * everything that is not ASCII is escaped, so the text does not depend on the terminal. */
#include "tools/cmd/token_text.h"

#include "types/names.h"
#include "sig/sig.h"

/* Limits, since rows may share the bytes. */
#define MAX_HEX   256u
#define MAX_UNITS 4096u /* UTF-16 units of a string */

/* The first bytes, in hexadecimal. */
static void hex_text(struct ilpi_buf *buf, struct ilp_bytes bytes)
{
    for (size_t i = 0; i < bytes.size && i < MAX_HEX; i++) {
        ilpi_buf_format(buf, i == 0 ? "%02X" : " %02X", bytes.data[i]);
    }
    ilpi_buf_text(buf, bytes.size > MAX_HEX ? " ..." : "");
}

/* `name`, which may be NULL, is inserted where ILAsm has it: before the parameters, or last. */
void signature_text(const struct ilp_image *image, struct ilpi_buf *buf, uint32_t blob,
                    enum ilp_sig_kind kind, const char *name)
{
    if (!ilpi_name_blob(image, buf, blob, kind, name)) {
        ilpi_buf_text(buf, "<bad signature> ");
        hex_text(buf, ilp_blob(image, blob));
    }
}

/* UTF-16LE in quotes, with escapes. The last, odd byte of the blob is not part of the text
 * (II.24.2.4). */
static void user_string_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token)
{
    struct ilp_bytes text = ilp_user_string(image, token);
    ilpi_buf_u8(buf, '"');
    for (size_t i = 0; i + 1 < text.size && i / 2 < MAX_UNITS; i += 2) {
        unsigned unit = (unsigned)text.data[i] | (unsigned)text.data[i + 1] << 8;
        if (unit == '"' || unit == '\\') {
            ilpi_buf_format(buf, "\\%c", (char)unit);
        } else if (unit >= 0x20 && unit < 0x7F) {
            ilpi_buf_u8(buf, (uint8_t)unit);
        } else {
            ilpi_buf_format(buf, "\\u%04X", unit);
        }
    }
    ilpi_buf_u8(buf, '"');
    ilpi_buf_text(buf, text.size / 2 > MAX_UNITS ? "..." : "");
}

/* "Ns.Type::name" in its own buffer, since it is inserted into a signature. For a vararg call the
 * parent is the method itself. */
static void member_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token parent,
                        uint32_t name, uint32_t blob, enum ilp_sig_kind kind)
{
    struct ilpi_buf full = {.alloc = buf->alloc};
    if (ILP_TOKEN_TABLE(parent) == ILP_MethodDef) {
        ilpi_name_method(image, &full, ILP_TOKEN_RID(parent));
    } else {
        /* a global function or variable of another module has no type (II.22.25) */
        if (parent != 0 && ILP_TOKEN_TABLE(parent) != ILP_ModuleRef) {
            ilpi_name_type(image, &full, parent);
            ilpi_buf_text(&full, "::");
        }
        ilpi_name_put(&full, ilp_string(image, name));
    }
    ilpi_buf_u8(&full, 0);
    if (full.status == ILP_OK) {
        signature_text(image, buf, blob, kind, (const char *)full.data);
    }
    ilpi_buf_free(&full);
}

/* A MemberRef is a field or a method; its signature's first byte says which. */
static void member_ref_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid rid)
{
    uint32_t blob = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature);
    struct ilp_bytes signature = ilp_blob(image, blob);
    bool field = signature.size != 0 && signature.data[0] == 0x06; /* II.23.2.4 */
    member_text(image, buf, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class),
                ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name), blob,
                field ? ILP_SIG_FIELD : ILP_SIG_METHOD);
}

static ilp_token type_token(ilp_rid rid)
{
    return rid > 1 ? ILP_TOKEN(ILP_TypeDef, rid) : 0; /* row 1 has the members without a type */
}

/* For a MethodSpec, what it instantiates comes first; tables that have no name are their number.
 *
 *   TypeDef, TypeRef, TypeSpec     Ns.Type
 *   MethodDef, Field, MemberRef    the signature, with Ns.Type::Name in it
 *   MethodSpec                     the method, " with ", its type arguments
 *   StandAloneSig                  the signature: of locals, or of a calli
 *   a user string                  "text"
 *   others                         0x0A000001 */
void token_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    switch (ILP_TOKEN_TABLE(token)) {
    case ILP_TypeDef:
    case ILP_TypeRef:
    case ILP_TypeSpec: ilpi_name_type(image, buf, token); break;
    case ILP_MethodDef:
        member_text(image, buf, type_token(ilp_owner_of_method(image, rid)),
                    ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name),
                    ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature), ILP_SIG_METHOD);
        break;
    case ILP_Field:
        member_text(image, buf, type_token(ilp_owner_of_field(image, rid)),
                    ilp_cell(image, ILP_Field, rid, ILP_Field_Name),
                    ilp_cell(image, ILP_Field, rid, ILP_Field_Signature), ILP_SIG_FIELD);
        break;
    case ILP_MemberRef: member_ref_text(image, buf, rid); break;
    case ILP_MethodSpec:
        /* no deeper than this: the column refers to a MethodDef or a MemberRef (II.22.29) */
        token_text(image, buf, ilp_cell(image, ILP_MethodSpec, rid, ILP_MethodSpec_Method));
        ilpi_buf_text(buf, " with ");
        signature_text(image, buf,
                       ilp_cell(image, ILP_MethodSpec, rid, ILP_MethodSpec_Instantiation),
                       ILP_SIG_METHOD_SPEC, NULL);
        break;
    case ILP_StandAloneSig:
        signature_text(image, buf,
                       ilp_cell(image, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature),
                       ILP_SIG_STANDALONE, NULL);
        break;
    case ILP_TOKEN_USER_STRING: user_string_text(image, buf, token); break;
    default: ilpi_buf_format(buf, "0x%08X", token); break;
    }
}
