/* State machines as the rewriter sees them: whether a treatment wants what they give, and their
 * methods, rewritten. This is the only place that knows which words of a treatment are about which
 * kind of state machine. */
#ifndef ILPI_REWRITE_MACHINE_H
#define ILPI_REWRITE_MACHINE_H

#include "inspect/method_job.h"

/* Whether a treatment wants what any state machine gives: only then are they looked for. */
bool ilpi_wants_state_machines(const struct ilp_treatment *treatment);

/* Whether it wants what the state machine of this kickoff method gives. State machines have been
 * looked for. */
bool ilpi_wants_state_machine(const struct ilpi_module_context *module, ilp_rid kickoff,
                              const struct ilp_treatment *treatment);

/* Makes it want what the method itself returns. */
void ilpi_want_no_state_machine(struct ilp_treatment *treatment);

/* The kickoff method whose state machine a method belongs to; 0: it belongs to none. Looks for
 * state machines. */
ilp_status ilpi_kickoff_of(struct ilpi_module_context *module, ilp_rid method, ilp_rid *kickoff,
                           struct ilp_error *error);

/* If the treatment wants what a state machine gives, and the method belongs to one, it is done. */
ilp_status ilpi_rewrite_state_machine(struct ilpi_method_job *job, bool *done,
                                      struct ilp_error *error);

#endif
