/* Resolves value types to their definitions. A type that is not found, and is not in
 * data/known_types.def, stays unresolved, and counts as byref-like: the safe assumption. */
#include "types/value_type.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "types/core_type.h"

/* ---- types known by name ---- */

/* Their names are offsets into one text, since pointers would need relocations, page by page, in
 * each process that loads the library. The members of the struct follow one another without
 * padding: all are arrays of char. */
#define TEXT_OF(line) TEXT_AT(line)
#define TEXT_AT(line) text_##line

static const struct {
#define KNOWN(name_space, name, answer) char TEXT_OF(__LINE__)[sizeof name_space "\0" name];
#include "data/known_types.def"
#undef KNOWN
} known_texts = {
#define KNOWN(name_space, name, answer) name_space "\0" name,
#include "data/known_types.def"
#undef KNOWN
};

struct known_type {
    uint32_t text; /* the namespace and, after its NUL, the name */
    uint8_t answer;
};

static const struct known_type known_types[] = {
#define KNOWN(name_space, name, answer) \
    {offsetof(__typeof__(known_texts), TEXT_OF(__LINE__)), ILPI_VALUE_##answer},
#include "data/known_types.def"
#undef KNOWN
};

struct searched_type {
    const char *name_space;
    const char *name;
};

static int compare_known(const void *left, const void *right)
{
    const struct searched_type *searched = left;
    const struct known_type *known = right;
    const char *text = (const char *)&known_texts + known->text;
    int order = strcmp(searched->name_space, text);
    return order != 0 ? order : strcmp(searched->name, text + strlen(text) + 1);
}

/* The table is sorted by namespace and name, in the order of strcmp(). */
static enum ilpi_value_type answer_by_name(const char *name_space, const char *name)
{
    const struct searched_type searched = {name_space, name};
    const struct known_type *known = bsearch(&searched, known_types,
                                             sizeof known_types / sizeof known_types[0],
                                             sizeof known_types[0], compare_known);
    return known ? (enum ilpi_value_type)known->answer : ILPI_VALUE_UNRESOLVED;
}

/* ---- types known by definition ---- */

bool ilpi_is_enum_def(const struct ilp_image *image, ilp_rid type)
{
    return ilpi_type_is_named(image, ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Extends),
                              "System", "Enum");
}

bool ilpi_is_value_type_def(const struct ilp_image *image, ilp_rid type)
{
    ilp_token base = ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Extends);
    bool core = ILP_TOKEN_TABLE(base) == ILP_TypeDef;
    return (ilpi_type_is_named(image, base, "System", "ValueType") &&
            !(core && ilpi_type_is_named(image, ILP_TOKEN(ILP_TypeDef, type), "System", "Enum"))) ||
           ilpi_is_enum_def(image, type);
}

/* Older core libraries do not mark these; compilers embed the attribute in any assembly. */
static bool is_byref_like(const struct ilp_image *image, ilp_token type)
{
    static const char *const unmarked[] = {"TypedReference", "ArgIterator", "RuntimeArgumentHandle",
                                           "Void"};
    const char *name_space;
    const char *name;
    ilpi_type_name(image, type, &name_space, &name);
    for (size_t i = 0; strcmp(name_space, "System") == 0 && i < sizeof unmarked / sizeof *unmarked;
         i++) {
        if (strcmp(name, unmarked[i]) == 0) {
            return true;
        }
    }
    return ilpi_has_attribute(image, type, "System.Runtime.CompilerServices",
                              "IsByRefLikeAttribute");
}

/* UNRESOLVED for what is no value type: callers that have a signature's VALUETYPE see a
 * contradiction. */
enum ilpi_value_type ilpi_value_type_of_def(struct ilpi_type_def def)
{
    if (ilpi_is_enum_def(def.image, def.rid)) {
        return ILPI_VALUE_ENUM;
    }
    if (!ilpi_is_value_type_def(def.image, def.rid)) {
        return ILPI_VALUE_UNRESOLVED;
    }
    return is_byref_like(def.image, ILP_TOKEN(ILP_TypeDef, def.rid)) ? ILPI_VALUE_BYREF_LIKE
                                                                     : ILPI_VALUE_STRUCT;
}

/* Many references may resolve to one definition: its result is cached. */
static enum ilpi_value_type answer_by_definition(struct ilpi_value_types *types,
                                                 struct ilpi_type_def def)
{
    if (def.image != types->image) {
        return ilpi_value_type_of_def(def);
    }
    uint8_t *remembered = &types->answers[1][def.rid];
    if (*remembered == ILPI_VALUE_NOT_READ) {
        *remembered = (uint8_t)ilpi_value_type_of_def(def);
    }
    return (enum ilpi_value_type) * remembered;
}

/* A nested type is not looked up by name: the list has only top-level types, and a nested one may
 * have the name of one of these. */
static enum ilpi_value_type find_answer(struct ilpi_value_types *types, ilp_token type)
{
    struct ilpi_type_def def = ilpi_resolve_type(types->image, type, types->resolver);
    if (def.image) {
        return answer_by_definition(types, def);
    }
    bool nested = ILP_TOKEN_TABLE(type) == ILP_TypeRef &&
                  ILP_TOKEN_TABLE(ilp_cell(types->image, ILP_TypeRef, ILP_TOKEN_RID(type),
                                           ILP_TypeRef_ResolutionScope)) == ILP_TypeRef;
    const char *name_space;
    const char *name;
    ilpi_type_name(types->image, type, &name_space, &name);
    return nested ? ILPI_VALUE_UNRESOLVED : answer_by_name(name_space, name);
}

/* Each token is resolved once: resolving a TypeRef may open another file. TypeSpec is no named
 * type, and not resolved here. */
enum ilpi_value_type ilpi_value_type_of(struct ilpi_value_types *types, ilp_token type)
{
    unsigned table = ILP_TOKEN_TABLE(type);
    ilp_rid rid = ILP_TOKEN_RID(type);
    if ((table != ILP_TypeRef && table != ILP_TypeDef) || rid == 0 ||
        rid > types->image->tables[table].count) {
        return ILPI_VALUE_UNRESOLVED;
    }
    uint8_t *remembered = &types->answers[table == ILP_TypeDef][rid];
    if (*remembered == ILPI_VALUE_NOT_READ) {
        *remembered = (uint8_t)find_answer(types, type);
    }
    return (enum ilpi_value_type) * remembered;
}

ilp_status ilpi_value_types_init(struct ilpi_value_types *types, struct ilp_image *image,
                                 const struct ilp_resolver *resolver, struct ilp_arena *arena,
                                 struct ilp_error *error)
{
    *types = (struct ilpi_value_types){.image = image, .resolver = resolver};
    for (unsigned i = 0; i < 2; i++) {
        size_t rows = (size_t)image->tables[i == 0 ? ILP_TypeRef : ILP_TypeDef].count + 1;
        types->answers[i] = ilpi_arena_alloc(arena, rows);
        if (!types->answers[i]) {
            return ilpi_fail_memory(error, rows);
        }
    }
    return ILP_OK;
}
