/* The assemblies of a process: those that it has mapped, those in its single-file program, and
 * those in the folders of the program's own, which it may load later. A process may have loaded
 * others from memory, of which nothing is seen here. */
#ifndef PROCESS_ASSEMBLIES_H
#define PROCESS_ASSEMBLIES_H

#include "host/file_view.h"
#include "tools/launch/dotnet_process.h"

struct process_assembly {
    char *path;        /* as the process names it; in a bundle "PROGRAM/Name.dll"; owned */
    bool is_loaded;    /* it is mapped */
    bool is_in_bundle; /* whether it is loaded is not seen */
    bool is_framework;
};

/* In which order they are searched: loaded ones of the program, those that are not, frameworks. */
int process_assembly_rank(const struct process_assembly *assembly);

struct process_assemblies {
    const struct dotnet_process *process; /* borrowed */
    struct process_assembly *items;       /* the program's own first; owned */
    size_t count, room;
};

void process_assemblies_open(struct process_assemblies *assemblies,
                             const struct dotnet_process *process);
void process_assemblies_close(struct process_assemblies *assemblies);

/* An assembly, read as the process sees it. */
struct opened_assembly {
    struct ilp_image *image;
    char *path;                  /* by which we find its references; owned */
    uint8_t *bytes;              /* owned; NULL: */
    struct file_view *in_bundle; /* they are in a mapped file; owned */
};

/* False: it cannot be read, or is not an assembly. opened_assembly_close() is due in any case. */
bool opened_assembly_open(struct opened_assembly *opened, const struct dotnet_process *process,
                          const struct process_assembly *assembly);
void opened_assembly_close(struct opened_assembly *opened);

#endif
