/* Where .NET is installed. */
#ifndef DOTNET_ROOT_H
#define DOTNET_ROOT_H

#include "host/resolve/dotnet_places.h"

/* Adds the folders that have a "shared" folder. DOTNET_ROOT_X64 (after this machine), or else
 * DOTNET_ROOT, is the only one where it is set to such a folder. Else, the first choice first: the
 * dotnet on PATH, what /etc/dotnet/install_location_x64 and install_location say, the usual places.
 */
void dotnet_roots(struct path_list *roots);

#endif
