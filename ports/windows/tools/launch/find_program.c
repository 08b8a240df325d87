/* Searches as CreateProcess() does: the command's folder, the current one, the system's, PATH. See
 * find_program.h. */
#include "tools/launch/find_program.h"

#include <stdlib.h>
#include <windows.h>

#include "base/wide_path.h"
#include "host/memory.h"

char *find_program(const char *name)
{
    enum { ROOM = 32768 };
    wchar_t *wide = wide_path(name), *found = wide ? new_items(ROOM, sizeof *found) : NULL;
    DWORD count = found ? SearchPathW(NULL, wide, L".exe", ROOM, found, NULL) : 0;
    char *path = count != 0 && count < ROOM ? narrow_path(found, count) : NULL;
    free(found);
    free(wide);
    return path;
}
