/* What is installed on this machine, searched once, when first needed: all programs of a command
 * have the same installations. */
#ifndef INSTALLED_H
#define INSTALLED_H

#include "host/resolve/mono_places.h"

struct installed;

/* NULL: no memory. */
struct installed *installed_open(void);
void installed_close(struct installed *installed); /* NULL is allowed */

/* The installations of .NET (dotnet_root.h), Mono's folders, and those of reference assemblies:
 * borrowed until installed_forget(). */
const struct path_list *installed_roots(struct installed *installed);
const struct mono_places *installed_mono(struct installed *installed);
const struct path_list *installed_packs(struct installed *installed);

/* A search during which memory ran out may be incomplete: it is repeated. */
void installed_forget(struct installed *installed);

#endif
