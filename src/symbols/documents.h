/* The source files that a method was compiled from, by a Portable PDB. */
#ifndef ILPI_DOCUMENTS_H
#define ILPI_DOCUMENTS_H

#include "base/budget.h"
#include "symbols/symbols.h"

/* Appends the names of the documents of a method's sequence points, each once and ended by a NUL,
 * with / between folders: nothing for a method without points. Reading is charged to `budget`.
 * ILP_E_BAD_SYMBOLS: nothing is appended. */
ilp_status ilpi_symbols_documents(const struct ilp_symbols *symbols, ilp_rid method,
                                  struct ilpi_budget *budget, struct ilpi_buf *names,
                                  struct ilp_error *error);

/* The MoveNext of the state machine of each method, 0 for others (StateMachineMethod). `move_next`
 * has room for methods 0 to `count`. */
void ilpi_symbols_state_machines(const struct ilp_symbols *symbols, ilp_rid *move_next,
                                 ilp_rid count);

#endif
