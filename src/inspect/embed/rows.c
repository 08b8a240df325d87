/* An embedded type: its row and what belongs to it except members (II.22.37): nesting, layout,
 * interfaces, properties, events, overrides, attributes.
 *
 *   The rows of a type, in the order in which they are added; in brackets what a row brings along:
 *   TypeDef         FieldList and MethodList are the next rows of these tables
 *   Field ...       [Constant, FieldMarshal, FieldLayout, FieldRVA, CustomAttribute]
 *   MethodDef ...   [ImplMap; Param ...; GenericParam ...; CustomAttribute]
 *   NestedClass, ClassLayout, InterfaceImpl ..., GenericParam ...
 *   PropertyMap     [Property ... with MethodSemantics, Constant, CustomAttribute]
 *   EventMap        [Event ... with MethodSemantics, CustomAttribute]
 *   MethodImpl ..., CustomAttribute ... */
#include "inspect/embed/rows.h"

#include "inspect/embed/attribute.h"
#include "inspect/embed/embedded.h"
#include "inspect/embed/members.h"
#include "inspect/embed/token.h"
#include "metadata/flags.h"

/* ---- properties and events ---- */

/* II.22.28: the accessors. They are methods of the same type, and so have a number already. */
static ilp_status semantics(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                            struct ilp_error *error)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasSemantics, from);
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(embedding->from, ILP_MethodSemantics, key, &position)) != 0) {
        ilp_token method;
        ILPI_TRY(ilpi_embed_token(
            embedding,
            ILP_TOKEN(ILP_MethodDef, ilpi_embed_cell(embedding, ILP_MethodSemantics, row,
                                                     ILP_MethodSemantics_Method)),
            &method, error));
        uint32_t cells[ILP_MethodSemantics_COLUMNS] = {
            [ILP_MethodSemantics_Semantics] = ilpi_embed_cell(embedding, ILP_MethodSemantics, row,
                                                              ILP_MethodSemantics_Semantics),
            [ILP_MethodSemantics_Method] = ILP_TOKEN_RID(method),
            [ILP_MethodSemantics_Association] = to,
        };
        ILPI_TRY(ilpi_embed_row(embedding, ILP_MethodSemantics, cells, &row, error));
    }
    return ILP_OK;
}

/* `rid` is the inspector's row first and the new one afterwards. The row precedes what belongs to
 * it, which refers to it. */
static ilp_status property(struct ilpi_embedding *embedding, ilp_rid rid, struct ilp_error *error)
{
    ilp_token from = ILP_TOKEN(ILP_Property, rid);
    uint32_t cells[ILP_Property_COLUMNS] = {
        [ILP_Property_Flags] = ilpi_embed_cell(embedding, ILP_Property, rid, ILP_Property_Flags)};
    ILPI_TRY(ilpi_embed_string(embedding,
                               ilpi_embed_cell(embedding, ILP_Property, rid, ILP_Property_Name),
                               &cells[ILP_Property_Name], error));
    ILPI_TRY(ilpi_embed_signature(embedding,
                                  ilpi_embed_cell(embedding, ILP_Property, rid, ILP_Property_Type),
                                  ILP_SIG_PROPERTY, &cells[ILP_Property_Type], error));
    ILPI_TRY(ilpi_embed_row(embedding, ILP_Property, cells, &rid, error));
    ILPI_TRY(semantics(embedding, from, ILP_TOKEN(ILP_Property, rid), error));
    ILPI_TRY(ilpi_embed_constant(embedding, from, ILP_TOKEN(ILP_Property, rid), error));
    return ilpi_embed_attributes(embedding, from, ILP_TOKEN(ILP_Property, rid), error);
}

static ilp_status event(struct ilpi_embedding *embedding, ilp_rid rid, struct ilp_error *error)
{
    ilp_token from = ILP_TOKEN(ILP_Event, rid);
    uint32_t cells[ILP_Event_COLUMNS] = {
        [ILP_Event_EventFlags] = ilpi_embed_cell(embedding, ILP_Event, rid, ILP_Event_EventFlags)};
    ILPI_TRY(ilpi_embed_string(embedding,
                               ilpi_embed_cell(embedding, ILP_Event, rid, ILP_Event_Name),
                               &cells[ILP_Event_Name], error));
    ILPI_TRY(ilpi_embed_token(embedding,
                              ilpi_embed_cell(embedding, ILP_Event, rid, ILP_Event_EventType),
                              &cells[ILP_Event_EventType], error));
    ILPI_TRY(ilpi_embed_row(embedding, ILP_Event, cells, &rid, error));
    ILPI_TRY(semantics(embedding, from, ILP_TOKEN(ILP_Event, rid), error));
    return ilpi_embed_attributes(embedding, from, ILP_TOKEN(ILP_Event, rid), error);
}

