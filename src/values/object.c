/* Builds the shape of objects of a class. See object.h. The class decides the kind, the first that
 * applies:
 *
 *   a known type (known.def), or derived from one   FRAMEWORK, in the first form that fits
 *   an F# union, or a case of it                     UNION
 *   String, Object                                   STRING, ROOT
 *   derived from Exception                           EXCEPTION
 *   another core library class, a delegate           HIDDEN
 *   any other class                                  CLASS: its fields, base classes first
 *
 * Offsets are the runtime's, types are read from metadata; both are compared (size, range), and if
 * they contradict each other, the object is hidden: a wrong offset would read another field's bytes
 * as a reference. */
#include "values/object.h"

#include "base/alloc.h"
#include "metadata/flags.h"
#include "sig/sig.h"
#include "types/core_type.h"
#include "types/value_type.h"
#include "values/builder.h"
#include "values/display.h"
#include "values/union.h"

const struct shape object_hidden = {.kind = SHAPE_HIDDEN, .references = true};

struct object_builder {
    const struct object_source *source;
    struct shape_builder shapes;
    struct shape *shape;        /* its `fields` are those below, from the start */
    struct shape_field *fields; /* room for all fields of the classes, and SHAPE_MAX_FIELDS */
    struct field_origin origins[SHAPE_MAX_FIELDS]; /* of those that are shown */
};

/* ---- names ---- */

/* Without namespace, enclosing types and arity; "" for compiler-generated names. */
static const char *short_name(struct ilpi_type_def def, struct ilp_arena *arena)
{
    const char *name_space, *name;
    ilpi_type_name(def.image, ILP_TOKEN(ILP_TypeDef, def.rid), &name_space, &name);
    size_t size = strncmp(name, "<>", 2) == 0 ? 0 : strcspn(name, "`");
    char *copy = ilpi_arena_alloc(arena, size + 1); /* zeroed */
    return copy ? memcpy(copy, name, size) : NULL;
}

static void set_short_name(struct shape *shape, const char *name)
{
    size_t size = strlen(name);
    shape->short_name = name;
    shape->short_plain_size = line_is_plain(name, size) ? (uint32_t)size : 0;
}

/* ---- kinds of classes ---- */

/* Whether it is System.NAME of the core library, or derived from that. */
static bool is_a(const struct object_source *source, const char *name)
{
    for (uint32_t i = 0; i < source->class_count; i++) {
        if (ilpi_is_core_type(source->classes[i].def, name)) {
            return true;
        }
    }
    return false;
}

/* ---- fields ---- */

static bool is_static(const struct ilp_image *image, ilp_rid field)
{
    return (ilp_cell(image, ILP_Field, field, ILP_Field_Flags) & ILPI_FIELD_STATIC) != 0;
}

static const struct object_field *find_place(const struct object_class *class, ilp_rid field)
{
    for (uint32_t i = 0; i < class->field_count; i++) {
        if (class->fields[i].field == ILP_TOKEN(ILP_Field, field)) {
            return &class->fields[i];
        }
    }
    return NULL;
}

/* *out stays NULL if the object cannot have the field there. The origin is recorded by the field's
 * index before it is known whether it stays, for display_build(). */
