/* Checks every signature of the image: it is valid, its tokens refer to types, and types are
 * allowed where they are (II.23.2); and every MemberRef of a known type has its member
 * (II.22.25). */
#include "metadata/flags.h"
#include "verify/member.h"
#include "verify/type_table.h"

/* The context of a signature: the range of its generic parameters. UINT32_MAX: unknown.
 *
 *   row          type_params            method_params
 *   Field        those of its type      0
 *   MethodDef    those of its type      as its signature says
 *   others       unknown                unknown */
struct signature_place {
    struct ilpi_verifier *verifier;
    uint32_t type_params;
    uint32_t method_params;
};

static void check_type(const struct signature_place *place, const struct ilp_type *type,
                       bool inner);

/* Reads a signature (II.22.36) and charges its size to the work: many rows may share one large
 * blob. */
static const struct ilp_sig *read(struct ilpi_verifier *verifier, uint32_t offset,
                                  enum ilp_sig_kind kind)
{
    struct ilp_image *image = verifier->image;
    struct ilp_bytes blob = ilp_blob(image, offset);
    struct ilp_sig *sig;
    struct ilp_error error;
    ilpi_arena_reset(&verifier->scratch);
    if (!ilpi_spend_work(verifier, 1 + blob.size)) {
        return NULL;
    }
    ilp_status status = ilp_sig_read(&sig, blob, kind, ilpi_blob_offset(image, offset),
                                     &verifier->scratch, &error);
    if (status == ILP_OK) {
        return sig;
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        ilpi_verify_no_memory(verifier, blob.size);
    } else {
        ilpi_report(verifier, ILPI_FIND_SIGNATURE, "%.200s", error.message);
    }
    return NULL;
}

/* ---- types ---- */

/* The table is right by encoding (II.23.2.8: TypeDef, TypeRef, TypeSpec); the row may be any
 * number. */
static bool check_token(const struct signature_place *place, ilp_token token)
{
    const struct ilp_image *image = place->verifier->image;
    ilp_rid rid = ILP_TOKEN_RID(token);
    if (rid > image->tables[ILP_TOKEN_TABLE(token)].count) {
        ilpi_report(place->verifier, ILPI_FIND_SIGNATURE_TOKEN, "0x%08X is not a row", token);
        return false;
    }
    return true;
}

/* Runtimes decide by the signature's keyword whether to lay out a value type or refer to a
 * class. */
static void check_kind(const struct signature_place *place, const struct ilp_type *type)
{
    struct ilpi_verifier *verifier = place->verifier;
    if (ILP_TOKEN_TABLE(type->token) == ILP_TypeSpec) {
        return;
    }
    const struct ilpi_def *def = ilpi_def_of_token(verifier, verifier->image, type->token);
    if (!def || def->what == ILPI_WHAT_UNRESOLVED) {
        return;
    }
    bool value = ilpi_def_is_value_type(def);
    if (value != (type->element == ILP_ELEMENT_VALUETYPE)) {
        const char *name_space;
        const char *name;
        ilpi_type_name(def->image, def->token, &name_space, &name);
        ilpi_report(verifier, ILPI_FIND_SIGNATURE_KIND, "%.60s.%.60s is a %s", name_space, name,
                    value ? "value type" : "class");
    }
}

/* A byref-like type may only be the argument of a parameter that allows it (`allows ref struct`,
 * .NET 9, not in ECMA-335). */
static void check_argument(const struct signature_place *place, const struct ilpi_def *def,
                           uint32_t number, const struct ilp_type *arg)
{
    struct ilpi_verifier *verifier = place->verifier;
    const struct ilpi_vtype *type = ilpi_type_load(verifier, verifier->image, arg);
    if (ilpi_type_is_byref_like(verifier, type) != ILP_YES || !def ||
        def->what == ILPI_WHAT_UNRESOLVED) {
        return;
    }
    ilp_rid param = ilpi_find_generic_param(def->image, def->token, number);
    if ((ilp_cell(def->image, ILP_GenericParam, param, ILP_GenericParam_Flags) &
         ILPI_GENERIC_PARAM_ALLOWS_REF) == 0) {
        struct ilpi_type_name name = ilpi_type_name_of(type);
        ilpi_report(verifier, ILPI_FIND_BYREF_LIKE_ARG, "%s is argument %u", name.text, number);
    }
}

/* The number of arguments, their kind, and each argument by itself (II.23.2.12 GENERICINST). The
 * token may be of a type that is not found: then its parameters are not known. */
static void check_instance(const struct signature_place *place, const struct ilp_type *type)
{
    struct ilpi_verifier *verifier = place->verifier;
    uint32_t number = 0;
    if (!check_token(place, type->inner->token)) {
        return;
    }
    check_kind(place, type->inner);
    const struct ilpi_def *def = ilpi_def_of_token(verifier, verifier->image, type->inner->token);
    if (def && def->what != ILPI_WHAT_UNRESOLVED && def->generic_count != type->number) {
        ilpi_report(verifier, ILPI_FIND_GENERIC_COUNT,
                    "%u arguments for the %u parameters of 0x%08X", type->number,
                    def->generic_count, type->inner->token);
    }
    for (const struct ilp_type *arg = type->inner->next; arg; arg = arg->next) {
        check_type(place, arg, true);
        check_argument(place, def, number++, arg);
    }
}

