/* The flags in cells of rows (II.23.1) as constants, expanded from flags.def: ILPI_METHOD_STATIC,
 * ILPI_TYPE_SEALED. */
#ifndef ILPI_FLAGS_H
#define ILPI_FLAGS_H

enum {
#define FLAG(set, name, value, clause) ILPI_##set##_##name = (value),
#include "metadata/flags.def"
#undef FLAG
};

#endif
