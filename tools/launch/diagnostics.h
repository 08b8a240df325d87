/* The diagnostics server of a running .NET process (the Diagnostic IPC Protocol of
 * dotnet/diagnostics): a socket in the folder for temporary files, which takes one command for each
 * connection. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include "host/deadline.h"
#include "host/process.h"
#include "host/tool.h"

struct diagnostics {
    process_id process;
    user_id owner; /* of the process */
    char *path;    /* of the socket, as we open it; owned */
    char *name;    /* of the socket, as the process names it; owned */
};

/* The class of a profiler, as it stands in memory. */
struct profiler_class {
    uint8_t bytes[16];
};

void diagnostics_close(struct diagnostics *server);

/* Whether it is the process that listens at the other end of a connection. */
bool diagnostics_is_server(const struct diagnostics *server, int file);

/* ---- what the server says of its process ---- */

/* Any text may be wrong. */
struct process_info {
    char *command_line; /* these are owned; NULL: it does not say */
    char *architecture; /* "x64" */
    char *assembly;     /* the one that was started: "App" */
    char *version;      /* of the runtime: "10.0.12" */
};

/* Requests it, and does not wait: a connection for the second one, which closes it; -1: the server
 * cannot be reached now, or is not of the process. */
int diagnostics_request_info(const struct diagnostics *server);
bool diagnostics_receive_info(int connection, struct deadline until, struct process_info *info);
void process_info_free(struct process_info *info);

/* ---- commands: these tell what is wrong ---- */

/* A variable of the process's environment. */
enum exit_code diagnostics_set_variable(const struct diagnostics *server, const char *name,
                                        const char *value);

/* Loads an assembly and runs its StartupHook.Initialize(). */
enum exit_code diagnostics_run_hook(const struct diagnostics *server, const char *assembly);

/* Loads a profiler, which gets `data`. *taken: a profiler is in it already, which is all that has
 * not been reported. */
enum exit_code diagnostics_attach(const struct diagnostics *server,
                                  const struct profiler_class *class, const char *library,
                                  struct ilp_bytes data, bool *taken);

#endif
