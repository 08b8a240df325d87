/* Plans the strong name (II.6.2.1.3) of a written file. See strong_name_plan.h.
 *
 *   option   state of the written file
 *   KEEP     NONE, or STALE if the original claims to be signed: its bytes stay, but are wrong
 *   CLEAR    CLEARED, if there was a public key or the flag StrongNameSigned: neither remains
 *   SIGN     SIGNED with a private key; PUBLIC if the file with the key has no private half
 *
 * A file can only be signed with the key that matches its public key, or its
 * AssemblySignatureKeyAttribute: with another public key it would be another assembly to all that
 * refer to it. */
#include "metadata/strong_name_plan.h"

#include "metadata/flags.h"

/* The key of ECMA's standard libraries: a placeholder without a private half (II.6.2.1.3). */
#define NEUTRAL_KEY_BYTES 16u

/* ---- keeping and clearing ---- */

static struct ilp_bytes public_key(const struct ilp_edit *edit)
{
    return ilpi_edit_blob(edit, ilp_edit_cell(edit, ILP_Assembly, 1, ILP_Assembly_PublicKey));
}

static bool is_marked_signed(const struct ilp_edit *edit)
{
    return (edit->image->pe.cli_flags & ILPI_CLI_STRONG_NAME_SIGNED) != 0;
}

/* A module without an Assembly row (II.22.2) is part of another file's assembly and has no public
 * key. */
static bool is_assembly(const struct ilp_edit *edit)
{
    return ilp_edit_row_count(edit, ILP_Assembly) != 0;
}

/* The state is read from the original, so that an edit can be written twice. */
static ilp_status clear(struct ilpi_strong_name *plan, struct ilp_edit *edit,
                        struct ilp_error *error)
{
    uint32_t flags = ilp_edit_cell(edit, ILP_Assembly, 1, ILP_Assembly_Flags);
    if (is_marked_signed(edit) ||
        ilp_cell(edit->image, ILP_Assembly, 1, ILP_Assembly_PublicKey) != 0) {
        plan->state = ILP_STRONG_NAME_CLEARED;
    }
    if (!is_assembly(edit) || public_key(edit).size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_Flags,
                               flags & ~(uint32_t)ILPI_ASSEMBLY_PUBLIC_KEY, error));
    return ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_PublicKey, 0, error);
}

/* ---- which key signs ---- */