static ilp_status build_field(struct object_builder *builder, const struct object_class *class,
                              ilp_rid field, struct shape_field *out)
{
    if (builder->shape->field_count < SHAPE_MAX_FIELDS) {
        builder->origins[builder->shape->field_count] = (struct field_origin){class->def.image,
                                                                              field};
    }
    const struct object_source *source = builder->source;
    const struct object_field *place = find_place(class, field);
    struct ilp_image *image = class->def.image;
    uint32_t blob = ilp_cell(image, ILP_Field, field, ILP_Field_Signature);
    struct ilp_sig *sig;
    struct ilpi_sized_value value;
    out->shape = NULL;
    if (!place) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_sig_read_valid(&sig, ilp_blob(image, blob), ILP_SIG_FIELD, source->scratch,
                                 builder->shapes.error));
    if (!sig) {
        return ILP_OK;
    }
    struct ilpi_value_query query = {image, sig->ret, source->resolver, source->scratch,
                                     source->layouts};
    ILPI_TRY(ilpi_value_tree_closed(&query, class->type.arguments, class->type.argument_count,
                                    &value, builder->shapes.error));
    ILPI_TRY(shape_build_value(&builder->shapes, &value, 2, &out->shape));
    out->offset = place->offset;
    const char *name = shape_field_name(builder->shapes.arena, image, field);
    if (!name) {
        return ilpi_fail_memory(builder->shapes.error, sizeof *out);
    }
    shape_set_field_name(out, name, builder->shapes.redaction);
    /* A field is after the type pointer, and within the object: what is read through the shape is
     * then within it, too. */
    uint32_t size = out->shape->size;
    if (out->offset < sizeof(void *) || out->offset > source->size ||
        size > source->size - out->offset) {
        out->shape = NULL;
    } else if (size == 0) { /* of unknown size */
        out->shape = &object_hidden;
    }
    return ILP_OK;
}

/* Fields that were built are forgotten, so another form can be tried. */
static void hide(struct object_builder *builder)
{
    builder->shape->kind = SHAPE_HIDDEN;
    builder->shape->field_count = builder->shape->further_count = 0;
}

/* A field that is not shown. One that does not fit is left out. */
static ilp_status build_further(struct object_builder *builder, const struct object_class *class,
                                ilp_rid field)
{
    struct shape *shape = builder->shape;
    struct shape_field *room = &builder->fields[shape->field_count + shape->further_count];
    shape->more = true;
    if (builder->shapes.further == 0) {
        shape->partial = true;
        return ILP_OK;
    }
    builder->shapes.unseen = true;
    ilp_status status = build_field(builder, class, field, room);
    builder->shapes.unseen = false;
    bool fits = status == ILP_OK && room->shape;
    shape->further_count += fits;
    shape->partial |= !fits;
    return status;
}

/* Appends the fields of the class itself. After SHAPE_MAX_FIELDS they are not shown any more, but
 * conditions may still name them, so their shapes are built, too, with a limit of their own. */
static ilp_status build_fields(struct object_builder *builder, const struct object_class *class)
{
    const struct ilp_image *image = class->def.image;
    struct shape *shape = builder->shape;
    ilp_rid first, end;
    ilpi_list(image, ILP_TypeDef, class->def.rid, ILP_TypeDef_FieldList, &first, &end);
    for (ilp_rid at = first; at < end && shape->kind != SHAPE_HIDDEN; at++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, at);
        if (is_static(image, field)) {
            continue;
        }
        if (shape->field_count == SHAPE_MAX_FIELDS) {
            ILPI_TRY(build_further(builder, class, field));
            continue;
        }
        struct shape_field *room = &builder->fields[shape->field_count];
        ILPI_TRY(build_field(builder, class, field, room));
        if (room->shape) {
            shape->field_count++;
        } else {
            hide(builder);
        }
    }
    return ILP_OK;
}

/* The fields of classes outside the core library, base classes first: those of core library classes
 * mean nothing to a reader. */
static ilp_status build_own_fields(struct object_builder *builder)
{
    const struct object_source *source = builder->source;
    for (uint32_t i = source->class_count; i-- > 0;) {
        if (!ilpi_is_core_image(source->classes[i].def.image)) {
            ILPI_TRY(build_fields(builder, &source->classes[i]));
        }
    }
    return ILP_OK;
}

static struct ilpi_type_def class_at(const void *user, uint32_t index)
{
    const struct object_source *source = user;
    return source->classes[index].def;
}

