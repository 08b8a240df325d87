/* Checks rows of members: Field, MethodDef, Param, and rows that belong to them (II.22.15,
 * II.22.26, II.22.33, II.22.9, II.22.28). */
#include "metadata/flags.h"
#include "sig/sig.h"
#include "verify/type.h"

/* Whether a table with a key has a row for a member. `coded` is the kind of its key column; COUNT:
 * that is a rid (FieldRVA). */
static bool has_row(const struct ilp_image *image, unsigned table, enum ilpi_coded coded,
                    ilp_token member)
{
    uint32_t position = 0;
    uint32_t key = coded == ILPI_CODED_COUNT ? ILP_TOKEN_RID(member)
                                             : ilpi_token_to_coded(coded, member);
    return ilpi_next_with_key(image, table, key, &position) != 0;
}

/* Some flags are a second record of a row elsewhere (II.23.1.5, II.23.1.10, II.23.1.13); readers
 * use either, so both must agree. */
static void check_flag_row(struct ilpi_verifier *verifier, ilp_token member, bool flag,
                           const char *name, unsigned table, enum ilpi_coded coded)
{
    if (has_row(verifier->image, table, coded, member) != flag) {
        ilpi_report_row(verifier, ILPI_FIND_FLAG_ROW, ILP_TOKEN_TABLE(member),
                        ILP_TOKEN_RID(member), "%s is %s, but there is %s row of %s", name,
                        flag ? "set" : "not set", flag ? "no" : "a", ilpi_tables[table].name);
    }
}

/* ---- fields ---- */

/* II.22.15: name, access, literal, special names, owner; then the flags that announce a row of
 * another table. */
static void check_field(struct ilpi_verifier *verifier, ilp_rid rid)
{
    const struct ilp_image *image = verifier->image;
    ilp_token field = ILP_TOKEN(ILP_Field, rid);
    uint32_t flags = ilp_cell(image, ILP_Field, rid, ILP_Field_Flags);
    ilp_rid owner = ilp_owner_of_field(image, rid);
    if (ilp_string(image, ilp_cell(image, ILP_Field, rid, ILP_Field_Name))[0] == '\0') {
        ilpi_report_row(verifier, ILPI_FIND_NAME_EMPTY, ILP_Field, rid, "a field without a name");
    }
    if ((flags & ILPI_FIELD_ACCESS_MASK) > ILPI_FIELD_PUBLIC) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_Field, rid, "no such access: 7");
    }
    if ((flags & (ILPI_FIELD_LITERAL | ILPI_FIELD_INIT_ONLY)) ==
        (ILPI_FIELD_LITERAL | ILPI_FIELD_INIT_ONLY)) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_Field, rid, "both literal and init-only");
    }
    if ((flags & ILPI_FIELD_LITERAL) != 0 && (flags & ILPI_FIELD_STATIC) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_Field, rid, "a literal that is not static");
    }
    if ((flags & ILPI_FIELD_RT_SPECIAL_NAME) != 0 && (flags & ILPI_FIELD_SPECIAL_NAME) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_Field, rid,
                        "RTSpecialName without SpecialName");
    }
    uint32_t of_owner = ilp_cell(image, ILP_TypeDef, owner, ILP_TypeDef_Flags);
    if (owner == 0) {
        ilpi_report_row(verifier, ILPI_FIND_MEMBER_OWNER, ILP_Field, rid, "no type has this field");
    } else if (((of_owner & ILPI_TYPE_INTERFACE) != 0 || owner == 1) &&
               (flags & ILPI_FIELD_STATIC) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_MEMBER_OWNER, ILP_Field, rid,
                        "an instance field of an interface or of <Module>");
    }
    check_flag_row(verifier, field, (flags & ILPI_FIELD_HAS_DEFAULT) != 0, "HasDefault",
                   ILP_Constant, ILPI_CODED_HasConstant);
    check_flag_row(verifier, field, (flags & ILPI_FIELD_HAS_MARSHAL) != 0, "HasFieldMarshal",
                   ILP_FieldMarshal, ILPI_CODED_HasFieldMarshal);
    check_flag_row(verifier, field, (flags & ILPI_FIELD_HAS_RVA) != 0, "HasFieldRVA", ILP_FieldRVA,
                   ILPI_CODED_COUNT);
}

/* ---- methods ---- */

/* The first wrong combination is reported: the others mostly follow from it. Static virtual methods
 * of interfaces exist since .NET 7. */
