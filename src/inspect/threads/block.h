/* A block of methods that one thread has decided and built for another. The other makes the tokens,
 * puts them into the bodies and takes these, in the order of the methods. */
#ifndef ILPI_BLOCK_H
#define ILPI_BLOCK_H

#include "inspect/inspection.h"
#include "inspect/threads/recorder.h"

#define ILPI_BLOCK_METHODS 64u

/* A part of one of the block's lists. */
struct ilpi_block_part {
    size_t first;
    size_t count;
};

/* What was built for one method: parts of the block's lists, by index, since the lists move when
 * they grow. */
struct ilpi_block_method {
    bool again;                      /* left to the caller's thread; all other members are unset */
    struct ilp_method_result result; /* except for what it borrows */
    struct ilpi_block_part body;     /* of recording.bytes */
    struct ilpi_block_part requests;
    struct ilpi_block_part places;
    struct ilpi_block_part shifts;
    struct ilpi_block_part tail_sites;
};

/* Methods in a row, built by one thread and taken by the caller. Its memory is used again for later
 * blocks. */
struct ilpi_block {
    struct ilpi_alloc alloc;
    ilp_rid first;           /* its first method, */
    uint32_t count;          /* and how many it has: at most ILPI_BLOCK_METHODS */
    bool done;               /* built; guarded by the crew's mutex */
    struct ilpi_spent spent; /* for all of it */
    struct ilpi_block_method methods[ILPI_BLOCK_METHODS];
    struct ilpi_recording recording;
    ILPI_LIST(size_t) places; /* offsets of provisional tokens in a body */
    ILPI_LIST(struct ilp_il_map) shifts;
    ILPI_LIST(struct ilp_tail_site) tail_sites;
    ILPI_LIST(ilp_token) tokens; /* working memory of ilpi_block_take() */
};

/* What builds blocks: one for each thread. */
struct ilpi_block_builder {
    struct ilp_inspection *inspection;
    struct ilpi_recorder recorder;
    bool records;                  /* bodies are made */
    bool moves;                    /* symbols need the offset shifts */
    struct ilpi_made_tokens *made; /* the module's tokens before each method; in its arena */
};

/* Opens an inspection of its own that shares with the first one what that has found in the image.
 * `records`: with an emitter. After a failure it is not open. */
ilp_status ilpi_builder_open(struct ilpi_block_builder *builder, const struct ilp_inspection *first,
                             const struct ilp_request *request, bool records,
                             struct ilp_error *error);
void ilpi_builder_close(struct ilpi_block_builder *builder);

/* Decides and builds the methods of a block. `made`: the tokens made until now, which are final. */
void ilpi_builder_work(struct ilpi_block_builder *builder, struct ilpi_block *block);

void ilpi_block_init(struct ilpi_block *block, const struct ilp_allocator *allocator);
void ilpi_block_free(struct ilpi_block *block);

/* The outcome of a method, with final tokens. Borrowed until the next call. */
struct ilpi_built {
    const struct ilp_method_result *result;
    const struct ilp_il_map *shifts;
    size_t shift_count;
};

/* Takes the methods in their order. False: the caller's thread has to do this one, with the
 * emitter; tokens already requested for it are requested again, and found. */
bool ilpi_block_take(struct ilpi_block *block, ilp_rid method, const struct ilp_emitter *emitter,
                     struct ilpi_built *built);

#endif
