/* Fields, methods and parameters of an embedded type (II.22.15, II.22.26, II.22.33, II.22.20), and
 * the rows that belong to them. */
#include "inspect/embed/members.h"

#include "inspect/embed/attribute.h"
#include "inspect/embed/body.h"
#include "inspect/embed/token.h"
#include "metadata/flags.h"

/* A native type that names a managed one (II.23.4). */
#define NATIVE_TYPE_CUSTOM_MARSHALER 0x2Cu

/* ---- rows of a field or a parameter ---- */

/* II.22.9: the default value of a field, parameter or property. A blob without tokens, so it is
 * copied. */
ilp_status ilpi_embed_constant(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                               struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(embedding->from, ILP_Constant,
                                     ilpi_token_to_coded(ILPI_CODED_HasConstant, from), &position);
    if (row == 0) {
        return ILP_OK;
    }
    uint32_t cells[ILP_Constant_COLUMNS] = {
        [ILP_Constant_Type] = ilpi_embed_cell(embedding, ILP_Constant, row, ILP_Constant_Type),
        [ILP_Constant_Parent] = to,
    };
    ILPI_TRY(ilpi_embed_blob(embedding,
                             ilp_blob(embedding->from, ilpi_embed_cell(embedding, ILP_Constant, row,
                                                                       ILP_Constant_Value)),
                             &cells[ILP_Constant_Value], error));
    return ilpi_embed_row(embedding, ILP_Constant, cells, &row, error);
}

/* II.22.17. A custom marshaler names a type in its blob, which would have to be renamed as well. */
static ilp_status marshalling(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                              struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(embedding->from, ILP_FieldMarshal,
                                     ilpi_token_to_coded(ILPI_CODED_HasFieldMarshal, from),
                                     &position);
    if (row == 0) {
        return ILP_OK;
    }
    struct ilp_bytes type =
        ilp_blob(embedding->from,
                 ilpi_embed_cell(embedding, ILP_FieldMarshal, row, ILP_FieldMarshal_NativeType));
    if (type.size != 0 && type.data[0] == NATIVE_TYPE_CUSTOM_MARSHALER) {
        return ilpi_embed_refuse(embedding, from, error,
                                 "it has a field or parameter with a marshaller");
    }
    uint32_t cells[ILP_FieldMarshal_COLUMNS] = {[ILP_FieldMarshal_Parent] = to};
    ILPI_TRY(ilpi_embed_blob(embedding, type, &cells[ILP_FieldMarshal_NativeType], error));
    return ilpi_embed_row(embedding, ILP_FieldMarshal, cells, &row, error);
}

/* II.22.16: the offset of a field of an explicit layout. */
static ilp_status field_offset(struct ilpi_embedding *embedding, ilp_rid field, ilp_token to,
                               struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(embedding->from, ILP_FieldLayout, field, &position);
    if (row == 0) {
        return ILP_OK;
    }
    uint32_t cells[ILP_FieldLayout_COLUMNS] = {
        [ILP_FieldLayout_Offset] = ilpi_embed_cell(embedding, ILP_FieldLayout, row,
                                                   ILP_FieldLayout_Offset),
        [ILP_FieldLayout_Field] = ILP_TOKEN_RID(to),
    };
    return ilpi_embed_row(embedding, ILP_FieldLayout, cells, &row, error);
}

/* ---- fields ---- */

