/* PDBs of patched files with other names than theirs: a compiler stores any name in an assembly,
 * and PDBs of a single-file program's assemblies are beside the program. */
#ifndef OTHER_SYMBOLS_H
#define OTHER_SYMBOLS_H

#include "tools/patch/left_alone.h"

/* Paths, sorted by bytes; of all files that are meant. */
struct path_list other_symbols(const struct request *what, const struct named_files *files,
                               const struct left_alone *left);

#endif
