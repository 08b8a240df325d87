/* The entry that an extra assembly needs in an application's .deps.json: without it CoreCLR does
 * not look into the application's folder for what the file does not list. */
#ifndef DEPS_JSON_H
#define DEPS_JSON_H

#include "host/transaction.h"

/* Whether every *.deps.json in `directory` can be read as the host reads it. It has been reported
 * which one cannot. */
enum exit_code deps_check(const char *directory);

/* Adds the assembly to every *.deps.json in `directory` that does not list it; each file's original
 * is kept as *.deps.json.orig, unless a file of that name exists that was not kept of an earlier
 * build (*replaced is set then). All other bytes of the file stay as they are. What goes wrong has
 * been reported. */
enum exit_code deps_add(struct transaction *changes, const char *directory,
                        const struct ilp_assembly_name *assembly, bool *replaced);

/* Takes the entry out again: puts the kept original back where nothing else was changed since, else
 * removes just the entry, and what was kept of an earlier build. */
enum exit_code deps_remove(struct transaction *changes, const char *directory,
                           const struct ilp_assembly_name *assembly);

#endif