/* Its fields, or what an attribute selects. */
static ilp_status build_plain(struct object_builder *builder)
{
    const struct object_source *source = builder->source;
    const struct display_type type = {class_at, source, source->class_count, builder->origins};
    ILPI_TRY(build_own_fields(builder));
    return builder->shape->kind == SHAPE_CLASS
               ? display_build(builder->shape, &type, source->arena, builder->shapes.error)
               : ILP_OK;
}

/* The next field, by its name, if the class has it. */
static ilp_status build_named(struct object_builder *builder, const struct object_class *class,
                              const struct known_field *wanted)
{
    const struct ilp_image *image = class->def.image;
    struct shape_field *room = &builder->fields[builder->shape->field_count];
    ilp_rid first, end;
    ilpi_list(image, ILP_TypeDef, class->def.rid, ILP_TypeDef_FieldList, &first, &end);
    for (ilp_rid at = first; at < end; at++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, at);
        const char *own = ilp_string(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name));
        if (!is_static(image, field) && known_has_name(wanted, own)) {
            ILPI_TRY(build_field(builder, class, field, room));
            builder->shape->field_count += room->shape != NULL;
            return ILP_OK;
        }
    }
    return ILP_OK;
}

/* The fields of a list, each of the class or of a base class. All must exist. The order is that of
 * the list, not of the metadata: writers use them by index. */
static ilp_status build_listed(struct object_builder *builder, const char *list, uint32_t first)
{
    const struct object_source *source = builder->source;
    struct shape *shape = builder->shape;
    struct known_field wanted;
    while (shape->kind != SHAPE_HIDDEN && (list = known_next_field(list, &wanted)) != NULL) {
        uint32_t count = shape->field_count;
        for (uint32_t i = first; i < source->class_count && shape->field_count == count; i++) {
            ILPI_TRY(build_named(builder, &source->classes[i], &wanted));
        }
        if (shape->field_count == count ||
            !known_is_right(builder->fields[count].shape, wanted.what)) {
            hide(builder);
            return ILP_OK;
        }
        ILPI_TRY(shape_rename_field(&builder->shapes, &builder->fields[count], &wanted));
    }
    return ILP_OK;
}

/* Whatever its class, an exception is shown by message and inner exception, which are fields of
 * System.Exception, and then by fields of its own class. */
static ilp_status build_exception(struct object_builder *builder)
{
    const struct object_source *source = builder->source;
    uint32_t i = 0;
    /* Ends: is_a() has found it among the classes. */
    while (!ilpi_is_core_type(source->classes[i].def, "Exception")) {
        i++;
    }
    builder->shape->kind = SHAPE_EXCEPTION;
    ILPI_TRY(build_listed(builder, "r_message=Message r_innerException=InnerException", i));
    return builder->shape->kind == SHAPE_HIDDEN ? ILP_OK : build_own_fields(builder);
}

/* ---- known classes ---- */

static ilp_status build_known(struct object_builder *builder, const struct framework_type *known,
                              uint32_t first)
{
    struct shape *shape = builder->shape;
    shape->kind = SHAPE_FRAMEWORK;
    shape->known = known->kind;
    ILPI_TRY(build_listed(builder, known->fields, first));
    if (known->kind == KNOWN_TASK && shape->kind != SHAPE_HIDDEN) {
        set_short_name(shape, "Task"); /* to a reader, a state machine is just a task */
    }
    return ILP_OK;
}

/* The nearest class that is known, and its index: only its own fields and those of its base classes
 * are read, so a derived class cannot hide them. */
static const struct framework_type *find_known(const struct object_source *source, uint32_t *first)
{
    const struct framework_type *known = NULL;
    for (uint32_t i = 0; i < source->class_count && !known; i++) {
        known = known_find(source->classes[i].def);
        *first = i;
    }
    return known;
}

/* ---- F# unions ---- */

static bool is_union(const struct object_source *source)
{
    return source->class_count > 1 && union_is(source->classes[0].def, source->classes[1].def);
}

