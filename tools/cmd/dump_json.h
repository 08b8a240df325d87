/* The metadata tables as JSON (data/dump.schema.json). */
#ifndef DUMP_JSON_H
#define DUMP_JSON_H

#include "metadata/image.h"
#include "tools/tool.h"

/* To standard output. Names and blobs are written up to `left` bytes, since rows may share them:
 * then the document ends early, as "cut", and the result is EXIT_INCOMPLETE. */
enum exit_code dump_tables_json(const struct ilp_image *image, const char *file, uint64_t left);

#endif
