/* The protected block around the inspector's call. */
#ifndef ILPI_GUARD_H
#define ILPI_GUARD_H

#include "inspect/method_job.h"

/* Whether the body has room for the new locals, whose numbers are set in job->guard, and whether
 * its sites allow a try block. */
ilp_status ilpi_guard_check(struct ilpi_method_job *job, struct ilp_error *error);

/* The number of locals it needs. */
uint32_t ilpi_guard_local_count(const struct ilpi_method_job *job);

/* The instructions before and after the call; `start` is the start of the sequence. `below`: the
 * stack has something below the value. */
uint8_t *ilpi_guard_put_try(const struct ilpi_method_job *job, uint8_t *to, const uint8_t *start,
                            struct ilpi_guard *guard, bool below);
uint8_t *ilpi_guard_put_catch(const struct ilpi_method_job *job, uint8_t *to, uint8_t *start,
                              struct ilpi_guard *guard, bool below);

/* The parts that are the same for arguments: the start of the try block, its leave (over the
 * handler, which is `more` bytes longer), and the handling of the exception. At most
 * ILPI_MAX_GUARD_OFF bytes more than without a switch. */
uint8_t *ilpi_guard_put_check(const struct ilpi_method_job *job, uint8_t *to, const uint8_t *start,
                              struct ilpi_guard *guard);
uint8_t *ilpi_guard_put_leave(const struct ilpi_method_job *job, uint8_t *to, uint8_t *start,
                              struct ilpi_guard *guard, uint8_t more);
uint8_t *ilpi_guard_put_caught(const struct ilpi_method_job *job, uint8_t *to);

/* The maximum stack depth of a handler. */
#define ILPI_GUARD_OFF_HEIGHT 3u

/* The tokens of handlers. */
ilp_status ilpi_guard_tokens(struct ilpi_method_job *job, struct ilp_error *error);

/* Writes the types of the locals: for values of type `value`, and for what is below them. */
void ilpi_guard_local_types(const struct ilpi_method_job *job, struct ilp_bytes value,
                            struct ilpi_buf *types);

/* Adds the clauses to `body`, before the patched ones. */
ilp_status ilpi_guard_clauses(struct ilpi_method_job *job, struct ilp_body *body,
                              struct ilp_error *error);

#endif
