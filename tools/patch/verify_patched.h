/* --verify: a patched assembly must have no finding that its original has not. */
#ifndef VERIFY_PATCHED_H
#define VERIFY_PATCHED_H

#include "tools/patch/report.h"

/* Compares `original` with the bytes that would take its place. New findings are told, put into the
 * report, and make the error NOT_VERIFIED; new ones that only say that code is unverifiable, which
 * rules can ask for, are counted, and so are types that were not found and that the original refers
 * to as well. References are looked up as for patching, the inspectors first. */
ilp_status verify_patched(struct ilp_image *original, struct ilp_bytes patched, const char *file,
                          const struct request *what, struct report *report,
                          struct ilp_error *error);

#endif
