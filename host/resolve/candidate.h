/* Whether a file is the requested assembly, by the runtime's rules. */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include "host/resolve/reference.h"

/* Accepts `image`, opened from `path`, for the reference, or records why not. NULL: the file is not
 * an image. */
bool candidate_try(struct reference *reference, struct ilp_image *image, const char *path,
                   enum place place);

/* Whether a Windows component is requested (AssemblyFlags.WindowsRuntime), which is in a .winmd
 * file. */
bool candidate_is_windows(const struct ilp_assembly_name *name);

#endif