/* !0 needs a type with a parameter, !!0 a method with one. Where the context is not known
 * (MemberRef, TypeSpec) any number is right. */
static void check_var(const struct signature_place *place, const struct ilp_type *type)
{
    uint32_t limit = type->element == ILP_ELEMENT_VAR ? place->type_params : place->method_params;
    if (type->number >= limit) {
        ilpi_report(place->verifier, ILPI_FIND_GENERIC_RANGE, "%s%u of %u",
                    type->element == ILP_ELEMENT_VAR ? "!" : "!!", type->number, limit);
    }
}

/* The arguments of a MethodSpec are parts of a type, so none may be a managed pointer; parameters
 * may. */
static void check_sig(const struct signature_place *place, const struct ilp_sig *sig)
{
    if (sig->ret) {
        check_type(place, sig->ret, false);
    }
    for (const struct ilp_type *param = sig->params; param; param = param->next) {
        check_type(place, param, sig->kind == ILP_SIG_METHOD_SPEC);
    }
}

/* A managed pointer cannot be part of another type, and a byref-like type cannot be an element
 * (II.14.4.2). */
static void check_element(const struct signature_place *place, const struct ilp_type *type)
{
    struct ilpi_verifier *verifier = place->verifier;
    const struct ilpi_vtype *element = ilpi_type_load(verifier, verifier->image, type->inner);
    if (ilpi_type_is_byref_like(verifier, element) == ILP_YES) {
        struct ilpi_type_name name = ilpi_type_name_of(element);
        ilpi_report(verifier, ILPI_FIND_BYREF_LIKE_ARG, "an array of %s", name.text);
    }
}

/* Recursion is as deep as ilp_sig_read() allows. */
static void check_type(const struct signature_place *place, const struct ilp_type *type, bool inner)
{
    switch (type->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE:
        if (check_token(place, type->token)) {
            check_kind(place, type);
        }
        break;
    case ILP_ELEMENT_CMOD_OPT:
    case ILP_ELEMENT_CMOD_REQD:
        check_token(place, type->token);
        check_type(place, type->inner, inner);
        break;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: check_var(place, type); break;
    case ILP_ELEMENT_BYREF:
        if (inner) {
            ilpi_report(place->verifier, ILPI_FIND_SIGNATURE_FORM,
                        "a managed pointer inside of another type");
        }
        check_type(place, type->inner, true);
        break;
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_ARRAY:
        check_type(place, type->inner, true);
        check_element(place, type);
        break;
    case ILP_ELEMENT_PTR: check_type(place, type->inner, true); break;
    case ILP_ELEMENT_PINNED: check_type(place, type->inner, inner); break;
    case ILP_ELEMENT_GENERICINST: check_instance(place, type); break;
    case ILP_ELEMENT_FNPTR: check_sig(place, type->method); break;
    default: break;
    }
}

/* ---- rows ---- */

static uint32_t params_of(struct ilpi_verifier *verifier, ilp_rid owner)
{
    const struct ilpi_def *def = owner != 0 ? ilpi_def_intern(verifier, verifier->image,
                                                              ILP_TOKEN(ILP_TypeDef, owner))
                                            : NULL;
    return def ? def->generic_count : 0;
}

/* Fields have only the type's parameters. The method's own are set by check_row(), which has the
 * signature. */
static struct signature_place place_of(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid)
{
    struct signature_place place = {verifier, UINT32_MAX, UINT32_MAX};
    if (table == ILP_Field) {
        place.type_params = params_of(verifier, ilp_owner_of_field(verifier->image, rid));
        place.method_params = 0;
    } else if (table == ILP_MethodDef) {
        place.type_params = params_of(verifier, ilp_owner_of_method(verifier->image, rid));
    }
    return place;
}

/* A field whose type is a reference or byref-like: only an instance field of a byref-like type may
 * have it, since such an object never leaves the stack. */
static void check_field(struct ilpi_verifier *verifier, ilp_rid rid)
{
    const struct ilpi_vfield *field = ilpi_field_of_token(verifier, ILP_TOKEN(ILP_Field, rid));
    const struct ilpi_def *def = field->owner ? ilpi_def_of_type(verifier, field->owner) : NULL;
    bool is_static = (field->flags & ILPI_FIELD_STATIC) != 0;
    bool lives_on_stack = def && def->byref_like && !is_static;
    struct ilpi_type_name name = ilpi_type_name_of(field->type);
    if (lives_on_stack) {
        return;
    }
    if (field->type->kind == ILP_ELEMENT_BYREF ||
        ilpi_type_is_byref_like(verifier, field->type) == ILP_YES) {
        ilpi_report(verifier, ILPI_FIND_BYREF_LIKE_FIELD, "%s %.80s", name.text, field->name);
    }
}

