/* Rule files parsed by a command, for processes whose profiler reads them as well: these then need
 * no libxml2, which may not be available there.
 *
 *   command    collects what it parses --parsed_rules_file--> a file in memory
 *   profiler   reads each rule file itself, and looks its bytes up there; what is not found, since
 *              the file has changed, is parsed as usual
 *
 *   file       magic (8 bytes), section...
 *   section    XXH3 of the XML (16 bytes), its size (8), the size of the rest (8), what
 *              rules/parsed.h has */
#ifndef PARSED_RULES_H
#define PARSED_RULES_H

#include "ilpatch.h"

struct parsed_rules;

/* An empty collection; NULL: no memory. */
struct parsed_rules *parsed_rules_collect(void);

/* A collection of another process; NULL: there is none, or it is invalid. */
struct parsed_rules *parsed_rules_open(const char *name);

void parsed_rules_close(struct parsed_rules *parsed);

/* As ilp_rules_add(), using the collection or adding to it. `parsed` may be NULL. */
ilp_status parsed_rules_add(struct parsed_rules *parsed, struct ilp_rules *rules,
                            struct ilp_bytes xml, const char *file, struct ilp_error *error);

/* The collection as a file in memory, its descriptor; -1: nothing was collected, or see errno.
 * shared_counters_name() gives it a name. */
int parsed_rules_file(const struct parsed_rules *parsed);

#endif
