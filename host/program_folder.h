/* The folder that the host searches for what an assembly calls. */
#ifndef PROGRAM_FOLDER_H
#define PROGRAM_FOLDER_H

/* The folder of an assembly; but packages have variants for kinds of machines in
 * PROGRAM/runtimes/RID/..., which the host finds by PROGRAM/App.deps.json: for them it is PROGRAM.
 * Inspectors are placed there, and its lock and journal cover all of these files. Owned by the
 * caller; NULL: no memory. */
char *program_folder(const char *assembly);

/* The subfolder of such variants. */
#define VARIANTS "runtimes"

#endif
