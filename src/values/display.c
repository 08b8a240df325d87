/* Parses DebuggerDisplay attributes. See display.h. An expression other than the name of a field
 * would have to run code, so a type with one is shown as if it had no attribute.
 *
 *   "Order {Number} of {Name,nq}"  ->  "Order ", Number | " of ", Name, plain | "", the end
 *
 * The text is copied once and cut in place: each "{" becomes the end of the part before it. */
#include "values/display.h"

#include "base/alloc.h"
#include "metadata/flags.h"
#include "metadata/resolve.h"
#include "types/core_type.h"

enum { MAX_TEXT = 200 };

/* ---- the attribute ---- */

/* The attribute of the type, or of its nearest base class. Empty: none that can be used. Classes
 * of the core library end the search: their fields are not shown (object.c), so no attribute could
 * name them. */
static struct ilp_bytes find_text(const struct display_type *type)
{
    for (uint32_t i = 0; i < type->count; i++) {
        struct ilpi_type_def def = type->at(type->user, i);
        if (ilpi_is_core_image(def.image)) {
            break;
        }
        ilp_rid row = ilpi_find_attribute(def.image, ILP_TOKEN(ILP_TypeDef, def.rid),
                                          "System.Diagnostics", "DebuggerDisplayAttribute");
        if (row != 0) {
            return ilpi_attribute_text(def.image, row);
        }
    }
    return (struct ilp_bytes){NULL, 0};
}

/* ---- names ---- */

struct member_name {
    const char *text;
    size_t size;
};

static bool is_named(const char *name, const char *before, struct member_name wanted,
                     const char *after)
{
    size_t size = strlen(before);
    return strncmp(name, before, size) == 0 &&
           strncmp(name + size, wanted.text, wanted.size) == 0 &&
           strcmp(name + size + wanted.size, after) == 0;
}

/* The field of this name in a class, or the one of its automatic property; 0: none. */
static ilp_rid find_in_class(struct ilpi_type_def def, struct member_name name, bool *is_static)
{
    ilp_rid first, end, property = 0;
    *is_static = false;
    ilpi_list(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_FieldList, &first, &end);
    for (ilp_rid at = first; at < end; at++) {
        ilp_rid field = ilpi_list_row(def.image, ILP_Field, at);
        const char *own = ilp_string(def.image,
                                     ilp_cell(def.image, ILP_Field, field, ILP_Field_Name));
        uint32_t flags = ilp_cell(def.image, ILP_Field, field, ILP_Field_Flags);
        if (is_named(own, "", name, "")) {
            *is_static = (flags & ILPI_FIELD_STATIC) != 0;
            return field;
        }
        if (is_named(own, "<", name, ">k__BackingField") && (flags & ILPI_FIELD_STATIC) == 0) {
            property = field;
        }
    }
    return property;
}

/* A name in braces may be a property: then it has a getter, whose field is looked for by the
 * caller. No code is called. */
static bool has_getter(struct ilpi_type_def def, struct member_name name)
{
    ilp_rid first, end;
    ilpi_list(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_MethodList, &first, &end);
    for (ilp_rid at = first; at < end; at++) {
        ilp_rid method = ilpi_list_row(def.image, ILP_MethodDef, at);
        if (is_named(ilp_string(def.image,
                                ilp_cell(def.image, ILP_MethodDef, method, ILP_MethodDef_Name)),
                     "get_", name, "")) {
            return true;
        }
    }
    return false;
}

static const struct shape_field *field_of(const struct shape *shape,
                                          const struct display_type *type,
                                          const struct ilp_image *image, ilp_rid field)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        if (type->origins[i].image == image && type->origins[i].field == field) {
            return &shape->fields[i];
        }
    }
    return NULL;
}

/* NULL: a name of code, or of a field that is not shown. As in C#, the nearest class that declares
 * the name decides: a property with code hides a field of that name in a base class. */
static const struct shape_field *
find_field(const struct shape *shape, const struct display_type *type, struct member_name name)
{
    for (uint32_t i = 0; i < type->count && name.size != 0; i++) {
        struct ilpi_type_def def = type->at(type->user, i);
        bool is_static;
        if (ilpi_is_core_image(def.image)) {
            break;
        }
        ilp_rid field = find_in_class(def, name, &is_static);
        if (field != 0) {
            return is_static ? NULL : field_of(shape, type, def.image, field);
        }
        if (has_getter(def, name)) {
            break;
        }
    }
    return NULL;
}

/* ---- its parts ---- */

/* "Name" or "Name,nq". */
static bool read_field(const struct shape *shape, const struct display_type *type,
                       struct member_name name, struct display_part *part)
{
    static const char plain[] = ",nq";
    size_t size = sizeof plain - 1;
    part->plain = name.size >= size && memcmp(name.text + name.size - size, plain, size) == 0;
    name.size -= part->plain ? size : 0;
    part->field = find_field(shape, type, name);
    return part->field != NULL;
}

/* Splits the text into parts; false if its form is not supported. `text` is what remains of it, and
 * becomes the start of the next part. There is room for one part more than fields, since the last
 * one has none. */
static bool read_parts(char *text, const struct shape *shape, const struct display_type *type,
                       struct display *display)
{
    for (;;) {
        struct display_part *part = &display->parts[display->field_count];
        size_t size = strcspn(text, "{}\\");
        *part = (struct display_part){.before = text};
        if (text[size] == '\0') {
            return true;
        }
        char *close = strchr(text + size, '}');
        if (text[size] != '{' || !close || display->field_count == SHAPE_MAX_FIELDS ||
            !read_field(shape, type,
                        (struct member_name){text + size + 1, (size_t)(close - text) - size - 1},
                        part)) {
            return false;
        }
        text[size] = '\0';
        text = close + 1;
        display->field_count++;
    }
}

/* No display rather than a wrong one: what cannot be read as text and fields is ignored, and the
 * value is written as any. */
ilp_status display_build(struct shape *shape, const struct display_type *type,
                         struct ilp_arena *arena, struct ilp_error *error)
{
    struct ilp_bytes bytes = find_text(type);
    if (bytes.size == 0 || bytes.size > MAX_TEXT || memchr(bytes.data, '\0', bytes.size)) {
        return ILP_OK;
    }
    struct display *display =
        ilpi_arena_alloc(arena, sizeof *display + (SHAPE_MAX_FIELDS + 1) * sizeof *display->parts);
    char *text = ilpi_arena_alloc(arena, bytes.size + 1); /* zeroed */
    if (!display || !text) {
        return ilpi_fail_memory(error, sizeof *display);
    }
    memcpy(text, bytes.data, bytes.size);
    if (read_parts(text, shape, type, display)) {
        shape->display = display;
    }
    return ILP_OK;
}
