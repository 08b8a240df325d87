/* Finds the cases of F# unions. See union.h. The compiler marks types and the static methods that
 * make a case with [CompilationMapping(flags, number)]:
 *
 *   one case with fields     one class; another case may be null
 *   several                  a case with fields is a nested class; cases without are nested
 *                            classes (_Empty), or objects of the union's class with a _tag
 *   [<Struct>]               one struct, with the fields of all cases and _tag
 *
 * An attribute's value is a prolog, 1, and then the fixed arguments (ECMA-335 II.23.3). */
#include "values/union.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "metadata/flags.h"
#include "metadata/resolve.h"

/* SourceConstructFlags of FSharp.Core. */
enum { SUM_TYPE = 1, UNION_CASE = 8, KIND_MASK = 31 };
enum { MAX_CASES = 256 };

/* The compiler's mark of a type's or method's source construct, and its number; 0: none. */
static uint32_t construct_of(const struct ilp_image *image, ilp_token token, uint32_t *number)
{
    ilp_rid row = ilpi_find_attribute(image, token, "Microsoft.FSharp.Core",
                                      "CompilationMappingAttribute");
    *number = 0;
    if (row == 0) {
        return 0;
    }
    uint32_t blob = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Value);
    struct ilpi_cursor value = ilpi_cursor_over(ilp_blob(image, blob), 0, "attribute", NULL);
    ilpi_skip(&value, 2); /* the prolog */
    uint32_t flags = ilpi_read_u32(&value);
    if (value.status != ILP_OK) {
        return 0;
    }
    uint32_t next = ilpi_read_u32(&value); /* without one, the number of named arguments */
    *number = value.status == ILP_OK ? next : 0;
    return flags & KIND_MASK;
}

/* Whether the type is the union itself, not a case of it. */
static bool is_whole(struct ilpi_type_def def)
{
    uint32_t number;
    return def.image &&
           construct_of(def.image, ILP_TOKEN(ILP_TypeDef, def.rid), &number) == SUM_TYPE;
}

/* With several cases, each is a class nested in the union's. */
bool union_is(struct ilpi_type_def def, struct ilpi_type_def base)
{
    return is_whole(def) || (is_whole(base) && ilp_enclosing_type(def.image, def.rid) != 0);
}

/* ---- cases ---- */

/* Cases by their numbers, with names that the image owns. */
struct found_cases {
    uint32_t count; /* the highest number, plus one */
    struct union_case items[MAX_CASES];
};

/* A case's constructor is a static method: NewCircle(radius), get_Empty(). */
static struct union_case case_of(const struct ilp_image *image, ilp_rid method)
{
    const char *name = ilp_string(image,
                                  ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name));
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    struct ilpi_cursor signature = ilpi_cursor_over(ilp_blob(image, blob), 0, "signature", NULL);
    ilpi_skip(&signature, 1); /* the calling convention */
    uint32_t count = ilpi_read_packed(&signature);
    const char *before = count == 0 ? "get_" : "New";
    size_t size = strlen(before);
    return (struct union_case){strncmp(name, before, size) == 0 ? name + size : name, count,
                               SECRECY_NONE};
}

/* All cases; false unless each number has one. */
static bool find_cases(const struct ilp_image *image, ilp_rid type, struct found_cases *cases)
{
    ilp_rid first, end;
    uint32_t found = 0;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    for (ilp_rid at = first; at < end; at++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, at);
        uint32_t number;
        uint32_t flags = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Flags);
        if ((flags & ILPI_METHOD_STATIC) == 0 ||
            construct_of(image, ILP_TOKEN(ILP_MethodDef, method), &number) != UNION_CASE ||
            number >= MAX_CASES || cases->items[number].name) {
            continue;
        }
        cases->items[number] = case_of(image, method);
        cases->count = number >= cases->count ? number + 1 : cases->count;
        found++;
    }
    return found != 0 && found == cases->count;
}