/* The field's own row precedes those that refer to it. RVA and data (II.22.18) are for body.c. */
static ilp_status field(struct ilpi_embedding *embedding, ilp_rid rid, struct ilp_error *error)
{
    ilp_token from = ILP_TOKEN(ILP_Field, rid);
    uint32_t cells[ILP_Field_COLUMNS] = {
        [ILP_Field_Flags] = ilpi_embed_cell(embedding, ILP_Field, rid, ILP_Field_Flags)};
    uint32_t name = ilpi_embed_cell(embedding, ILP_Field, rid, ILP_Field_Name);
    ilp_rid added;
    if ((cells[ILP_Field_Flags] & ILPI_FIELD_PINVOKE) != 0) {
        return ilpi_embed_refuse(embedding, from, error, "the field %.200s is native",
                                 ilp_string(embedding->from, name));
    }
    ILPI_TRY(ilpi_embed_string(embedding, name, &cells[ILP_Field_Name], error));
    ILPI_TRY(ilpi_embed_signature(embedding,
                                  ilpi_embed_cell(embedding, ILP_Field, rid, ILP_Field_Signature),
                                  ILP_SIG_FIELD, &cells[ILP_Field_Signature], error));
    ILPI_TRY(ilpi_embed_row(embedding, ILP_Field, cells, &added, error));
    ilp_token to = ILP_TOKEN(ILP_Field, added);
    ILPI_TRY(ilpi_embed_constant(embedding, from, to, error));
    ILPI_TRY(marshalling(embedding, from, to, error));
    ILPI_TRY(field_offset(embedding, rid, to, error));
    ILPI_TRY(ilpi_embed_data(embedding, rid, to, error));
    return ilpi_embed_attributes(embedding, from, to, error);
}

ilp_status ilpi_embed_fields(struct ilpi_embedding *embedding, ilp_rid type,
                             struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(embedding->from, ILP_TypeDef, type, ILP_TypeDef_FieldList, &first, &end);
    for (; first < end; first++) {
        ILPI_TRY(field(embedding, ilpi_list_row(embedding->from, ILP_Field, first), error));
    }
    return ILP_OK;
}

/* ---- generic parameters ---- */

/* II.22.21. The constraint is a token, mapped as any other. */
static ilp_status constraints(struct ilpi_embedding *embedding, ilp_rid param, ilp_rid to,
                              struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(embedding->from, ILP_GenericParamConstraint, param,
                                     &position)) != 0) {
        uint32_t cells[ILP_GenericParamConstraint_COLUMNS] = {
            [ILP_GenericParamConstraint_Owner] = to};
        ilp_rid added;
        ILPI_TRY(ilpi_embed_token(embedding,
                                  ilpi_embed_cell(embedding, ILP_GenericParamConstraint, row,
                                                  ILP_GenericParamConstraint_Constraint),
                                  &cells[ILP_GenericParamConstraint_Constraint], error));
        ILPI_TRY(ilpi_embed_row(embedding, ILP_GenericParamConstraint, cells, &added, error));
        ILPI_TRY(ilpi_embed_attributes(embedding, ILP_TOKEN(ILP_GenericParamConstraint, row),
                                       ILP_TOKEN(ILP_GenericParamConstraint, added), error));
    }
    return ILP_OK;
}

/* II.22.20: number, flags and name; the owner is the new row. Their order by number is that of the
 * table. */
ilp_status ilpi_embed_generic_params(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                                     struct ilp_error *error)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef, from);
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(embedding->from, ILP_GenericParam, key, &position)) != 0) {
        uint32_t cells[ILP_GenericParam_COLUMNS] = {
            [ILP_GenericParam_Number] = ilpi_embed_cell(embedding, ILP_GenericParam, row,
                                                        ILP_GenericParam_Number),
            [ILP_GenericParam_Flags] = ilpi_embed_cell(embedding, ILP_GenericParam, row,
                                                       ILP_GenericParam_Flags),
            [ILP_GenericParam_Owner] = to,
        };
        ilp_rid added;
        ILPI_TRY(ilpi_embed_string(
            embedding, ilpi_embed_cell(embedding, ILP_GenericParam, row, ILP_GenericParam_Name),
            &cells[ILP_GenericParam_Name], error));
        ILPI_TRY(ilpi_embed_row(embedding, ILP_GenericParam, cells, &added, error));
        ILPI_TRY(constraints(embedding, row, added, error));
        ILPI_TRY(ilpi_embed_attributes(embedding, ILP_TOKEN(ILP_GenericParam, row),
                                       ILP_TOKEN(ILP_GenericParam, added), error));
    }
    return ILP_OK;
}

/* ---- methods ---- */

