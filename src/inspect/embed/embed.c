/* Plans a graft, then commits it at the first call: which types are taken, in which order, as which
 * rows. See graft.h.
 */
#include "inspect/embed/embed.h"

#include <stdarg.h>
#include <stdio.h>

/* Nesting deeper than this is in nothing a compiler made. */
#define MAX_NESTING 64u

ilp_status ilpi_graft_refuse(const struct ilpi_graft *graft, ilp_token token,
                             struct ilp_error *error, const char *format, ...)
{
    char why[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return ilpi_fail(error, ILP_E_CANNOT_EMBED, ILPI_NO_OFFSET, token,
                     "%.60s cannot be embedded: %s", graft->inspector->identity.name, why);
}

/* The TypeDef or TypeRef that another is nested in; 0: none. */
static ilp_token outer_of(const struct ilp_image *image, ilp_token type)
{
    ilp_rid rid = ILP_TOKEN_RID(type);
    if (ILP_TOKEN_TABLE(type) == ILP_TypeDef) {
        ilp_rid outer = ilp_enclosing_type(image, rid);
        return outer != 0 ? ILP_TOKEN(ILP_TypeDef, outer) : 0;
    }
    ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_TABLE(scope) == ILP_TypeRef ? scope : 0;
}

/* Needs no memory: that a name is made does not mean that anything failed. */
const char *ilpi_graft_name(struct ilpi_graft *graft, ilp_token type)
{
    enum { SHOWN = 8 };
    graft->name[0] = '\0';
    for (unsigned i = 0; type != 0 && i < SHOWN; i++) {
        char inner[sizeof graft->name];
        const char *name_space;
        const char *name;
        ilpi_type_name(graft->from, type, &name_space, &name);
        memcpy(inner, graft->name, sizeof inner);
        snprintf(graft->name, sizeof graft->name, "%.60s%s%.60s%s%.120s", name_space,
                 name_space[0] != '\0' ? "." : "", name, i != 0 ? "/" : "", inner);
        type = outer_of(graft->from, type);
    }
    return graft->name;
}

/* CoreCLR looks for this attribute by its name alone, so that compilers define it where a framework
 * does not. */
bool ilpi_graft_keeps_name(const struct ilpi_graft *graft, ilp_rid type)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(graft->from, ILP_TOKEN(ILP_TypeDef, type), &name_space, &name);
    return strcmp(name, "IsByRefLikeAttribute") == 0 &&
           strcmp(name_space, "System.Runtime.CompilerServices") == 0;
}

/* ---- which types ---- */

ilp_status ilpi_graft_take(struct ilpi_graft *graft, ilp_rid type, struct ilp_error *error)
{
    for (unsigned i = 0; type != 0; i++) {
        if (i == MAX_NESTING || type == 1 || type > ilp_row_count(graft->from, ILP_TypeDef)) {
            return ilpi_graft_refuse(graft, ILP_TOKEN(ILP_TypeDef, type), error,
                                     "types are nested more than %u deep, or in no type",
                                     MAX_NESTING);
        }
        if (graft->types[type] != 0) {
            break;
        }
        graft->types[type] = 1;
        graft->order[graft->type_count++] = type;
        type = ilp_enclosing_type(graft->from, type);
    }
    return ILP_OK;
}

/* Types nested in those that are taken. */
static ilp_status take_nested(struct ilpi_graft *graft, struct ilp_error *error)
{
    for (ilp_rid row = 1; row <= ilp_row_count(graft->from, ILP_NestedClass); row++) {
        ilp_rid nested = ilp_cell(graft->from, ILP_NestedClass, row, ILP_NestedClass_NestedClass);
        ilp_rid outer = ilp_cell(graft->from, ILP_NestedClass, row, ILP_NestedClass_EnclosingClass);
        if (outer <= ilp_row_count(graft->from, ILP_TypeDef) && graft->types[outer] != 0 &&
            nested != 0) {
            ILPI_TRY(ilpi_graft_take(graft, nested, error));
        }
    }
    return ILP_OK;
}