/* Copies the names, which the image owns. */
static ilp_status take_cases(struct shape *shape, const struct union_case *items, uint32_t count,
                             const struct shape_builder *builder)
{
    struct union_cases *cases = ilpi_arena_alloc(builder->arena,
                                                 sizeof *cases + count * sizeof *items);
    if (!cases) {
        return ilpi_fail_memory(builder->error, count * sizeof *items);
    }
    cases->count = count;
    for (uint32_t i = 0; i < count; i++) {
        cases->items[i] = items[i];
        cases->items[i].name = ilpi_arena_copy(builder->arena, items[i].name,
                                               strlen(items[i].name) + 1);
        if (!cases->items[i].name) {
            return ilpi_fail_memory(builder->error, sizeof *items);
        }
        cases->items[i].secrecy = redaction_of_name(builder->redaction, items[i].name,
                                                    strlen(items[i].name));
    }
    shape->cases = cases;
    shape->kind = SHAPE_UNION;
    return ILP_OK;
}

/* ---- the case of a type ---- */

static ilp_status build_case(struct shape *shape, struct ilpi_type_def def,
                             const struct shape_builder *builder)
{
    const char *name_space, *name;
    ilpi_type_name(def.image, ILP_TOKEN(ILP_TypeDef, def.rid), &name_space, &name);
    const struct union_case item = {name + strspn(name, "_"), shape->field_count, SECRECY_NONE};
    return take_cases(shape, &item, 1, builder);
}

/* The field of F# that numbers the cases of a struct or a class with many; -1: there is none. */
static int64_t tag_of(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct shape_field *field = &shape->fields[i];
        if (strcmp(field->name, "_tag") == 0 && known_is_right(field->shape, 'i')) {
            return i;
        }
    }
    return -1;
}

/* The only case with fields: the other one is null, or there is none. */
static ilp_status build_only(struct shape *shape, const struct found_cases *cases,
                             const struct shape_builder *builder)
{
    const struct union_case *only = NULL;
    for (uint32_t i = 0; i < cases->count; i++) {
        if (cases->items[i].field_count == shape->field_count) {
            if (only) {
                return ILP_OK;
            }
            only = &cases->items[i];
        }
    }
    return only ? take_cases(shape, only, 1, builder) : ILP_OK;
}

/* In a class, each case with fields is another class. The tag moves to the front, and the fields of
 * the cases keep their order, so that those of a case follow from the counts of the cases before
 * it. */
static ilp_status build_tagged(struct shape *shape, struct found_cases *cases, uint32_t tag,
                               bool is_struct, const struct shape_builder *builder)
{
    uint64_t sum = 1; /* with the tag */
    struct shape_field *fields = (struct shape_field *)(uintptr_t)shape->fields;
    struct shape_field first = fields[tag];
    for (uint32_t i = 0; i < cases->count; i++) {
        cases->items[i].field_count = is_struct ? cases->items[i].field_count : 0;
        sum += cases->items[i].field_count;
    }
    if (sum != shape->field_count) {
        return ILP_OK;
    }
    /* Fields before the tag move up by one, so the order of the others stays. */
    memmove(fields + 1, fields, tag * sizeof *fields);
    fields[0] = first;
    shape->tagged = true;
    return take_cases(shape, cases->items, cases->count, builder);
}

/* An unknown form leaves the kind as it is, and the union is shown like other classes. */
ilp_status union_build(struct shape *shape, struct ilpi_type_def def, bool is_struct,
                       const struct shape_builder *builder)
{
    struct found_cases cases = {.count = 0};
    if (shape->more) {
        return ILP_OK;
    }
    if (!is_whole(def)) {
        return build_case(shape, def, builder);
    }
    if (!find_cases(def.image, def.rid, &cases)) {
        cases.count = 0;
    }
    int64_t tag = tag_of(shape);
    return tag < 0 ? build_only(shape, &cases, builder)
                   : build_tagged(shape, &cases, (uint32_t)tag, is_struct, builder);
}
