/* Threads that decide and build the methods of one image, one block at a time. The caller's thread
 * is one of them, and gets the blocks in their order. */
#ifndef ILPI_CREW_H
#define ILPI_CREW_H

#include "inspect/threads/block.h"

struct ilpi_crew;

/* The next methods: [first, end). */
struct ilpi_turn {
    ilp_rid first;
    ilp_rid end;
    struct ilpi_block *block; /* NULL: the methods are not built yet */
};

/* Whether several threads can work on an image for this request: not with native inspectors or
 * embedding, for which the order of methods affects more than the order of tokens. */
bool ilpi_crew_can(const struct ilp_request *request);

/* Starts up to request->threads - 1 threads, for the methods from `first` on. The inspection is the
 * caller's, for the methods that it does itself; the request's resolver must be safe for several
 * threads. `records`: bodies are made. Blocks have `block_methods`; there must be more methods than
 * that. */
ilp_status ilpi_crew_open(struct ilpi_crew **out, const struct ilp_inspection *inspection,
                          const struct ilp_request *request, bool records, ilp_rid first,
                          uint32_t block_methods, struct ilp_error *error);

/* NULL is allowed. */
void ilpi_crew_close(struct ilpi_crew *crew);

/* The next block, when the previous one is no longer used; false: there are no more. While it is
 * not finished, this thread works on later ones. */
bool ilpi_crew_next(struct ilpi_crew *crew, struct ilpi_turn *turn);

#endif
