/* The assemblies of a process: those that it has mapped, those in its single-file program, and
 * those in the program's folders, which it may load later. Assemblies loaded from memory are not
 * seen. */
#ifndef PROCESS_ASSEMBLIES_H
#define PROCESS_ASSEMBLIES_H

#include "host/file_view.h"
#include "tools/launch/dotnet_process.h"

struct process_assembly {
    char *path;        /* in the process's view; in a bundle "PROGRAM/Name.dll"; owned */
    bool is_loaded;    /* it is mapped */
    bool is_in_bundle; /* whether it is loaded is unknown */
    bool is_framework;
};

/* The search order: loaded ones of the program, those not loaded, frameworks. */
int process_assembly_rank(const struct process_assembly *assembly);

struct process_assemblies {
    const struct dotnet_process *process; /* borrowed */
    struct process_assembly *items;       /* the program's own first; owned */
    size_t count, room;
};

void process_assemblies_open(struct process_assemblies *assemblies,
                             const struct dotnet_process *process);
void process_assemblies_close(struct process_assemblies *assemblies);

/* An assembly, opened in the process's view. */
struct opened_assembly {
    struct ilp_image *image;
    char *path;                  /* for finding its references; owned */
    uint8_t *bytes;              /* owned; NULL: the next member has them */
    struct file_view *in_bundle; /* a mapped bundle with the bytes; owned */
};

/* False: it cannot be read, or is not an assembly. opened_assembly_close() is due in any case. */
bool opened_assembly_open(struct opened_assembly *opened, const struct dotnet_process *process,
                          const struct process_assembly *assembly);
void opened_assembly_close(struct opened_assembly *opened);

#endif
