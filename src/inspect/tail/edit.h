/* Explicit tail calls seen and changed for their own sake: `tail.` put before calls, or taken away.
 *
 *   call X; ret          ilpi_tail_change(ADD)    -> tail. call X; ret
 *   tail. call X; ret    ilpi_tail_change(STRIP)  -> nop; nop; call X; ret
 */
#ifndef ILPI_TAIL_EDIT_H
#define ILPI_TAIL_EDIT_H

#include "ilpatch.h"

enum ilpi_tail_kind {
    ILPI_TAIL_PREFIXED,
    ILPI_TAIL_JMP,
    ILPI_TAIL_PLAIN /* a call right before a ret, without the prefix */
};

struct ilpi_tail_call {
    uint32_t offset;  /* of the call or jmp */
    ilp_token callee; /* a method, or the StandAloneSig of calli */
    enum ilpi_tail_kind kind;
    enum ilp_tail_decision decision; /* of a prefixed one: whether the prefix may go */
    const char *obstacle;            /* of a plain one: why it can have no prefix; NULL: it can */
};

enum ilpi_tail_change { ILPI_TAIL_ADD, ILPI_TAIL_STRIP, ILPI_TAIL_STRIP_AUTO };

/* All arguments are borrowed until ilpi_tail_editor_close(); the resolver may be NULL. */
struct ilpi_tail_editor;
ilp_status ilpi_tail_editor_open(struct ilpi_tail_editor **out, struct ilp_image *image,
                                 const struct ilp_resolver *resolver, struct ilp_error *error);

/* NULL is allowed. */
void ilpi_tail_editor_close(struct ilpi_tail_editor *editor);

/* The calls of a MethodDef by rising offsets, borrowed until the next call; none where it has no
 * IL. Fails for a body that cannot be read. */
ilp_status ilpi_tail_calls(struct ilpi_tail_editor *editor, ilp_rid method,
                           const struct ilpi_tail_call **calls, size_t *count,
                           struct ilp_error *error);

/* Changes what ilpi_tail_calls() has told of last: all plain calls without an obstacle, all
 * prefixed ones, or those that may be stripped. *body is the new body, borrowed until the next
 * call; empty if there is nothing to change. */
ilp_status ilpi_tail_change(struct ilpi_tail_editor *editor, enum ilpi_tail_change change,
                            struct ilp_bytes *body, struct ilp_error *error);

/* Where the instructions of that body went: as ilp_symbols_move() takes it. Borrowed until the next call. */
ilp_status ilpi_tail_map(struct ilpi_tail_editor *editor, const struct ilp_il_map **map, size_t *count,
                         struct ilp_error *error);

#endif
