/* The plan of one method: what it returns, the overload that takes it, and its body as
 * instructions. Every step can refuse the method, and none requests a token. */
#ifndef ILPI_PLAN_H
#define ILPI_PLAN_H

#include "inspect/method_job.h"

/* Decides by the signature alone; the outcome is in job->result->reason. */
ilp_status ilpi_plan_signature(struct ilpi_method_job *job, struct ilp_error *error);

/* Applies the rule action to job->decision and chooses the overload, with the state of the
 * arguments if job->passes_state. `returned`: the value is what the method itself returns. */
ilp_status ilpi_plan_value(struct ilpi_method_job *job, bool returned, struct ilp_error *error);

/* Whether the method's ret takes a value, by its signature. */
bool ilpi_returns_value(const struct ilpi_method_job *job);

/* Reads the body; `returns`: a ret takes a value. */
ilp_status ilpi_plan_read(struct ilpi_method_job *job, bool returns, struct ilp_error *error);

/* Then decodes it and computes the stack. */
ilp_status ilpi_plan_code(struct ilpi_method_job *job, bool returns, struct ilp_error *error);

/* Both. */
ilp_status ilpi_plan_body(struct ilpi_method_job *job, bool returns, struct ilp_error *error);

/* The reason for a method without a ret to inspect. */
enum ilp_reason ilpi_reason_for_none(const struct ilp_method_result *result);

/* Turns a failure that concerns this method alone into its outcome; other failures are returned. */
ilp_status ilpi_refuse_method(struct ilpi_method_job *job, enum ilp_reason reason,
                              ilp_status status, struct ilp_error *why, struct ilp_error *error);

#endif
