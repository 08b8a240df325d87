/* Finds sockets in a folder for temporary files, by the runtime's naming scheme. See
 * diagnostics_find.h.
 *
 *   dotnet-diagnostic-PID-TIME-socket     PID: the process's own number, in its PID namespace
 *                                         TIME: its start, as /proc/PID/stat has it
 *
 * The name is built and tried first, which needs no listing of the folder. A socket counts only if
 * it belongs to the user of the process. */
#include "tools/launch/diagnostics_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/folder.h"
#include "host/local_socket.h"
#include "host/path.h"
#include "host/process_files.h"
#include "tools/tool.h"

/* The runtime's rule: TMPDIR, or else /tmp. If its files are not visible to us, ours are assumed.
 * The descriptor is of the process's own view (/proc/PID/root), and *name the path in that view,
 * for messages and for what the process has to open. errno is that of the first attempt. */
int diagnostics_open_folder(process_id process, const char *set, char **name)
{
    *name = need(strdup(set && set[0] != '\0' ? set : "/tmp"));
    int folder = process_open_folder(process, *name);
    int error = errno;
    if (folder < 0 && error == EACCES) {
        folder = process_open_folder(process_own(), *name);
    }
    errno = error;
    return folder;
}

static bool find_named(struct diagnostics *server, const char *folder, const char *name)
{
    user_id owner;
    server->path = path_join(folder, name);
    if (local_socket_owner(server->path, &owner) && owner == server->owner) {
        return true;
    }
    free(server->path);
    server->path = NULL;
    return false;
}

/* Whether the process listens on that socket. */
static bool is_listening(const struct diagnostics *server)
{
    int file = local_socket_open();
    bool listens = file >= 0 && local_socket_connect(file, server->path, deadline_after(0)) &&
                   diagnostics_is_server(server, file);
    if (file >= 0) {
        close(file);
    }
    return listens;
}

/* The start time in the name is different under an emulator, and in a time namespace: then any name
 * on which the process listens will do. Others with its number are leftovers of earlier processes.
 * At most 64 are tried: a folder for temporary files may hold very many leftovers. */
static bool find_any(struct diagnostics *server, const char *folder, const char *prefix,
                     char **found)
{
    enum { MOST_TRIED = 64 };
    struct folder *names = folder_open(folder);
    const char *name;
    unsigned tried = 0;
    while (names && !*found && tried < MOST_TRIED && (name = folder_next(names)) != NULL) {
        if (strncmp(name, prefix, strlen(prefix)) == 0 && ends_with(name, "-socket") &&
            find_named(server, folder, name)) {
            tried++;
            if (is_listening(server)) {
                *found = need(strdup(name));
            } else {
                free(server->path);
                server->path = NULL;
            }
        }
    }
    folder_close(names);
    return *found != NULL;
}

/* The process's start time is part of the socket's name. `folder` is open, so a rename in the
 * meantime does not lead elsewhere. */
bool diagnostics_find(struct diagnostics *server, process_id process, user_id owner,
                      process_id own_number, int folder, const char *folder_name)
{
    unsigned long long started = 0;
    user_id unused;
    *server = (struct diagnostics){.process = process, .owner = owner};
    if (!process_find(process, &unused, &started)) {
        return false;
    }
    char *path = need(process_file_path(folder));
    char *prefix = format_text("dotnet-diagnostic-%ld-", (long)own_number);
    char *name = format_text("%s%llu-socket", prefix, started);
    bool found = find_named(server, path, name);
    if (!found) {
        free(name);
        name = NULL;
        found = find_any(server, path, prefix, &name);
    }
    server->name = found ? path_join(folder_name, name) : NULL;
    free(name);
    free(prefix);
    free(path);
    return found;
}
