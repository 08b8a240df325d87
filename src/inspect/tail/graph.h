/* Which explicit tail calls can become plain calls without unbounded stack growth.
 *
 * The methods of a module are nodes, `tail. call X; ret` are edges. A plain call in place of a tail
 * call keeps one frame until it returns. That adds up without bound only if control returns to the
 * same method by tail calls alone: with a plain call on the path the stack would grow anyway. So an
 * edge may be stripped if no path leads from its end back to its start, and none to an unknown
 * method: calli, a virtual method that may be overridden, another assembly. */
#ifndef ILPI_TAIL_GRAPH_H
#define ILPI_TAIL_GRAPH_H

#include "base/budget.h"
#include "il/code.h"
#include "metadata/image.h"

/* Who tail-calls whom in an image, as far as decisions need it: components and reachability, not
 * edges. */
struct ilpi_tail_graph {
    const struct ilp_image *image;
    /* per MethodDef: methods on a common cycle have the same number; 0: no tail call in it */
    uint32_t *component;
    bool *leads_away; /* per MethodDef: a path reaches an unknown method */
};

/* Reads all bodies that contain the prefix. A body that cannot be read may call anything. */
ilp_status ilpi_tail_graph_build(struct ilpi_tail_graph *graph, const struct ilp_image *image,
                                 struct ilpi_alloc *alloc, struct ilp_arena *arena,
                                 struct ilpi_budget *budget, struct ilp_error *error);

/* ILP_TAIL_STRIPPED if the tail call `insn` of method `caller` may be stripped, else why not. */
enum ilp_tail_decision ilpi_tail_decide(const struct ilpi_tail_graph *graph, ilp_rid caller,
                                        const struct ilpi_code *code, const struct ilpi_insn *insn);

#endif
