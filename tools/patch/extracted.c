/* Paths of extracted files. See extracted.h. */
#include "tools/patch/extracted.h"

#include <string.h>

#include "host/path.h"
#include "tools/tool.h"

char *extracted_path(const struct extracted *extracted, const char *folder, const char *file)
{
    size_t length = extracted ? strlen(extracted->folder) : 0;
    bool inside = length != 0 && strncmp(file, extracted->folder, length) == 0 &&
                  file[length] == '/';
    return inside ? path_join(folder, file + length + 1) : need(strdup(file));
}
