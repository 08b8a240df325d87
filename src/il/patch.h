/* Instructions inserted before others, and what moves because of them.
 *
 *   before      br.s A ... tail. call X; A: ret
 *   insertion   before `ret`: bytes `ret; dup; call Y`, entry 1
 *   after       br.s A ... tail. call X; ret; A: dup; call Y; ret
 *                                        |     `- new target of labels of the old instruction
 *                                        `- reached from the instruction before */
#ifndef ILPI_PATCH_H
#define ILPI_PATCH_H

#include "base/buf.h"
#include "il/insertion.h"

struct ilpi_short_branch;

/* Code with insertions applied. Zero-initialise, set alloc, use for any number of methods;
 * ilpi_patch_free() at the end. */
struct ilpi_patch {
    struct ilpi_alloc *alloc;
    struct ilpi_buf code;          /* the new code */
    struct ilp_eh_clause *clauses; /* as many as the body has */
    size_t clause_capacity;
    /* set by the caller: if not 0, insertions before a ret replace it, and end in a `leave`
     * (III.3.46) to this many bytes after the end of the old code */
    uint32_t leave;
    uint32_t *new_offset; /* by instruction index, including `count`: the new target of its
                             labels */
    size_t offset_capacity;
    /* the rest is patch.c's working memory */
    struct ilpi_short_branch *shorts;
    size_t short_capacity;
    size_t short_count;
    uint32_t *pending; /* short branches that do not reach, to be widened */
    size_t pending_capacity;
    struct ilp_il_map *map;
    size_t map_capacity;
    uint32_t unmoved; /* bytes of the old code after ilpi_patch_at_end(); otherwise 0 */
};

/* Applies the insertions to code that was decoded from `body`: relocates branches, switches and
 * clauses, and widens exactly the short branches that no longer reach (the least fixed point). Long
 * branches stay long. *patch is valid until the next call, if this one succeeds. Fails with
 * ILP_E_TOO_LARGE above ILPI_MAX_CODE, with ILP_E_MISUSE for insertions that break the rules of
 * insertion.h. */
ilp_status ilpi_patch_apply(struct ilpi_patch *patch, const struct ilpi_code *code,
                            const struct ilp_body *body, const struct ilpi_insertion *insertions,
                            size_t count, struct ilp_error *error);

/* The same for code whose only ret is its last instruction and that no clause reaches past: bytes
 * inserted before that ret move nothing else, so the code need not be decoded, and the clauses stay
 * those of the body. Labels of the ret become labels of the first inserted byte. */
ilp_status ilpi_patch_at_end(struct ilpi_patch *patch, const struct ilp_body *body,
                             struct ilp_bytes bytes, struct ilp_error *error);

/* The offset of an insertion's bytes in the new code, and the offset where old and inserted code
 * ends; other code may be appended after it. After ilpi_patch_at_end(), any insertion gives the one
 * there is, and `code` is ignored. */
size_t ilpi_patch_start(const struct ilpi_patch *patch, const struct ilpi_insertion *insertion);
size_t ilpi_patch_end(const struct ilpi_patch *patch, const struct ilpi_code *code);

/* An upper bound of the code's size, and the memory that ilpi_patch_apply() and ilpi_patch_map()
 * need for it; `inserted` and `clauses` count the bytes and clauses that will be added. */
size_t ilpi_patched_size(const struct ilpi_code *code, size_t inserted);
size_t ilpi_patch_memory(const struct ilpi_code *code, size_t inserted, size_t clauses);

/* Whether an old instruction has a new offset. This and the map refer to the code that was changed
 * last; `code` is ignored after ilpi_patch_at_end(). */
bool ilpi_patch_moves(const struct ilpi_patch *patch, const struct ilpi_code *code);

/* The offset map: one entry per old instruction and one for the end. Borrowed until the next
 * call. */
ilp_status ilpi_patch_map(struct ilpi_patch *patch, const struct ilpi_code *code,
                          const struct ilp_il_map **map, size_t *count, struct ilp_error *error);

/* The map in short: only entries that move by another distance than the entry before them. The
 * first is left out, since bytes inserted there are entered at the start of the method. */
ilp_status ilpi_patch_shifts(struct ilpi_patch *patch, const struct ilpi_code *code,
                             const struct ilp_il_map **map, size_t *count, struct ilp_error *error);
void ilpi_patch_free(struct ilpi_patch *patch);

#endif
