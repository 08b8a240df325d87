/* The structure of a value's bytes, and its text.
 *
 *   a type in a signature --shape_build()--> shape --shape_put()--> text
 *
 * Building resolves types and allocates. Writing does neither, except in struct object_types: no
 * lock, no allocation, no call of the runtime, a bounded number of steps. So it may run in the
 * runtime's cooperative mode, where no garbage collection moves the objects that a value refers to;
 * in any other mode a value with references must not be written.
 *
 * The notation is that of the stock inspector (data/inspector/Format.cs); docs/PROFILER.md lists
 * the differences. */
#ifndef ILPI_SHAPE_H
#define ILPI_SHAPE_H

#include <stdatomic.h>

#include "ilpatch.h"
#include "values/limits.h"
#include "values/line.h"
#include "values/redaction.h"

struct shape;
struct ilpi_layout_source;

/* The shapes of objects by their own types, which the runtime knows. */
struct object_types {
    void *user;
    /* of an object; NULL: unknown. The result is valid as long as the object exists. May allocate,
     * but must not wait or move objects. */
    const struct shape *(*of)(void *user, const void *object);
    /* the same for the type of a TypeHandle. May be NULL. */
    const struct shape *(*meant)(void *user, uintptr_t handle);
    /* the name of the method with this code address, NULL: unknown. Otherwise as `of`. May be
     * NULL. */
    const char *(*method)(void *user, uintptr_t code);
    /* the same for a MethodDesc, the runtime's structure of a method. May be NULL. */
    const char *(*described)(void *user, uintptr_t method);
    /* the type pointer of strings, whose shape `of` has: most objects are strings. 0: not known
     * yet */
    atomic_uintptr_t text;
};

/* Whether it is a string that is shown; false if that is not known yet. */
static inline bool object_is_text(const struct object_types *types, const void *object)
{
    uintptr_t type;
    memcpy(&type, object, sizeof type);
    return type == atomic_load_explicit(&types->text, memory_order_relaxed) && type != 0;
}

/* The inputs of building a shape. */
struct shape_source {
    struct ilp_image *image;
    const struct ilp_type *type; /* in a signature of the image */
    const struct ilp_resolver *resolver;
    const struct redaction *redaction;        /* NULL: nothing is hidden */
    struct ilp_arena *arena;                  /* that the shape is in */
    const struct ilpi_layout_source *layouts; /* NULL: by rules (types/value_size.h) */
};

/* The shape of a return value, a parameter or a field. It is in the arena, with all it needs, and
 * does not refer to image or signature. What is unknown becomes bytes, which are shown in hex:
 * values of type parameters, structs whose definition is not found. Errors are for memory. */
ilp_status shape_build(const struct shape **out, const struct shape_source *source,
                       struct ilp_error *error);

/* The size of such a value; 0: unknown. */
uint32_t shape_size(const struct shape *shape);

/* Whether it is an object reference or may hold one, so that it can only be read in cooperative
 * mode. */
bool shape_has_references(const struct shape *shape);

/* A value, `size` bytes at `value`, by its shape; NULL is a null reference. */
struct shaped_value {
    const struct shape *shape;
    const struct object_types *types; /* NULL: objects are shown by their declared types */
    const void *value;
    size_t size;
    const struct redaction *redaction; /* for keys; NULL: none is hidden. Shapes have the secrecy of
                                          names and types */
    enum secrecy secrecy;              /* secrecy by the value's own name, for example a method's */
    const struct value_limits *limits; /* NULL: the defaults */
};

/* How a call ended, and so what a value is. END_VOID has no value. */
enum call_end { END_RETURNED, END_THREW, END_VOID };

/* Sets the type of the value to the one passed with it, an object: System.RuntimeType. Unchanged if
 * that is unknown, or has another size. */
void shape_set_type(struct shaped_value *shaped, const void *type);

/* Its text, in a new part of the line. If its size differs from its shape's, it is shown as bytes.
 * A `T&` (a parameter by reference) is shown as its T if that has no references; else as the
 * address. */
void shape_put(struct line *line, const struct shaped_value *shaped);

/* The same as JSON (data/line.schema.json): as much of it as fits, and always complete JSON. */
void shape_put_json(struct line *line, const struct shaped_value *shaped);

/* The same as a value inside another: objects have their types' names before them, and the line's
 * part continues. */
void shape_put_within(struct line *line, const struct shaped_value *shaped);
void shape_put_within_json(struct line *line, const struct shaped_value *shaped);

/* " (System.Int32)", in a part of its own; nothing for null. */
void shape_put_type(struct line *line, const struct shaped_value *shaped);

/* Only the value, as text of at most `room` bytes, whose number is returned; without a NUL. */
size_t shape_write(const struct shaped_value *shaped, char *to, size_t room);

#endif