/* II.22.33: rows for parameters with a name, attributes or defaults, which need not be all. */
static ilp_status params(struct ilpi_embedding *embedding, ilp_rid method, struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(embedding->from, ILP_MethodDef, method, ILP_MethodDef_ParamList, &first, &end);
    for (; first < end; first++) {
        ilp_rid rid = ilpi_list_row(embedding->from, ILP_Param, first);
        ilp_token from = ILP_TOKEN(ILP_Param, rid);
        uint32_t cells[ILP_Param_COLUMNS] = {
            [ILP_Param_Flags] = ilpi_embed_cell(embedding, ILP_Param, rid, ILP_Param_Flags),
            [ILP_Param_Sequence] = ilpi_embed_cell(embedding, ILP_Param, rid, ILP_Param_Sequence),
        };
        ilp_rid added;
        ILPI_TRY(ilpi_embed_string(embedding,
                                   ilpi_embed_cell(embedding, ILP_Param, rid, ILP_Param_Name),
                                   &cells[ILP_Param_Name], error));
        ILPI_TRY(ilpi_embed_row(embedding, ILP_Param, cells, &added, error));
        ILPI_TRY(ilpi_embed_constant(embedding, from, ILP_TOKEN(ILP_Param, added), error));
        ILPI_TRY(marshalling(embedding, from, ILP_TOKEN(ILP_Param, added), error));
        ILPI_TRY(ilpi_embed_attributes(embedding, from, ILP_TOKEN(ILP_Param, added), error));
    }
    return ILP_OK;
}

/* Why a method cannot be copied; NULL when it can. */
static const char *obstacle(uint32_t flags, uint32_t impl, uint32_t rva)
{
    uint32_t code = impl & ILPI_METHOD_IMPL_CODE_TYPE_MASK;
    bool bodiless = (flags & (ILPI_METHOD_ABSTRACT | ILPI_METHOD_PINVOKE)) != 0;
    if ((flags & ILPI_METHOD_UNMANAGED_EXPORT) != 0) {
        return "is exported to native code";
    }
    if ((flags & (ILPI_METHOD_HAS_SECURITY | ILPI_METHOD_REQUIRES_SECURITY)) != 0) {
        return "has declarative security";
    }
    if ((impl & (ILPI_METHOD_IMPL_UNMANAGED | ILPI_METHOD_IMPL_INTERNAL_CALL)) != 0 ||
        (code != ILPI_METHOD_IMPL_IL && code != ILPI_METHOD_IMPL_RUNTIME)) {
        return "is native";
    }
    /* a body where there must be none, or none where there must be one */
    return (rva != 0) == (code == ILPI_METHOD_IMPL_RUNTIME || bodiless)
               ? "has no body or one that it cannot have"
               : NULL;
}

/* The ModuleRef of a native library: one of the module's, or a new one. A second row of one name is
 * a warning of II.22.31. */
static ilp_status library(struct ilpi_embedding *embedding, ilp_rid from, ilp_rid *to,
                          struct ilp_error *error)
{
    const char *name = ilp_string(
        embedding->from, ilpi_embed_cell(embedding, ILP_ModuleRef, from, ILP_ModuleRef_Name));
    uint32_t count = embedding->committing ? ilp_edit_row_count(embedding->edit, ILP_ModuleRef) : 0;
    uint32_t cells[ILP_ModuleRef_COLUMNS];
    for (ilp_rid rid = 1; rid <= count; rid++) {
        uint32_t there = ilp_edit_cell(embedding->edit, ILP_ModuleRef, rid, ILP_ModuleRef_Name);
        if (strcmp(ilpi_edit_string(embedding->edit, there), name) == 0) {
            *to = rid;
            return ILP_OK;
        }
    }
    ILPI_TRY(ilpi_embed_string(embedding,
                               ilpi_embed_cell(embedding, ILP_ModuleRef, from, ILP_ModuleRef_Name),
                               &cells[ILP_ModuleRef_Name], error));
    return ilpi_embed_row(embedding, ILP_ModuleRef, cells, to, error);
}

