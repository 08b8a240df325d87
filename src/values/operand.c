/* Reads operands of conditions. See operand.h. A struct ilpi_condition_value has the shape of a
 * location, and its address; for an object, of a location that refers to it.
 *
 *   location --look()--> content: through T& to T, through Nullable<T> to T, and from a reference
 *                        to the object, by its own type
 *   content --member()--> the location of a field, a length, an element
 *   content --read_content()--> a scalar, which conditions compare
 *
 * A member that no object of the type can have is NO_MEMBER; one that may exist but cannot be read
 * is UNREADABLE. */
#include "values/operand.h"

#include <string.h>

#include "values/kinds.h"
#include "values/read.h"

static const struct shape int32 = {
    .kind = SHAPE_SIGNED, .size = sizeof(int32_t), .name = "System.Int32"};

/* The shape of a value that is not the runtime's: the time that a call takes, in ns. Known by its
 * address; nothing else of it is read but the size. */
static const struct shape duration = {.size = sizeof(uint64_t)};

/* ---- the content of a location ---- */

/* An object by its own type: fields are offset from its address. */
struct content {
    const struct shape *shape;
    const uint8_t *base;
};

static const struct operand_call *call_of(const struct ilpi_condition_source *source)
{
    return (const struct operand_call *)source;
}

static const struct object_types *types_of(const struct ilpi_condition_source *source)
{
    return call_of(source)->types;
}

/* A location of a class may hold an object of a class derived from it: its fields are those of its
 * own type, if that is known. A boxed value begins after the object's header. */
static enum ilpi_reach look_at_object(const struct ilpi_condition_source *source,
                                      struct content *content)
{
    const struct object_types *types = types_of(source);
    const uint8_t *object = read_pointer(content->base);
    if (!object) {
        return ILPI_REACH_NULL;
    }
    const struct shape *own = types ? types->of(types->user, object) : NULL;
    content->shape = own ? own : content->shape;
    content->base = own && shape_is_boxed(own) ? object + BOXED_OFFSET : object;
    return ILPI_REACH_FOUND;
}

/* For T& and Nullable<T> the content is the T. A T& into memory that may hold references is not
 * followed: in the prolog of a method an `out` parameter may not have been written yet. */
static enum ilpi_reach look(const struct ilpi_condition_source *source,
                            const struct ilpi_condition_value *value, struct content *content)
{
    *content = (struct content){value->type, value->data};
    if (!content->base) {
        return ILPI_REACH_NULL;
    }
    if (!content->shape) {
        return ILPI_REACH_UNREADABLE;
    }
    if (content->shape->kind == SHAPE_BYREF) {
        *content = (struct content){content->shape->inner, read_pointer(content->base)};
        if (!content->base) {
            return ILPI_REACH_NULL;
        }
        if (content->shape->references || (uintptr_t)content->base < FIRST_PAGES) {
            return ILPI_REACH_UNREADABLE;
        }
    }
    if (content->shape->kind == SHAPE_NULLABLE) {
        const struct shape_field *fields = content->shape->fields;
        if (content->base[fields[0].offset] == 0) {
            return ILPI_REACH_NULL;
        }
        *content = (struct content){fields[1].shape, content->base + fields[1].offset};
    }
    return shape_is_reference(content->shape) ? look_at_object(source, content) : ILPI_REACH_FOUND;
}

/* ---- members ---- */

static struct ilpi_condition_value place_of(const struct content *content,
                                            const struct shape_field *field)
{
    return (struct ilpi_condition_value){field->shape, content->base + field->offset};
}

/* Fields of tuples have a prefix that their properties lack. */
static bool is_named(const struct shape_field *field, const char *name)
{
    static const char prefix[] = "m_Item";
    return strcmp(field->name, name) == 0 ||
           (strncmp(field->name, prefix, sizeof prefix - 1) == 0 &&
            strcmp(field->name + 2, name) == 0);
}

/* A name that is not there is an error in the condition only if all fields are known: a shape may
 * be cut. */
static enum ilpi_reach field_of(const struct content *content, const char *name,
                                struct ilpi_condition_value *out)
{
    const struct shape *shape = content->shape;
    for (uint32_t i = 0; i < shape->field_count + shape->further_count; i++) {
        if (is_named(&shape->fields[i], name)) {
            *out = place_of(content, &shape->fields[i]);
            return ILPI_REACH_FOUND;
        }
    }
    return shape->partial || shape->deep ? ILPI_REACH_UNREADABLE : ILPI_REACH_NO_MEMBER;
}