static void check_method_flags(struct ilpi_verifier *verifier, ilp_rid rid, uint32_t flags,
                               ilp_rid owner)
{
    uint32_t of_owner = ilp_cell(verifier->image, ILP_TypeDef, owner, ILP_TypeDef_Flags);
    bool interface = (of_owner & ILPI_TYPE_INTERFACE) != 0;
    const char *wrong = NULL;
    if ((flags & ILPI_METHOD_ACCESS_MASK) > ILPI_METHOD_PUBLIC) {
        wrong = "no such access: 7";
    } else if ((flags & ILPI_METHOD_ABSTRACT) != 0 && (flags & ILPI_METHOD_VIRTUAL) == 0) {
        wrong = "abstract, but not virtual";
    } else if ((flags & ILPI_METHOD_ABSTRACT) != 0 && (flags & ILPI_METHOD_FINAL) != 0 &&
               !interface) {
        wrong = "both abstract and final";
    } else if ((flags & ILPI_METHOD_STATIC) != 0 && (flags & ILPI_METHOD_VIRTUAL) != 0 &&
               !interface) {
        wrong = "both static and virtual, and not in an interface";
    } else if ((flags & ILPI_METHOD_NEW_SLOT) != 0 && (flags & ILPI_METHOD_VIRTUAL) == 0) {
        wrong = "a new slot, but not virtual";
    } else if ((flags & ILPI_METHOD_FINAL) != 0 && (flags & ILPI_METHOD_VIRTUAL) == 0) {
        wrong = "final, but not virtual";
    } else if ((flags & ILPI_METHOD_RT_SPECIAL_NAME) != 0 &&
               (flags & ILPI_METHOD_SPECIAL_NAME) == 0) {
        wrong = "RTSpecialName without SpecialName";
    }
    if (wrong) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_MethodDef, rid, "%s", wrong);
    }
    if (owner == 0) {
        ilpi_report_row(verifier, ILPI_FIND_MEMBER_OWNER, ILP_MethodDef, rid,
                        "no type has this method");
    } else if ((flags & ILPI_METHOD_ABSTRACT) != 0 && (of_owner & ILPI_TYPE_ABSTRACT) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_MEMBER_OWNER, ILP_MethodDef, rid,
                        "an abstract method of a class that is not abstract");
    } else if (owner == 1 && (flags & ILPI_METHOD_STATIC) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_MEMBER_OWNER, ILP_MethodDef, rid,
                        "an instance method of <Module>");
    }
}

/* The runtime provides its body (.NET 8 and later). */
static bool is_accessor(const struct ilp_image *image, ilp_rid method)
{
    return ilpi_has_attribute(image, ILP_TOKEN(ILP_MethodDef, method),
                              "System.Runtime.CompilerServices", "UnsafeAccessorAttribute");
}

/* An abstract method has no body; an IL method that is not provided otherwise has one. Reference
 * assemblies (ReferenceAssemblyAttribute) have no bodies, or `throw null`. */
static void check_method_rva(struct ilpi_verifier *verifier, ilp_rid rid, uint32_t flags)
{
    const struct ilp_image *image = verifier->image;
    uint32_t impl = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags);
    uint32_t rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
    uint32_t code_type = impl & ILPI_METHOD_IMPL_CODE_TYPE_MASK;
    bool without = (flags & (ILPI_METHOD_ABSTRACT | ILPI_METHOD_PINVOKE)) != 0 ||
                   (impl & (ILPI_METHOD_IMPL_INTERNAL_CALL | ILPI_METHOD_IMPL_FORWARD_REF)) != 0 ||
                   code_type == ILPI_METHOD_IMPL_RUNTIME;
    bool native = code_type == ILPI_METHOD_IMPL_NATIVE; /* C++/CLI: P/Invoke with an RVA */
    if (rva != 0 && without && !native) {
        ilpi_report_row(verifier, ILPI_FIND_METHOD_BODY, ILP_MethodDef, rid,
                        "a body that it may not have");
    } else if (rva == 0 && !without && !native && !is_accessor(image, rid)) {
        ilpi_report_row(verifier, ILPI_FIND_METHOD_BODY, ILP_MethodDef, rid, "no body");
    }
    if (rva != 0 && image->pe.layout != ILP_LAYOUT_METADATA &&
        ilp_image_rva(image, rva, NULL).size == 0) {
        ilpi_report_row(verifier, ILPI_FIND_DATA_RVA, ILP_MethodDef, rid, "its code is at RVA 0x%X",
                        rva);
    }
}

/* The signature's first bytes agree with flags and GenericParam rows; .ctor and .cctor have their
 * forms (II.10.5). */