static ilp_status plan_types(struct ilpi_graft *graft, struct ilp_error *error)
{
    uint32_t done = 0;
    for (unsigned round = 0; done < graft->type_count; round++) {
        if (round == MAX_NESTING) {
            return ilpi_graft_refuse(graft, 0, error, "types are nested more than %u deep",
                                     MAX_NESTING);
        }
        for (; done < graft->type_count; done++) {
            ILPI_TRY(ilpi_graft_type(graft, graft->order[done], error));
            ILPI_TRY(ilpi_graft_bodies(graft, graft->order[done], error));
        }
        ILPI_TRY(take_nested(graft, error));
    }
    return ILP_OK;
}

/* ---- in which order ---- */

/* The outermost type around `type` that has no place yet; 0 where nesting goes round in a circle.
 */
static ilp_rid outermost_of(const struct ilpi_graft *graft, ilp_rid type)
{
    for (unsigned i = 0; i <= MAX_NESTING; i++) {
        ilp_rid outer = ilp_enclosing_type(graft->from, type);
        if (outer == 0 || graft->types[outer] != UINT32_MAX) {
            return type;
        }
        type = outer;
    }
    return 0;
}

/* Enclosing types first (II.22.32), else as in the inspector. */
static ilp_status put_in_order(struct ilpi_graft *graft, struct ilp_error *error)
{
    uint32_t next = 0;
    for (ilp_rid type = 1; type <= ilp_row_count(graft->from, ILP_TypeDef); type++) {
        graft->types[type] = graft->types[type] != 0 ? UINT32_MAX : 0;
    }
    for (ilp_rid type = 1; type <= ilp_row_count(graft->from, ILP_TypeDef); type++) {
        while (graft->types[type] == UINT32_MAX) {
            ilp_rid outermost = outermost_of(graft, type);
            if (outermost == 0) {
                return ilpi_graft_refuse(graft, ILP_TOKEN(ILP_TypeDef, type), error,
                                         "types are nested in a circle, or more than %u deep",
                                         MAX_NESTING);
            }
            graft->order[next++] = outermost;
            graft->types[outermost] = next;
        }
    }
    return ILP_OK;
}

/* Gives the members of a type their places behind those that have one. */
static ilp_status number(struct ilpi_graft *graft, ilp_rid type, unsigned column, unsigned table,
                         uint32_t *places, uint32_t *next, struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(graft->from, ILP_TypeDef, type, column, &first, &end);
    for (; first < end; first++) {
        ilp_rid rid = ilpi_list_row(graft->from, table, first);
        if (rid == 0 || rid > ilp_row_count(graft->from, table) || places[rid] != 0) {
            return ilpi_graft_refuse(graft, ILP_TOKEN(table, rid), error,
                                     "a field or method belongs to two types");
        }
        places[rid] = ++*next;
    }
    return ILP_OK;
}

static ilp_status number_members(struct ilpi_graft *graft, struct ilp_error *error)
{
    uint32_t fields = 0;
    uint32_t methods = 0;
    for (uint32_t i = 0; i < graft->type_count; i++) {
        ILPI_TRY(number(graft, graft->order[i], ILP_TypeDef_FieldList, ILP_Field, graft->fields,
                        &fields, error));
        ILPI_TRY(number(graft, graft->order[i], ILP_TypeDef_MethodList, ILP_MethodDef,
                        graft->methods, &methods, error));
    }
    return ILP_OK;
}

/* ---- what can be grafted at all ---- */

static bool has_initializer(const struct ilp_image *image)
{
    ilp_rid first;
    ilp_rid end;
    bool found = false;
    ilpi_list(image, ILP_TypeDef, 1, ILP_TypeDef_MethodList, &first, &end);
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        found |= ilpi_string_is(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name),
                                ".cctor");
    }
    return found;
}

