/* PDBs of what is patched that have other names than it: a compiler notes any name in an assembly,
 * and those of a single-file program's assemblies are beside it. */
#ifndef OTHER_SYMBOLS_H
#define OTHER_SYMBOLS_H

#include "tools/patch/left_alone.h"

/* Paths, in the order of their bytes; of all files that are meant. */
struct path_list other_symbols(const struct request *what, const struct named_files *files,
                               const struct left_alone *left);

#endif
