/* The instructions that show a value, and their tokens. */
#ifndef ILPI_SEQUENCE_H
#define ILPI_SEQUENCE_H

#include "inspect/method_job.h"

/* Makes the tokens that the plan needs, and the instructions: *size bytes of
 * job->scratch->sequence, of which the first is a ret for where one has to be kept. */
ilp_status ilpi_sequence_build(struct ilpi_method_job *job, size_t *size, struct ilp_error *error);

/* The token of an overload of job->binding, for the value's type where it depends on that. */
ilp_status ilpi_call_token(struct ilpi_method_job *job, const struct ilpi_overload *overload,
                           ilp_token *token, struct ilp_error *error);

/* Makes the name by which the value is shown: job->scratch->name. */
ilp_status ilpi_name_reported(struct ilpi_method_job *job, struct ilp_error *error);

/* What is passed besides the value: its token where it has one, then the instruction. */
ilp_status ilpi_passed_token(struct ilpi_method_job *job, uint8_t takes, ilp_token *name,
                             struct ilp_error *error);
uint8_t *ilpi_put_passed(uint8_t *to, const struct ilpi_method_job *job, uint8_t takes,
                         ilp_token name);

/* Makes an object of what is on the stack, which `decision` is about; `box` is its token. At most
 * ILPI_MAX_OBJECT bytes. */
#define ILPI_MAX_OBJECT 20u
uint8_t *ilpi_put_object(uint8_t *to, const struct ilpi_decision *decision, ilp_token box);

#endif
