/* --verify: a patched assembly must have no finding that its original has not. */
#ifndef VERIFY_PATCHED_H
#define VERIFY_PATCHED_H

#include "tools/patch/report.h"

/* Compares the findings of the report's module with those of the new bytes; `shown` is its name for
 * messages. New findings are reported, and make the error NOT_VERIFIED; new ones that only mean
 * unverifiable code, which rules can request, are counted, and so are types that were not found and
 * that the original refers to as well. References are looked up as for patching, the inspectors
 * first. */
ilp_status verify_patched(struct ilp_bytes patched, const char *shown, struct report *report,
                          struct ilp_error *error);

#endif