/* A union of an unknown form is shown like other classes. */
static ilp_status build_union(struct object_builder *builder)
{
    const struct object_class *own = &builder->source->classes[0];
    struct shape *shape = builder->shape;
    ILPI_TRY(build_fields(builder, own));
    if (shape->kind != SHAPE_HIDDEN) {
        ILPI_TRY(union_build(shape, own->def, false, &builder->shapes));
    }
    if (shape->kind != SHAPE_CLASS) {
        return ILP_OK;
    }
    shape->field_count = shape->further_count = 0;
    shape->more = shape->partial = false;
    return build_plain(builder);
}

/* ---- everything ---- */

/* A type of a known name whose fields are others (another version of the runtime or of a package)
 * is tried in its older forms, and then shown like any class. */
static ilp_status build_class(struct object_builder *builder)
{
    const struct object_source *source = builder->source;
    struct shape *shape = builder->shape;
    uint32_t first = 0;
    const struct framework_type *known = find_known(source, &first);
    shape->kind = SHAPE_CLASS;
    while (known && known->kind != KNOWN_TUPLE) {
        ILPI_TRY(build_known(builder, known, first));
        if (shape->kind != SHAPE_HIDDEN) {
            return ILP_OK;
        }
        shape->kind = SHAPE_CLASS; /* this runtime has another layout: show its fields */
        known = known_older(known);
    }
    if (known) {
        ILPI_TRY(build_fields(builder, &source->classes[first]));
        shape->known = known->kind;
        shape->kind = shape->kind == SHAPE_HIDDEN ? SHAPE_HIDDEN : SHAPE_FRAMEWORK;
        return ILP_OK;
    }
    if (is_union(source)) {
        return build_union(builder);
    }
    if (ilpi_is_core_type(source->classes[0].def, "String")) {
        shape->kind = SHAPE_STRING;
    } else if (source->class_count == 1) {
        shape->kind = is_a(source, "Object") ? SHAPE_ROOT : SHAPE_HIDDEN;
    } else if (is_a(source, "Exception")) {
        return build_exception(builder);
    } else if (ilpi_is_core_image(source->classes[0].def.image) || is_a(source, "Delegate")) {
        shape->kind = SHAPE_HIDDEN;
    } else {
        return build_plain(builder);
    }
    return ILP_OK;
}

/* The layout in metadata (types/value_size.h) must fit in what the runtime allocates, without the
 * pointer to the type. */
static ilp_status build_boxed(struct object_builder *builder, const struct shape **out)
{
    const struct object_class *class = &builder->source->classes[0];
    ILPI_TRY(shape_build_value(&builder->shapes, &class->type, 1, out));
    if ((*out)->size == 0 || (*out)->size > builder->source->size - sizeof(void *)) {
        builder->shape->is_class = false;
        set_short_name(builder->shape, ""); /* hidden, and a struct has no name */
        *out = builder->shape;
    }
    return ILP_OK;
}

/* The names of base classes, for type tests. */
static ilp_status name_bases(struct object_builder *builder)
{
    const struct object_source *source = builder->source;
    uint32_t count = source->class_count - 1;
    const char **bases = ilpi_arena_array(source->arena, count, sizeof *bases);
    if (!bases) {
        return ilpi_fail_memory(builder->shapes.error, count * sizeof *bases);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ilpi_sized_value *type = &source->classes[i + 1].type;
        bases[i] = shape_name(type, type->type, source->arena);
        if (!bases[i]) {
            return ilpi_fail_memory(builder->shapes.error, count * sizeof *bases);
        }
        builder->shape->secret |= redaction_of_type(source->redaction, bases[i]);
    }
    builder->shape->bases = bases;
    builder->shape->base_count = count;
    return ILP_OK;
}

/* The number of fields of all classes, and of known ones: an upper bound, so that the array never
 * grows and shape->fields can be set at once. */
