/* Look-up of known types by their names: see known.def. The table is searched from its start to its
 * end, since that is done once for each type whose shape is built, not for values; the first of
 * several rows of a type is its newest form. */
#include <string.h>

#include "types/core_type.h"
#include "values/kinds.h"

static const struct framework_type types[] = {
#define KNOWN(name_space, name, kind, fields) {name_space, name, KNOWN_##kind, fields},
#include "values/known.def"
};

enum known_form known_form(enum known_kind kind)
{
    static const uint8_t forms[] = {
#define KNOWN_KIND(name, form, function) FORM_##form,
#include "values/known.def"
    };
    return (enum known_form)forms[kind];
}

/* Has no row: there is a type for each number of items, and all fields are used. */
static const struct framework_type tuple = {"System", "", KNOWN_TUPLE, ""};

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Compares "Outer+Inner" or "Name" of a row with a type and its enclosing type. */
static bool is_named(const char *row, const char *outer, const char *name)
{
    size_t size = strlen(outer);
    return size == 0 ? strcmp(row, name) == 0
                     : strncmp(row, outer, size) == 0 && row[size] == '+' &&
                           strcmp(row + size + 1, name) == 0;
}

/* Whether its value is read through an address that must be right, or the process crashes: only
 * those of the core library's own types are followed. */
static bool has_address(enum known_kind kind)
{
    return kind == KNOWN_TYPE || kind == KNOWN_DELEGATE || kind == KNOWN_WEAK;
}

/* NULL for a type that only has the name of a known one but not its assembly, if following its
 * addresses would be dangerous. Other known types may be of any assembly: packages have their own
 * copies of them. */
const struct framework_type *known_find(struct ilpi_type_def def)
{
    const char *name_space, *name, *outer_space = "", *outer = "";
    ilp_token token = ILP_TOKEN(ILP_TypeDef, def.rid);
    ilp_rid enclosing = ilp_enclosing_type(def.image, def.rid);
    ilpi_type_name(def.image, token, &name_space, &name);
    if (enclosing != 0) {
        ilpi_type_name(def.image, ILP_TOKEN(ILP_TypeDef, enclosing), &outer_space, &outer);
    }
    if (strcmp(name_space, "System") == 0 &&
        (begins(name, "Tuple`") || begins(name, "ValueTuple`") ||
         strcmp(name, "ValueTuple") == 0)) {
        return &tuple;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (is_named(types[i].name, outer, name) &&
            strcmp(outer[0] != '\0' ? outer_space : name_space, types[i].name_space) == 0) {
            bool trusted = !has_address(types[i].kind) || ilpi_is_core_image(def.image);
            return trusted ? &types[i] : NULL;
        }
    }
    return NULL;
}

/* A type may have several entries, newest first: fields had other names in older versions of the
 * framework. */
const struct framework_type *known_older(const struct framework_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (&types[i] > type && strcmp(types[i].name, type->name) == 0 &&
            strcmp(types[i].name_space, type->name_space) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

/* Splits "r_items", "r_message=Message" into its type, name and shown name; `shown` points into the
 * list. */
const char *known_next_field(const char *fields, struct known_field *field)
{
    size_t size = strcspn(fields, " "), named = strcspn(fields, " =");
    if (named < 2 || named > sizeof field->name) {
        return NULL;
    }
    field->what = fields[0];
    memcpy(field->name, fields + 1, named - 1);
    field->name[named - 1] = '\0';
    field->shown = fields + named + 1;
    field->shown_size = named < size ? size - named - 1 : 0;
    return fields + size + (fields[size] == ' ');
}

bool known_has_name(const struct known_field *field, const char *name)
{
    size_t size = strlen(field->name);
    if (name[0] == '<') { /* of an automatic property: <X>k__BackingField */
        return strncmp(name + 1, field->name, size) == 0 && name[1 + size] == '>';
    }
    return field->name[size - 1] == '@' ? strncmp(name, field->name, size) == 0
                                        : strcmp(name, field->name) == 0;
}

static bool is_integer(const struct shape *shape, uint32_t size)
{
    return shape->size == size && (shape->kind == SHAPE_SIGNED || shape->kind == SHAPE_UNSIGNED ||
                                   shape->kind == SHAPE_ENUM);
}

/* By the letter of known.def. A DateTime is 'l' as well: its bits are read as they are. */
bool known_is_right(const struct shape *field, char what)
{
    switch (what) {
    case 'r': return shape_is_reference(field);
    case 'p': return field->kind == SHAPE_POINTER;
    case 'i': return is_integer(field, 4);
    case 'n': return field->kind == SHAPE_ADDRESS;
    case 's': return is_integer(field, 2);
    case 'l':
        return is_integer(field, 8) || field->kind == SHAPE_DATE_TIME ||
               (field->kind == SHAPE_ADDRESS && field->size == 8);
    default: return true;
    }
}
