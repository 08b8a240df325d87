/* What an assembly refers to, as lines of the cache (patch_cache.h). */
#ifndef CACHE_REFERENCES_H
#define CACHE_REFERENCES_H

#include <stdio.h>

#include "host/references.h"

/* "of TARGET", and a line for each that was looked for by the current target of `references`, which
 * has this path. Not for those that were found below `folder`, unless that is NULL. */
void cache_references_print(FILE *out, const struct references *references, const char *target,
                            const char *folder);

/* "ref DIGEST VERSION FLAGS KEY CULTURE NAME", without the first word: whether the current target
 * would find the same. The line is cut into its words. */
bool cache_reference_is_same(struct references *references, char *line);

#endif
