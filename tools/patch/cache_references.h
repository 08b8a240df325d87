/* The references of an assembly, as lines of the cache (patch_cache.h). */
#ifndef CACHE_REFERENCES_H
#define CACHE_REFERENCES_H

#include <stdio.h>

#include "host/references.h"

/* Prints "of TARGET", and a line for each reference that the current target of `references`, which
 * has this path, has looked up. Not for those found below `folder`, unless that is NULL. */
void cache_references_print(FILE *out, const struct references *references, const char *target,
                            const char *folder);

/* "ref DIGEST VERSION FLAGS KEY CULTURE NAME", without the first word: whether the current target
 * would find the same. The line is split in place. */
bool cache_reference_is_same(struct references *references, char *line);

#endif
