/* Allocates and frees a rewriter's working memory. See scratch.h. */
#include "inspect/scratch.h"

#include "base/budget.h"

#define PASS_LIMIT ((size_t)64 << 10)

/* The limit is in proportion to the image: a method cannot need more than its file, apart from a
 * constant. */
void ilpi_scratch_open(struct ilpi_scratch *scratch, struct ilpi_alloc *alloc, size_t image_size)
{
    struct ilpi_alloc *own = &scratch->alloc;
    ilpi_alloc_init_within(own, alloc, ILPI_METHOD_MEMORY + image_size);
    scratch->pass_limit = PASS_LIMIT;
    scratch->arena.alloc = own;
    scratch->code.alloc = own;
    scratch->stack.alloc = own;
    scratch->patch.alloc = own;
    scratch->name.alloc = own;
    scratch->body.alloc = own;
}

/* All members are zero afterwards, or empty, so that it can be used again: it is closed after a
 * method that took very much memory. */
void ilpi_scratch_close(struct ilpi_scratch *scratch)
{
    struct ilpi_alloc *own = &scratch->alloc;
    ilpi_arena_free(&scratch->arena);
    ilpi_resize(own, scratch->points, scratch->point_capacity * sizeof *scratch->points, 0);
    scratch->points = NULL;
    scratch->point_capacity = 0;
    ilpi_code_free(&scratch->code);
    ilpi_stack_free(&scratch->stack);
    ilpi_patch_free(&scratch->patch);
    ilpi_buf_free(&scratch->name);
    ilpi_buf_free(&scratch->body);
    ILPI_LIST_FREE(own, &scratch->insertions);
    ILPI_LIST_FREE(own, &scratch->tail_sites);
    scratch->name_owner = 0;
}

void ilpi_scratch_begin(struct ilpi_scratch *scratch)
{
    if (scratch->alloc.used > ILPI_METHOD_KEPT) {
        ilpi_scratch_close(scratch);
    }
    scratch->alloc.full = false;
    scratch->has_map = false;
    scratch->tail_sites.count = 0;
}
