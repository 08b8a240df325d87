/* Whether an inspector is called by an assembly beside it. */
#ifndef INSPECTOR_USE_H
#define INSPECTOR_USE_H

#include <stdbool.h>

/* Of several results the later one has precedence. */
enum inspector_use {
    INSPECTOR_UNUSED,
    INSPECTOR_PERHAPS_USED, /* an assembly is not readable for this user: reported */
    INSPECTOR_USE_UNKNOWN,  /* an assembly, or the folder, could not be read: reported */
    INSPECTOR_USED
};

/* Whether the program's folder `directory` (program_folder.h) has an assembly other than `except`
 * (NULL: none) that was written by ilpatch, with or without an original, and refers to this
 * inspector. */
enum inspector_use inspector_use_in(const char *directory, const char *except,
                                    const char *assembly);

/* Whether a run may have placed this inspector in the program's folder `directory`: there is a
 * record of a kept original, a written assembly that calls it, or something unreadable. */
bool inspector_may_be_ours(const char *directory, const char *assembly);

#endif
