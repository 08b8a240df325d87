/* Threads that decide and build the methods of one image, a block each at a time. The caller's
 * thread, one of them, gets the blocks in their order. */
#ifndef ILPI_CREW_H
#define ILPI_CREW_H

#include "inspect/threads/block.h"

struct ilpi_crew;

/* The next methods: [first, end). */
struct ilpi_turn {
    ilp_rid first;
    ilp_rid end;
    struct ilpi_block *block; /* NULL: nothing was done for them */
};

/* Whether more than one thread can work on an image as requested: no native inspector is called,
 * and nothing embedded, for which the order of the methods is more than an order of tokens. */
bool ilpi_crew_can(const struct ilp_request *request);

/* Starts request->threads - 1 of them, or so many as can be, for the methods from `first` on. The
 * inspection is the caller's, for the methods that it does by itself; the resolver of the request
 * is safe for several threads. `records`: bodies are made. Blocks have `block_methods`, of which
 * there are more than that. */
ilp_status ilpi_crew_open(struct ilpi_crew **out, const struct ilp_inspection *inspection,
                          const struct ilp_request *request, bool records, ilp_rid first,
                          uint32_t block_methods, struct ilp_error *error);

/* NULL is allowed. */
void ilpi_crew_close(struct ilpi_crew *crew);

/* The next block, once the one before it is done with; false: there are no more. While that is not
 * finished, this thread works on later ones. */
bool ilpi_crew_next(struct ilpi_crew *crew, struct ilpi_turn *turn);

#endif
