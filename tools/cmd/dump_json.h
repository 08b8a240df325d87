/* The metadata tables as JSON (data/dump.schema.json). */
#ifndef DUMP_JSON_H
#define DUMP_JSON_H

#include "metadata/image.h"
#include "tools/tool.h"

/* To standard output. Names and blobs are spent from `left`, since rows may share them: when it is
 * 0 the document ends early, as "cut". */
enum exit_code dump_tables_json(const struct ilp_image *image, const char *file, uint64_t *left);

#endif
