/* Builds the shape of a type. See shape.h.
 *
 *   struct Order { int Number; string Name; Price Total; }   Price: struct of a decimal
 *
 *   STRUCT "Order" -- "Number" at 8  --> SIGNED, 4 bytes
 *                  -- "Name"   at 0  --> STRING, a reference
 *                  -- "Total"  at 16 --> STRUCT "Price" -- ... --> DECIMAL, 16 bytes
 *
 * The tree of a value with its layout (types/value_size.h) becomes a tree of shapes, of the same
 * form, that does not refer to metadata. Its size is limited in depth and by the number of parts of
 * the whole: a struct of structs, each with two fields of the next type, would have a part for each
 * path. Beyond the limits a struct is `deep`, and written as "{...}".
 *
 * Each part must be within its parent (is_within()), so writers need not check: only the size of
 * the outermost value is compared with what there is. */
#include "values/shape.h"

#include "base/alloc.h"
#include "types/core_type.h"
#include "types/value_size.h"
#include "values/builder.h"
#include "values/display.h"
#include "values/union.h"

/* Counts each shape, at its start: the limit on parts must hold before its fields are built. At 0
 * it stays there: build_fields() then builds no fields. */
static ilp_status make(struct shape_builder *builder, const struct ilpi_sized_value *value,
                       struct shape **out)
{
    struct shape *shape = ilpi_arena_alloc(builder->arena, sizeof *shape);
    const char *name = value->type ? shape_name(value, value->type, builder->arena) : "?";
    if (!shape || !name) {
        return ilpi_fail_memory(builder->error, sizeof *shape);
    }
    *shape = (struct shape){
        .size = value->layout.size, .references = value->layout.references, .name = name};
    shape->secret = redaction_of_type(builder->redaction, name);
    unsigned *left = shape_parts_left(builder);
    *left -= *left != 0;
    *out = shape;
    return ILP_OK;
}

/* ---- structs ---- */

struct known_struct {
    const char *name;
    enum shape_kind kind;
    uint32_t size;
};

/* System.NAME of the core library. */
static const struct known_struct known_structs[] = {
    {"Decimal", SHAPE_DECIMAL, 16},
    {"Guid", SHAPE_GUID, 16},
    {"TimeSpan", SHAPE_TIME_SPAN, 8},
    {"DateTime", SHAPE_DATE_TIME, 8},
};

/* The source name X of a compiler-generated <X>k__BackingField, <X>P or the like, or of F#'s X@. */
const char *shape_field_name(struct ilp_arena *arena, const struct ilp_image *image, ilp_rid field)
{
    const char *name = ilp_string(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name));
    const char *end = strchr(name, '>');
    bool made = name[0] == '<' && end && end > name + 1;
    size_t size = made ? (size_t)(end - name - 1) : strlen(name);
    size -= !made && size > 1 && name[size - 1] == '@';
    char *copy = ilpi_arena_alloc(arena, size + 1); /* zeroed */
    return copy ? memcpy(copy, made ? name + 1 : name, size) : NULL;
}

/* `label` is the name as it is written between others, ", Name=", so that most fields are one copy
 * of constant size (write_object.c), for which it has to leave a byte of its room. */
void shape_set_field_name(struct shape_field *field, const char *name,
                          const struct redaction *redaction)
{
    size_t size = strlen(name);
    field->name = name;
    field->plain_size = line_is_plain(name, size) ? (uint32_t)size : 0;
    field->label_size = 0;
    if (field->plain_size != 0 && size + sizeof ", =" - 1 < sizeof field->label) {
        memcpy(field->label, ", ", 2);
        memcpy(field->label + 2, name, size);
        field->label[2 + size] = '=';
        field->label_size = (uint32_t)size + 3;
    }
    field->secrecy = redaction_of_name(redaction, name, size);
}

void shape_count_names(struct shape_field *fields, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fields[i].again = 0;
        for (uint32_t before = 0; before < i; before++) {
            fields[i].again += strcmp(fields[before].name, fields[i].name) == 0;
        }
    }
}

ilp_status shape_rename_field(const struct shape_builder *builder, struct shape_field *field,
                              const struct known_field *known)
{
    if (known->shown_size == 0) {
        return ILP_OK;
    }
    char *name = ilpi_arena_alloc(builder->arena, known->shown_size + 1); /* zeroed */
    if (!name) {
        return ilpi_fail_memory(builder->error, known->shown_size);
    }
    memcpy(name, known->shown, known->shown_size);
    shape_set_field_name(field, name, builder->redaction);
    return ILP_OK;
}

/* References may overlap (FieldOffset), and only the program knows which one is valid. The sums are
 * of 64 bits, since places are any number in invalid metadata. Quadratic, but only for structs with
 * references, which rarely have many fields. */
