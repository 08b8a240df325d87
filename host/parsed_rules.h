/* Rule files that a command has parsed, for the processes whose profiler reads them, too: these
 * need no XML then, and not libxml2, which may not even be where they run.
 *
 *   command    collects what it parses --parsed_rules_file--> a file in memory
 *   profiler   reads each rule file itself, and has its bytes looked up there; what is not found,
 *              since the file has changed, say, is parsed as ever
 *
 *   file       magic (8 bytes), section...
 *   section    XXH3 of the XML (16 bytes), its size (8), the size of the rest (8), what
 *              rules/parsed.h has */
#ifndef PARSED_RULES_H
#define PARSED_RULES_H

#include "ilpatch.h"

struct parsed_rules;

/* A collection that is empty; NULL: no memory. */
struct parsed_rules *parsed_rules_collect(void);

/* What another process has collected; NULL: there is no such file, or it is not one. */
struct parsed_rules *parsed_rules_open(const char *name);

void parsed_rules_close(struct parsed_rules *parsed);

/* As ilp_rules_add(), by what has been collected or for the collection. `parsed` may be NULL. */
ilp_status parsed_rules_add(struct parsed_rules *parsed, struct ilp_rules *rules,
                            struct ilp_bytes xml, const char *file, struct ilp_error *error);

/* The collection as a file in memory, its descriptor; -1: nothing was collected, or errno says why
 * not. It has the name of a shared_counters_name(). */
int parsed_rules_file(const struct parsed_rules *parsed);

#endif