static enum ilpi_reach length_of(const struct content *content, const char *name,
                                 struct ilpi_condition_value *out)
{
    if (strcmp(name, "Length") != 0) {
        return ILPI_REACH_NO_MEMBER;
    }
    *out = (struct ilpi_condition_value){&int32, content->base + LENGTH_OFFSET};
    return ILPI_REACH_FOUND;
}

/* For an array with one index and lower bound 0. The index is compared with the length of this
 * array, which never changes, and not with what a collection claims. */
static enum ilpi_reach element_of(const struct content *array, uint32_t index,
                                  struct ilpi_condition_value *out)
{
    const struct shape *shape = array->shape;
    if (shape->kind != SHAPE_ELEMENTS || shape->rank != 0) {
        return ILPI_REACH_UNREADABLE;
    }
    if ((int64_t)index >= read_length(array->base + LENGTH_OFFSET)) {
        return ILPI_REACH_NO_MEMBER;
    }
    *out = (struct ilpi_condition_value){shape->inner, array->base + shape->data +
                                                           (size_t)index * shape->inner->size};
    return ILPI_REACH_FOUND;
}

/* List<T> and Stack<T> by their two fields, array and count. */
static enum ilpi_reach of_list(const struct ilpi_condition_source *source,
                               const struct content *list, const struct ilpi_condition_name *name,
                               struct ilpi_condition_value *out)
{
    enum { ARRAY, SIZE };
    const struct shape_field *fields = list->shape->fields;
    if (name->text) {
        *out = place_of(list, &fields[SIZE]);
        return strcmp(name->text, "Count") == 0 ? ILPI_REACH_FOUND : ILPI_REACH_NO_MEMBER;
    }
    struct content array;
    struct ilpi_condition_value place = place_of(list, &fields[ARRAY]);
    int32_t count = read_length(list->base + fields[SIZE].offset);
    /* The array may be longer than the list: elements after the count are not its own. */
    if ((int64_t)name->number >= count || look(source, &place, &array) != ILPI_REACH_FOUND) {
        return ILPI_REACH_NO_MEMBER;
    }
    return element_of(&array, name->number, out);
}

/* The number of an `Item12`; 0: the name is another. */
static uint32_t item_number(const char *name)
{
    enum { MAX_ITEM_DIGITS = 4 };
    static const char prefix[] = "Item";
    uint32_t number = 0;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return 0;
    }
    const char *digits = name + sizeof prefix - 1;
    size_t size = strspn(digits, "0123456789");
    if (digits[size] != '\0' || size > MAX_ITEM_DIGITS || digits[0] == '0') {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        number = number * 10 + (uint32_t)(digits[i] - '0');
    }
    return number;
}

/* Item8 is Item1 of the tuple in the eighth field, and so on. */
static enum ilpi_reach of_tuple(const struct ilpi_condition_source *source, struct content tuple,
                                const char *name, struct ilpi_condition_value *out)
{
    enum { REST = 7 };
    char item[] = "Item0";
    uint32_t number = item_number(name);
    if (number <= REST) {
        return field_of(&tuple, name, out);
    }
    for (; number > REST; number -= REST) {
        if (tuple.shape->field_count <= REST) {
            return ILPI_REACH_NO_MEMBER;
        }
        struct ilpi_condition_value rest = place_of(&tuple, &tuple.shape->fields[REST]);
        enum ilpi_reach reach = look(source, &rest, &tuple);
        if (reach != ILPI_REACH_FOUND) {
            return reach;
        }
        if (tuple.shape->kind != SHAPE_FRAMEWORK || tuple.shape->known != KNOWN_TUPLE) {
            return tuple.shape->deep ? ILPI_REACH_UNREADABLE : ILPI_REACH_NO_MEMBER;
        }
    }
    item[sizeof item - 2] = (char)('0' + number);
    return field_of(&tuple, item, out);
}

/* Members as C# code would name them: Count and elements of a list, Item1 of a tuple, Key and Value
 * of a pair. Of other collections nothing can be read without running their code. */
