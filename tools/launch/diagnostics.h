/* The diagnostics server of a running .NET process (the Diagnostic IPC Protocol of
 * dotnet/diagnostics): a socket in the folder for temporary files, which takes one command for each
 * connection. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include "host/process.h"
#include "host/tool.h"

struct diagnostics {
    process_id process;
    user_id owner; /* of the process */
    char *path;    /* of the socket; owned */
};

/* The class of a profiler, as it stands in memory. */
struct profiler_class {
    uint8_t bytes[16];
};

/* All of these tell what is wrong. */
enum exit_code diagnostics_open(struct diagnostics *server, process_id process);
void diagnostics_close(struct diagnostics *server);

/* A variable of the process's environment. */
enum exit_code diagnostics_set_variable(const struct diagnostics *server, const char *name,
                                        const char *value);

/* Loads an assembly and runs its StartupHook.Initialize(). */
enum exit_code diagnostics_run_hook(const struct diagnostics *server, const char *assembly);

/* Loads a profiler, which gets `data`. */
enum exit_code diagnostics_attach(const struct diagnostics *server,
                                  const struct profiler_class *class, const char *library,
                                  struct ilp_bytes data);

#endif
