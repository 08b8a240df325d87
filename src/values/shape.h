/* What the bytes of a value mean, and the value as text.
 *
 *   a type in a signature --shape_build()--> shape --shape_put()--> text
 *
 * Building resolves types and takes memory. Writing does neither, but for what
 * struct object_types does: no lock, no allocation, no call of the runtime, a bounded number of
 * steps. So it may run in the runtime's cooperative mode, where
 * no garbage collection moves the objects that a value refers to; anywhere else a value with
 * references must not be written.
 *
 * The notation is that of the stock inspector (data/inspector/Format.cs); docs/PROFILER.md has what
 * differs. */
#ifndef ILPI_SHAPE_H
#define ILPI_SHAPE_H

#include <stdatomic.h>

#include "ilpatch.h"
#include "values/limits.h"
#include "values/line.h"
#include "values/redaction.h"

struct shape;
struct ilpi_layout_source;

/* What objects are by their own types, which the runtime knows. */
struct object_types {
    void *user;
    /* of an object; NULL: it is not known. What it gives stays as long as the object does. May
     * allocate, but neither wait nor move objects. */
    const struct shape *(*of)(void *user, const void *object);
    /* the same of the type that a TypeHandle means. May be NULL. */
    const struct shape *(*meant)(void *user, uintptr_t handle);
    /* the name of the method that is called at this address, NULL: not known. As for `of`. May be
     * NULL. */
    const char *(*method)(void *user, uintptr_t code);
    /* the same of a method as the runtime has it: a MethodDesc. May be NULL. */
    const char *(*described)(void *user, uintptr_t method);
    /* what the first bytes of a string are, whose shape `of` has: most objects are strings. 0: not
     * known */
    atomic_uintptr_t text;
};

/* Whether it is a string that is shown; false where that is not known yet, too. */
static inline bool object_is_text(const struct object_types *types, const void *object)
{
    uintptr_t type;
    memcpy(&type, object, sizeof type);
    return type == atomic_load_explicit(&types->text, memory_order_relaxed) && type != 0;
}

/* What the shape of a type is built from. */
struct shape_source {
    struct ilp_image *image;
    const struct ilp_type *type; /* in a signature of the image */
    const struct ilp_resolver *resolver;
    const struct redaction *redaction;        /* NULL: nothing is hidden */
    struct ilp_arena *arena;                  /* that the shape is in */
    const struct ilpi_layout_source *layouts; /* NULL: by rules (types/value_size.h) */
};

/* The shape of a return value, a parameter or a field. It is in the arena, with all it needs, and
 * refers to neither image nor signature any more. What is not known becomes bytes, which are shown
 * as hex: values of type parameters, structs whose definition is not found. Errors are for
 * memory. */
ilp_status shape_build(const struct shape **out, const struct shape_source *source,
                       struct ilp_error *error);

/* How many bytes such a value has; 0: not known. */
uint32_t shape_size(const struct shape *shape);

/* Whether it is an object reference or holds one (or might: bytes), so that it can be read in
 * cooperative mode only. */
bool shape_has_references(const struct shape *shape);

/* A value, `size` bytes at `value`, by its shape; NULL is a null reference. */
struct shaped_value {
    const struct shape *shape;
    const struct object_types *types; /* NULL: objects are shown by their declared types */
    const void *value;
    size_t size;
    const struct redaction *redaction; /* of keys; NULL: none is hidden. Names and types are the
                                        * shape's */
    enum secrecy secrecy;              /* what the value's own name says: a method's, say */
    const struct value_limits *limits; /* NULL: the usual ones */
};

/* How a call ended: what a value is of it. Of the last one there is no value. */
enum call_end { END_RETURNED, END_THREW, END_VOID };

/* What the value is by the type that it was given with, an object: System.RuntimeType. Stays as it
 * is where that says nothing, or something that has another size. */
void shape_set_type(struct shaped_value *shaped, const void *type);

/* Its text, in a part of the line that begins here. When it has not the size of such a value, it is
 * shown as bytes. Of a `T&` (a parameter by reference) it is the T, if that has no references; else
 * the address. */
void shape_put(struct line *line, const struct shaped_value *shaped);

/* The same as JSON (data/line.schema.json): as much of it as the line has room for, and always
 * whole. */
void shape_put_json(struct line *line, const struct shaped_value *shaped);

/* The same as a value within another, so that objects have their types' names before them; the text
 * goes on with the line's part. */
void shape_put_within(struct line *line, const struct shaped_value *shaped);
void shape_put_within_json(struct line *line, const struct shaped_value *shaped);

/* " (System.Int32)", in a part of its own; nothing for null. */
void shape_put_type(struct line *line, const struct shaped_value *shaped);

/* The value alone as text of at most `room` bytes, which are counted; no NUL behind it. */
size_t shape_write(const struct shaped_value *shaped, char *to, size_t room);

#endif
