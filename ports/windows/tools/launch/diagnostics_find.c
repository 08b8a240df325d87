/* The diagnostics pipe: its name has the process's number. See diagnostics_find.h. */
#include "tools/launch/diagnostics_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/local_socket.h"
#include "tools/tool.h"

#define PIPES "//./pipe"

int diagnostics_open_folder(process_id process, const char *set, char **name)
{
    (void)process;
    (void)set;
    *name = need(strdup(PIPES));
    errno = 0;
    return -1;
}

bool diagnostics_find(struct diagnostics *server, process_id process, user_id owner,
                      process_id own_number, int folder, const char *folder_name)
{
    user_id unused;
    (void)folder;
    *server = (struct diagnostics){.process = process, .owner = owner};
    server->path = format_text("%s/dotnet-diagnostic-%ld", folder_name, (long)own_number);
    bool found = local_socket_owner(server->path, &unused);
    if (found) {
        server->name = need(strdup(server->path));
    } else {
        diagnostics_close(server);
    }
    return found;
}
