/* What the process was started with: the variables that `ilpatch run` sets (see `ilpatch run --print-env`). */
#ifndef ILPI_SETTINGS_H
#define ILPI_SETTINGS_H

#include "request.h"

struct settings;

/* Reads ILPATCH_OPTIONS, as the command line's options: rules are read, inspectors opened. NULL: it was told why not. */
struct settings *settings_open(void);
void settings_close(struct settings *settings);

const struct request *settings_request(const struct settings *settings);

/* Whether assemblies of the shared frameworks are looked at. */
bool settings_wants_framework(const struct settings *settings);

/* Where references of the module at `path` are found. Owned by the caller. */
struct references *settings_open_references(const struct settings *settings, const char *path);

#endif