static ilp_status refuse(struct ilp_error *error, const char *reason)
{
    return ilpi_fail(error, ILP_E_CANNOT_SIGN, ILPI_NO_OFFSET, ILP_TOKEN(ILP_Assembly, 1), "%s",
                     reason);
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    int letter = (c | 0x20) - 'a';
    return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/* The first argument of AssemblySignatureKeyAttribute(string publicKey, string countersignature) is
 * in hexadecimal. The countersignature vouches for this key with the identity's key, and stays
 * valid. Empty when the blob does not have that form. */
static struct ilp_bytes signature_key(struct ilp_bytes value, uint8_t *to, size_t room)
{
    struct ilp_bytes none = {NULL, 0};
    struct ilpi_cursor at = ilpi_cursor_over(value, 0, "AssemblySignatureKeyAttribute", NULL);
    uint16_t prolog = ilpi_read_u16(&at);
    uint32_t size = ilpi_read_packed(&at);
    struct ilp_bytes text = ilpi_read_bytes(&at, size);
    if (at.status != ILP_OK || prolog != 1 || text.size % 2 != 0 || text.size / 2 > room) {
        return none;
    }
    for (size_t i = 0; i < text.size; i += 2) {
        int high = hex_digit(text.data[i]);
        int low = hex_digit(text.data[i + 1]);
        if (high < 0 || low < 0) {
            return none;
        }
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    return (struct ilp_bytes){to, text.size / 2};
}

/* 0 is SHA-1, the first algorithm of strong names. */
static ilp_status find_hash(struct ilpi_strong_name *plan, uint32_t id, struct ilp_error *error)
{
    plan->hash = id == 0 ? ILPI_HASH_SHA1 : ilpi_hash_by_number(id);
    return plan->hash != ILPI_HASH_NONE
               ? ILP_OK
               : refuse(error, "the public key names a hash that strong names do not have");
}

/* The signing key is that of the identity, or the one that AssemblySignatureKeyAttribute puts in
 * its place. */
static ilp_status match_key(struct ilpi_strong_name *plan, const struct ilp_edit *edit,
                            struct ilp_error *error)
{
    uint8_t decoded[ILPI_RSA_MAX_BYTES + 32];
    struct ilpi_snk own;
    struct ilp_bytes bytes = public_key(edit);
    ilp_rid attribute = ilpi_find_attribute(edit->image, ILP_TOKEN(ILP_Assembly, 1),
                                            "System.Reflection", "AssemblySignatureKeyAttribute");
    if (!is_assembly(edit)) {
        return refuse(error, "a module has no strong name: sign the assembly that lists it");
    }
    if (bytes.size == 0) {
        return refuse(
            error,
            "the assembly has no public key, so it was never signed: with one it would be another "
            "assembly for all that refer to it");
    }
    if (bytes.size == NEUTRAL_KEY_BYTES) {
        return refuse(
            error,
            "the assembly's public key is the neutral one of ECMA-335, which no key file fits");
    }
    if (attribute != 0) {
        uint32_t value = ilp_cell(edit->image, ILP_CustomAttribute, attribute,
                                  ILP_CustomAttribute_Value);
        bytes = signature_key(ilp_blob(edit->image, value), decoded, sizeof decoded);
    }
    ILPI_TRY(ilpi_snk_read(
        &own, bytes, attribute != 0 ? "AssemblySignatureKeyAttribute" : "the assembly's public key",
        ILPI_NO_OFFSET, error));
    if (!ilpi_snk_same(&plan->key, &own)) {
        return refuse(
            error,
            attribute != 0
                ? "this is not the key that the assembly's AssemblySignatureKeyAttribute names"
                : "this is not the key of the assembly: with another one it would be another "
                  "assembly for all that refer to it");
    }
    return find_hash(plan, own.hash_id, error);
}

/* ---- where the signature is ---- */

/* The signature is as long as the key's modulus, and is written where the original's was: a file
 * that was never meant to be signed has no such place, and none is made. */
static ilp_status find_place(struct ilpi_strong_name *plan, const struct ilp_image *image,
                             struct ilp_error *error)
{
    const struct ilpi_directory_entry entry = image->pe.strong_name_signature;
    struct ilp_bytes place = ilp_image_rva(image, entry.rva, &plan->offset);
    plan->size = (uint32_t)plan->key.rsa.number[ILPI_RSA_MODULUS].size;
    if (entry.rva == 0 || entry.size == 0) {
        return refuse(
            error,
            "the file has no room for a signature (the CLI header's StrongNameSignature is empty)");
    }
    if (entry.size != plan->size || place.size < plan->size) {
        return refuse(error, "the room for the signature has not the size of the key's signatures");
    }
    return ILP_OK;
}

/* KEEP leaves a signature that does not match any more, which .NET does not check; CLEAR removes
 * it; SIGN needs a key that fits the public key of the assembly. */
ilp_status ilpi_strong_name_plan(struct ilpi_strong_name *plan, struct ilp_edit *edit,
                                 const struct ilp_write_options *options, struct ilp_error *error)
{
    *plan = (struct ilpi_strong_name){.state = ILP_STRONG_NAME_NONE};
    switch (options->strong_name) {
    case ILP_STRONG_NAME_KEEP:
        plan->state = is_marked_signed(edit) ? ILP_STRONG_NAME_STALE : ILP_STRONG_NAME_NONE;
        return ILP_OK;
    case ILP_STRONG_NAME_CLEAR: return clear(plan, edit, error);
    case ILP_STRONG_NAME_SIGN: break;
    }
    ILPI_TRY(ilpi_snk_read(&plan->key, options->key, "key file", ILPI_NO_OFFSET, error));
    plan->state = plan->key.is_private ? ILP_STRONG_NAME_SIGNED : ILP_STRONG_NAME_PUBLIC;
    ILPI_TRY(match_key(plan, edit, error));
    return find_place(plan, edit->image, error);
}
