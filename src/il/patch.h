/* Instructions put in front of others, and what has to move for it.
 *
 *   before      br.s A ... tail. call X; A: ret
 *   insertion   in front of `ret`: bytes `ret; dup; call Y`, entry 1
 *   after       br.s A ... tail. call X; ret; A: dup; call Y; ret
 *                                        |     `- what leads to the old instruction by a label
 *                                        `- what falls into it from the instruction before
 */
#ifndef ILPI_PATCH_H
#define ILPI_PATCH_H

#include "base/buf.h"
#include "il/insertion.h"

struct ilpi_short_branch;

/* Code with insertions applied. Zero-initialise, set alloc, use for one method after the other;
 * ilpi_patch_free() at the end. */
struct ilpi_patch {
    struct ilpi_alloc *alloc;
    struct ilpi_buf code;          /* the new code */
    struct ilp_eh_clause *clauses; /* as many as the body has */
    size_t clause_capacity;
    /* of the caller: not 0, then insertions before a ret take its place, and end in a `leave`
     * (III.3.46) that leads so many bytes past the old code's end */
    uint32_t leave;
    uint32_t *new_offset; /* per instruction index, `count` too: where labels to it lead now */
    size_t offset_capacity;
    /* the rest is working memory of patch.c */
    struct ilpi_short_branch *shorts;
    size_t short_capacity;
    size_t short_count;
    uint32_t *pending; /* short branches that do not reach, to be widened */
    size_t pending_capacity;
    struct ilp_il_map *map;
    size_t map_capacity;
    uint32_t unmoved; /* bytes of the old code, of ilpi_patch_at_end(); 0: of another */
};

/* Applies the insertions to code that was decoded from `body`: relocates branches, switches and
 * clauses, widens the short branches that no longer reach and only those (the least fixed point).
 * Long branches stay long. Everything in *patch is valid until the next call, if this one succeeds.
 * Fails with ILP_E_TOO_LARGE above ILPI_MAX_CODE, with ILP_E_MISUSE for insertions other than
 * described. */
ilp_status ilpi_patch_apply(struct ilpi_patch *patch, const struct ilpi_code *code,
                            const struct ilp_body *body, const struct ilpi_insertion *insertions,
                            size_t count, struct ilp_error *error);

/* The same for code whose last instruction is a ret, the only one, and no clause reaches past it:
 * bytes put in front of that move nothing, so that the code need not be decoded, and the clauses
 * are those of the body. Entered are the bytes at their begin. */
ilp_status ilpi_patch_at_end(struct ilpi_patch *patch, const struct ilp_body *body,
                             struct ilp_bytes bytes, struct ilp_error *error);

/* Where in the new code the bytes of an insertion begin, and where what was inserted and the old
 * code end: what comes after that, others have appended. After ilpi_patch_at_end() the insertion is
 * any, and `code` is not looked at. */
size_t ilpi_patch_start(const struct ilpi_patch *patch, const struct ilpi_insertion *insertion);
size_t ilpi_patch_end(const struct ilpi_patch *patch, const struct ilpi_code *code);

/* How large the code can become, and what memory ilpi_patch_apply() and ilpi_patch_map() take for
 * it; `inserted` and `clauses`: bytes, and clauses, that there will be. */
size_t ilpi_patched_size(const struct ilpi_code *code, size_t inserted);
size_t ilpi_patch_memory(const struct ilpi_code *code, size_t inserted, size_t clauses);

/* Whether an old instruction has another offset now. This and the map are of the code that was
 * changed last; `code` is not looked at after ilpi_patch_at_end(). */
bool ilpi_patch_moves(const struct ilpi_patch *patch, const struct ilpi_code *code);

/* The same as a map of offsets: one entry per old instruction and one for the end. Borrowed until
 * the next call. */
ilp_status ilpi_patch_map(struct ilpi_patch *patch, const struct ilpi_code *code,
                          const struct ilp_il_map **map, size_t *count, struct ilp_error *error);

/* The same in brief: only those entries that move by another distance than the one before them,
 * and not the first, since what is inserted there is entered by the start of the method. */
ilp_status ilpi_patch_shifts(struct ilpi_patch *patch, const struct ilpi_code *code,
                             const struct ilp_il_map **map, size_t *count, struct ilp_error *error);
void ilpi_patch_free(struct ilpi_patch *patch);

#endif