/* The native function of a P/Invoke method (II.22.22). */
static ilp_status import(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                         struct ilp_error *error)
{
    uint32_t position = 0;
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_MemberForwarded, from);
    ilp_rid row = ilpi_next_with_key(embedding->from, ILP_ImplMap, key, &position);
    ilp_rid scope = row != 0 ? ilpi_embed_cell(embedding, ILP_ImplMap, row, ILP_ImplMap_ImportScope)
                             : 0;
    if (scope == 0 || scope > ilp_row_count(embedding->from, ILP_ModuleRef)) {
        return ilpi_embed_refuse(embedding, from, error, "a P/Invoke says nothing of its function");
    }
    uint32_t cells[ILP_ImplMap_COLUMNS] = {
        [ILP_ImplMap_MappingFlags] = ilpi_embed_cell(embedding, ILP_ImplMap, row,
                                                     ILP_ImplMap_MappingFlags),
        [ILP_ImplMap_MemberForwarded] = to,
    };
    ILPI_TRY(ilpi_embed_string(embedding,
                               ilpi_embed_cell(embedding, ILP_ImplMap, row, ILP_ImplMap_ImportName),
                               &cells[ILP_ImplMap_ImportName], error));
    ILPI_TRY(library(embedding, scope, &cells[ILP_ImplMap_ImportScope], error));
    return ilpi_embed_row(embedding, ILP_ImplMap, cells, &row, error);
}

/* ParamList is the next row of Param, where the parameters that follow will be (II.22.26): rows are
 * added in exactly this order. */
static ilp_status method(struct ilpi_embedding *embedding, ilp_rid rid, struct ilp_error *error)
{
    ilp_token from = ILP_TOKEN(ILP_MethodDef, rid);
    uint32_t name = ilpi_embed_cell(embedding, ILP_MethodDef, rid, ILP_MethodDef_Name);
    uint32_t cells[ILP_MethodDef_COLUMNS] = {
        [ILP_MethodDef_ImplFlags] = ilpi_embed_cell(embedding, ILP_MethodDef, rid,
                                                    ILP_MethodDef_ImplFlags),
        [ILP_MethodDef_Flags] = ilpi_embed_cell(embedding, ILP_MethodDef, rid, ILP_MethodDef_Flags),
        [ILP_MethodDef_ParamList] =
            embedding->committing ? ilp_edit_row_count(embedding->edit, ILP_Param) + 1 : 0,
    };
    const char *why = obstacle(cells[ILP_MethodDef_Flags], cells[ILP_MethodDef_ImplFlags],
                               ilpi_embed_cell(embedding, ILP_MethodDef, rid, ILP_MethodDef_RVA));
    ilp_rid added;
    if (why) {
        ilp_token owner = ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(embedding->from, rid));
        return ilpi_embed_refuse(embedding, from, error, "%.120s::%.80s %s",
                                 ilpi_embed_name(embedding, owner),
                                 ilp_string(embedding->from, name), why);
    }
    ILPI_TRY(ilpi_embed_string(embedding, name, &cells[ILP_MethodDef_Name], error));
    ILPI_TRY(ilpi_embed_signature(
        embedding, ilpi_embed_cell(embedding, ILP_MethodDef, rid, ILP_MethodDef_Signature),
        ILP_SIG_METHOD, &cells[ILP_MethodDef_Signature], error));
    ILPI_TRY(ilpi_embed_row(embedding, ILP_MethodDef, cells, &added, error));
    if ((cells[ILP_MethodDef_Flags] & ILPI_METHOD_PINVOKE) != 0) {
        ILPI_TRY(import(embedding, from, ILP_TOKEN(ILP_MethodDef, added), error));
    }
    ILPI_TRY(params(embedding, rid, error));
    ILPI_TRY(ilpi_embed_generic_params(embedding, from, ILP_TOKEN(ILP_MethodDef, added), error));
    return ilpi_embed_attributes(embedding, from, ILP_TOKEN(ILP_MethodDef, added), error);
}

ilp_status ilpi_embed_methods(struct ilpi_embedding *embedding, ilp_rid type,
                              struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(embedding->from, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ILPI_TRY(method(embedding, ilpi_list_row(embedding->from, ILP_MethodDef, first), error));
    }
    return ILP_OK;
}