static enum ilpi_reach of_framework(const struct ilpi_condition_source *source,
                                    const struct content *content,
                                    const struct ilpi_condition_name *name,
                                    struct ilpi_condition_value *out)
{
    enum { KEY, VALUE };
    const struct shape_field *fields = content->shape->fields;
    switch (content->shape->known) {
    case KNOWN_LIST: return of_list(source, content, name, out);
    case KNOWN_TUPLE:
        return name->text ? of_tuple(source, *content, name->text, out) : ILPI_REACH_NO_MEMBER;
    case KNOWN_PAIR:
        if (name->text && strcmp(name->text, "Key") == 0) {
            *out = place_of(content, &fields[KEY]);
            return ILPI_REACH_FOUND;
        }
        *out = place_of(content, &fields[VALUE]);
        return name->text && strcmp(name->text, "Value") == 0 ? ILPI_REACH_FOUND
                                                              : ILPI_REACH_NO_MEMBER;
    default: return ILPI_REACH_CLOSED;
    }
}

/* What a name after a dot, or a number in brackets, means for each kind of value. */
static enum ilpi_reach member(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *of,
                              const struct ilpi_condition_name *name,
                              struct ilpi_condition_value *out)
{
    struct content content;
    enum ilpi_reach reach = look(source, of, &content);
    if (reach != ILPI_REACH_FOUND) {
        return reach;
    }
    switch (content.shape->kind) {
    case SHAPE_STRING:
    case SHAPE_ARRAY:
        return name->text ? length_of(&content, name->text, out) : ILPI_REACH_UNREADABLE;
    case SHAPE_ELEMENTS:
        return name->text ? length_of(&content, name->text, out)
                          : element_of(&content, name->number, out);
    case SHAPE_STRUCT:
    case SHAPE_UNION:
    case SHAPE_CLASS:
    case SHAPE_EXCEPTION:
        return name->text ? field_of(&content, name->text, out) : ILPI_REACH_NO_MEMBER;
    case SHAPE_FRAMEWORK: return of_framework(source, &content, name, out);
    case SHAPE_BYTES:
    case SHAPE_OBJECT:
    case SHAPE_HIDDEN: return ILPI_REACH_UNREADABLE;
    default: return ILPI_REACH_NO_MEMBER;
    }
}

/* ---- scalars ---- */

#define TICKS_OF_A_DAY 864000000000u

static struct ilpi_scalar date_of(const uint8_t *value)
{
    struct ilpi_scalar date = ilpi_scalar_of(ILPI_SCALAR_DATE);
    date.as.natural = read_ticks(value);
    return date;
}

static struct ilpi_scalar decimal_of(const uint8_t *value)
{
    struct read_decimal decimal = read_decimal(value);
    return ilpi_scalar_decimal(decimal.words, decimal.scale, decimal.negative);
}

/* Common scalars are written in place: copying one as a whole right after its members were written
 * separately stalls the processor. */
static void set_kind(struct ilpi_scalar *out, enum ilpi_scalar_kind kind)
{
    *out = (struct ilpi_scalar){.kind = (uint8_t)kind};
}

static void read_string(const uint8_t *object, struct ilpi_scalar *out)
{
    *out = (struct ilpi_scalar){.kind = ILPI_SCALAR_STRING,
                                .length = (uint32_t)read_length(object + LENGTH_OFFSET),
                                .as.bytes = object + CHARS_OFFSET};
}

/* Of an enum, its number together with the names it is compared with. */
static void read_integer(const struct shape *shape, const uint8_t *value, struct ilpi_scalar *out)
{
    bool is_enum = shape->kind == SHAPE_ENUM;
    const struct shape *number = is_enum ? shape->inner : shape;
    bool is_signed = number->kind == SHAPE_SIGNED;
    *out = (struct ilpi_scalar){.kind = is_signed ? ILPI_SCALAR_SIGNED : ILPI_SCALAR_UNSIGNED,
                                .as.natural = shape_bits(number, value),
                                .type = is_enum ? shape->members : NULL};
}

