/* Whether an inspector that is beside assemblies is called by one of them. */
#ifndef INSPECTOR_USE_H
#define INSPECTOR_USE_H

#include <stdbool.h>

/* Of several answers the later one counts. */
enum inspector_use {
    INSPECTOR_UNUSED,
    INSPECTOR_PERHAPS_USED, /* this user may not read an assembly: reported */
    INSPECTOR_USE_UNKNOWN,  /* an assembly, or the folder, could not be read: reported */
    INSPECTOR_USED
};

/* Whether the program's folder `directory` (program_folder.h) holds an assembly other than `except`
 * (NULL: none is excepted) that was written by ilpatch, with or without an original, and refers to
 * this inspector. */
enum inspector_use inspector_use_in(const char *directory, const char *except,
                                    const char *assembly);

/* Whether a run may have put this inspector into the program's folder `directory`: a record of what
 * one has kept is there, an assembly that a run has written and that calls it, or something that
 * cannot be read. */
bool inspector_may_be_ours(const char *directory, const char *assembly);

#endif
