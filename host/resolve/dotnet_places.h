/* The system's locations of .NET, besides those in the environment (dotnet_root.h). */
#ifndef DOTNET_PLACES_H
#define DOTNET_PLACES_H

#include "host/resolve/path_list.h"

/* "x64": this machine's architecture in names of folders and variables. */
const char *dotnet_architecture(void);

/* The user's own folder, borrowed; NULL where the environment has none. */
const char *dotnet_home(void);

/* Adds folders that may have an installation for this architecture, the first choice first. */
void dotnet_places(struct path_list *places, const char *architecture);

#endif