static bool is_overlaid(const struct ilpi_sized_value *value, const struct ilpi_member *member)
{
    for (uint32_t i = 0; i < value->member_count && member->value.layout.references; i++) {
        const struct ilpi_member *other = &value->members[i];
        if (other != member && other->value.layout.references &&
            member->place < (uint64_t)other->place + other->value.layout.size &&
            other->place < (uint64_t)member->place + member->value.layout.size) {
            return true;
        }
    }
    return false;
}

/* Nothing that it refers to is read. */
static ilp_status build_overlaid(struct shape_builder *builder, const struct shape **shape)
{
    struct shape *closed = ilpi_arena_copy(builder->arena, *shape, sizeof **shape);
    if (!closed) {
        return ilpi_fail_memory(builder->error, sizeof *closed);
    }
    closed->kind = shape_is_reference(closed) ? SHAPE_OBJECT : SHAPE_BYTES;
    *shape = closed;
    return ILP_OK;
}

/* The depth grows with each level, so types that contain themselves (through references) end. */
static ilp_status build_field(struct shape_builder *builder, const struct ilpi_sized_value *value,
                              const struct ilpi_member *member, unsigned depth,
                              struct shape_field *field)
{
    const char *name = shape_field_name(builder->arena, value->def.image, member->field);
    if (!name) {
        return ilpi_fail_memory(builder->error, sizeof *field);
    }
    *field = (struct shape_field){.offset = member->place};
    shape_set_field_name(field, name, builder->redaction);
    ILPI_TRY(shape_build_value(builder, &member->value, depth + 1, &field->shape));
    return is_overlaid(value, member) ? build_overlaid(builder, &field->shape) : ILP_OK;
}

static bool is_within(const struct shape *shape, const struct shape_field *field)
{
    return field->offset <= shape->size && field->shape->size <= shape->size - field->offset;
}

/* Fields that are not shown. What does not fit is left out. */
static ilp_status build_further(struct shape_builder *builder, const struct ilpi_sized_value *value,
                                unsigned depth, struct shape *shape, struct shape_field *fields)
{
    bool unseen = builder->unseen;
    ilp_status status = ILP_OK;
    builder->unseen = true;
    for (uint32_t i = shape->field_count; i < value->member_count && status == ILP_OK; i++) {
        struct shape_field *field = &fields[shape->field_count + shape->further_count];
        if (builder->further == 0) {
            shape->partial = true;
            break;
        }
        status = build_field(builder, value, &value->members[i], depth, field);
        bool fits = status == ILP_OK && is_within(shape, field);
        shape->further_count += fits;
        shape->partial |= !fits;
    }
    builder->unseen = unseen;
    return status;
}

/* An inline array's only field is its first element; the others have no name. */
static ilp_status build_fields(struct shape_builder *builder, const struct ilpi_sized_value *value,
                               unsigned depth, struct shape *shape)
{
    uint32_t count = value->member_count < SHAPE_MAX_FIELDS ? value->member_count
                                                            : SHAPE_MAX_FIELDS;
    if (count != 0 && (depth > SHAPE_MAX_DEPTH || *shape_parts_left(builder) < count)) {
        shape->deep = true;
        return ILP_OK;
    }
    struct shape_field *fields = ilpi_arena_array(builder->arena, value->member_count,
                                                  sizeof *fields);
    if (!fields) {
        return ilpi_fail_memory(builder->error, value->member_count * sizeof *fields);
    }
    for (uint32_t i = 0; i < count; i++) {
        ILPI_TRY(build_field(builder, value, &value->members[i], depth, &fields[i]));
        if (!is_within(shape, &fields[i])) {
            shape->kind = SHAPE_BYTES;
            return ILP_OK;
        }
    }
    shape->fields = fields;
    shape->field_count = count;
    shape->more = value->member_count > count;
    return build_further(builder, value, depth, shape, fields);
}

/* The shape of its elements, if that is the type argument. */
static ilp_status build_argument(struct shape_builder *builder,
                                 const struct ilpi_sized_value *value, struct shape *shape)
{
    struct ilpi_sized_value argument;
    const struct ilp_type *type = ilpi_type_unmodified(value->type);
    if (type->element != ILP_ELEMENT_GENERICINST) {
        return ILP_OK;
    }
    struct ilpi_value_query query = {value->image, type->inner->next, builder->resolver,
                                     builder->scratch, builder->layouts};
    ILPI_TRY(ilpi_value_tree_closed(&query, value->arguments, value->argument_count, &argument,
                                    builder->error));
    return shape_build_value(builder, &argument, 1, &shape->inner);
}