static ilp_status check_images(const struct ilpi_graft *graft, struct ilp_error *error)
{
    static const uint8_t indirect[] = {ILP_FieldPtr, ILP_MethodPtr, ILP_ParamPtr, ILP_EventPtr,
                                       ILP_PropertyPtr};
    const struct ilp_image *from = graft->from;
    for (size_t i = 0; i < sizeof indirect; i++) {
        if (ilp_row_count(graft->to, indirect[i]) != 0) {
            return ilpi_graft_refuse(graft, 0, error, "the module has a table %s",
                                     ilp_table_name(indirect[i]));
        }
    }
    if (from->pe.layout != ILP_LAYOUT_METADATA && (from->pe.cli_flags & ILPI_CLI_ILONLY) == 0) {
        return ilpi_graft_refuse(graft, 0, error, "it has native code");
    }
    if (has_initializer(from)) {
        return ilpi_graft_refuse(graft, 0, error, "it has a module initializer");
    }
    if (ilp_row_count(from, ILP_ManifestResource) != 0) {
        return ilpi_graft_refuse(graft, 0, error, "it has resources");
    }
    if (graft->core_scope == 0 && !graft->core_name.name) {
        return ilpi_graft_refuse(graft, 0, error, "the core library of the module is not known");
    }
    return ILP_OK;
}

/* ---- opening ---- */

static const uint8_t memo_tables[ILPI_MEMO_COUNT] = {
    [ILPI_MEMO_TYPE_REF] = ILP_TypeRef,
    [ILPI_MEMO_TYPE_SPEC] = ILP_TypeSpec,
    [ILPI_MEMO_MEMBER_REF] = ILP_MemberRef,
    [ILPI_MEMO_METHOD_SPEC] = ILP_MethodSpec,
    [ILPI_MEMO_STANDALONE_SIG] = ILP_StandAloneSig,
};

/* One zeroed element for each row, and for rid 0. */
static void *per_row(struct ilpi_graft *graft, unsigned table, size_t size)
{
    return ilpi_arena_array(&graft->arena, (size_t)ilp_row_count(graft->from, table) + 1, size);
}

static ilp_status make_room(struct ilpi_graft *graft, struct ilp_error *error)
{
    graft->types = per_row(graft, ILP_TypeDef, sizeof *graft->types);
    graft->fields = per_row(graft, ILP_Field, sizeof *graft->fields);
    graft->methods = per_row(graft, ILP_MethodDef, sizeof *graft->methods);
    graft->order = per_row(graft, ILP_TypeDef, sizeof *graft->order);
    graft->property_map = per_row(graft, ILP_TypeDef, sizeof *graft->property_map);
    graft->event_map = per_row(graft, ILP_TypeDef, sizeof *graft->event_map);
    graft->left_out = per_row(graft, ILP_CustomAttribute, 1);
    graft->refs = per_row(graft, ILP_TypeRef, sizeof *graft->refs);
    bool all = graft->types && graft->fields && graft->methods && graft->order &&
               graft->property_map && graft->event_map && graft->left_out && graft->refs;
    for (unsigned i = 0; i < ILPI_MEMO_COUNT; i++) {
        graft->memo[i] = per_row(graft, memo_tables[i], sizeof *graft->memo[i]);
        all = all && graft->memo[i];
    }
    return all ? ILP_OK : ilpi_fail_memory(error, graft->from->pe.bytes.size);
}

/* These tables are in no order that could be searched by. */
static void index_maps(struct ilpi_graft *graft, unsigned table, ilp_rid *map)
{
    for (ilp_rid row = 1; row <= ilp_row_count(graft->from, table); row++) {
        ilp_rid type = ilp_cell(graft->from, table, row, 0); /* Parent, in both */
        if (type <= ilp_row_count(graft->from, ILP_TypeDef)) {
            map[type] = row;
        }
    }
}

static ilp_status plan(struct ilpi_graft *graft, struct ilp_error *error)
{
    ilp_rid entry = 0;
    ILPI_TRY(check_images(graft, error));
    ILPI_TRY(make_room(graft, error));
    index_maps(graft, ILP_PropertyMap, graft->property_map);
    index_maps(graft, ILP_EventMap, graft->event_map);
    ILPI_TRY(ilpi_find_type(graft->from, 0, graft->inspector->name_space,
                            graft->inspector->type_name, &entry, error));
    if (entry <= 1 ||
        ilpi_find_generic_param(graft->from, ILP_TOKEN(ILP_TypeDef, entry), 0) != 0) {
        return ilpi_graft_refuse(graft, 0, error, "%.100s is generic or there twice",
                                 graft->inspector->type_name);
    }
    ILPI_TRY(ilpi_graft_take(graft, entry, error));
    ILPI_TRY(plan_types(graft, error));
    ILPI_TRY(put_in_order(graft, error));
    return number_members(graft, error);
}

