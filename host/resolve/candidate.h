/* Whether a file is the assembly that a reference asks for, as the runtime would see it. */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "host/resolve/reference.h"

/* Takes `image`, opened from `path`, for what was requested, or notes why not. NULL: what is there
 * is not an image. */
bool candidate_try(struct reference *reference, struct ilp_image *image, const char *path,
                   enum place place);

/* Whether a component of Windows is asked for (AssemblyFlags.WindowsRuntime), which is in a .winmd
 * file. */
bool candidate_is_windows(const struct ilp_assembly_name *name);

#endif
