/* Where the host looks for what an assembly calls. */
#ifndef PROGRAM_FOLDER_H
#define PROGRAM_FOLDER_H

/* The folder of an assembly; but a package brings variants for kinds of machines in
 * PROGRAM/runtimes/RID/..., which the host finds by PROGRAM/App.deps.json, and for them it is
 * PROGRAM. Inspectors are put there, and its lock and journal are for all of these files. Owned by
 * the caller; NULL: no memory. */
char *program_folder(const char *assembly);

/* The folder in it that such variants are in. */
#define VARIANTS "runtimes"

#endif
