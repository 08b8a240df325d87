/* Plans an embedding, then commits it at the first call. See embed.h.
 *
 * A worklist decides which types are copied: the inspector's class first, then each type that its
 * tokens refer to, with the types around it. Then the types are ordered, enclosing ones first, and
 * every type, field and method gets its row number. Only then are rows added, so that tokens of
 * rows that come later are known.
 *
 *   plan     include(class) -> order[]: for each type  ilpi_embed_type(), ilpi_embed_bodies()
 *                              they visit each token, and include the types that they find
 *            put_in_order(), number_members()
 *   commit   for each type of order[]: the same two functions, which now add what they visit
 *
 * Both passes run the same code (`committing` is the difference), so whatever cannot be embedded is
 * refused in the first one, before the module is changed. */
#include "inspect/embed/embed.h"

#include "inspect/embed/body.h"
#include "inspect/embed/embedding.h"
#include "inspect/embed/rows.h"

/* ---- selecting types ---- */

/* Types nested in copied types: code may find them by reflection only. Each may refer to other
 * types, so rounds follow until no type is added. */
static ilp_status take_nested(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    for (ilp_rid row = 1; row <= ilp_row_count(embedding->from, ILP_NestedClass); row++) {
        ilp_rid nested = ilp_cell(embedding->from, ILP_NestedClass, row,
                                  ILP_NestedClass_NestedClass);
        ilp_rid outer = ilp_cell(embedding->from, ILP_NestedClass, row,
                                 ILP_NestedClass_EnclosingClass);
        if (outer <= ilp_row_count(embedding->from, ILP_TypeDef) && embedding->types[outer] != 0 &&
            nested != 0) {
            ILPI_TRY(ilpi_embed_include(embedding, nested, error));
        }
    }
    return ILP_OK;
}

/* `done` types have been visited; each visit may add more at the end of `order`. A round visits
 * all, and then adds what is nested in them. */
static ilp_status plan_types(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    uint32_t done = 0;
    for (unsigned round = 0; done < embedding->type_count; round++) {
        if (round == ILPI_EMBED_MAX_NESTING) {
            return ilpi_embed_refuse(embedding, 0, error, "types are nested more than %u deep",
                                     ILPI_EMBED_MAX_NESTING);
        }
        for (; done < embedding->type_count; done++) {
            ILPI_TRY(ilpi_embed_type(embedding, embedding->order[done], error));
            ILPI_TRY(ilpi_embed_bodies(embedding, embedding->order[done], error));
        }
        ILPI_TRY(take_nested(embedding, error));
    }
    return ILP_OK;
}

/* ---- ordering ---- */

/* The outermost type around `type` without a number yet; 0 where nesting is cyclic. */
static ilp_rid outermost_of(const struct ilpi_embedding *embedding, ilp_rid type)
{
    for (unsigned i = 0; i <= ILPI_EMBED_MAX_NESTING; i++) {
        ilp_rid outer = ilp_enclosing_type(embedding->from, type);
        if (outer == 0 || embedding->types[outer] != UINT32_MAX) {
            return type;
        }
        type = outer;
    }
    return 0;
}

/* Enclosing types first (II.22.32), otherwise the inspector's order. UINT32_MAX marks a copied type
 * without a number; each step of the loop gives one a number, so the order is linear but for the
 * depth of nesting. */
static ilp_status put_in_order(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    uint32_t next = 0;
    for (ilp_rid type = 1; type <= ilp_row_count(embedding->from, ILP_TypeDef); type++) {
        embedding->types[type] = embedding->types[type] != 0 ? UINT32_MAX : 0;
    }
    for (ilp_rid type = 1; type <= ilp_row_count(embedding->from, ILP_TypeDef); type++) {
        while (embedding->types[type] == UINT32_MAX) {
            ilp_rid outermost = outermost_of(embedding, type);
            if (outermost == 0) {
                return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_TypeDef, type), error,
                                         "types are nested in a circle, or more than %u deep",
                                         ILPI_EMBED_MAX_NESTING);
            }
            embedding->order[next++] = outermost;
            embedding->types[outermost] = next;
        }
    }
    return ILP_OK;
}

/* The numbers of fields or methods: by rid, from 1 on. */
struct member_places {
    unsigned column; /* of TypeDef */
    unsigned table;
    uint32_t *places;
    uint32_t last;
};

