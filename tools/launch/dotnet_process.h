/* A process that may be one of .NET: what the system shows of it, and what its diagnostics server
 * says. All of it may be untrue; nothing here waits for the process longer than a deadline says. */
#ifndef DOTNET_PROCESS_H
#define DOTNET_PROCESS_H

#include "host/other_process.h"
#include "tools/launch/diagnostics.h"

enum dotnet_runtime { RUNTIME_NONE, RUNTIME_CORECLR, RUNTIME_NATIVE_AOT, RUNTIME_MONO };

struct dotnet_process {
    process_id process;
    struct process_state state;
    bool is_contained; /* it has numbers, a root or mounts of its own */
    bool is_open;      /* its maps, environment and files are shown to us */
    enum dotnet_runtime runtime;

    /* Owned; NULL: not there, or not known. */
    char *program;   /* its command line */
    char *assembly;  /* what was started, as a file: App.dll, or the program itself */
    char *temporary; /* its folder for temporary files, as it names that */
    char *core;      /* libcoreclr.so, as it names that */
    char *libc;
    char *profiler;        /* the library of a profiler that is in it: ours, */
    char *other_profiler;  /* or another one that is known, or that its environment names */
    bool has_core_library; /* System.Private.CoreLib.dll: the runtime has started */
    bool is_musl;
    bool is_host;   /* it is called dotnet, and shows us nothing else */
    bool is_bundle; /* the runtime is in the program's own file */

    struct process_texts environment;
    int folder; /* `temporary`, open; -1: it is not, */
    int error;  /* for this reason (errno); 0: none */
    bool has_server;
    struct diagnostics server; /* valid if so */
    struct process_info info;  /* what it said, if it was requested */
};

/* False: there is no such process. dotnet_process_close() is due in any case. */
bool dotnet_process_open(struct dotnet_process *process, process_id number);
void dotnet_process_close(struct dotnet_process *process);

/* Requests what the server says, if there is one, and the process is not stopped: a connection or
 * -1; and receives it. */
int dotnet_process_request(const struct dotnet_process *process);
void dotnet_process_receive(struct dotnet_process *process, int connection, struct deadline until);

/* The version of the runtime, as it says or as its folder is called: borrowed; NULL: not known. */
const char *dotnet_process_version(const struct dotnet_process *process, char *room, size_t size);

/* A variable of its environment; NULL: it is not set, or not shown. */
const char *dotnet_process_variable(const struct dotnet_process *process, const char *name);

/* The variable that switches its diagnostics or profilers off; NULL: none does. */
const char *dotnet_process_switched_off(const struct dotnet_process *process);

/* Whether our profiler, which is in it, listens for commands (control.h). */
bool dotnet_process_listens(const struct dotnet_process *process);

/* From now on, until process_act_as_self(), what is made belongs to its user: in a user namespace
 * root's files are nobody's. False: that was reported. */
bool dotnet_process_act_as_its_user(const struct dotnet_process *process);

#endif
