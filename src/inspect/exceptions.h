/* Exceptions that leave a method, passed to the inspector. */
#ifndef ILPI_EXCEPTIONS_H
#define ILPI_EXCEPTIONS_H

#include "inspect/method_job.h"

/* Before the body is read: whether a method whose value is not passed is to be looked at for its
 * exceptions, by job->result->reason. Sets job->exceptions.alone. */
bool ilpi_exceptions_alone(struct ilpi_method_job *job);

/* When the sites are known: whether exceptions are passed, job->exceptions.taken; else the result
 * has a word for why not. */
void ilpi_exceptions_plan(struct ilpi_method_job *job);

/* The same for the MoveNext of a state machine, whose value is passed if `value`:
 * job->exceptions.set, and insertions that pass nothing are removed. */
void ilpi_exceptions_plan_calls(struct ilpi_method_job *job, bool value);

/* How high the stack gets from the exception to the call, the exception included. */
uint32_t ilpi_exceptions_height(const struct ilpi_method_job *job);

/* Makes the tokens and the instructions: of filter and handler, or before SetException. */
ilp_status ilpi_exceptions_build(struct ilpi_method_job *job, struct ilp_error *error);

/* Replaces the insertions at ret by what leaves the try block. */
ilp_status ilpi_exceptions_insert(struct ilpi_method_job *job, struct ilp_error *error);

/* Appends filter, handler and the new end, with `sequence` before its ret, to the patched code; *at
 * is where the sequence is, 0 if nothing leads there. */
ilp_status ilpi_exceptions_append(struct ilpi_method_job *job, struct ilp_bytes sequence,
                                  uint32_t *at, struct ilp_error *error);

/* Gives `body` the clause, after all that are in it. */
ilp_status ilpi_exceptions_clause(struct ilpi_method_job *job, struct ilp_body *body,
                                  struct ilp_error *error);

#endif
