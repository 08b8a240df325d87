/* The plan of one method: what it returns and what takes that, and its body as instructions. Every
 * step of it can refuse the method, and none asks for a token. */
#ifndef ILPI_PLAN_H
#define ILPI_PLAN_H

#include "inspect/method_job.h"

/* Decides by the signature alone; the outcome is job->result->reason. */
ilp_status ilpi_plan_signature(struct ilpi_method_job *job, struct ilp_error *error);

/* What becomes of job->decision: what the treatment changes about it, and the overload that takes
 * the value, with the state of the arguments if job->passes_state. `returned`: the value is what
 * the method itself returns. */
ilp_status ilpi_plan_value(struct ilpi_method_job *job, bool returned, struct ilp_error *error);

/* Whether the method's ret takes a value, by its signature. */
bool ilpi_returns_value(const struct ilpi_method_job *job);

/* Reads the body; `returns`: a ret takes a value. */
ilp_status ilpi_plan_read(struct ilpi_method_job *job, bool returns, struct ilp_error *error);

/* Then decodes and walks it. */
ilp_status ilpi_plan_code(struct ilpi_method_job *job, bool returns, struct ilp_error *error);

/* Both. */
ilp_status ilpi_plan_body(struct ilpi_method_job *job, bool returns, struct ilp_error *error);

/* The reason for a method none of whose rets is to be inspected. */
enum ilp_reason ilpi_reason_for_none(const struct ilp_method_result *result);

/* Makes a failure that concerns this method alone its outcome; other failures are returned. */
ilp_status ilpi_refuse_method(struct ilpi_method_job *job, enum ilp_reason reason,
                              ilp_status status, struct ilp_error *why, struct ilp_error *error);

#endif
