/* Opens images of files. See file_image.h. Most callers go through many files, of which few are
 * images, so a failure has no message; only missing memory is recorded. */
#include "host/file_image.h"

#include "host/memory.h"

struct ilp_image *file_image_open(struct ilp_bytes bytes, const char *name)
{
    struct ilp_image *image = NULL;
    ilp_status status = ilp_image_open(&image, bytes, ILP_LAYOUT_FILE, name, NULL, NULL);
    if (status == ILP_E_NO_MEMORY) {
        memory_failed();
    }
    return status == ILP_OK ? image : NULL;
}

struct ilp_bytes image_mvid(const struct ilp_image *image)
{
    return ilp_guid(image, ilp_cell(image, ILP_Module, 1, ILP_Module_Mvid));
}