static size_t most_fields(const struct object_source *source)
{
    size_t count = SHAPE_MAX_FIELDS;
    for (uint32_t i = 0; i < source->class_count; i++) {
        const struct ilp_image *image = source->classes[i].def.image;
        ilp_rid first, end;
        ilpi_list(image, ILP_TypeDef, source->classes[i].def.rid, ILP_TypeDef_FieldList, &first,
                  &end);
        for (ilp_rid at = first; at < end; at++) {
            count += !is_static(image, ilpi_list_row(image, ILP_Field, at));
        }
    }
    return count;
}

/* The name and its secrecy exist even for an object that is hidden, for conditions (`is`) and
 * messages. */
ilp_status object_build(const struct shape **out, const struct object_source *source,
                        struct ilp_error *error)
{
    const struct object_class *own = &source->classes[0];
    struct object_builder builder = {.source = source,
                                     .shapes = shape_builder_open(source->arena, source->resolver,
                                                                  source->layouts, source->scratch,
                                                                  source->redaction, error)};
    struct shape *shape = ilpi_arena_alloc(source->arena, sizeof *shape);
    builder.fields = ilpi_arena_array(source->arena, most_fields(source), sizeof *builder.fields);
    if (!shape || !builder.fields) {
        return ilpi_fail_memory(error, sizeof *shape);
    }
    *shape = (struct shape){.kind = SHAPE_HIDDEN,
                            .size = source->size,
                            .references = true,
                            .is_class = true,
                            .fields = builder.fields,
                            .name = shape_name(&own->type, own->type.type, source->arena)};
    const char *name = short_name(own->def, source->arena);
    if (!shape->name || !name) {
        return ilpi_fail_memory(error, sizeof *shape);
    }
    set_short_name(shape, name);
    shape->secret = redaction_of_type(source->redaction, shape->name);
    shape->activity_local =
        strcmp(shape->name, "System.Threading.AsyncLocal`1[System.Diagnostics.Activity]") == 0;
    builder.shape = shape;
    *out = shape;
    if (ilpi_is_value_type_def(own->def.image, own->def.rid)) {
        return build_boxed(&builder, out);
    }
    ILPI_TRY(name_bases(&builder));
    ILPI_TRY(build_class(&builder));
    shape_count_names(builder.fields, shape->field_count);
    return ILP_OK;
}

/* The size of elements is the runtime's. If metadata disagree, elements are hidden one by one, so
 * that their number is still shown. An array of pointers has no name: the runtime does not report
 * what they point to. */
ilp_status object_build_array(const struct shape **out, const struct array_source *source,
                              struct ilp_error *error)
{
    struct shape_builder builder = shape_builder_open(source->arena, source->resolver,
                                                      source->layouts, source->scratch,
                                                      source->redaction, error);
    const struct shape *element;
    struct shape *shape = ilpi_arena_alloc(source->arena, sizeof *shape);
    ILPI_TRY(shape_build_value(&builder, &source->element, 1, &element));
    if (!shape) {
        return ilpi_fail_memory(error, sizeof *shape);
    }
    /* Elements are found by this size, so it must be the runtime's. */
    if (element->size != source->element_size) {
        struct shape *hidden = ilpi_arena_copy(source->arena, &object_hidden, sizeof *hidden);
        if (!hidden) {
            return ilpi_fail_memory(error, sizeof *hidden);
        }
        hidden->size = source->element_size;
        element = hidden;
    }
    *shape = (struct shape){.kind = SHAPE_ELEMENTS,
                            .is_class = true,
                            .references = true,
                            .rank = (uint8_t)source->rank,
                            .inner = element,
                            .data = source->data,
                            .name = shape_name(&source->type, source->type.type, source->arena)};
    shape->secret = redaction_of_type(source->redaction, shape->name);
    *out = shape;
    if (element->kind == SHAPE_POINTER) {
        shape->name = NULL; /* for what the runtime does not report */
        return ILP_OK;
    }
    return shape->name ? ILP_OK : ilpi_fail_memory(error, sizeof *shape);
}
