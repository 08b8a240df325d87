/* The source files of a method: the documents of its sequence points, from a Portable PDB that the
 * caller provides. See subject.h.
 *
 * A method that became a state machine has its sequence points in MoveNext; those count as its
 * own. */
#include <stdio.h>

#include "rules/subject.h"
#include "symbols/documents.h"

/* The caller is called once. */
static void open_symbols(struct ilpi_subject *subject)
{
    struct ilp_error why = {.message = "no symbols are at hand"};
    const struct ilp_resolver *resolver = subject->resolver;
    if (!subject->symbols_asked && resolver && resolver->open_symbols) {
        subject->symbols = resolver->open_symbols(resolver->user, subject->image, &why);
    }
    if (!subject->symbols_asked && !subject->symbols) {
        snprintf(subject->no_symbols, sizeof subject->no_symbols, "%.190s", why.message);
    }
    subject->symbols_asked = true;
}

static ilp_status find_move_next(struct ilpi_subject *subject, struct ilp_error *error)
{
    uint32_t methods = subject->image->tables[ILP_MethodDef].count;
    subject->move_next = ilpi_arena_array(&subject->arena, (size_t)methods + 1,
                                          sizeof *subject->move_next);
    if (!subject->move_next) {
        return ilpi_fail_memory(error, methods * sizeof *subject->move_next);
    }
    ilpi_symbols_state_machines(subject->symbols, subject->move_next, methods);
    return ILP_OK;
}

/* An invalid PDB is not an error here: the sources are unknown. */
static ilp_status put_sources(struct ilpi_subject *subject, bool *known, struct ilp_error *error)
{
    struct ilp_error problem;
    struct ilpi_buf *names = &subject->sources.names;
    ilp_status status = ilpi_symbols_documents(subject->symbols, subject->method, &subject->budget,
                                               names, &problem);
    if (status == ILP_OK && names->size == 0 && subject->move_next[subject->method] != 0) {
        status = ilpi_symbols_documents(subject->symbols, subject->move_next[subject->method],
                                        &subject->budget, names, &problem);
    }
    *known = status == ILP_OK;
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail_memory(error, names->size);
    }
    if (!*known) {
        ilpi_subject_tell_why(subject, "its symbols are not valid", &problem);
        ilpi_subject_empty(names);
    }
    return ILP_OK;
}

ilp_status ilpi_subject_sources(struct ilpi_subject *subject, const struct ilpi_name_list **list,
                                bool *known, struct ilp_error *error)
{
    open_symbols(subject);
    *list = &subject->sources;
    *known = subject->symbols != NULL;
    if (!*known) {
        snprintf(subject->why, sizeof subject->why, "its source file is not known: %s",
                 subject->no_symbols);
        return ILP_OK;
    }
    if (!subject->move_next) {
        ILPI_TRY(find_move_next(subject, error));
    }
    if (!subject->sources.known) {
        ILPI_TRY(put_sources(subject, known, error));
        subject->sources.known = *known;
    }
    return ILP_OK;
}
