/* Signatures inside the library: what is not public about them. Handles bytes, not metadata.
 *
 *   blob --sig_read--> tree --sig_write--> blob    (tokens mapped on the way by a callback)
 *     |                  \----sig_text---> text    (tokens named by a callback)
 *     \----sig_shape--> what a call pops and pushes
 *
 * Reading is ilp_sig_read() of the public header. grammar.h, for this folder only, holds what the
 * four share. */
#ifndef ILPI_SIG_H
#define ILPI_SIG_H

#include "base/alloc.h"
#include "base/buf.h"

/* The reader's limit of nesting, against stack exhaustion. */
#define ILPI_SIG_MAX_DEPTH 100u

/* ILAsm's word for an element type ("int32"), "" if there is none; static storage. */
const char *ilpi_element_text(unsigned element);

/* The name in namespace System of a type with a one-byte signature ("Int32"); "" for others. Static
 * storage. */
const char *ilpi_element_system_name(unsigned element);

/* The element type with that name; 0: none. */
uint8_t ilpi_element_of_system_name(const char *name, size_t size);

/* True for one-byte value types: BOOLEAN..R8, I, U (not TYPEDBYREF). */
bool ilpi_element_is_primitive_value(unsigned element);

/* The type after all leading modreq, modopt and PINNED. */
const struct ilp_type *ilpi_type_unmodified(const struct ilp_type *type);

/* As ilp_sig_read(), for callers to whom an invalid signature is not an error: *out is then NULL,
 * and the status is ILP_OK. Only memory can fail. */
ilp_status ilpi_sig_read_valid(struct ilp_sig **out, struct ilp_bytes blob, enum ilp_sig_kind kind,
                               struct ilp_arena *arena, struct ilp_error *error);

/* The stack effect of a call. */
struct ilpi_sig_call {
    uint8_t convention;
    uint32_t params; /* all of them, including those after SENTINEL, but not `this` */
    bool returns;    /* not void */
};

/* Builds no tree, and reads a method signature only up to the return type. ILP_OK does not mean
 * that the rest is valid. */
ilp_status ilpi_sig_call_shape(struct ilp_bytes blob, uint64_t origin, struct ilpi_sig_call *call,
                               struct ilp_error *error);

/* The types in a signature of locals (II.23.2.6), and their number; false: it is another
 * signature. */
bool ilpi_sig_locals(struct ilp_bytes blob, struct ilp_bytes *types, uint32_t *count);

/* Maps a token that was read to the one to write. Any status but ILP_OK stops the writer. */
struct ilpi_sig_map {
    void *user;
    ilp_status (*token)(void *user, ilp_token from, ilp_token *to, struct ilp_error *error);
};

/* Appends a signature or one type; map NULL keeps the tokens. The same tree gives the same bytes,
 * and a blob in shortest encoding is reproduced. A tree made by hand must set all that ilp_sig
 * documents for its kind, including `convention`; counts, tokens, numbers and the depth are
 * checked. After a failure the buffer is unchanged. */
ilp_status ilpi_sig_write(struct ilpi_buf *buf, const struct ilp_sig *sig,
                          const struct ilpi_sig_map *map, struct ilp_error *error);
ilp_status ilpi_type_write(struct ilpi_buf *buf, const struct ilp_type *type,
                           const struct ilpi_sig_map *map, struct ilp_error *error);

/* Writes the name of a TypeDef, TypeRef or TypeSpec: "[mscorlib]System.String", without the
 * preceding "class" or "valuetype". */
struct ilpi_sig_names {
    void *user;
    void (*type)(void *user, struct ilpi_buf *buf, ilp_token token);
    /* Writes the argument of a type parameter; NULL, or false: "!0" is written. */
    bool (*parameter)(void *user, struct ilpi_buf *buf, uint32_t number);
};

/* A text is cut at this many bytes, since a signature may name one long type many times, and many
 * rows may share one signature. A longer signature is not converted at all. */
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