ilp_status ilpi_graft_open(struct ilpi_graft **out, const struct ilpi_graft_request *request,
                           struct ilp_error *error)
{
    struct ilpi_alloc *alloc = request->alloc;
    *out = NULL;
    struct ilpi_graft *graft = ilpi_resize(alloc, NULL, 0, sizeof *graft);
    if (!graft) {
        return ilpi_fail_memory(error, sizeof *graft);
    }
    *graft = (struct ilpi_graft){
        .alloc = alloc,
        .arena = {.alloc = alloc},
        .inspector = request->inspector,
        .from = request->inspector->assembly,
        .to = request->to,
        .edit = request->edit,
        .emitter = request->emitter,
        .resolver = request->resolver,
        .core_scope = request->core_scope,
        .core_name = request->core_name,
        .budget = ilpi_budget_of(request->inspector->assembly->pe.bytes.size),
        .signatures = {.alloc = alloc},
        .scratch = {.alloc = alloc},
        .code = {.alloc = alloc},
        .body = {.alloc = alloc},
        .text = {.alloc = alloc},
    };
    struct ilp_error why = {.status = ILP_OK};
    ilp_status status = plan(graft, &why);
    enum ilp_class class = ilp_status_class(status);
    if (class == ILP_CLASS_DATA ||
        class == ILP_CLASS_LIMIT) { /* of the inspector, not of the module */
        status = ilpi_graft_refuse(graft, why.token, error, "%s", why.message);
    } else if (status != ILP_OK && error) {
        *error = why;
    }
    *out = status == ILP_OK ? graft : NULL;
    if (status != ILP_OK) {
        ilpi_graft_close(graft);
    }
    return status;
}

void ilpi_graft_close(struct ilpi_graft *graft)
{
    if (graft) {
        ilpi_arena_free(&graft->arena);
        ilpi_arena_free(&graft->signatures);
        ilpi_arena_free(&graft->scratch);
        ilpi_code_free(&graft->code);
        ilpi_buf_free(&graft->body);
        ilpi_buf_free(&graft->text);
        ilpi_resize(graft->alloc, graft, sizeof *graft, 0);
    }
}

/* ---- committing ---- */

/* Bodies come when all rows are there: they refer to each other in any order. */
static ilp_status commit(struct ilpi_graft *graft, struct ilp_error *error)
{
    graft->committing = true;
    graft->budget = ilpi_budget_of(graft->from->pe.bytes.size);
    graft->first_type = ilp_edit_row_count(graft->edit, ILP_TypeDef);
    graft->first_field = ilp_edit_row_count(graft->edit, ILP_Field);
    graft->first_method = ilp_edit_row_count(graft->edit, ILP_MethodDef);
    for (unsigned i = 0; i < ILPI_MEMO_COUNT; i++) {
        memset(graft->memo[i], 0,
               ((size_t)ilp_row_count(graft->from, memo_tables[i]) + 1) * sizeof *graft->memo[i]);
    }
    for (uint32_t i = 0; i < graft->type_count; i++) {
        ILPI_TRY(ilpi_graft_type(graft, graft->order[i], error));
    }
    for (uint32_t i = 0; i < graft->type_count; i++) {
        ILPI_TRY(ilpi_graft_bodies(graft, graft->order[i], error));
    }
    return ILP_OK;
}

ilp_status ilpi_graft_call(struct ilpi_graft *graft, ilp_rid method, ilp_token *token,
                           struct ilp_error *error)
{
    if (!graft->committing) {
        graft->failure = commit(graft, &graft->why);
    }
    if (graft->failure != ILP_OK) {
        if (error) {
            *error = graft->why;
        }
        return graft->failure;
    }
    *token = ILP_TOKEN(ILP_MethodDef, graft->first_method + graft->methods[method]);
    return ILP_OK;
}
