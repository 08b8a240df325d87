/* Builds shapes of classes. See class_layout.h. A class of the runtime is converted to a type as in
 * a signature, whose type arguments are converted likewise: so types/value_size.h applies to it. */
#include "profiler/class_layout.h"

#include <string.h>

#include "base/alloc.h"
#include "types/value_type.h"
#include "values/kinds.h"
#include "values/object.h"

enum { MAX_DEPTH = 8, MAX_ARGUMENTS = 16, MAX_BASES = 32, MAX_RANK = 32, MAX_FIELDS = 4096 };

/* ---- types ---- */

/* The runtime's facts about a class that is not an array. */
struct class_info {
    ModuleID module;
    ilp_token token;
    ClassID parent;
    ULONG count;
    ClassID arguments[MAX_ARGUMENTS];
};

static bool read_info(const struct class_question *question, ClassID class, struct class_info *info)
{
    HRESULT result = CALL(ICorProfilerInfo2, GetClassIDInfo2, question->info)(
        question->info, class, &info->module, &info->token, &info->parent, MAX_ARGUMENTS,
        &info->count, info->arguments);
    return result == S_OK && info->count <= MAX_ARGUMENTS && ILP_TOKEN_RID(info->token) != 0 &&
           ILP_TOKEN_TABLE(info->token) == ILP_TypeDef;
}

/* False: it depends on more than can be noted, so it is not shown. */
static bool note_module(struct class_modules *modules, ModuleID id)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        if (modules->ids[i] == id) {
            return true;
        }
    }
    if (modules->count == CLASS_MODULES) {
        return false;
    }
    modules->ids[modules->count++] = id;
    return true;
}

/* Parameters 0 to count - 1, linked; NULL: no memory. */
static struct ilp_type *make_parameters(struct ilp_arena *scratch, uint32_t count)
{
    struct ilp_type *types = ilpi_arena_array(scratch, count + 1, sizeof *types);
    for (uint32_t i = 0; types && i < count; i++) {
        types[i] = (struct ilp_type){
            .element = ILP_ELEMENT_VAR, .number = i, .next = i + 1 < count ? &types[i + 1] : NULL};
    }
    return types;
}

/* The type of a class, with its type arguments; *known is whether it was found. */
static ilp_status close_class(const struct class_question *question, ClassID class, unsigned depth,
                              struct ilpi_sized_value *out, bool *known);

static ilp_status size_type(const struct class_question *question, struct ilp_image *image,
                            const struct ilp_type *type, const struct ilpi_sized_value *arguments,
                            uint32_t count, struct ilpi_sized_value *out)
{
    struct ilpi_value_query query = {image, type, question->resolver, question->scratch,
                                     question->layouts};
    return ilpi_value_tree_closed(&query, arguments, count, out, NULL);
}

/* A generic class becomes a GENERICINST over its own parameters, with the arguments beside it, so
 * that no signature has to be made for each instance. */
static ilp_status close_named(const struct class_question *question, const struct class_info *info,
                              unsigned depth, struct ilpi_sized_value *out, bool *known)
{
    struct ilp_image *image = loaded_image(question->loaded, info->module);
    ilp_rid rid = ILP_TOKEN_RID(info->token);
    *known = false;
    if (!image || rid > ilp_row_count(image, ILP_TypeDef) ||
        !note_module(question->modules, info->module)) {
        return ILP_OK;
    }
    struct ilpi_sized_value *arguments = ilpi_arena_array(question->scratch, info->count + 1,
                                                          sizeof *arguments);
    struct ilp_type *types = ilpi_arena_array(question->scratch, 2, sizeof *types);
    struct ilp_type *parameters = make_parameters(question->scratch, info->count);
    if (!arguments || !types || !parameters) {
        return ilpi_fail_memory(NULL, sizeof *types);
    }
    for (uint32_t i = 0; i < info->count; i++) {
        bool argument;
        ILPI_TRY(close_class(question, info->arguments[i], depth + 1, &arguments[i], &argument));
        if (!argument) {
            return ILP_OK;
        }
    }
    types[0] = (struct ilp_type){
        .element = ilpi_is_value_type_def(image, rid) ? ILP_ELEMENT_VALUETYPE : ILP_ELEMENT_CLASS,
        .token = info->token,
        .next = info->count != 0 ? parameters : NULL};
    types[1] = (struct ilp_type){
        .element = ILP_ELEMENT_GENERICINST, .number = info->count, .inner = &types[0]};
    *known = true;
    return size_type(question, image, &types[info->count != 0], arguments, info->count, out);
}

