/* The system's names of libraries and programs. */
#ifndef LIBRARY_NAMES_H
#define LIBRARY_NAMES_H

#define PROFILER_FILE   "libilpatch_profiler.so" /* installed with the command */
#define RUNTIME_LIBRARY "libcoreclr.so"
#define DOTNET_PROGRAM  "dotnet"

#endif
