/* The name of a type as Type.ToString() gives it: Namespace.Outer+Inner`1[System.Int32[]].
 *
 * Type parameters are replaced by the arguments, which have an image and arguments of their own,
 * because they may be from another assembly. Depth and length are limited: types in invalid
 * metadata may nest without end.
 *
 * Conditions write such names shorter: shape_name_fits() compares both. */
#include <string.h>

#include "base/buf.h"
#include "values/kinds.h"
#include "types/core_type.h"
#include "types/value_size.h"

/* The length is tested before each type, so a name may exceed it by one type's own name. */
enum { MAX_NESTING = 16, LONGEST_NAME = 1024 };

/* A type and the arguments of its type parameters. */
struct type_context {
    struct ilp_image *image;
    const struct ilpi_sized_value *arguments;
    uint32_t count;
    unsigned depth;
};

/* Of nested types only the outermost one has a namespace. The enclosing type is found in
 * NestedClass (ECMA-335 II.22.32), or is the resolution scope of a TypeRef (II.22.38). */
static void put_named(struct ilpi_buf *buf, const struct ilp_image *image, ilp_token type,
                      unsigned depth)
{
    const char *name_space;
    const char *name;
    ilp_token outer = 0;
    if (ILP_TOKEN_TABLE(type) == ILP_TypeDef) {
        outer = ILP_TOKEN(ILP_TypeDef, ilp_enclosing_type(image, ILP_TOKEN_RID(type)));
    } else if (ILP_TOKEN_TABLE(type) == ILP_TypeRef) {
        outer = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(type), ILP_TypeRef_ResolutionScope);
        outer = ILP_TOKEN_TABLE(outer) == ILP_TypeRef ? outer : 0;
    }
    ilpi_type_name(image, type, &name_space, &name);
    if (ILP_TOKEN_RID(outer) != 0 && depth < MAX_NESTING) {
        put_named(buf, image, outer, depth + 1);
        ilpi_buf_u8(buf, '+');
    } else if (name_space[0] != '\0') {
        ilpi_buf_text(buf, name_space);
        ilpi_buf_u8(buf, '.');
    }
    ilpi_buf_text(buf, name);
}

static void put_type(struct ilpi_buf *buf, struct type_context place, const struct ilp_type *type);

/* Arguments are in the form of reflection: List`1[System.Int32]. */
static void put_arguments(struct ilpi_buf *buf, struct type_context place,
                          const struct ilp_type *named, uint32_t count)
{
    const struct ilp_type *argument = named->next;
    ilpi_buf_u8(buf, '[');
    for (uint32_t i = 0; i < count && argument && buf->size <= LONGEST_NAME;
         i++, argument = argument->next) {
        ilpi_buf_text(buf, i != 0 ? "," : "");
        put_type(buf, place, argument);
    }
    ilpi_buf_u8(buf, ']');
}

/* A type's parameter is replaced by what the place has for it, in the context where that argument
 * was written. Parameters of methods keep their number. */
static void put_variable(struct ilpi_buf *buf, struct type_context place,
                         const struct ilp_type *type)
{
    if (type->element == ILP_ELEMENT_VAR && type->number < place.count &&
        place.arguments[type->number].type) {
        const struct ilpi_sized_value *meant = &place.arguments[type->number];
        put_type(buf,
                 (struct type_context){meant->image, meant->arguments, meant->argument_count,
                                       place.depth + 1},
                 meant->type);
    } else {
        ilpi_buf_format(buf, "%s%u", type->element == ILP_ELEMENT_VAR ? "!" : "!!", type->number);
    }
}

/* As reflection writes it: function pointers are System.IntPtr, arrays of one dimension that are no
 * vectors [*]. At most 32 dimensions (what runtimes allow), since a signature may claim any
 * number. */
static void put_type(struct ilpi_buf *buf, struct type_context place, const struct ilp_type *type)
{
    type = ilpi_type_unmodified(type);
    if (++place.depth > MAX_NESTING || buf->size > LONGEST_NAME) {
        ilpi_buf_text(buf, "...");
        return;
    }
    switch (type->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE: put_named(buf, place.image, type->token, 0); break;
    case ILP_ELEMENT_GENERICINST:
        put_named(buf, place.image, type->inner->token, 0);
        put_arguments(buf, place, type->inner, type->number);
        break;
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: put_variable(buf, place, type); break;
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_BYREF:
        put_type(buf, place, type->inner);
        ilpi_buf_u8(buf, type->element == ILP_ELEMENT_PTR ? '*' : '&');
        break;
    case ILP_ELEMENT_FNPTR: ilpi_buf_text(buf, "System.IntPtr"); break;
    case ILP_ELEMENT_SZARRAY:
    case ILP_ELEMENT_ARRAY:
        put_type(buf, place, type->inner);
        ilpi_buf_u8(buf, '[');
        ilpi_buf_text(buf, type->element == ILP_ELEMENT_ARRAY && type->number == 1 ? "*" : "");
        for (uint32_t i = 1; type->element == ILP_ELEMENT_ARRAY && i < type->number && i < 32;
             i++) {
            ilpi_buf_u8(buf, ',');
        }
        ilpi_buf_u8(buf, ']');
        break;
    default: ilpi_buf_text(buf, ilpi_element_type_name(type->element));
    }
}

const char *shape_name(const struct ilpi_sized_value *value, const struct ilp_type *type,
                       struct ilp_arena *arena)
{
    struct ilpi_buf buf = {.alloc = arena->alloc};
    put_type(&buf, (struct type_context){value->image, value->arguments, value->argument_count, 0},
             type);
    ilpi_buf_u8(&buf, 0);
    const char *name = buf.status == ILP_OK ? ilpi_arena_copy(arena, buf.data, buf.size) : NULL;
    ilpi_buf_free(&buf);
    return name;
}

/* ---- names in conditions ---- */

/* The size of a name without its type arguments. Those of nested types are at the end, too. 0 for
 * an array or a pointer, whose name begins with another type's: no written name is theirs. */
static size_t size_without_arguments(const char *name)
{
    size_t size = strcspn(name, "["), end = size;
    bool has_arguments = name[end] != '\0' && !strchr("],*", name[end + 1]);
    for (unsigned depth = 0; has_arguments && name[end] != '\0';) {
        depth += name[end] == '[';
        depth -= name[end] == ']';
        end++;
        if (depth == 0) {
            break;
        }
    }
    return name[end] == '\0' ? size : 0;
}

/* The size of a name without the arity of its last type, `1. */
static size_t size_without_arity(const char *name, size_t size)
{
    size_t at = size;
    while (at != 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        at--;
    }
    return at != 0 && at != size && name[at - 1] == '`' ? at - 1 : size;
}

/* From the end, since namespaces and enclosing types may be left out. A point is written for both,
 * a + for nested types alone. */
bool shape_name_fits(const char *name, const char *written)
{
    size_t left = strlen(written);
    size_t at = size_without_arity(name, size_without_arguments(name));
    for (; left != 0 && at != 0; left--) {
        char c = name[--at];
        if (c != written[left - 1] && (c != '+' || written[left - 1] != '.')) {
            return false;
        }
        at = c == '+' ? size_without_arity(name, at) : at;
    }
    return left == 0 && (at == 0 || name[at - 1] == '+' || name[at - 1] == '.');
}
