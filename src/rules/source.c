/* The source files of a method: the documents of its sequence points, from a Portable PDB that the
 * caller provides. See method_facts.h.
 *
 * A method that became a state machine has its sequence points in MoveNext; those count as its
 * own. */
#include <stdio.h>

#include "rules/method_facts.h"
#include "symbols/documents.h"

/* The caller is called once. Its answer is kept, also that there are no symbols: opening them is
 * expensive, and each method would try again. */
static void open_symbols(struct ilpi_method_facts *facts)
{
    struct ilp_error why = {.message = "no symbols are at hand"};
    const struct ilp_resolver *resolver = facts->resolver;
    if (!facts->symbols_requested && resolver && resolver->open_symbols) {
        facts->symbols = resolver->open_symbols(resolver->user, facts->image, &why);
    }
    if (!facts->symbols_requested && !facts->symbols) {
        snprintf(facts->no_symbols, sizeof facts->no_symbols, "%.190s", why.message);
    }
    facts->symbols_requested = true;
}

/* One pass over the PDB's StateMachineMethod rows, at the first use. */
static ilp_status find_move_next(struct ilpi_method_facts *facts, struct ilp_error *error)
{
    uint32_t methods = facts->image->tables[ILP_MethodDef].count;
    facts->move_next = ilpi_arena_array(&facts->arena, (size_t)methods + 1,
                                        sizeof *facts->move_next);
    if (!facts->move_next) {
        return ilpi_fail_memory(error, methods * sizeof *facts->move_next);
    }
    ilpi_symbols_state_machines(facts->symbols, facts->move_next, methods);
    return ILP_OK;
}

/* An invalid PDB is not an error here: the sources are unknown. */
static ilp_status put_sources(struct ilpi_method_facts *facts, bool *known, struct ilp_error *error)
{
    struct ilp_error problem;
    struct ilpi_buf *names = &facts->sources.names;
    ilp_status status = ilpi_symbols_documents(facts->symbols, facts->method, &facts->budget, names,
                                               &problem);
    if (status == ILP_OK && names->size == 0 && facts->move_next[facts->method] != 0) {
        status = ilpi_symbols_documents(facts->symbols, facts->move_next[facts->method],
                                        &facts->budget, names, &problem);
    }
    *known = status == ILP_OK;
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail_memory(error, names->size);
    }
    if (!*known) {
        ilpi_facts_set_why(facts, "its symbols are not valid", &problem);
        ilpi_facts_empty(names);
    }
    return ILP_OK;
}

/* The documents of a method's sequence points. If the method itself has none, as a kickoff method,
 * they are those of its MoveNext. */
ilp_status ilpi_facts_sources(struct ilpi_method_facts *facts, const struct ilpi_name_list **list,
                              bool *known, struct ilp_error *error)
{
    open_symbols(facts);
    *list = &facts->sources;
    *known = facts->symbols != NULL;
    if (!*known) {
        snprintf(facts->why, sizeof facts->why, "its source file is not known: %s",
                 facts->no_symbols);
        return ILP_OK;
    }
    if (!facts->move_next) {
        ILPI_TRY(find_move_next(facts, error));
    }
    if (!facts->sources.known) {
        ILPI_TRY(put_sources(facts, known, error));
        facts->sources.known = *known;
    }
    return ILP_OK;
}
