/* What prevents `ilpatch attach` from attaching to a process: for its own message, and for `ilpatch
 * ps`. */
#ifndef OBSTACLE_H
#define OBSTACLE_H

#include "tools/launch/dotnet_process.h"
#include "tools/launch/elf.h"

enum obstacle_id {
    OBSTACLE_NONE,
#define OBSTACLE(id, word) OBSTACLE_##id,
#include "tools/launch/obstacles.def"
    OBSTACLE_COUNT
};

/* Requirements of the profiler's file. */
struct profiler_needs {
    const char *path;                /* borrowed */
    unsigned elf_class, elf_machine; /* 0: not known, and compared with nothing */
    struct glibc_version glibc;      /* the highest version of a symbol that it refers to */
};

void profiler_needs_read(struct profiler_needs *needs, const char *path);

struct obstacle {
    enum obstacle_id id;
    char *reason; /* "it runs on .NET 6.0.36: attach needs 8 or later"; owned */
    char *advice; /* a sentence on what to do; owned; NULL: none */
};

/* The first obstacle found, or OBSTACLE_NONE. */
struct obstacle obstacle_find(const struct dotnet_process *process,
                              const struct profiler_needs *needs);
void obstacle_free(struct obstacle *obstacle);

/* As in obstacles.def. */
const char *obstacle_word(enum obstacle_id id);

#endif
