/* Caches struct layouts. See struct_layouts.h. Classes are looked up by definition, and generic
 * ones by type arguments as well: value types by identity, while all references have the same
 * layout.
 *
 *   ClassLoadFinished -> struct_layout_read(): GetClassLayout -> struct_layouts_add()
 *      BY_CLASS        the class itself: ids are used again after an unload
 *      BY_DEFINITION   module and token: all instances of one struct
 *   a value's type -> lay_out() -> the instance whose arguments fit -> offsets of its fields
 *
 * The runtime lays structs out by rules that depend on the processor and the version; its own
 * report makes src/types/ right where it could only guess. */
#include "profiler/clr/struct_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "types/core_type.h"
#include "values/read.h"

enum { LAYOUT_ARGUMENTS = 16, LAYOUT_FIELDS = 4096, BUCKETS = 4096, LAYOUT_DEPTH = 16 };

enum index { BY_DEFINITION, BY_CLASS, INDEXES };

/* As the runtime reports it; owned by the cache, in two lists. */
struct struct_layout {
    struct struct_layout *next[INDEXES]; /* of the same bucket, the newest first */
    ClassID class;
    ModuleID module;
    ilp_token token;
    bool goes; /* marked for removal */
    ULONG size;
    ULONG argument_count;
    ClassID arguments[LAYOUT_ARGUMENTS]; /* 0: a reference */
    ULONG field_count;
    struct class_field fields[];
};

struct struct_layouts {
    struct struct_layout *buckets[INDEXES][BUCKETS];
};

struct struct_layouts *struct_layouts_open(void)
{
    return calloc(1, sizeof(struct struct_layouts));
}

void struct_layouts_close(struct struct_layouts *layouts)
{
    for (size_t i = 0; layouts && i < BUCKETS; i++) {
        struct struct_layout *next;
        for (struct struct_layout *at = layouts->buckets[BY_CLASS][i]; at; at = next) {
            next = at->next[BY_CLASS];
            free(at);
        }
    }
    free(layouts);
}

/* Fibonacci hashing: the low bits of addresses are all alike. */
static uint64_t key_of(ModuleID module, ilp_token token)
{
    return ((uint64_t)module ^ (uint64_t)token << 32) * 0x9E3779B97F4A7C15u;
}

static size_t bucket_of(uint64_t key)
{
    return key >> 32 & (BUCKETS - 1);
}

static size_t own_bucket(const struct struct_layout *layout, enum index index)
{
    return bucket_of(index == BY_CLASS ? key_of(layout->class, 0)
                                       : key_of(layout->module, layout->token));
}

/* ---- the runtime's report ---- */

/* Boxed, its fields must begin where src/values/ reads them. */
static enum ilp_tristate is_value_type(void *info, ClassID class)
{
    ULONG offset = 0;
    HRESULT result = CALL(ICorProfilerInfo2, GetBoxClassLayout, info)(info, class, &offset);
    if (result == E_INVALIDARG) {
        return ILP_NO;
    }
    return result == S_OK && offset == BOXED_OFFSET ? ILP_YES : ILP_UNKNOWN;
}

/* A class with a type argument that cannot be distinguished is left out. */
static bool read_identity(void *info, ClassID class, struct struct_layout *layout)
{
    ClassID parent;
    HRESULT result = CALL(ICorProfilerInfo2, GetClassIDInfo2,
                          info)(info, class, &layout->module, &layout->token, &parent,
                                LAYOUT_ARGUMENTS, &layout->argument_count, layout->arguments);
    bool known = result == S_OK && layout->argument_count <= LAYOUT_ARGUMENTS &&
                 ILP_TOKEN_TABLE(layout->token) == ILP_TypeDef;
    for (ULONG i = 0; known && i < layout->argument_count; i++) {
        enum ilp_tristate value = is_value_type(info, layout->arguments[i]);
        known = value != ILP_UNKNOWN && layout->arguments[i] != 0;
        layout->arguments[i] = value == ILP_YES ? layout->arguments[i] : 0;
    }
    return known;
}

/* Twice: for the number of fields, and for the fields. If both differ, the class is being changed,
 * and is left out. */
struct struct_layout *struct_layout_read(void *info, ClassID class)
{
    ULONG count = 0, size = 0, again = 0;
    if (is_value_type(info, class) != ILP_YES ||
        CALL(ICorProfilerInfo2, GetClassLayout, info)(info, class, NULL, 0, &count, &size) < 0 ||
        count > LAYOUT_FIELDS) {
        return NULL;
    }
    struct struct_layout *layout = calloc(1, sizeof *layout + count * sizeof *layout->fields);
    if (layout && (!read_identity(info, class, layout) ||
                   (count != 0 && CALL(ICorProfilerInfo2, GetClassLayout, info)(
                                      info, class, layout->fields, count, &again, &size) < 0) ||
                   again != count)) {
        free(layout);
        layout = NULL;
    }
    if (layout) {
        layout->class = class;
        layout->size = size;
        layout->field_count = count;
    }
    return layout;
}

/* ---- the cache ---- */

static struct struct_layout *find_class(const struct struct_layouts *layouts, ClassID class)
{
    struct struct_layout *at = layouts->buckets[BY_CLASS][bucket_of(key_of(class, 0))];
    while (at && at->class != class) {
        at = at->next[BY_CLASS];
    }
    return at;
}

/* Whether a layout belongs to a class, or depends on a type of a module, also by its type
 * arguments. */
