/* The runtime of the process: its files and its version.
 *
 *   ROOT/shared/Microsoft.NETCore.App/10.0.12/libcoreclr.so   assemblies below ROOT/shared are
 *                                                             those of frameworks
 *   FOLDER/libcoreclr.so                                      a self-contained program:
 *                                                             see runtime_files.h
 *   PROGRAM                                                   the same as a single file, with
 *                                                             the runtime inside */
#ifndef ILPI_RUNTIME_H
#define ILPI_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "host/runtime_files.h"

struct runtime {
    char *shared;              /* "ROOT/shared/"; owned; NULL: the program is self-contained */
    struct runtime_files *own; /* its files then */
    char *folder;              /* of the runtime's assemblies; owned; NULL: inside a single file */
    uint16_t version[3];
    char version_text[32]; /* "10.0.12" */
};

/* `info` is ICorProfilerInfo3. */
void runtime_open(struct runtime *runtime, void *info);
void runtime_close(struct runtime *runtime);

/* Whether an assembly is of a framework, by its path. */
bool runtime_includes(const struct runtime *runtime, const char *path);

/* The parts of runtime_open(): `library` is the path of libcoreclr.so, or of the program; `answer`
 * is the version that the runtime reports. */
void runtime_find(struct runtime *runtime, const char *library);
void runtime_set_version(struct runtime *runtime, const char *library, const uint16_t answer[3]);

#endif
