/* What the library knows of files that are not assemblies, beyond the public header. */
#ifndef ILPI_FILE_KIND_H
#define ILPI_FILE_KIND_H

#include "pe/pe.h"

/* Where a .NET host stores the offset of its bundle's manifest (0 there: no bundle); 0 if the file
 * is not such a host. */
uint64_t ilpi_bundle_header_place(struct ilp_bytes bytes);

/* An entry of a PE file's data directories; zeros if it has none or is not a PE file. */
struct ilpi_directory_entry ilpi_pe_directory(struct ilp_bytes bytes, enum ilpi_directory number);

#endif