/* Times are compared as ticks; what has no form here that can be compared exactly is UNREADABLE. */
static struct ilpi_scalar framework_of(const struct content *content)
{
    const uint8_t *first =
        content->base + (content->shape->field_count != 0 ? content->shape->fields[0].offset : 0);
    struct ilpi_scalar date = ilpi_scalar_of(ILPI_SCALAR_DATE);
    switch (content->shape->known) {
    case KNOWN_DATE_ONLY:
        date.as.natural = read_unsigned(first, sizeof(uint32_t)) * TICKS_OF_A_DAY;
        return date;
    case KNOWN_TIME_ONLY: return ilpi_scalar_duration(read_signed(first, sizeof(int64_t)), 7);
    case KNOWN_DATE_TIME_OFFSET: return date_of(first);
    case KNOWN_RUNE: return ilpi_scalar_unsigned(read_unsigned(first, sizeof(uint32_t)));
    case KNOWN_WIDE_SIGNED:
    case KNOWN_WIDE_UNSIGNED:
    case KNOWN_HALF:
    case KNOWN_BIG_INTEGER: return ilpi_scalar_of(ILPI_SCALAR_UNREADABLE);
    default: return ilpi_scalar_of(ILPI_SCALAR_OBJECT);
    }
}

/* By the shape's kind. An address (IntPtr) is signed or unsigned by its name: both have the same
 * shape. */
static void read_content(const struct content *content, struct ilpi_scalar *out)
{
    const struct shape *shape = content->shape;
    const uint8_t *value = content->base;
    double real;
    float single;
    switch (shape->kind) {
    case SHAPE_BYTES: set_kind(out, ILPI_SCALAR_UNREADABLE); break;
    case SHAPE_BOOLEAN: *out = ilpi_scalar_bool(value[0] != 0); break;
    case SHAPE_SIGNED:
    case SHAPE_CHAR:
    case SHAPE_ENUM:
    case SHAPE_UNSIGNED: read_integer(shape, value, out); break;
    case SHAPE_ADDRESS:
        *out = strcmp(shape->name, "System.IntPtr") == 0
                   ? ilpi_scalar_signed(read_signed(value, shape->size))
                   : ilpi_scalar_unsigned(read_unsigned(value, shape->size));
        break;
    case SHAPE_SINGLE:
        memcpy(&single, value, sizeof single);
        *out = ilpi_scalar_single(single);
        break;
    case SHAPE_DOUBLE:
        memcpy(&real, value, sizeof real);
        *out = ilpi_scalar_double(real);
        break;
    case SHAPE_DECIMAL: *out = decimal_of(value); break;
    case SHAPE_GUID:
        *out = ilpi_scalar_of(ILPI_SCALAR_GUID);
        out->as.bytes = value;
        break;
    case SHAPE_TIME_SPAN:
        *out = ilpi_scalar_duration(read_signed(value, sizeof(int64_t)), 7);
        break;
    case SHAPE_DATE_TIME: *out = date_of(value); break;
    case SHAPE_POINTER:
        *out = ilpi_scalar_of(read_pointer(value) ? ILPI_SCALAR_OBJECT : ILPI_SCALAR_NULL);
        break;
    case SHAPE_STRING: read_string(value, out); break;
    case SHAPE_FRAMEWORK: *out = framework_of(content); break;
    default: set_kind(out, ILPI_SCALAR_OBJECT);
    }
}

static void read_value(const struct ilpi_condition_source *source,
                       const struct ilpi_condition_value *value, struct ilpi_scalar *out)
{
    struct content content;
    if (value->type == &duration) {
        *out = ilpi_scalar_duration((int64_t)read_unsigned(value->data, duration.size), 9);
        return;
    }
    switch (look(source, value, &content)) {
    case ILPI_REACH_FOUND: read_content(&content, out); break;
    case ILPI_REACH_NULL: set_kind(out, ILPI_SCALAR_NULL); break;
    default: set_kind(out, ILPI_SCALAR_UNREADABLE);
    }
}

/* ---- names ---- */

static bool enum_number(const struct ilpi_condition_source *source, const void *type,
                        const struct ilpi_condition_name *name, uint64_t *number)
{
    (void)source;
    return enum_find(type, name->text, number);
}

/* The base classes that values and arrays have by their kind (ECMA-335 I.8.2.4, II.13, II.14):
 * shapes list those of other objects. Pointers and references have none. */
static bool is_base_of_kind(const struct shape *shape, const char *written)
{
    bool is_array = shape->kind == SHAPE_ELEMENTS || shape->kind == SHAPE_ARRAY;
    bool is_place = shape->kind == SHAPE_POINTER || shape->kind == SHAPE_BYREF;
    bool is_value = !shape->is_class && !is_array && !is_place && shape->kind != SHAPE_STRING;
    return (!is_place && shape_name_fits("System.Object", written)) ||
           (is_value && shape_name_fits("System.ValueType", written)) ||
           (shape->kind == SHAPE_ENUM && shape_name_fits("System.Enum", written)) ||
           (is_array && shape_name_fits("System.Array", written));
}

