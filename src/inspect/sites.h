/* Where a value is shown: job->scratch->insertions, in the order of the code. */
#ifndef ILPI_SITES_H
#define ILPI_SITES_H

#include "inspect/method_job.h"

/* Finds the ret instructions to inspect and counts the others in the result. If the rule action
 * says so, `tail.` prefixes become nops, in a copy of the code in the scratch arena. */
ilp_status ilpi_sites_find(struct ilpi_method_job *job, struct ilp_error *error);

/* For most methods one pass finds the same without decoding: then job->returns_last is set. */
ilp_status ilpi_sites_find_last(struct ilpi_method_job *job, struct ilp_error *error);

/* Whether instruction `i` calls an inspector in use. */
bool ilpi_sites_is_inspector_call(const struct ilpi_method_job *job, uint32_t i);

/* Whether the operand of instruction `i` is inspected already. */
bool ilpi_sites_is_inspected(const struct ilpi_method_job *job, uint32_t i);

/* Adds instruction `i`, a call whose argument is the value, unless that is inspected already. */
ilp_status ilpi_sites_add_call(struct ilpi_method_job *job, uint32_t i, struct ilp_error *error);

/* The same where the argument is an exception. */
ilp_status ilpi_sites_add_exception(struct ilpi_method_job *job, uint32_t i,
                                    struct ilp_error *error);

/* Removes the sites of exceptions, or all others. */
void ilpi_sites_remove(struct ilpi_method_job *job, bool exceptions);

#endif
