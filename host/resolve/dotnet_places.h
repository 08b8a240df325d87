/* Where the system has .NET installed, besides what the environment says (dotnet_root.h). */
#ifndef DOTNET_PLACES_H
#define DOTNET_PLACES_H

#include "host/resolve/path_list.h"

/* "x64", as folders and variables are named after what this machine is. */
const char *dotnet_architecture(void);

/* Adds folders that may have an installation for this architecture, the first choice first. */
void dotnet_places(struct path_list *places, const char *architecture);

#endif
