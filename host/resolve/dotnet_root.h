/* Where .NET is installed. */
#ifndef DOTNET_ROOT_H
#define DOTNET_ROOT_H

#include "host/resolve/dotnet_places.h"

/* Adds the folders that have a "shared" folder. DOTNET_ROOT_X64 (of this architecture), or else
 * DOTNET_ROOT, is the only one if it is set to such a folder. Otherwise, by falling precedence: the
 * dotnet on PATH, /etc/dotnet/install_location_x64 and install_location, the usual places. */
void dotnet_roots(struct path_list *roots);

#endif
