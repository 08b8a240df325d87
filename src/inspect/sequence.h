/* The instructions that show a value, and their tokens. */
#ifndef ILPI_SEQUENCE_H
#define ILPI_SEQUENCE_H

#include "inspect/method_job.h"

/* Makes the planned tokens and the instructions: *size bytes of job->scratch->sequence; the first
 * byte is a ret, for sites that keep one. */
ilp_status ilpi_sequence_build(struct ilpi_method_job *job, size_t *size, struct ilp_error *error);

/* The token of an overload of job->binding, for the value's type if it depends on that. */
ilp_status ilpi_call_token(struct ilpi_method_job *job, const struct ilpi_overload *overload,
                           ilp_token *token, struct ilp_error *error);

/* Makes the name that the value is shown with: job->scratch->name. */
ilp_status ilpi_name_reported(struct ilpi_method_job *job, struct ilp_error *error);

/* What is passed after the value: its token if it has one, then the instruction. */
ilp_status ilpi_passed_token(struct ilpi_method_job *job, uint8_t takes, ilp_token *name,
                             struct ilp_error *error);
uint8_t *ilpi_put_passed(uint8_t *to, const struct ilpi_method_job *job, uint8_t takes,
                         ilp_token name);

/* Boxes what is on the stack, as `decision` says; `box` is its token. At most ILPI_MAX_OBJECT
 * bytes. */
#define ILPI_MAX_OBJECT 20u
uint8_t *ilpi_put_object(uint8_t *to, const struct ilpi_decision *decision, ilp_token box);

#endif
