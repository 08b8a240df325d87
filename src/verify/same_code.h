/* A new body against the old one that it was made of: the same instructions, with others inserted.
 * Nothing of the code that inserted them (il/patch.h) is used: both bodies are read from their
 * bytes, and the insertions are believed in nothing but where to look.
 *
 * What is proved, of the old instructions: each is there, in its order, with its operand; branches,
 * arms of switches and clauses lead where they led, to an insertion's entry if there is one; tails
 * of bodies that are no clauses are equal. What the insertions do is not looked at. */
#ifndef ILPI_SAME_CODE_H
#define ILPI_SAME_CODE_H

#include "base/list.h"
#include "il/body.h"
#include "il/insertion.h"

/* One insertion, as it was found. */
struct ilpi_inserted {
    uint32_t at; /* in the new code */
    uint32_t size;
    uint32_t entry;
    uint32_t before; /* the offset of the old instruction that it is before; in the old code */
    enum ilpi_op op; /* of that */
    bool after_tail; /* it comes after a call that has `tail.` */
};

struct ilpi_insn_pair;

/* Zero-initialise, set alloc, use for one method after the other; ilpi_same_code_free() at the
 * end. */
struct ilpi_same_code {
    struct ilpi_alloc *alloc;
    ILPI_LIST(struct ilpi_inserted) inserted; /* of the last method */
    size_t added_clauses;                     /* the new body's first ones: in insertions */
    /* by offset in the old code, its end too: where labels to it lead in the new one; UINT32_MAX
     * where no instruction begins */
    uint32_t *moved;
    /* the rest is working memory of same_code.c */
    size_t capacity;
    ILPI_LIST(struct ilpi_insn_pair) branches;
};

/* Whether that can be proved; what cannot be is not wrong therefore. Of the insertions `insn`,
 * `entry` and bytes.size count. False without memory, too. */
bool ilpi_same_code(struct ilpi_same_code *same, const struct ilp_body *old,
                    const struct ilp_body *new, const struct ilpi_insertion *insertions,
                    size_t count);

/* Whether a clause of the new code, which is no filter, is within an insertion. */
bool ilpi_inserted_has(const struct ilpi_inserted *inserted, const struct ilp_eh_clause *clause);

void ilpi_same_code_free(struct ilpi_same_code *same);

#endif
