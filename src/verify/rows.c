/* Checks single rows of the other tables (II.22): Module, Assembly, constants, accessors,
 * attributes, data, the entry point. */
#include "metadata/flags.h"
#include "verify/verifier.h"

/* II.23.1.16: the size of a constant of each element type, 0 for any size, NO if not allowed. The
 * list is by element type, from END (0) to STRING (0x0E). */
enum { NO = 0xFF };
static uint8_t constant_size(uint32_t element)
{
    static const uint8_t sizes[] = {NO, NO, 1, 2, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0};
    if (element == ILP_ELEMENT_CLASS) {
        return 4; /* null */
    }
    return element < sizeof sizes ? sizes[element] : NO;
}

/* II.22.9: Type is an element type, Value a blob of its size. */
static void check_constants(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_Constant].count; rid++) {
        uint32_t type = ilp_cell(image, ILP_Constant, rid, ILP_Constant_Type);
        size_t size = ilp_blob(image, ilp_cell(image, ILP_Constant, rid, ILP_Constant_Value)).size;
        uint8_t expected = constant_size(type);
        if (expected == NO || (expected != 0 && size != expected)) {
            ilpi_report_row(verifier, ILPI_FIND_CONSTANT, ILP_Constant, rid,
                            "%zu bytes of type 0x%02X", size, type);
        }
    }
}

/* ---- accessors and overrides ---- */

/* The type whose EventMap or PropertyMap run contains a row; 0 if there is none. The last run that
 * begins at or before it, as in owner_of() of metadata/find.c. */
static ilp_rid owner_in_map(const struct ilp_image *image, unsigned map, unsigned list,
                            unsigned parent, ilp_rid member)
{
    ilp_rid low = 1;
    ilp_rid high = image->tables[map].count + 1;
    while (low < high) {
        ilp_rid middle = low + (high - low) / 2;
        if (ilpi_cell_raw(&image->tables[map], middle, list) <= member) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return ilp_cell(image, map, low - 1, parent);
}

/* II.22.28: one role in each row, of the kind that a property or an event has, and a method of the
 * type that has the property. The owner of a property is found through its map row, by the runs of
 * PropertyMap; with the Ptr tables, which are indirect, it is not checked. */
static void check_semantics(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_MethodSemantics].count; rid++) {
        uint32_t role = ilp_cell(image, ILP_MethodSemantics, rid, ILP_MethodSemantics_Semantics);
        ilp_rid method = ilp_cell(image, ILP_MethodSemantics, rid, ILP_MethodSemantics_Method);
        ilp_token of = ilp_cell(image, ILP_MethodSemantics, rid, ILP_MethodSemantics_Association);
        bool event = ILP_TOKEN_TABLE(of) == ILP_Event;
        /* II.23.1.12: 1 setter, 2 getter, 4 other, 8 add, 16 remove, 32 fire */
        uint32_t allowed = event ? 0x3C : 0x07;
        if (role == 0 || (role & (role - 1)) != 0 || (role & ~allowed) != 0) {
            ilpi_report_row(verifier, ILPI_FIND_SEMANTICS, ILP_MethodSemantics, rid,
                            "the role 0x%X of %s", role, event ? "an event" : "a property");
        }
        ilp_rid owner = event ? owner_in_map(image, ILP_EventMap, ILP_EventMap_EventList,
                                             ILP_EventMap_Parent, ILP_TOKEN_RID(of))
                              : owner_in_map(image, ILP_PropertyMap, ILP_PropertyMap_PropertyList,
                                             ILP_PropertyMap_Parent, ILP_TOKEN_RID(of));
        bool direct = image->tables[ILP_EventPtr].count == 0 &&
                      image->tables[ILP_PropertyPtr].count == 0;
        if (direct && method != 0 && ilp_owner_of_method(image, method) != owner) {
            ilpi_report_row(verifier, ILPI_FIND_SEMANTICS, ILP_MethodSemantics, rid,
                            "method 0x%08X is of another type than 0x%08X",
                            ILP_TOKEN(ILP_MethodDef, method), of);
        }
    }
}

/* II.22.27. Only a MethodDef's owner is known here; a MemberRef as a body is resolved when it is
 * used. */
static void check_overrides(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_MethodImpl].count; rid++) {
        ilp_rid type = ilp_cell(image, ILP_MethodImpl, rid, ILP_MethodImpl_Class);
        ilp_token body = ilp_cell(image, ILP_MethodImpl, rid, ILP_MethodImpl_MethodBody);
        if (ILP_TOKEN_TABLE(body) == ILP_MethodDef && ILP_TOKEN_RID(body) != 0 &&
            ilp_owner_of_method(image, ILP_TOKEN_RID(body)) != type) {
            ilpi_report_row(verifier, ILPI_FIND_MEMBER_OWNER, ILP_MethodImpl, rid,
                            "0x%08X is not a method of type 0x%08X", body,
                            ILP_TOKEN(ILP_TypeDef, type));
        }
    }
}

/* ---- attributes ---- */

static const char *constructor_name(const struct ilp_image *image, ilp_token method)
{
    bool ref = ILP_TOKEN_TABLE(method) == ILP_MemberRef;
    return ilp_string(image,
                      ilp_cell(image, ref ? ILP_MemberRef : ILP_MethodDef, ILP_TOKEN_RID(method),
                               ref ? (unsigned)ILP_MemberRef_Name : (unsigned)ILP_MethodDef_Name));
}

