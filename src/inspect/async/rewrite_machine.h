/* State machines in the rewriter: whether a rule action requests their results, and the rewriting
 * of their methods. Only this file maps the words of a rule action to kinds of state machines. */
#ifndef ILPI_REWRITE_MACHINE_H
#define ILPI_REWRITE_MACHINE_H

#include "inspect/method_job.h"

/* Whether a rule action requests the result of any kind of state machine: only then are they
 * searched for. */
bool ilpi_wants_state_machines(const struct ilp_rule_action *action);

/* Whether it requests the result of this kickoff method's state machine. They must have been
 * searched for. */
bool ilpi_wants_state_machine(const struct ilpi_module_context *module, ilp_rid kickoff,
                              const struct ilp_rule_action *action);

/* Changes it to request what the method itself returns. */
void ilpi_want_no_state_machine(struct ilp_rule_action *action);

/* The kickoff method of the state machine that a method belongs to; 0: none. Searches for state
 * machines. */
ilp_status ilpi_kickoff_of(struct ilpi_module_context *module, ilp_rid method, ilp_rid *kickoff,
                           struct ilp_error *error);

/* Rewrites the method if it belongs to a state machine whose result the rule action requests. */
ilp_status ilpi_rewrite_state_machine(struct ilpi_method_job *job, bool *done,
                                      struct ilp_error *error);

#endif
