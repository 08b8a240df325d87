/* Findings of the verifier, as a line and as JSON. */
#ifndef FINDING_OUT_H
#define FINDING_OUT_H

#include "base/json.h"
#include "host/tool.h"

enum { FINDING_KINDS = ILP_FINDING_UNKNOWN + 1 };

/* The limit of listed findings of one file; more are only counted: a file can have one for every
 * other byte. */
#define MAX_LISTED_FINDINGS 1000u

/* "error", "warning", "unverifiable", "unknown", by enum ilp_finding_class. */
extern const char *const finding_kinds[FINDING_KINDS];

/* "06000001  IL_0005  error         type-mismatch  N.C::M: what exactly  - what it means
 *            (III.1.8)"
 *
 * without a line feed; and {"token": ...}. The image is the one that was verified. The arena may
 * be reset. */
void finding_line(FILE *out, struct ilp_image *image, struct ilp_arena *arena,
                  const struct ilp_verify_finding *finding);
void finding_json(struct ilpi_json *json, struct ilp_image *image, struct ilp_arena *arena,
                  const struct ilp_verify_finding *finding);

#endif
