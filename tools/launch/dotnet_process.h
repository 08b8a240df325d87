/* A process that may be a .NET process: what the system shows of it, and the info of its
 * diagnostics server. All of it may be false; nothing here waits longer for the process than a
 * deadline. */
#ifndef DOTNET_PROCESS_H
#define DOTNET_PROCESS_H

#include "host/other_process.h"
#include "tools/launch/diagnostics.h"

enum dotnet_runtime { RUNTIME_NONE, RUNTIME_CORECLR, RUNTIME_NATIVE_AOT, RUNTIME_MONO };

struct dotnet_process {
    process_id process;
    struct process_state state;
    bool is_contained; /* it has its own process numbers, root or mounts */
    bool is_open;      /* its maps, environment and files are accessible */
    enum dotnet_runtime runtime;

    /* Owned; NULL: not there, or unknown. */
    char *program;   /* its command line */
    char *assembly;  /* the file that was started: App.dll, or the program itself */
    char *temporary; /* its folder for temporary files, in its own view */
    char *core;      /* libcoreclr.so, in its own view */
    char *libc;
    char *profiler;        /* the library of a profiler that is loaded: ours */
    char *other_profiler;  /* or another known one, or one that its environment names */
    bool has_core_library; /* System.Private.CoreLib.dll: the runtime has started */
    bool is_musl;
    bool is_host;   /* it is called dotnet, and nothing else is accessible */
    bool is_bundle; /* the runtime is inside the program's file */

    struct process_texts environment;
    int folder; /* `temporary`, opened; -1: not */
    int error;  /* the reason (errno); 0: none */
    bool has_server;
    struct diagnostics server; /* valid if it has one */
    struct process_info info;  /* its info, if it was requested */
};

/* False: there is no such process. dotnet_process_close() is due in any case. */
bool dotnet_process_open(struct dotnet_process *process, process_id number);
void dotnet_process_close(struct dotnet_process *process);

/* Requests the server's info, if there is one and the process is not stopped: a connection or -1;
 * and receives it. */
int dotnet_process_request(const struct dotnet_process *process);
void dotnet_process_receive(struct dotnet_process *process, int connection, struct deadline until);

/* The runtime's version, from its info or its folder's name: borrowed; NULL: unknown. */
const char *dotnet_process_version(const struct dotnet_process *process, char *room, size_t size);

/* A variable of its environment; NULL: not set, or not accessible. */
const char *dotnet_process_variable(const struct dotnet_process *process, const char *name);

/* The variable that switches diagnostics or profilers off; NULL: none. */
const char *dotnet_process_switched_off(const struct dotnet_process *process);

/* Whether our profiler in it listens for commands (control.h). */
bool dotnet_process_listens(const struct dotnet_process *process);

/* Until process_act_as_self(), created files belong to its user: in a user namespace root's files
 * would belong to the user `nobody`. False: this was reported. */
bool dotnet_process_act_as_its_user(const struct dotnet_process *process);

#endif