static void check_method_head(struct ilpi_verifier *verifier, ilp_rid rid, uint32_t flags)
{
    const struct ilp_image *image = verifier->image;
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature));
    const char *name = ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name));
    struct ilpi_sig_call call;
    if (name[0] == '\0') {
        ilpi_report_row(verifier, ILPI_FIND_NAME_EMPTY, ILP_MethodDef, rid,
                        "a method without a name");
    }
    if (ilpi_sig_call_shape(blob, 0, &call, NULL) != ILP_OK) {
        return; /* signatures.c reports it */
    }
    bool has_this = (call.convention & ILP_CALL_HASTHIS) != 0;
    if (has_this == ((flags & ILPI_METHOD_STATIC) != 0)) {
        ilpi_report_row(verifier, ILPI_FIND_SIGNATURE_THIS, ILP_MethodDef, rid, "the method is %s",
                        has_this ? "static" : "not static");
    }
    uint32_t declared = 0;
    if ((call.convention & ILP_CALL_GENERIC) != 0) {
        struct ilpi_cursor in = ilpi_cursor_over(blob, 0, "", NULL);
        ilpi_read_u8(&in);
        declared = ilpi_read_packed(&in);
    }
    uint32_t rows = ilpi_generic_count(image, ILP_TOKEN(ILP_MethodDef, rid));
    if (declared != rows) {
        ilpi_report_row(verifier, ILPI_FIND_GENERIC_COUNT, ILP_MethodDef, rid,
                        "its signature says %u generic parameters, the rows %u", declared, rows);
    }
    bool cctor = strcmp(name, ".cctor") == 0;
    if (cctor || strcmp(name, ".ctor") == 0) {
        bool special = (flags & ILPI_METHOD_RT_SPECIAL_NAME) != 0 &&
                       (flags & ILPI_METHOD_SPECIAL_NAME) != 0;
        bool kind = ((flags & ILPI_METHOD_STATIC) != 0) == cctor &&
                    (flags & ILPI_METHOD_VIRTUAL) == 0;
        if (!special || !kind || call.returns || declared != 0 || (cctor && call.params != 0)) {
            ilpi_report_row(verifier, ILPI_FIND_METHOD_SPECIAL, ILP_MethodDef, rid,
                            "%s: flags 0x%X, %s", name, flags,
                            call.returns ? "returns a value" : "or its signature");
        }
    }
}

/* Sequence 0 is the return value; numbers rise up to the number of parameters (II.22.33). */
static void check_params(struct ilpi_verifier *verifier, ilp_rid method)
{
    const struct ilp_image *image = verifier->image;
    struct ilp_bytes blob =
        ilp_blob(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature));
    struct ilpi_sig_call call;
    bool known = ilpi_sig_call_shape(blob, 0, &call, NULL) == ILP_OK;
    ilp_rid first;
    ilp_rid end;
    int64_t last = -1;
    ilpi_list(image, ILP_MethodDef, method, ILP_MethodDef_ParamList, &first, &end);
    /* The runs of broken lists overlap: a parameter may belong to every method, and be reported
     * each time. */
    for (ilp_rid position = first; position < end && ilpi_spend_work(verifier, 64); position++) {
        ilp_rid rid = ilpi_list_row(image, ILP_Param, position);
        uint32_t sequence = ilp_cell(image, ILP_Param, rid, ILP_Param_Sequence);
        uint32_t flags = ilp_cell(image, ILP_Param, rid, ILP_Param_Flags);
        ilp_token param = ILP_TOKEN(ILP_Param, rid);
        if ((int64_t)sequence <= last || (known && sequence > call.params)) {
            ilpi_report_row(verifier, ILPI_FIND_PARAM_SEQUENCE, ILP_Param, rid,
                            "number %u, after %lld, of %u parameters of method 0x%08X", sequence,
                            (long long)last, call.params, ILP_TOKEN(ILP_MethodDef, method));
        }
        last = sequence;
        check_flag_row(verifier, param, (flags & ILPI_PARAM_HAS_DEFAULT) != 0, "HasDefault",
                       ILP_Constant, ILPI_CODED_HasConstant);
        check_flag_row(verifier, param, (flags & ILPI_PARAM_HAS_MARSHAL) != 0, "HasFieldMarshal",
                       ILP_FieldMarshal, ILPI_CODED_HasFieldMarshal);
    }
}

/* Linear: owners are found by bisection, and rows of keyed tables too. */
void ilpi_verify_members(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_Field].count; rid++) {
        check_field(verifier, rid);
    }
    for (ilp_rid rid = 1; rid <= image->tables[ILP_MethodDef].count && verifier->status == ILP_OK;
         rid++) {
        uint32_t flags = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Flags);
        check_method_flags(verifier, rid, flags, ilp_owner_of_method(image, rid));
        check_method_rva(verifier, rid, flags);
        check_method_head(verifier, rid, flags);
        check_params(verifier, rid);
        check_flag_row(verifier, ILP_TOKEN(ILP_MethodDef, rid), (flags & ILPI_METHOD_PINVOKE) != 0,
                       "PInvokeImpl", ILP_ImplMap, ILPI_CODED_MemberForwarded);
    }
}
