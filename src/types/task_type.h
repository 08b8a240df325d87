/* Types that an async method can return. */
#ifndef ILPI_TASK_TYPE_H
#define ILPI_TASK_TYPE_H

#include "metadata/resolve.h"
#include "sig/sig.h"

/* Whether a type without modifiers is Task, Task<T>, ValueTask or ValueTask<T>, the only types that
 * a runtime-async method may declare. *result is T, or NULL if there is none. */
bool ilpi_task_result(const struct ilp_image *image, const struct ilp_type *type,
                      const struct ilp_type **result);

/* Whether it is one of these, or has AsyncMethodBuilderAttribute. ILP_UNKNOWN: *unresolved, a token
 * of `image`, was not found. */
enum ilp_tristate ilpi_is_task(struct ilp_image *image, const struct ilp_type *type,
                               const struct ilp_resolver *resolver, ilp_token *unresolved);

#endif