/* Whether the member exists. Of a type in another module it is only "unknown", not "missing": the
 * module that was found may be another version than the one that runs. */
static void check_member_ref(struct ilpi_verifier *verifier, ilp_rid rid, bool field)
{
    ilp_token token = ILP_TOKEN(ILP_MemberRef, rid);
    ilp_token parent = ilp_cell(verifier->image, ILP_MemberRef, rid, ILP_MemberRef_Class);
    const struct ilpi_vtype *owner = NULL;
    const char *name;
    enum ilpi_known known;
    if (field) {
        const struct ilpi_vfield *found = ilpi_field_of_token(verifier, token);
        owner = found->owner;
        name = found->name;
        known = (enum ilpi_known)found->known;
    } else {
        const struct ilpi_method *found = ilpi_method_of_token(verifier, token);
        owner = found->owner;
        name = found->name;
        known = (enum ilpi_known)found->known;
    }
    if (known == ILPI_KNOWN_MISSING && owner && ILP_TOKEN_TABLE(parent) != ILP_MethodDef) {
        struct ilpi_def *def = ilpi_def_of_type(verifier, owner);
        struct ilpi_type_name type = ilpi_type_name_of(owner);
        ilpi_report(verifier,
                    !def || def->image == verifier->image ? ILPI_FIND_MEMBER_MISSING
                                                          : ILPI_FIND_MEMBER_UNKNOWN,
                    "%s has no %s %.80s with this signature", type.text, field ? "field" : "method",
                    name);
    }
}

/* `known` also covers references to methods that were not found: then the number in the signature
 * of the reference counts. */
static void check_method_spec(struct ilpi_verifier *verifier, ilp_rid rid, uint32_t count)
{
    ilp_token of = ilp_cell(verifier->image, ILP_MethodSpec, rid, ILP_MethodSpec_Method);
    const struct ilpi_method *method = ilpi_method_of_token(verifier, of);
    if (method->known != ILPI_KNOWN_NOT && method->generic_count != count) {
        ilpi_report(verifier, ILPI_FIND_GENERIC_COUNT,
                    "%u arguments for the %u parameters of %.80s", count, method->generic_count,
                    method->name);
    }
}

/* MemberRef is the one table with signatures of two kinds: FIELD begins with 0x06 (II.23.2.4). */
static void check_row(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid, unsigned column,
                      enum ilp_sig_kind kind)
{
    const struct ilp_image *image = verifier->image;
    uint32_t offset = ilp_cell(image, table, rid, column);
    struct ilp_bytes blob = ilp_blob(image, offset);
    bool field = table == ILP_MemberRef && blob.size != 0 && blob.data[0] == 0x06;
    verifier->token = ILP_TOKEN(table, rid);
    const struct ilp_sig *sig = read(verifier, offset, field ? ILP_SIG_FIELD : kind);
    if (!sig) {
        return;
    }
    struct signature_place place = place_of(verifier, table, rid);
    if (table == ILP_MethodDef) {
        place.method_params = sig->generic_count;
    }
    check_sig(&place, sig);
    if (table == ILP_Field) {
        check_field(verifier, rid);
    } else if (table == ILP_MemberRef) {
        check_member_ref(verifier, rid, field);
    } else if (table == ILP_MethodSpec) {
        check_method_spec(verifier, rid, sig->param_count);
    }
}

/* `token` is what findings are reported with; check_row() sets it to each row. */
void ilpi_verify_signatures(struct ilpi_verifier *verifier)
{
    static const struct {
        uint8_t table;
        uint8_t column;
        uint8_t kind;
    } columns[] = {{ILP_Field, ILP_Field_Signature, ILP_SIG_FIELD},
                   {ILP_MethodDef, ILP_MethodDef_Signature, ILP_SIG_METHOD},
                   {ILP_MemberRef, ILP_MemberRef_Signature, ILP_SIG_METHOD},
                   {ILP_StandAloneSig, ILP_StandAloneSig_Signature, ILP_SIG_STANDALONE},
                   {ILP_Property, ILP_Property_Type, ILP_SIG_PROPERTY},
                   {ILP_TypeSpec, ILP_TypeSpec_Signature, ILP_SIG_TYPE_SPEC},
                   {ILP_MethodSpec, ILP_MethodSpec_Instantiation, ILP_SIG_METHOD_SPEC}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        uint32_t count = verifier->image->tables[columns[i].table].count;
        for (ilp_rid rid = 1; rid <= count && verifier->status == ILP_OK; rid++) {
            check_row(verifier, columns[i].table, rid, columns[i].column,
                      (enum ilp_sig_kind)columns[i].kind);
        }
    }
    verifier->token = 0;
}
