/* The runtime of the process: where its files are, and which version it has.
 *
 *   ROOT/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so   assemblies below ROOT/shared are
 *                                                             those of frameworks
 *   FOLDER/libcoreclr.so                                      a self-contained program:
 *                                                             runtime_files.h knows
 *   PROGRAM                                                   the same as a single file, which
 *                                                             holds the runtime itself */
#ifndef ILPI_RUNTIME_H
#define ILPI_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "host/runtime_files.h"

struct runtime {
    char *shared; /* "ROOT/shared/"; owned; NULL: the program brings its own runtime, */
    struct runtime_files *own; /* whose files these are */
    char *folder; /* of the runtime's assemblies; owned; NULL: they are in a single file */
    uint16_t version[3];
    char version_text[32]; /* "10.0.12" */
};

/* `info` is ICorProfilerInfo3. */
void runtime_open(struct runtime *runtime, void *info);
void runtime_close(struct runtime *runtime);

/* Whether an assembly is of a framework, by its path. */
bool runtime_includes(const struct runtime *runtime, const char *path);

/* The parts of runtime_open(): `library` is the path of libcoreclr.so, or of the program; `answer`
 * is what the runtime says of its version. */
void runtime_find(struct runtime *runtime, const char *library);
void runtime_set_version(struct runtime *runtime, const char *library, const uint16_t answer[3]);

#endif
