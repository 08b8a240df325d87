/* Proves that a new body is the old one with instructions inserted. It shares no code with the
 * inserter (il/patch.h): both bodies are read from their bytes, and the list of insertions is only
 * trusted for where to look.
 *
 * What is proved of the old instructions: each exists, in the same order, with the same operand;
 * branches, switch arms and clauses have the same targets, or the entry of an insertion there;
 * sections other than clauses are equal. The inserted code itself is not checked here. */
#ifndef ILPI_SAME_CODE_H
#define ILPI_SAME_CODE_H

#include "base/list.h"
#include "il/body.h"
#include "il/insertion.h"

/* One insertion, as it was found. */
struct ilpi_inserted {
    uint32_t at; /* in the new code */
    uint32_t size;
    uint32_t entry;  /* of labels of the old instruction, from `at`; `size`: they skip it all */
    uint32_t before; /* the offset of the old instruction after it; in the old code */
    enum ilpi_op op; /* of that instruction */
    bool after_tail; /* it follows a call with `tail.` */
};

struct ilpi_insn_pair;

/* Zero-initialise, set alloc, use for any number of methods; ilpi_same_code_free() at the end. */
struct ilpi_same_code {
    struct ilpi_alloc *alloc;
    ILPI_LIST(struct ilpi_inserted) inserted; /* of the last method */
    size_t added_clauses;                     /* the new body's first clauses: inside insertions */
    /* by old offset, including the end: the new target of its labels; UINT32_MAX where no
     * instruction begins */
    uint32_t *moved;
    /* the rest is same_code.c's working memory */
    size_t capacity;
    ILPI_LIST(struct ilpi_insn_pair) branches;
};

/* Whether that can be proved; a body without a proof need not be wrong. Of the insertions only
 * `insn`, `entry` and bytes.size are used. Also false without memory. */
bool ilpi_same_code(struct ilpi_same_code *same, const struct ilp_body *old,
                    const struct ilp_body *new, const struct ilpi_insertion *insertions,
                    size_t count);

/* Whether a clause of the new code, which is not a filter, is inside an insertion. */
bool ilpi_inserted_has(const struct ilpi_inserted *inserted, const struct ilp_eh_clause *clause);

void ilpi_same_code_free(struct ilpi_same_code *same);

#endif
