/* The entry of an additional assembly in an application's .deps.json: without it CoreCLR does not
 * search the application's folder for the assembly. */
#ifndef DEPS_JSON_H
#define DEPS_JSON_H

#include "host/transaction.h"

/* Whether the host can read every *.deps.json in `directory`. One that it cannot is reported. */
enum exit_code deps_check(const char *directory);

/* Adds the assembly to every *.deps.json in `directory` that does not list it. Each file's original
 * is kept as *.deps.json.orig, unless a file of that name exists that was not kept of an earlier
 * build (*replaced is set in that case). All other bytes of the file are unchanged. Failures are
 * reported. */
enum exit_code deps_add(struct transaction *changes, const char *directory,
                        const struct ilp_assembly_name *assembly, bool *replaced);

/* Removes the entry: restores the kept original if nothing else was changed since, else removes
 * just the entry, and what was kept of an earlier build. */
enum exit_code deps_remove(struct transaction *changes, const char *directory,
                           const struct ilp_assembly_name *assembly);

#endif