/* An empty value means no arguments; any other begins with 1 (II.23.3). */
static void check_attributes(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_CustomAttribute].count; rid++) {
        ilp_token method = ilp_cell(image, ILP_CustomAttribute, rid, ILP_CustomAttribute_Type);
        struct ilp_bytes value =
            ilp_blob(image, ilp_cell(image, ILP_CustomAttribute, rid, ILP_CustomAttribute_Value));
        if (strcmp(constructor_name(image, method), ".ctor") != 0) {
            ilpi_report_row(verifier, ILPI_FIND_ATTRIBUTE, ILP_CustomAttribute, rid,
                            "0x%08X is not a constructor", method);
        }
        if (value.size != 0 && (value.size < 4 || ilpi_load_u16(value.data) != 1)) {
            ilpi_report_row(verifier, ILPI_FIND_ATTRIBUTE, ILP_CustomAttribute, rid,
                            "a value of %zu bytes that does not begin with 1", value.size);
        }
    }
}

/* ---- names, data, the file as a whole ---- */

/* Tables with a Name that no other file of this folder checks. II.22 requires a name that is not
 * empty in each. */
static void check_names(struct ilpi_verifier *verifier)
{
    static const uint8_t named[][2] = {{ILP_Module, ILP_Module_Name},
                                       {ILP_TypeRef, ILP_TypeRef_TypeName},
                                       {ILP_MemberRef, ILP_MemberRef_Name},
                                       {ILP_Event, ILP_Event_Name},
                                       {ILP_Property, ILP_Property_Name},
                                       {ILP_ModuleRef, ILP_ModuleRef_Name},
                                       {ILP_Assembly, ILP_Assembly_Name},
                                       {ILP_AssemblyRef, ILP_AssemblyRef_Name},
                                       {ILP_File, ILP_File_Name},
                                       {ILP_ExportedType, ILP_ExportedType_TypeName},
                                       {ILP_ManifestResource, ILP_ManifestResource_Name}};
    const struct ilp_image *image = verifier->image;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        unsigned table = named[i][0];
        for (ilp_rid rid = 1; rid <= image->tables[table].count; rid++) {
            /* a ModuleRef without a name is the program itself (II.22.31, Mono's libraries) */
            if (table != ILP_ModuleRef &&
                ilp_string(image, ilp_cell(image, table, rid, named[i][1]))[0] == '\0') {
                ilpi_report_row(verifier, ILPI_FIND_NAME_EMPTY, table, rid,
                                "a row of %s without a name", ilpi_tables[table].name);
            }
        }
    }
}

/* II.22.18: the RVA is of data in the file, or in the zeroed end of a section. */
static void check_data(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_FieldRVA].count; rid++) {
        uint32_t rva = ilp_cell(image, ILP_FieldRVA, rid, ILP_FieldRVA_RVA);
        bool bare = image->pe.layout == ILP_LAYOUT_METADATA;
        if (!bare && ilp_image_rva(image, rva, NULL).size == 0) {
            /* zeroed data may be in the part of a section that is not in the file */
            bool in_section = false;
            for (unsigned i = 0; i < image->pe.section_count; i++) {
                const struct ilpi_section *section = &image->pe.sections[i];
                in_section = in_section ||
                             (rva >= section->rva && rva - section->rva < section->virtual_size);
            }
            if (!in_section) {
                ilpi_report_row(verifier, ILPI_FIND_DATA_RVA, ILP_FieldRVA, rid,
                                "its data is at RVA 0x%X", rva);
            }
        }
    }
}

/* A native entry point (COMIMAGE_FLAGS_NATIVE_ENTRYPOINT) is an RVA instead of a token. */
#define CLI_NATIVE_ENTRY_POINT 0x10u

/* The CLI header's EntryPointToken (II.25.3.3): a static method with a body, or a File for an
 * assembly of several modules. A flag says if it is the RVA of native code instead. */
static void check_entry_point(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    ilp_token entry = image->pe.entry_point;
    ilp_rid rid = ILP_TOKEN_RID(entry);
    if (image->pe.layout == ILP_LAYOUT_METADATA || entry == 0 ||
        (image->pe.cli_flags & CLI_NATIVE_ENTRY_POINT) != 0) {
        return;
    }
    bool file = ILP_TOKEN_TABLE(entry) == ILP_File && rid - 1 < image->tables[ILP_File].count;
    bool method = ILP_TOKEN_TABLE(entry) == ILP_MethodDef &&
                  rid - 1 < image->tables[ILP_MethodDef].count;
    bool is_static = (ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Flags) &
                      ILPI_METHOD_STATIC) != 0;
    if (!file &&
        !(method && is_static && ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA) != 0)) {
        ilpi_report_row(verifier, ILPI_FIND_ENTRY_POINT, ILP_Module, 1, "it is 0x%08X", entry);
    }
}

/* The Module table has exactly one row (II.22.30), Assembly none or one (II.22.2). */
void ilpi_verify_rows(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    bool symbols = image->tables[ILP_Document].count != 0 ||
                   image->tables[ILP_MethodDebugInformation].count != 0;
    if (image->tables[ILP_Module].count != 1 && !symbols) { /* a Portable PDB has no Module row */
        ilpi_report_row(verifier, ILPI_FIND_ROW_COUNT, ILP_Module, 1, "%u rows of Module",
                        image->tables[ILP_Module].count);
    }
    if (image->tables[ILP_Assembly].count > 1) {
        ilpi_report_row(verifier, ILPI_FIND_ROW_COUNT, ILP_Assembly, 2, "%u rows of Assembly",
                        image->tables[ILP_Assembly].count);
    }
    check_names(verifier);
    check_constants(verifier);
    check_semantics(verifier);
    check_overrides(verifier);
    check_attributes(verifier);
    check_data(verifier);
    check_entry_point(verifier);
}