/* Numbers the members of a type after those that have numbers. */
static ilp_status number(const struct ilpi_embedding *embedding, ilp_rid type,
                         struct member_places *members, struct ilp_error *error)
{
    ilp_rid first;
    ilp_rid end;
    ilpi_list(embedding->from, ILP_TypeDef, type, members->column, &first, &end);
    for (; first < end; first++) {
        ilp_rid rid = ilpi_list_row(embedding->from, members->table, first);
        if (rid == 0 || rid > ilp_row_count(embedding->from, members->table) ||
            members->places[rid] != 0) {
            return ilpi_embed_refuse(embedding, ILP_TOKEN(members->table, rid), error,
                                     "a field or method belongs to two types");
        }
        members->places[rid] = ++members->last;
    }
    return ILP_OK;
}

static ilp_status number_members(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    struct member_places fields = {ILP_TypeDef_FieldList, ILP_Field, embedding->fields, 0};
    struct member_places methods = {ILP_TypeDef_MethodList, ILP_MethodDef, embedding->methods, 0};
    for (uint32_t i = 0; i < embedding->type_count; i++) {
        ILPI_TRY(number(embedding, embedding->order[i], &fields, error));
        ILPI_TRY(number(embedding, embedding->order[i], &methods, error));
    }
    return ILP_OK;
}

/* ---- preconditions ---- */

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

/* What an embedding cannot express: indirect tables in the module (new rows would be in no list),
 * native code, a module initializer (it would run in the wrong module), resources (they belong to
 * an assembly). */
