/* Delegates and weak references as text: they refer to methods and objects by address.
 *
 *   MulticastDelegate                 one method       several          open virtual    native
 *     _invocationList                 null or other    delegates        null            other
 *     _invocationCount                0                their number     a MethodDesc    -1
 *     _methodPtr, _methodPtrAux       code; a static method's is the second, and the first a stub
 *
 * Addresses are not read here: the runtime is queried which method they belong to (struct
 * object_types). */
#include "values/nodes.h"

enum { INVOCATIONS, INVOCATION_COUNT, CODE, CODE_OF_STATIC };

/* The method of a delegate with one; NULL: unknown. A count other than 0 means a native function
 * (-1), or a virtual method's MethodDesc, which each call resolves again. */
static const char *method_of(const struct value_writer *writer, const struct shape *shape,
                             const uint8_t *delegate)
{
    const struct object_types *types = writer->shaped->types;
    uintptr_t code = (uintptr_t)known_reference(shape, CODE_OF_STATIC, delegate);
    uintptr_t count = (uintptr_t)known_reference(shape, INVOCATION_COUNT, delegate);
    if (!types || !types->method) {
        return NULL;
    }
    if (count != 0) {
        bool is_method = types->described && code != 0 && count >= FIRST_PAGES &&
                         count % sizeof(void *) == 0;
        return is_method ? types->described(types->user, count) : NULL;
    }
    /* a static method's stub only shuffles arguments */
    return types->method(types->user,
                         code != 0 ? code : (uintptr_t)known_reference(shape, CODE, delegate));
}

static void put_method(struct value_writer *writer, const char *name)
{
    if (!name) {
        put_hidden(writer);
        return;
    }
    size_t begin = scalar_begin(writer);
    line_put_name(writer->line, name);
    scalar_end(writer, begin, SCALAR_WORD);
}

static const char *method_at(const struct value_writer *writer, const struct known_range *range,
                             int32_t index)
{
    const uint8_t *delegate = read_pointer(known_element(range, index));
    const struct shape *own = own_known(writer, delegate, KNOWN_DELEGATE);
    return own ? method_of(writer, own, delegate) : NULL;
}

/* "{2: N.C::A, N.C::B}" */
static void put_methods(struct value_writer *writer, const struct known_range *range)
{
    struct line *line = writer->line;
    int32_t shown = shown_elements(writer, range->count);
    methods_begin(writer, range->count);
    for (int32_t i = 0; i < shown && !line->full; i++) {
        list_next(writer, i == 0);
        put_method(writer, method_at(writer, range, i));
    }
    methods_end(writer, shown < range->count);
}

/* A delegate of several methods has their delegates in an array, which may be longer than their
 * number: combined delegates share it. */
void known_put_delegate(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                        unsigned depth)
{
    const uint8_t *several = known_reference(shape, INVOCATIONS, base);
    int64_t count = read_signed(known_field(shape, INVOCATION_COUNT, base), sizeof(void *));
    struct known_range range;
    (void)depth;
    if (several && count > 0 && known_open_range(writer, several, &range) &&
        shape_is_reference(range.shape->inner)) {
        range.count = count < range.length ? (int32_t)count : range.length;
        put_methods(writer, &range);
        return;
    }
    const char *name = method_of(writer, shape, base);
    if (!name) {
        put_hidden(writer);
        return;
    }
    methods_begin(writer, 1);
    put_method(writer, name);
    methods_end(writer, false);
}

/* ---- weak references ---- */

/* The two lowest bits of a handle: what it tracks, and whether it is a COM handle, which only the
 * runtime on Windows has. */
enum { HANDLE_MARKS = 3, HANDLE_OF_COM = 2 };

/* A handle refers to the object, or to null once that is collected. */
void known_put_weak(struct value_writer *writer, const struct shape *shape, const uint8_t *base,
                    unsigned depth)
{
    static const struct shape any = {
        .kind = SHAPE_OBJECT, .size = sizeof(void *), .references = true, .name = "System.Object"};
    uintptr_t handle = (uintptr_t)known_reference(shape, 0, base);
    uintptr_t place = handle & ~(uintptr_t)HANDLE_MARKS;
    if (is_too_deep(writer, depth) || (handle & HANDLE_OF_COM) != 0 ||
        (place != 0 && place < FIRST_PAGES)) {
        put_hidden(writer);
        return;
    }
    object_begin(writer);
    if (object_member(writer, "Target", true)) {
        const uint8_t *target = place != 0 ? read_pointer((const uint8_t *)place) : NULL;
        write_reference(writer, &any, target, depth + 1);
    }
    object_end(writer, false);
}
