/* Exceptions that leave a method, passed to the inspector. */
#ifndef ILPI_EXCEPTIONS_H
#define ILPI_EXCEPTIONS_H

#include "inspect/method_job.h"

/* Before the body is read: whether a method whose value is not passed still has to be read for its
 * exceptions, by job->result->reason. Sets job->exceptions.alone. */
bool ilpi_exceptions_alone(struct ilpi_method_job *job);

/* When the sites are known: whether exceptions are passed (job->exceptions.taken); else the result
 * has a word for the reason. */
void ilpi_exceptions_plan(struct ilpi_method_job *job);

/* The same for MoveNext of a state machine, whose value is passed if `value`: job->exceptions.set.
 * Insertions that pass nothing are removed. */
void ilpi_exceptions_plan_calls(struct ilpi_method_job *job, bool value);

/* Stack height from the exception to the call, including the exception. */
uint32_t ilpi_exceptions_height(const struct ilpi_method_job *job);

/* Makes the tokens and the instructions: of filter and handler, or those before SetException. */
ilp_status ilpi_exceptions_build(struct ilpi_method_job *job, struct ilp_error *error);

/* Replaces the insertions at ret by instructions that leave the try block. */
ilp_status ilpi_exceptions_insert(struct ilpi_method_job *job, struct ilp_error *error);

/* Appends filter, handler and the new end, with `sequence` before its ret, to the patched code; *at
 * is the offset of the sequence, 0 if it is unreachable. */
ilp_status ilpi_exceptions_append(struct ilpi_method_job *job, struct ilp_bytes sequence,
                                  uint32_t *at, struct ilp_error *error);

/* Adds the clause to `body`, after all others. */
ilp_status ilpi_exceptions_clause(struct ilpi_method_job *job, struct ilp_body *body,
                                  struct ilp_error *error);

#endif