/* Takes the fields of a known type in the order of the list; hidden if one is missing. They are
 * swapped to the front, in place: the array belongs to this builder until the shape is complete,
 * and so the const is cast away. A field that is renamed is not found by its old name any more, so
 * a struct with several forms (known.def) must not rename fields: the forms after a failed one
 * would miss it. */
static ilp_status take_known(struct shape_builder *builder, const struct framework_type *known,
                             struct shape *shape)
{
    struct known_field wanted;
    uint32_t count = 0;
    const char *rest = known->fields;
    struct shape_field *fields = (struct shape_field *)(uintptr_t)shape->fields;
    while ((rest = known_next_field(rest, &wanted)) != NULL) {
        uint32_t at = count;
        while (at < shape->field_count && !known_has_name(&wanted, fields[at].name)) {
            at++;
        }
        if (at == shape->field_count || !known_is_right(fields[at].shape, wanted.what)) {
            shape->kind = SHAPE_HIDDEN;
            return ILP_OK;
        }
        ILPI_TRY(shape_rename_field(builder, &fields[at], &wanted));
        struct shape_field found = fields[at];
        fields[at] = fields[count];
        fields[count++] = found;
    }
    shape->field_count = known->kind == KNOWN_TUPLE ? shape->field_count : count;
    shape->further_count = 0;
    return ILP_OK;
}

/* An older form (known_older()) is tried with the same fields, in whatever order the last attempt
 * has put them. */
static ilp_status build_known(struct shape_builder *builder, const struct framework_type *known,
                              const struct ilpi_sized_value *value, unsigned depth,
                              struct shape *shape)
{
    /* text is shown at any depth */
    ILPI_TRY(
        build_fields(builder, value, depth < SHAPE_MAX_DEPTH ? depth : SHAPE_MAX_DEPTH, shape));
    if (shape->kind != SHAPE_STRUCT || shape->deep) {
        shape->kind = SHAPE_HIDDEN;
        return ILP_OK;
    }
    const struct framework_type *form = known;
    do {
        shape->kind = SHAPE_FRAMEWORK;
        shape->known = form->kind;
        ILPI_TRY(take_known(builder, form, shape));
        form = known_older(form);
    } while (shape->kind == SHAPE_HIDDEN && form);
    return known->kind == KNOWN_SPAN || known->kind == KNOWN_MEMORY || known->kind == KNOWN_SEQUENCE
               ? build_argument(builder, value, shape)
               : ILP_OK;
}

/* A case without fields is shown at any depth. */
static ilp_status build_union(struct shape_builder *builder, const struct ilpi_sized_value *value,
                              unsigned depth, struct shape *shape)
{
    ILPI_TRY(
        build_fields(builder, value, depth < SHAPE_MAX_DEPTH ? depth : SHAPE_MAX_DEPTH, shape));
    return shape->kind == SHAPE_STRUCT && !shape->deep
               ? union_build(shape, value->def, true, builder)
               : ILP_OK;
}

static struct ilpi_type_def def_of(const void *user, uint32_t index)
{
    const struct ilpi_sized_value *value = user;
    (void)index; /* a struct has no base class with fields */
    return value->def;
}

static ilp_status build_display(struct shape_builder *builder, const struct ilpi_sized_value *value,
                                struct shape *shape)
{
    struct field_origin origins[SHAPE_MAX_FIELDS];
    const struct display_type type = {def_of, value, 1, origins};
    for (uint32_t i = 0; i < shape->field_count; i++) {
        origins[i] = (struct field_origin){value->def.image, value->members[i].field};
    }
    return shape->kind == SHAPE_STRUCT && !shape->deep
               ? display_build(shape, &type, builder->arena, builder->error)
               : ILP_OK;
}

/* In this order: structs of the core library with a text of their own, known types, F# unions,
 * Nullable (which is no level of its own), others. A struct with a DebuggerDisplay that can be used
 * is shown by it. */
static ilp_status build_struct(struct shape_builder *builder, const struct ilpi_sized_value *value,
                               unsigned depth, struct shape *shape)
{
    shape->kind = SHAPE_STRUCT;
    for (size_t i = 0; i < sizeof known_structs / sizeof known_structs[0]; i++) {
        if (value->layout.size == known_structs[i].size &&
            ilpi_is_core_type(value->def, known_structs[i].name)) {
            shape->kind = known_structs[i].kind;
            return ILP_OK;
        }
    }
    const struct framework_type *known = known_find(value->def);
    if (known) {
        return build_known(builder, known, value, depth, shape);
    }
    if (union_is(value->def, (struct ilpi_type_def){NULL, 0})) {
        return build_union(builder, value, depth, shape);
    }
    bool nullable = value->member_count == 2 && ilpi_is_core_type(value->def, "Nullable`1");
    ILPI_TRY(build_fields(builder, value, nullable ? depth - 1 : depth, shape));
    ILPI_TRY(build_display(builder, value, shape));
    if (nullable && shape->field_count == 2) {
        shape->kind = SHAPE_NULLABLE;
        shape->name = shape->fields[1].shape->name;
        shape->secret = shape->fields[1].shape->secret;
    }
    return ILP_OK;
}