/* By name, of the type or a base class; the kinds whose own type is not known here cannot be
 * decided. */
static enum ilp_tristate is_type(const struct ilpi_condition_source *source,
                                 const struct ilpi_condition_value *value,
                                 const struct ilpi_condition_name *name)
{
    struct content content;
    if (look(source, value, &content) != ILPI_REACH_FOUND || !content.shape->name ||
        content.shape->kind == SHAPE_BYTES || content.shape->kind == SHAPE_OBJECT) {
        return ILP_UNKNOWN;
    }
    if (shape_name_fits(content.shape->name, name->text)) {
        return ILP_YES;
    }
    for (uint32_t i = 0; i < content.shape->base_count; i++) {
        if (shape_name_fits(content.shape->bases[i], name->text)) {
            return ILP_YES;
        }
    }
    return is_base_of_kind(content.shape, name->text) ? ILP_YES : ILP_NO;
}

/* ---- a call ---- */

/* Roots other than the returned value. */
static enum ilpi_reach root(const struct ilpi_condition_source *source,
                            enum ilpi_condition_root which,
                            const struct ilpi_condition_name *argument,
                            struct ilpi_condition_value *out)
{
    const struct operand_call *call = call_of(source);
    (void)argument;
    switch (which) {
    case ILPI_ROOT_EXCEPTION:
        *out = call->exception;
        return call->has_exception ? ILPI_REACH_FOUND
               : call->has_ended   ? ILPI_REACH_NULL
                                   : ILPI_REACH_NO_VALUE;
    case ILPI_ROOT_ELAPSED:
        *out = (struct ilpi_condition_value){&duration, &call->elapsed};
        return call->has_elapsed ? ILPI_REACH_FOUND : ILPI_REACH_NO_VALUE;
    default:
        *out = call->argument;
        return call->has_argument ? ILPI_REACH_FOUND : ILPI_REACH_NO_VALUE;
    }
}

static const struct ilpi_condition_reader reader = {.root = root,
                                                    .member = member,
                                                    .read = read_value,
                                                    .enum_number = enum_number,
                                                    .is_type = is_type};

static struct ilpi_condition_value value_of(const struct shaped_value *value)
{
    bool known = value->size == shape_size(value->shape);
    return (struct ilpi_condition_value){known ? value->shape : NULL, value->value};
}

/* The address of `call` is never taken, so that it is constructed in the caller's memory. */
struct operand_call operand_call(enum call_end end, const struct shaped_value *value)
{
    struct operand_call call = {.source = {.reader = &reader}, .has_ended = true};
    if (end == END_THREW) {
        call.exception = value_of(value);
        call.has_exception = true;
    } else if (end != END_VOID) {
        call.source.value = value_of(value);
        call.source.has_value = true;
    }
    call.types = end == END_VOID ? NULL : value->types;
    return call;
}

struct operand_call operand_argument(const struct shaped_value *value)
{
    /* No shape makes it unreadable. The address only has to be one: without it the value is
     * null. */
    const struct ilpi_condition_value unreadable = {NULL, &duration};
    return (struct operand_call){.source = {.reader = &reader},
                                 .types = value ? value->types : NULL,
                                 .argument = value ? value_of(value) : unreadable,
                                 .has_argument = true};
}

struct operand_call operand_entry(const struct ilpi_condition_result *arguments)
{
    return (struct operand_call){.source = {.reader = &reader, .arguments = arguments}};
}

bool operand_is_integer(const struct shape *shape, bool *is_signed)
{
    *is_signed = shape->kind == SHAPE_SIGNED;
    return *is_signed || shape->kind == SHAPE_UNSIGNED || shape->kind == SHAPE_CHAR;
}

/* Enums compare by their number. The size is compared because a value may be shorter than its
 * shape: cut when it was copied. */
bool operand_integer(const struct shaped_value *value, bool *is_signed, uint64_t *bits)
{
    const struct shape *shape = value->shape;
    const struct shape *number = shape->kind == SHAPE_ENUM ? shape->inner : shape;
    if (!value->value || value->size != shape->size || !operand_is_integer(number, is_signed)) {
        return false;
    }
    *bits = shape_bits(number, value->value);
    return true;
}