static ilp_status check_images(const struct ilpi_embedding *embedding, struct ilp_error *error)
{
    static const uint8_t indirect[] = {ILP_FieldPtr, ILP_MethodPtr, ILP_ParamPtr, ILP_EventPtr,
                                       ILP_PropertyPtr};
    const struct ilp_image *from = embedding->from;
    for (size_t i = 0; i < sizeof indirect; i++) {
        if (ilp_row_count(embedding->to, indirect[i]) != 0) {
            return ilpi_embed_refuse(embedding, 0, error, "the module has a table %s",
                                     ilp_table_name(indirect[i]));
        }
    }
    if (from->pe.layout != ILP_LAYOUT_METADATA && (from->pe.cli_flags & ILPI_CLI_ILONLY) == 0) {
        return ilpi_embed_refuse(embedding, 0, error, "it has native code");
    }
    if (has_initializer(from)) {
        return ilpi_embed_refuse(embedding, 0, error, "it has a module initializer");
    }
    if (ilp_row_count(from, ILP_ManifestResource) != 0) {
        return ilpi_embed_refuse(embedding, 0, error, "it has resources");
    }
    if (embedding->core_scope == 0 && !embedding->core_name.name) {
        return ilpi_embed_refuse(embedding, 0, error,
                                 "the core library of the module is not known");
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
static void *per_row(struct ilpi_embedding *embedding, unsigned table, size_t size)
{
    return ilpi_arena_array(&embedding->arena, (size_t)ilp_row_count(embedding->from, table) + 1,
                            size);
}

static ilp_status make_room(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    embedding->types = per_row(embedding, ILP_TypeDef, sizeof *embedding->types);
    embedding->fields = per_row(embedding, ILP_Field, sizeof *embedding->fields);
    embedding->methods = per_row(embedding, ILP_MethodDef, sizeof *embedding->methods);
    embedding->order = per_row(embedding, ILP_TypeDef, sizeof *embedding->order);
    embedding->property_map = per_row(embedding, ILP_TypeDef, sizeof *embedding->property_map);
    embedding->event_map = per_row(embedding, ILP_TypeDef, sizeof *embedding->event_map);
    embedding->left_out = per_row(embedding, ILP_CustomAttribute, 1);
    embedding->refs = per_row(embedding, ILP_TypeRef, sizeof *embedding->refs);
    bool all = embedding->types && embedding->fields && embedding->methods && embedding->order &&
               embedding->property_map && embedding->event_map && embedding->left_out &&
               embedding->refs;
    for (unsigned i = 0; i < ILPI_MEMO_COUNT; i++) {
        embedding->memo[i] = per_row(embedding, memo_tables[i], sizeof *embedding->memo[i]);
        all = all && embedding->memo[i];
    }
    return all ? ILP_OK : ilpi_fail_memory(error, embedding->from->pe.bytes.size);
}

/* These tables are not sorted, so index them. */
static void index_maps(struct ilpi_embedding *embedding, unsigned table, ilp_rid *map)
{
    for (ilp_rid row = 1; row <= ilp_row_count(embedding->from, table); row++) {
        ilp_rid type = ilp_cell(embedding->from, table, row, 0); /* Parent, in both */
        if (type <= ilp_row_count(embedding->from, ILP_TypeDef)) {
            map[type] = row;
        }
    }
}

static ilp_status plan(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    ILPI_TRY(check_images(embedding, error));
    ILPI_TRY(make_room(embedding, error));
    index_maps(embedding, ILP_PropertyMap, embedding->property_map);
    index_maps(embedding, ILP_EventMap, embedding->event_map);
    ilp_rid entry = ilpi_find_type(embedding->from, 0, embedding->inspector->name_space,
                                   embedding->inspector->type_name);
    if (entry <= 1 ||
        ilpi_find_generic_param(embedding->from, ILP_TOKEN(ILP_TypeDef, entry), 0) != 0) {
        return ilpi_embed_refuse(embedding, 0, error, "%.100s is generic or there twice",
                                 embedding->inspector->type_name);
    }
    ILPI_TRY(ilpi_embed_include(embedding, entry, error));
    ILPI_TRY(plan_types(embedding, error));
    ILPI_TRY(put_in_order(embedding, error));
    return number_members(embedding, error);
}

/* The inspector's own mistakes become ILP_E_CANNOT_EMBED, so that a caller can distinguish them
 * from mistakes in the module. */
ilp_status ilpi_embed_open(struct ilpi_embedding **out, const struct ilpi_embed_request *request,
                           struct ilp_error *error)
{
    struct ilpi_alloc *alloc = request->alloc;
    *out = NULL;
    struct ilpi_embedding *embedding = ilpi_resize(alloc, NULL, 0, sizeof *embedding);
    if (!embedding) {
        return ilpi_fail_memory(error, sizeof *embedding);
    }
    *embedding = (struct ilpi_embedding){
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
    ilp_status status = plan(embedding, &why);
    enum ilp_class class = ilp_status_class(status);
    if (class == ILP_CLASS_DATA ||
        class == ILP_CLASS_LIMIT) { /* of the inspector, not of the module */
        status = ilpi_embed_refuse(embedding, why.token, error, "%s", why.message);
    } else if (status != ILP_OK && error) {
        *error = why;
    }
    *out = status == ILP_OK ? embedding : NULL;
    if (status != ILP_OK) {
        ilpi_embed_close(embedding);
    }
    return status;
}

void ilpi_embed_close(struct ilpi_embedding *embedding)
{
    if (embedding) {
        ilpi_arena_free(&embedding->arena);
        ilpi_arena_free(&embedding->signatures);
        ilpi_arena_free(&embedding->scratch);
        ilpi_code_free(&embedding->code);
        ilpi_buf_free(&embedding->body);
        ilpi_buf_free(&embedding->text);
        ilpi_resize(embedding->alloc, embedding, sizeof *embedding, 0);
    }
}

/* ---- committing ---- */

/* Bodies are written when all rows exist: they refer to each other in any order. */
static ilp_status commit(struct ilpi_embedding *embedding, struct ilp_error *error)
{
    embedding->committing = true;
    embedding->budget = ilpi_budget_of(embedding->from->pe.bytes.size);
    embedding->first_type = ilp_edit_row_count(embedding->edit, ILP_TypeDef);
    embedding->first_field = ilp_edit_row_count(embedding->edit, ILP_Field);
    embedding->first_method = ilp_edit_row_count(embedding->edit, ILP_MethodDef);
    for (unsigned i = 0; i < ILPI_MEMO_COUNT; i++) {
        memset(embedding->memo[i], 0,
               ((size_t)ilp_row_count(embedding->from, memo_tables[i]) + 1) *
                   sizeof *embedding->memo[i]);
    }
    for (uint32_t i = 0; i < embedding->type_count; i++) {
        ILPI_TRY(ilpi_embed_type(embedding, embedding->order[i], error));
    }
    for (uint32_t i = 0; i < embedding->type_count; i++) {
        ILPI_TRY(ilpi_embed_bodies(embedding, embedding->order[i], error));
    }
    return ILP_OK;
}

ilp_status ilpi_embed_failure(const struct ilpi_embedding *embedding, struct ilp_error *error)
{
    if (embedding->failure != ILP_OK && error) {
        *error = embedding->why;
    }
    return embedding->failure;
}

ilp_status ilpi_embed_call(struct ilpi_embedding *embedding, ilp_rid method, ilp_token *token,
                           struct ilp_error *error)
{
    if (!embedding->committing) {
        embedding->failure = commit(embedding, &embedding->why);
    }
    ILPI_TRY(ilpi_embed_failure(embedding, error));
    *token = ILP_TOKEN(ILP_MethodDef, embedding->first_method + embedding->methods[method]);
    return ILP_OK;
}
