/* Growing arrays of any type, for owners that have a struct ilpi_alloc:
 *
 *     ILPI_LIST(struct edge) edges;          zero-initialised it is empty
 *     ILPI_TRY(ILPI_LIST_ADD(alloc, &edges, edge, error));
 *     edges.items[i], edges.count
 *     ILPI_LIST_FREE(alloc, &edges);
 *
 * The items move when the list grows: keep indexes, not pointers. */
#ifndef ILPI_LIST_H
#define ILPI_LIST_H

#include "base/alloc.h"

#define ILPI_LIST(type)                         \
    struct {                                    \
        type *items; /* owned */                \
        size_t count;                           \
        size_t capacity; /* of items, in all */ \
    }

/* Makes room for `total` items and keeps those that exist. A status. */
#define ILPI_LIST_RESERVE(alloc, list, total, error)                                              \
    ((total) <= (list)->capacity ? ILP_OK                                                         \
                                 : ilpi_grow((alloc), &(list)->items, &(list)->capacity, (total), \
                                             sizeof *(list)->items, (error)))

/* Adds a copy of `value`, which must not refer to the list. A status; after a failure the list is
 * as it was. */
#define ILPI_LIST_ADD(alloc, list, value, error)                              \
    (ILPI_LIST_RESERVE((alloc), (list), (list)->count + 1, (error)) != ILP_OK \
         ? ILP_E_NO_MEMORY                                                    \
         : ((list)->items[(list)->count++] = (value), ILP_OK))

/* Gives back the room that no item uses. */
#define ILPI_LIST_TRIM(alloc, list) \
    ilpi_trim((alloc), &(list)->items, &(list)->capacity, (list)->count, sizeof *(list)->items)

/* Frees the items and empties the list. */
#define ILPI_LIST_FREE(alloc, list)                                                          \
    ((void)ilpi_resize((alloc), (list)->items, (list)->capacity * sizeof *(list)->items, 0), \
     (list)->items = NULL, (list)->count = 0, (list)->capacity = 0)

#endif
