/* Tracks compilations: a map from functions to those that have begun. See compilations.h. They are
 * never removed, because a second start is what shows a failure.
 *
 *                begins              ends
 *   unknown  ----------->  begun  ----------->  ended
 *                          | ^ begins again: false, as the earlier one failed
 *                          \-/
 *
 * Compilations by ReJIT are separate entries: a function may be compiled in both ways. */
#include "profiler/compilations.h"

#include "base/hash.h"
#include "host/memory.h"

static uint64_t hash_of(FunctionID function)
{
    return XXH3_64bits(&function, sizeof function);
}

/* Places are numbers from 1, as items move when the list grows. */
static struct compilation *find(const struct compilations *compilations, FunctionID function,
                                bool rejit)
{
    struct ilpi_map_search search = ilpi_map_find(&compilations->places, hash_of(function));
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        struct compilation *item = &compilations->items.items[place - 1];
        if (item->function == function && item->rejit == rejit) {
            return item;
        }
    }
    return NULL;
}

/* False: it begins again without having ended, so the earlier one failed. */
bool compilation_begins(struct compilations *compilations, FunctionID function, bool rejit)
{
    const struct compilation *known = find(compilations, function, rejit);
    if (known) {
        return known->has_ended;
    }
    if (!compilations->is_open) {
        ilpi_alloc_init(&compilations->alloc, NULL);
        compilations->is_open = true;
    }
    struct compilation item = {.function = function, .rejit = rejit};
    struct ilpi_alloc *alloc = &compilations->alloc;
    if (ILPI_LIST_ADD(alloc, &compilations->items, item, NULL) != ILP_OK ||
        ilpi_map_add(&compilations->places, alloc, hash_of(function),
                     (uint32_t)compilations->items.count, NULL) != ILP_OK) {
        memory_failed();
    }
    return true;
}

/* False: its start was not seen. */
bool compilation_ends(struct compilations *compilations, FunctionID function, bool rejit)
{
    struct compilation *known = find(compilations, function, rejit);
    if (known) {
        known->has_ended = true;
    }
    return known != NULL;
}

bool compilation_has_ended(const struct compilations *compilations, FunctionID function, bool rejit)
{
    const struct compilation *known = find(compilations, function, rejit);
    return known && known->has_ended;
}

void compilations_close(struct compilations *compilations)
{
    if (compilations->is_open) {
        ILPI_LIST_FREE(&compilations->alloc, &compilations->items);
        ilpi_map_free(&compilations->places, &compilations->alloc);
    }
}
