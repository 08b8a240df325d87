/* State machines and tail calls of an image, found once. See found.h.
 *
 * Several threads share it: the first one that needs a result computes it under the lock, and the
 * others wait. Afterwards it is only read. */
#include "inspect/found.h"

ilp_status ilpi_found_open(struct ilpi_found *found, struct ilp_image *image,
                           const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *found = (struct ilpi_found){.image = image,
                                 .arena = {.alloc = &found->alloc},
                                 .budget = ilpi_budget_of(image->pe.bytes.size)};
    ilpi_alloc_init(&found->alloc, allocator);
    return ilpi_mutex_open(&found->mutex) ? ILP_OK : ilpi_fail_memory(error, sizeof *found);
}

void ilpi_found_close(struct ilpi_found *found)
{
    ilpi_arena_free(&found->arena);
    ilpi_mutex_close(&found->mutex);
}

/* A copy is stored after success: kind_of marks the result as found, and a failed search is
 * repeated. */
static ilp_status find_state_machines(struct ilpi_found *found, struct ilp_error *error)
{
    struct ilpi_state_machines machines;
    ILPI_TRY(
        ilpi_state_machines_find(found->image, &found->arena, &found->budget, &machines, error));
    found->machines = machines;
    return ILP_OK;
}

ilp_status ilpi_found_state_machines(struct ilpi_found *found,
                                     const struct ilpi_state_machines **machines,
                                     struct ilp_error *error)
{
    ilpi_mutex_lock(&found->mutex);
    ilp_status status = found->machines.kind_of ? ILP_OK : find_state_machines(found, error);
    ilpi_mutex_unlock(&found->mutex);
    *machines = status == ILP_OK ? &found->machines : NULL;
    return status;
}

/* Built by the first thread that needs it, under the lock; later ones only read it. */
ilp_status ilpi_found_tails(struct ilpi_found *found, const struct ilpi_tail_graph **tails,
                            struct ilp_error *error)
{
    ilpi_mutex_lock(&found->mutex);
    ilp_status status = found->tails.image
                            ? ILP_OK
                            : ilpi_tail_graph_build(&found->tails, found->image, &found->alloc,
                                                    &found->arena, &found->budget, error);
    ilpi_mutex_unlock(&found->mutex);
    *tails = status == ILP_OK ? &found->tails : NULL;
    return status;
}