/* A type's run of properties or events begins after the rows there are (II.22.35, II.22.12). */
static ilp_status map_row(struct ilpi_embedding *embedding, ilp_rid type, unsigned table,
                          ilp_token to, struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    bool properties = table == ILP_Property;
    unsigned map_table = properties ? ILP_PropertyMap : ILP_EventMap;
    ilp_rid map = properties ? embedding->property_map[type] : embedding->event_map[type];
    uint32_t count = embedding->committing ? ilp_edit_row_count(embedding->edit, table) : 0;
    uint32_t cells[2] = {ILP_TOKEN_RID(to), count + 1}; /* Parent, then the list, in both tables */
    ilp_rid added;
    if (map == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_embed_row(embedding, map_table, cells, &added, error));
    ilpi_list(embedding->from, map_table, map,
              properties ? (unsigned)ILP_PropertyMap_PropertyList
                         : (unsigned)ILP_EventMap_EventList,
              &first, &end);
    for (; first < end; first++) {
        ilp_rid rid = ilpi_list_row(embedding->from, table, first);
        ILPI_TRY(properties ? property(embedding, rid, error) : event(embedding, rid, error));
    }
    return ILP_OK;
}

/* ---- the type ---- */

/* II.22.8: packing and size. */
static ilp_status layout(struct ilpi_embedding *embedding, ilp_rid type, ilp_token to,
                         struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(embedding->from, ILP_ClassLayout, type, &position);
    if (row == 0) {
        return ILP_OK;
    }
    uint32_t cells[ILP_ClassLayout_COLUMNS] = {
        [ILP_ClassLayout_PackingSize] = ilpi_embed_cell(embedding, ILP_ClassLayout, row,
                                                        ILP_ClassLayout_PackingSize),
        [ILP_ClassLayout_ClassSize] = ilpi_embed_cell(embedding, ILP_ClassLayout, row,
                                                      ILP_ClassLayout_ClassSize),
        [ILP_ClassLayout_Parent] = ILP_TOKEN_RID(to),
    };
    return ilpi_embed_row(embedding, ILP_ClassLayout, cells, &row, error);
}

/* II.22.32. put_in_order() has given the enclosing type a lower row. */
static ilp_status nesting(struct ilpi_embedding *embedding, ilp_rid type, ilp_token to,
                          struct ilp_error *error)
{
    ilp_rid outer = ilp_enclosing_type(embedding->from, type);
    ilp_token mapped;
    if (outer == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_embed_token(embedding, ILP_TOKEN(ILP_TypeDef, outer), &mapped, error));
    uint32_t cells[ILP_NestedClass_COLUMNS] = {
        [ILP_NestedClass_NestedClass] = ILP_TOKEN_RID(to),
        [ILP_NestedClass_EnclosingClass] = ILP_TOKEN_RID(mapped),
    };
    ilp_rid added;
    return ilpi_embed_row(embedding, ILP_NestedClass, cells, &added, error);
}

/* II.22.23, and attributes of the implementation, which C# uses for nullability. */
static ilp_status interfaces(struct ilpi_embedding *embedding, ilp_rid type, ilp_token to,
                             struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(embedding->from, ILP_InterfaceImpl, type, &position)) != 0) {
        uint32_t cells[ILP_InterfaceImpl_COLUMNS] = {[ILP_InterfaceImpl_Class] = ILP_TOKEN_RID(to)};
        ilp_rid added;
        ILPI_TRY(ilpi_embed_token(
            embedding,
            ilpi_embed_cell(embedding, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface),
            &cells[ILP_InterfaceImpl_Interface], error));
        ILPI_TRY(ilpi_embed_row(embedding, ILP_InterfaceImpl, cells, &added, error));
        ILPI_TRY(ilpi_embed_attributes(embedding, ILP_TOKEN(ILP_InterfaceImpl, row),
                                       ILP_TOKEN(ILP_InterfaceImpl, added), error));
    }
    return ILP_OK;
}

/* II.22.27. The body is the type's own method, the declaration one of a base class or interface. */
static ilp_status overrides(struct ilpi_embedding *embedding, ilp_rid type, ilp_token to,
                            struct ilp_error *error)
{
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(embedding->from, ILP_MethodImpl, type, &position)) != 0) {
        uint32_t cells[ILP_MethodImpl_COLUMNS] = {[ILP_MethodImpl_Class] = ILP_TOKEN_RID(to)};
        ILPI_TRY(ilpi_embed_token(
            embedding, ilpi_embed_cell(embedding, ILP_MethodImpl, row, ILP_MethodImpl_MethodBody),
            &cells[ILP_MethodImpl_MethodBody], error));
        ILPI_TRY(ilpi_embed_token(
            embedding,
            ilpi_embed_cell(embedding, ILP_MethodImpl, row, ILP_MethodImpl_MethodDeclaration),
            &cells[ILP_MethodImpl_MethodDeclaration], error));
        ILPI_TRY(ilpi_embed_row(embedding, ILP_MethodImpl, cells, &row, error));
    }
    return ILP_OK;
}

