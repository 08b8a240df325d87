/* What is installed on this machine, looked for once, when it is needed first: a command works on
 * many programs, and all of them have the same installations. */
#ifndef INSTALLED_H
#define INSTALLED_H

#include "host/resolve/mono_places.h"

struct installed;

/* NULL: no memory. */
struct installed *installed_open(void);
void installed_close(struct installed *installed); /* NULL is allowed */

/* The installations of .NET (dotnet_root.h), Mono's folders, and those of reference assemblies:
 * borrowed until it is forgotten. */
const struct path_list *installed_roots(struct installed *installed);
const struct mono_places *installed_mono(struct installed *installed);
const struct path_list *installed_packs(struct installed *installed);

/* What was found while memory ran out may not be all that there is: it is found again. */
void installed_forget(struct installed *installed);

#endif
