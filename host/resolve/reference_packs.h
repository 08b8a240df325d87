/* Reference assemblies: what compilers use in place of a framework. */
#ifndef REFERENCE_PACKS_H
#define REFERENCE_PACKS_H

#include "host/resolve/path_list.h"

/* Adds the folders of the newest installed ones: packs of the .NET in `roots`, then Mono's for .NET
 * Framework. */
void reference_packs_find(struct path_list *folders, const struct path_list *roots);

#endif
