/* File names of libraries and programs on Windows. */
#ifndef LIBRARY_NAMES_H
#define LIBRARY_NAMES_H

#define PROFILER_FILE   "ilpatch_profiler.dll" /* installed with the command */
#define RUNTIME_LIBRARY "coreclr.dll"
#define DOTNET_PROGRAM  "dotnet.exe"

#endif