static bool is_made_of(const struct struct_layouts *layouts, const struct struct_layout *layout,
                       ClassID class, ModuleID module, unsigned depth)
{
    bool is = depth == LAYOUT_DEPTH || layout->class == class || layout->module == module;
    for (ULONG i = 0; i < layout->argument_count && !is; i++) {
        const struct struct_layout *argument = layout->arguments[i] != 0
                                                   ? find_class(layouts, layout->arguments[i])
                                                   : NULL;
        is = layout->arguments[i] != 0 &&
             (!argument || is_made_of(layouts, argument, class, module, depth + 1));
    }
    return is;
}

/* Two passes, so that a layout is removed from both indexes before it is freed. */
static void drop(struct struct_layouts *layouts, ClassID class, ModuleID module)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct struct_layout *at = layouts->buckets[BY_CLASS][i]; at;
             at = at->next[BY_CLASS]) {
            at->goes = is_made_of(layouts, at, class, module, 0);
        }
    }
    for (unsigned index = INDEXES; index-- > 0;) {
        for (size_t i = 0; i < BUCKETS; i++) {
            for (struct struct_layout **link = &layouts->buckets[index][i]; *link;) {
                struct struct_layout *at = *link;
                if (!at->goes) {
                    link = &at->next[index];
                    continue;
                }
                *link = at->next[index];
                if (index == 0) {
                    free(at);
                }
            }
        }
    }
}

void struct_layouts_module_goes(struct struct_layouts *layouts, ModuleID id)
{
    drop(layouts, 0, id);
}

static bool is_same(const struct struct_layout *left, const struct struct_layout *right)
{
    return left->module == right->module && left->token == right->token &&
           left->argument_count == right->argument_count &&
           memcmp(left->arguments, right->arguments, sizeof left->arguments) == 0;
}

/* A reused ClassID means that the earlier class was unloaded. */
uint64_t struct_layouts_add(struct struct_layouts *layouts, struct struct_layout *layout)
{
    const struct struct_layout *old = find_class(layouts, layout->class);
    uint64_t key = key_of(layout->module, layout->token);
    if (old && is_same(old, layout)) {
        free(layout);
        return key;
    }
    if (old) {
        drop(layouts, layout->class, 0);
    }
    for (unsigned index = 0; index < INDEXES; index++) {
        struct struct_layout **bucket = &layouts->buckets[index][own_bucket(layout, index)];
        layout->next[index] = *bucket;
        *bucket = layout;
    }
    return key;
}

/* ---- layouts of types ---- */

static bool fits(const struct struct_question *question, const struct struct_layout *layout,
                 const struct ilpi_sized_value *type, unsigned depth);

/* An unknown argument is of a type of which the struct has no value. By identity for structs and
 * enums, by the core type for numbers; a reference fits any reference. */
static bool argument_fits(const struct struct_question *question, ClassID class,
                          const struct ilpi_sized_value *argument, unsigned depth)
{
    const struct ilpi_value_layout *layout = &argument->layout;
    bool is_value = layout->is_struct || argument->is_enum || !layout->references;
    if (layout->size == 0 || class == 0 || !is_value) {
        return layout->size == 0 || (class == 0 && !is_value);
    }
    const struct struct_layout *own = find_class(question->layouts, class);
    if (!own || depth == LAYOUT_DEPTH) {
        return false;
    }
    if (layout->is_struct || argument->is_enum) {
        return fits(question, own, argument, depth + 1);
    }
    struct ilp_image *image = loaded_image(question->loaded->loaded, own->module);
    const struct ilpi_core_type *core =
        image ? ilpi_find_core_type((struct ilpi_type_def){image, ILP_TOKEN_RID(own->token)})
              : NULL;
    return core && core->scalar != 0 && core->element == argument->element;
}

static bool fits(const struct struct_question *question, const struct struct_layout *layout,
                 const struct ilpi_sized_value *type, unsigned depth)
{
    bool is = type->def.image && ILP_TOKEN_RID(layout->token) == type->def.rid &&
              layout->module == loaded_module(question->loaded->loaded, type->def.image) &&
              layout->argument_count == type->own_count;
    for (ULONG i = 0; i < layout->argument_count && is; i++) {
        is = argument_fits(question, layout->arguments[i], &type->own_arguments[i], depth);
    }
    return is;
}

static const struct class_field *find_field(const struct struct_layout *layout, ilp_rid rid)
{
    for (ULONG i = 0; i < layout->field_count; i++) {
        if (layout->fields[i].token == ILP_TOKEN(ILP_Field, rid)) {
            return &layout->fields[i];
        }
    }
    return NULL;
}

/* Each member must be there, inside the struct. */
static bool take(const struct struct_layout *layout, const struct ilpi_sized_value *type,
                 struct ilpi_member *members)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct class_field *field = find_field(layout, members[i].field);
        uint32_t size = members[i].value.layout.size;
        if (!field || field->offset > layout->size || size > layout->size - field->offset) {
            return false;
        }
        members[i].place = field->offset;
    }
    return layout->field_count == type->member_count;
}

/* What is not found is noted: when the runtime loads the class later, shapes that depend on it are
 * built again. */
static bool lay_out(void *user, const struct ilpi_sized_value *type, struct ilpi_member *members,
                    uint32_t *size)
{
    const struct struct_question *question = user;
    ModuleID module = loaded_module(question->loaded->loaded, type->def.image);
    uint64_t key = key_of(module, ILP_TOKEN(ILP_TypeDef, type->def.rid));
    const struct struct_layout *at = question->layouts->buckets[BY_DEFINITION][bucket_of(key)];
    while (at && !fits(question, at, type, 0)) {
        at = at->next[BY_DEFINITION];
    }
    if (!at) {
        loaded_note_key(question->loaded, key);
        return false;
    }
    *size = at->size;
    return take(at, type, members);
}

struct ilpi_layout_source struct_layouts_source(struct struct_question *question)
{
    return (struct ilpi_layout_source){question, lay_out};
}
