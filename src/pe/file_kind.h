/* What the library knows of files that are no assemblies, beyond the public header. */
#ifndef ILPI_FILE_KIND_H
#define ILPI_FILE_KIND_H

#include "pe/pe.h"

/* Where a host of .NET keeps the offset of its bundle's manifest (0 there: it has none); 0 where
 * the file is no such host. */
uint64_t ilpi_bundle_header_place(struct ilp_bytes bytes);

/* An entry of a PE file's data directories; zeros where there is none, or no PE file. */
struct ilpi_directory_entry ilpi_pe_directory(struct ilp_bytes bytes, enum ilpi_directory number);

#endif
