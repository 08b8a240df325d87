/* Maps paths of extracted files. See extracted.h. A path below the temporary folder becomes one
 * below another folder, by its part after the temporary folder's path; other paths, and those of no
 * bundle, stay. */
#include "tools/patch/extracted.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "tools/tool.h"

char *extracted_path(const struct extracted *extracted, const char *folder, const char *file)
{
    const char *below = path_below(extracted ? extracted->folder : NULL, file);
    return below != file ? path_join(folder, below + 1) : need(strdup(file));
}

char *extracted_beside(const struct extracted *extracted, const char *bundle, const char *file)
{
    char *folder = extracted ? path_home(bundle) : NULL;
    char *path = extracted_path(extracted, folder, file);
    free(folder);
    return path;
}
