/* Signatures inside the library: what is not public about them. Knows bytes, not metadata.
 *
 *   blob --sig_read--> tree --sig_write--> blob    (tokens mapped on the way by a callback)
 *     |                  \----sig_text---> text    (tokens named by a callback)
 *     \----sig_shape--> what a call pops and pushes
 *
 * Reading is ilp_sig_read() of the public header. grammar.h, for this folder only, holds what the
 * four have in common.
 */
#ifndef ILPI_SIG_H
#define ILPI_SIG_H

#include "base/alloc.h"
#include "base/buf.h"

/* What the reader refuses, so that no input costs more than it is worth. */
#define ILPI_SIG_MAX_DEPTH 100u

/* How ilpatch writes an element type ("int32"), "" where it has no word; static storage. */
const char *ilpi_element_text(unsigned element);

/* Of a type that is one byte, the name of its definition in namespace System ("Int32"); "" of
 * others. Static storage. */
const char *ilpi_element_system_name(unsigned element);

/* The element type of which that is the name; 0: none. */
uint8_t ilpi_element_of_system_name(const char *name, size_t size);

/* True for the types that are one byte and a value type: BOOLEAN..R8, I, U (TYPEDBYREF not). */
bool ilpi_element_is_primitive_value(unsigned element);

/* The type behind all leading modreq, modopt and PINNED. */
const struct ilp_type *ilpi_type_unmodified(const struct ilp_type *type);

/* As ilp_sig_read(), where a signature that is not valid is an answer: *out is then NULL. Only
 * memory can fail. */
ilp_status ilpi_sig_read_valid(struct ilp_sig **out, struct ilp_bytes blob, enum ilp_sig_kind kind,
                               struct ilp_arena *arena, struct ilp_error *error);

/* What a call does to the stack. */
struct ilpi_sig_call {
    uint8_t convention;
    uint32_t params; /* all of them, those after SENTINEL too, but not `this` */
    bool returns;    /* not void */
};

/* Builds no tree: reads no further than to the return type of a method signature. ILP_OK does not
 * say that the rest of it is right. */
ilp_status ilpi_sig_call_shape(struct ilp_bytes blob, uint64_t origin, struct ilpi_sig_call *call,
                               struct ilp_error *error);

/* The types in a signature of locals (II.23.2.6), and how many they are; false: it is none. */
bool ilpi_sig_locals(struct ilp_bytes blob, struct ilp_bytes *types, uint32_t *count);

/* Gives the token to write for one that was read. Returns another status than ILP_OK to stop. */
struct ilpi_sig_map {
    void *user;
    ilp_status (*token)(void *user, ilp_token from, ilp_token *to, struct ilp_error *error);
};

/* Appends a signature or one type; map NULL keeps the tokens. The same tree gives the same bytes,
 * and what was read from shortest encodings gives those bytes again. A tree made by hand must set
 * all that ilp_sig says for its kind, `convention` too; counts, tokens, numbers and the depth are
 * checked. After a failure the buffer holds what it held before. */
ilp_status ilpi_sig_write(struct ilpi_buf *buf, const struct ilp_sig *sig,
                          const struct ilpi_sig_map *map, struct ilp_error *error);
ilp_status ilpi_type_write(struct ilpi_buf *buf, const struct ilp_type *type,
                           const struct ilpi_sig_map *map, struct ilp_error *error);

/* Writes the name of a TypeDef, TypeRef or TypeSpec: "[mscorlib]System.String", without the "class"
 * or "valuetype" that goes before it. */
struct ilpi_sig_names {
    void *user;
    void (*type)(void *user, struct ilpi_buf *buf, ilp_token token);
    /* Writes what a type's parameter stands for; NULL, or false: it is written as "!0". */
    bool (*parameter)(void *user, struct ilpi_buf *buf, uint32_t number);
};

/* A text that has come to so many bytes is cut, since a signature may name one long type many
 * times, and many rows may share one signature. One that is itself longer is not made text of. */
#define ILPI_TEXT_LIMIT 16384u

/* ILAsm's form, from a tree that was read; names NULL writes tokens as 0x01000002.
 *  - method, property: "instance int32 Ns.T::M<2>(string, !!0)"; name NULL puts a "*" there
 *  - field: "int32 Ns.T::f"; name NULL: the type alone
 *  - locals: "(int32, string pinned)"
 *  - TypeSpec: "class List`1<int32>"
 *  - MethodSpec: "Ns.T::M<int32,!0>"; name NULL: the arguments alone
 */
void ilpi_sig_text(struct ilpi_buf *buf, const struct ilp_sig *sig, const char *name,
                   const struct ilpi_sig_names *names);
void ilpi_type_text(struct ilpi_buf *buf, const struct ilp_type *type,
                    const struct ilpi_sig_names *names);

#endif