/* The runtime's facts about an array. */
struct array_info {
    ULONG element; /* an element type */
    ClassID class; /* its class, if it has its own */
    ULONG rank;
    bool vector;
};

/* For an array with such elements. An element without a class of its own is a pointer. */
static ilp_status close_array(const struct class_question *question, const struct array_info *info,
                              unsigned depth, struct ilpi_sized_value *out, bool *known)
{
    struct ilpi_sized_value *element = ilpi_arena_alloc(question->scratch, sizeof *element);
    struct ilp_type *type = make_parameters(question->scratch, 2);
    if (!type || !element) {
        return ilpi_fail_memory(NULL, sizeof *type);
    }
    *known = false;
    if (info->element == ILP_ELEMENT_PTR || info->element == ILP_ELEMENT_FNPTR) {
        struct ilp_type *pointer = make_parameters(question->scratch, 2);
        if (!pointer) {
            return ilpi_fail_memory(NULL, sizeof *pointer);
        }
        pointer[1] = (struct ilp_type){.element = ILP_ELEMENT_VOID};
        pointer[0] = (struct ilp_type){.element = ILP_ELEMENT_PTR, .inner = &pointer[1]};
        ILPI_TRY(size_type(question, NULL, pointer, NULL, 0, element));
        *known = true;
    } else if (info->class != 0) {
        ILPI_TRY(close_class(question, info->class, depth + 1, element, known));
    }
    if (!*known) {
        return ILP_OK;
    }
    type[1] = (struct ilp_type){.element = info->vector ? ILP_ELEMENT_SZARRAY : ILP_ELEMENT_ARRAY,
                                .number = info->rank,
                                .inner = &type[0]};
    return size_type(question, element->image, &type[1], element, 1, out);
}

static bool read_array(const struct class_question *question, ClassID class,
                       struct array_info *info)
{
    HRESULT result = CALL(ICorProfilerInfo, IsArrayClass, question->info)(
        question->info, class, &info->element, &info->class, &info->rank);
    info->vector = info->rank == 1; /* only an object distinguishes T[*] from T[] */
    return result == S_OK && info->rank != 0 && info->rank <= MAX_RANK;
}

static ilp_status close_class(const struct class_question *question, ClassID class, unsigned depth,
                              struct ilpi_sized_value *out, bool *known)
{
    struct array_info array = {.rank = 0};
    struct class_info info = {.count = 0};
    *known = false;
    if (class == 0 || depth > MAX_DEPTH) {
        return ILP_OK;
    }
    if (read_array(question, class, &array)) {
        return close_array(question, &array, depth, out, known);
    }
    return read_info(question, class, &info) ? close_named(question, &info, depth, out, known)
                                             : ILP_OK;
}

/* ---- objects ---- */

/* The first members of a method table. Compared with the runtime's report of a class, which lacks
 * the size and offset of elements. */
struct method_table {
    uint32_t flags;     /* the highest bit: objects have elements, whose size is in the low 16
                           bits */
    uint32_t base_size; /* of an object without elements, including the word before it */
};

static struct method_table read_table(ClassID table)
{
    struct method_table copy;
    memcpy(&copy, (const void *)table, sizeof copy);
    return copy;
}

static uint32_t element_size(const struct method_table *table)
{
    return table->flags >> 31 != 0 ? table->flags & 0xFFFF : 0;
}

/* The fields of the class itself, not of its bases. The runtime does not report the offsets of a
 * string's fields; a field without an offset is not read. */
static ilp_status read_fields(const struct class_question *question, ClassID id,
                              struct object_class *class, ULONG *size)
{
    ULONG count = 0;
    HRESULT result = CALL(ICorProfilerInfo2, GetClassLayout, question->info)(question->info, id,
                                                                             NULL, 0, &count, size);
    if (result < 0 || count == 0 || count > MAX_FIELDS) {
        return ILP_OK;
    }
    struct class_field *fields = ilpi_arena_array(question->scratch, count, sizeof *fields);
    struct object_field *copy = ilpi_arena_array(question->scratch, count, sizeof *copy);
    if (!fields || !copy) {
        return ilpi_fail_memory(NULL, count * sizeof *copy);
    }
    ULONG again = 0;
    result = CALL(ICorProfilerInfo2, GetClassLayout, question->info)(question->info, id, fields,
                                                                     count, &again, size);
    for (ULONG i = 0; i < count && result >= 0 && again == count; i++) {
        copy[i] = (struct object_field){fields[i].token, fields[i].offset};
        class->field_count = i + 1;
    }
    class->fields = copy;
    return ILP_OK;
}

