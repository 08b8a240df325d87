/* A resolver with a lock. See shared_resolver.h. */
#include "inspect/threads/shared_resolver.h"

static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    struct ilpi_shared_resolver *shared = user;
    ilpi_mutex_lock(&shared->mutex);
    struct ilp_image *image = shared->inner->open(shared->inner->user, name);
    ilpi_mutex_unlock(&shared->mutex);
    return image;
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    struct ilpi_shared_resolver *shared = user;
    ilpi_mutex_lock(&shared->mutex);
    struct ilp_image *module = shared->inner->open_module(shared->inner->user, image, file);
    ilpi_mutex_unlock(&shared->mutex);
    return module;
}

/* Asks the inner resolver once, under the lock, and keeps the answer with its error: symbols are
 * for one image. */
static struct ilp_symbols *open_symbols(void *user, const struct ilp_image *image,
                                        struct ilp_error *error)
{
    struct ilpi_shared_resolver *shared = user;
    ilpi_mutex_lock(&shared->mutex);
    if (!shared->requested) {
        shared->why = *error;
        shared->symbols = shared->inner->open_symbols(shared->inner->user, image, &shared->why);
        shared->requested = true;
    }
    *error = shared->why;
    ilpi_mutex_unlock(&shared->mutex);
    return shared->symbols;
}

bool ilpi_shared_resolver_open(struct ilpi_shared_resolver *shared,
                               const struct ilp_resolver *inner)
{
    *shared = (struct ilpi_shared_resolver){
        .interface = {.user = shared,
                      .open = inner->open ? open_assembly : NULL,
                      .open_module = inner->open_module ? open_module : NULL,
                      .open_symbols = inner->open_symbols ? open_symbols : NULL},
        .inner = inner,
    };
    return ilpi_mutex_open(&shared->mutex);
}

void ilpi_shared_resolver_close(struct ilpi_shared_resolver *shared)
{
    ilpi_mutex_close(&shared->mutex);
}