/* No code outside of the module can name an embedded class: it is not public, and its namespace has
 * the mark of embedded.c. A nested type keeps its namespace, which is empty, and its visibility. */
static ilp_status names(struct ilpi_embedding *embedding, ilp_rid type, uint32_t *cells,
                        struct ilp_error *error)
{
    uint32_t name_space = ilpi_embed_cell(embedding, ILP_TypeDef, type, ILP_TypeDef_TypeNamespace);
    ILPI_TRY(ilpi_embed_string(embedding,
                               ilpi_embed_cell(embedding, ILP_TypeDef, type, ILP_TypeDef_TypeName),
                               &cells[ILP_TypeDef_TypeName], error));
    if ((cells[ILP_TypeDef_Flags] & ILPI_TYPE_VISIBILITY_MASK) >= ILPI_TYPE_NESTED_PUBLIC ||
        ilpi_embed_keeps_name(embedding, type)) {
        return ilpi_embed_string(embedding, name_space, &cells[ILP_TypeDef_TypeNamespace], error);
    }
    cells[ILP_TypeDef_Flags] &= ~(uint32_t)ILPI_TYPE_VISIBILITY_MASK;
    if (!embedding->committing) {
        return ILP_OK;
    }
    struct ilpi_buf *text = &embedding->text;
    *text = (struct ilpi_buf){text->alloc, text->data, 0, text->capacity, ILP_OK};
    ilpi_embedded_namespace(embedding->inspector, ilp_string(embedding->from, name_space), text);
    ilpi_buf_u8(text, 0);
    return text->status != ILP_OK ? ilpi_fail_memory(error, text->size)
                                  : ilp_edit_add_string(embedding->edit, (const char *)text->data,
                                                        &cells[ILP_TypeDef_TypeNamespace], error);
}

/* The lists begin at the next rows of Field and MethodDef: the members are added directly
 * afterwards. While planning no row is added, so there are no numbers yet. */
static ilp_status type_row(struct ilpi_embedding *embedding, ilp_rid type, ilp_token *to,
                           struct ilp_error *error)
{
    struct ilp_edit *edit = embedding->edit;
    uint32_t flags = ilpi_embed_cell(embedding, ILP_TypeDef, type, ILP_TypeDef_Flags);
    uint32_t cells[ILP_TypeDef_COLUMNS] = {
        [ILP_TypeDef_Flags] = flags,
        [ILP_TypeDef_FieldList] = embedding->committing ? ilp_edit_row_count(edit, ILP_Field) + 1
                                                        : 0,
        [ILP_TypeDef_MethodList] =
            embedding->committing ? ilp_edit_row_count(edit, ILP_MethodDef) + 1 : 0,
    };
    ilp_rid rid;
    if ((flags & (ILPI_TYPE_WINDOWS_RUNTIME | ILPI_TYPE_HAS_SECURITY)) != 0) {
        return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_TypeDef, type), error,
                                 "%.200s has declarative security or is of the Windows Runtime",
                                 ilpi_embed_name(embedding, ILP_TOKEN(ILP_TypeDef, type)));
    }
    ILPI_TRY(names(embedding, type, cells, error));
    ILPI_TRY(ilpi_embed_token(embedding,
                              ilpi_embed_cell(embedding, ILP_TypeDef, type, ILP_TypeDef_Extends),
                              &cells[ILP_TypeDef_Extends], error));
    ILPI_TRY(ilpi_embed_row(embedding, ILP_TypeDef, cells, &rid, error));
    *to = ILP_TOKEN(ILP_TypeDef, rid);
    return ILP_OK;
}

/* In the order in which the tables need their rows: members directly after the type, since its
 * FieldList and MethodList are runs that end at the next type's (II.22.37). */
ilp_status ilpi_embed_type(struct ilpi_embedding *embedding, ilp_rid type, struct ilp_error *error)
{
    ilp_token from = ILP_TOKEN(ILP_TypeDef, type);
    ilp_token to = 0;
    ILPI_TRY(type_row(embedding, type, &to, error));
    ILPI_TRY(ilpi_embed_fields(embedding, type, error));
    ILPI_TRY(ilpi_embed_methods(embedding, type, error));
    ILPI_TRY(nesting(embedding, type, to, error));
    ILPI_TRY(layout(embedding, type, to, error));
    ILPI_TRY(interfaces(embedding, type, to, error));
    ILPI_TRY(ilpi_embed_generic_params(embedding, from, to, error));
    ILPI_TRY(map_row(embedding, type, ILP_Property, to, error));
    ILPI_TRY(map_row(embedding, type, ILP_Event, to, error));
    ILPI_TRY(overrides(embedding, type, to, error));
    return ilpi_embed_attributes(embedding, from, to, error);
}
