/* The internals of edit.c, for legal.c. */
#ifndef ILPI_TAIL_LEGAL_H
#define ILPI_TAIL_LEGAL_H

#include "base/budget.h"
#include "il/body.h"
#include "il/code.h"
#include "il/patch.h"
#include "il/stack.h"
#include "inspect/tail/graph.h"
#include "types/call_shape.h"
#include "types/value_type.h"

/* An editor of tail prefixes for one image; its members below "the method in work" are set again
 * for each method. */
struct ilp_tail_editor {
    struct ilpi_alloc alloc;
    struct ilp_image *image;
    const struct ilp_resolver *resolver;
    struct ilp_arena arena; /* lives as long as the editor */
    struct ilp_arena types; /* signatures of one method */
    struct ilpi_value_types value_types;
    struct ilpi_call_shapes call_shapes;
    struct ilpi_tail_graph graph; /* image NULL: not built yet */
    struct ilpi_budget budget;

    /* the method in work, and where its memory comes from: limited */
    struct ilpi_alloc method_alloc;
    ilp_rid method;
    struct ilp_body body;
    struct ilpi_code code;
    struct ilpi_stack stack;
    const struct ilp_sig *signature;
    const char *obstacle; /* concerns all of its calls, or NULL; static */
    bool takes_addresses; /* takes the address of a local or parameter, or has pinned locals */
    ILPI_LIST(struct ilp_tail_call) calls;

    struct ilpi_patch patch;
    ILPI_LIST(struct ilpi_insertion) insertions;
    struct ilpi_buf new_body;
    bool moved; /* the instructions have the offsets of `patch`, else the old ones */
};

/* legal.c: checks that concern all plain calls of the current method: its signature,
 * editor->obstacle, and, if that is NULL, the stack. */
ilp_status ilpi_tail_check_method(struct ilp_tail_editor *editor, struct ilp_error *error);

/* legal.c: sets *obstacle to why call `i` cannot have the prefix, NULL if it can. */
ilp_status ilpi_tail_check_call(struct ilp_tail_editor *editor, uint32_t i, const char **obstacle,
                                struct ilp_error *error);

#endif
