/* The diagnostics server of a running .NET process (the Diagnostic IPC Protocol of
 * dotnet/diagnostics): a socket in the folder for temporary files that takes one command per
 * connection. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include "host/deadline.h"
#include "host/process.h"
#include "host/tool.h"

struct diagnostics {
    process_id process;
    user_id owner; /* of the process */
    char *path;    /* of the socket, for us; owned */
    char *name;    /* of the socket, in the process's view; owned */
};

/* The class id of a profiler, as in memory. */
struct profiler_class {
    uint8_t bytes[16];
};

void diagnostics_close(struct diagnostics *server);

/* Whether the process itself is at the other end of a connection. */
bool diagnostics_is_server(const struct diagnostics *server, int file);

/* ---- process info ---- */

/* Any of it may be wrong. */
struct process_info {
    char *command_line; /* these are owned; NULL: not given */
    char *architecture; /* "x64" */
    char *assembly;     /* the started one: "App" */
    char *version;      /* of the runtime: "10.0.12" */
};

/* Requests it without waiting: a connection for the second function, which closes it; -1: the
 * server cannot be reached, or does not belong to the process. */
int diagnostics_request_info(const struct diagnostics *server);
bool diagnostics_receive_info(int connection, struct deadline until, struct process_info *info);
void process_info_free(struct process_info *info);

/* ---- commands that report failures ---- */

/* Sets an environment variable of the process. */
enum exit_code diagnostics_set_variable(const struct diagnostics *server, const char *name,
                                        const char *value);

/* Loads an assembly and runs its StartupHook.Initialize(). */
enum exit_code diagnostics_run_hook(const struct diagnostics *server, const char *assembly);

/* Loads a profiler, which gets `data`. *taken: the process already has a profiler, the only failure
 * that is not reported. */
enum exit_code diagnostics_attach(const struct diagnostics *server,
                                  const struct profiler_class *class, const char *library,
                                  struct ilp_bytes data, bool *taken);

#endif