/* Whether the runtime lays a value type out as metadata alone implies. */
static bool is_laid_out(const struct object_class *class, ULONG size)
{
    const struct ilpi_sized_value *type = &class->type;
    if (type->layout.size != size) {
        return false;
    }
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint32_t at = 0;
        while (at < class->field_count &&
               class->fields[at].field != ILP_TOKEN(ILP_Field, type->members[i].field)) {
            at++;
        }
        if (at == class->field_count || class->fields[at].offset != type->members[i].place) {
            return false;
        }
    }
    return true;
}

/* A class and all its bases. */
static ilp_status read_classes(const struct class_question *question, ClassID id,
                               struct object_class *classes, uint32_t *count, bool *known)
{
    *known = true;
    for (*count = 0; id != 0 && *known; ++*count) {
        struct class_info info = {.count = 0};
        struct object_class *class = &classes[*count];
        ULONG size = 0;
        if (*count == MAX_BASES || !read_info(question, id, &info)) {
            *known = false;
            return ILP_OK;
        }
        ILPI_TRY(close_named(question, &info, 0, &class->type, known));
        if (*known) {
            class->def.image = loaded_image(question->loaded, info.module);
            class->def.rid = ILP_TOKEN_RID(info.token);
            ILPI_TRY(read_fields(question, id, class, &size));
        }
        if (*known && ilpi_is_value_type_def(class->def.image, class->def.rid)) {
            *known = is_laid_out(class, size);
            ++*count;
            return ILP_OK; /* a boxed value only has its own fields */
        }
        id = info.parent;
    }
    return ILP_OK;
}

/* The size of an object, from its method table, bounds all offsets. */
static ilp_status class_object(const struct class_question *question, ClassID table,
                               const struct shape **out, struct ilp_arena **arena)
{
    struct object_class *classes = ilpi_arena_array(question->scratch, MAX_BASES, sizeof *classes);
    uint32_t size = read_table(table).base_size;
    uint32_t count = 0;
    bool known;
    if (!classes) {
        return ilpi_fail_memory(NULL, sizeof *classes);
    }
    ILPI_TRY(read_classes(question, table, classes, &count, &known));
    if (!known || size < 2 * sizeof(void *)) {
        return ILP_OK;
    }
    *arena = loaded_arena(question->loaded, question->modules->ids, question->modules->count);
    const struct object_source source = {.classes = classes,
                                         .class_count = count,
                                         .size = size - (uint32_t)sizeof(void *),
                                         .resolver = question->resolver,
                                         .layouts = question->layouts,
                                         .redaction = question->redaction,
                                         .arena = *arena,
                                         .scratch = question->scratch};
    return *arena ? object_build(out, &source, NULL) : ilpi_fail_memory(NULL, sizeof source);
}

/* Elements follow the length, and, except in T[], two numbers for each dimension. */
static ilp_status class_array(const struct class_question *question, ClassID id,
                              struct array_info *info, const struct shape **out,
                              struct ilp_arena **arena)
{
    const struct method_table table = read_table(id);
    struct array_source source = {.element_size = element_size(&table),
                                  .resolver = question->resolver,
                                  .layouts = question->layouts,
                                  .redaction = question->redaction,
                                  .scratch = question->scratch,
                                  .data = table.base_size - (uint32_t)sizeof(void *)};
    bool known;
    info->vector = info->rank == 1 && source.data == 2 * sizeof(void *);
    source.rank = info->vector ? 0 : info->rank;
    if (source.data != 2 * sizeof(void *) + 2 * sizeof(int) * (size_t)source.rank ||
        source.element_size == 0) {
        return ILP_OK;
    }
    ILPI_TRY(close_array(question, info, 0, &source.type, &known));
    if (!known) {
        return ILP_OK;
    }
    source.element = source.type.arguments[0];
    *arena = source.arena = loaded_arena(question->loaded, question->modules->ids,
                                         question->modules->count);
    if (!*arena) {
        return ilpi_fail_memory(NULL, sizeof source);
    }
    return object_build_array(out, &source, NULL);
}

ilp_status class_shape(const struct class_question *question, ClassID table,
                       const struct shape **out, struct ilp_arena **arena)
{
    struct array_info array = {.rank = 0};
    *out = &object_hidden;
    *arena = NULL;
    return read_array(question, table, &array) ? class_array(question, table, &array, out, arena)
                                               : class_object(question, table, out, arena);
}