/* ---- everything ---- */

/* By the element type of a signature (II.23.1.16). */
static enum shape_kind kind_of(uint8_t element)
{
    switch (element) {
    case ILP_ELEMENT_BOOLEAN: return SHAPE_BOOLEAN;
    case ILP_ELEMENT_CHAR: return SHAPE_CHAR;
    case ILP_ELEMENT_I1:
    case ILP_ELEMENT_I2:
    case ILP_ELEMENT_I4:
    case ILP_ELEMENT_I8: return SHAPE_SIGNED;
    case ILP_ELEMENT_U1:
    case ILP_ELEMENT_U2:
    case ILP_ELEMENT_U4:
    case ILP_ELEMENT_U8: return SHAPE_UNSIGNED;
    case ILP_ELEMENT_R4: return SHAPE_SINGLE;
    case ILP_ELEMENT_R8: return SHAPE_DOUBLE;
    case ILP_ELEMENT_I:
    case ILP_ELEMENT_U: return SHAPE_ADDRESS;
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR:
    case ILP_ELEMENT_BYREF: return SHAPE_POINTER;
    case ILP_ELEMENT_STRING: return SHAPE_STRING;
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_ARRAY: return SHAPE_ARRAY;
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_OBJECT:
    case ILP_ELEMENT_GENERICINST: return SHAPE_OBJECT;
    default: return SHAPE_BYTES;
    }
}

/* The number has a shape of its own. */
static ilp_status build_enum(struct shape_builder *builder, const struct ilpi_sized_value *value,
                             struct shape *shape)
{
    shape->inner = ilpi_arena_copy(builder->arena, shape, sizeof *shape);
    if (!shape->inner) {
        return ilpi_fail_memory(builder->error, sizeof *shape);
    }
    shape->kind = SHAPE_ENUM;
    return enum_build(&shape->members, value->def, builder->arena, builder->error);
}

/* `depth` is that of the value as it will be written; deeper structs are not built, as they are not
 * shown. */
ilp_status shape_build_value(struct shape_builder *builder, const struct ilpi_sized_value *value,
                             unsigned depth, const struct shape **out)
{
    struct shape *shape = NULL;
    ILPI_TRY(make(builder, value, &shape));
    *out = shape;
    if (value->layout.size == 0) {
        /* Of an unknown size: a type parameter, or a type that is not found. */
        shape->references = true; /* it may have */
        return ILP_OK;
    }
    if (value->layout.is_struct) {
        return value->members ? build_struct(builder, value, depth, shape) : ILP_OK;
    }
    shape->kind = kind_of(value->element);
    if (shape->kind == SHAPE_ARRAY) {
        shape->rank = value->element == ILP_ELEMENT_ARRAY && value->type->number <= 32
                          ? (uint8_t)value->type->number
                          : 0;
        shape->element = shape_name(value, value->type->inner, builder->arena);
        return shape->element ? ILP_OK : ilpi_fail_memory(builder->error, sizeof *shape);
    }
    return value->is_enum ? build_enum(builder, value, shape) : ILP_OK;
}

/* Of a T& the shape is that of T, in a BYREF around it: the parameter holds an address. */
ilp_status shape_build(const struct shape **out, const struct shape_source *source,
                       struct ilp_error *error)
{
    struct shape_builder builder = shape_builder_open(
        source->arena, source->resolver, source->layouts, source->arena, source->redaction, error);
    struct ilpi_sized_value value;
    const struct ilp_type *type = ilpi_type_unmodified(source->type);
    bool byref = type->element == ILP_ELEMENT_BYREF;
    struct ilpi_value_query query = {source->image, byref ? type->inner : type, source->resolver,
                                     source->arena, source->layouts};
    ILPI_TRY(ilpi_value_tree(&query, &value, error));
    ILPI_TRY(shape_build_value(&builder, &value, 1, out));
    if (!byref) {
        return ILP_OK;
    }
    struct shape *reference = ilpi_arena_alloc(source->arena, sizeof *reference);
    if (!reference) {
        return ilpi_fail_memory(error, sizeof *reference);
    }
    *reference = (struct shape){.kind = SHAPE_BYREF,
                                .size = sizeof(void *),
                                .inner = *out,
                                .secret = (*out)->secret,
                                .name = (*out)->name};
    *out = reference;
    return ILP_OK;
}

uint32_t shape_size(const struct shape *shape)
{
    return shape->size;
}

bool shape_has_references(const struct shape *shape)
{
    return shape->references;
}
