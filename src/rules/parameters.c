/* The types of a method's parameters in the form of conditions: those of its signature (II.23.2.1),
 * without `this`. See method_facts.h. */
#include <stdio.h>

#include "rules/method_facts.h"
#include "types/names.h"

/* ILAsm writes "class" and "valuetype" before names; rules do not. Only the outer keyword is
 * removed here; spelling.c removes those inside. */
void ilpi_facts_put_type(const struct ilpi_method_facts *facts, struct ilpi_buf *buf,
                         const struct ilp_type *type)
{
    type = ilpi_type_unmodified(type);
    struct ilpi_sig_names names = ilpi_sig_names_of(facts->image);
    const struct ilp_type *named = type->element == ILP_ELEMENT_GENERICINST ? type->inner : type;
    size_t keyword = 0;
    if (named->element == ILP_ELEMENT_CLASS) {
        keyword = strlen("class ");
    } else if (named->element == ILP_ELEMENT_VALUETYPE) {
        keyword = strlen("valuetype ");
    }
    size_t start = buf->size;
    ilpi_type_text(buf, type, &names);
    if (buf->status == ILP_OK && keyword != 0) {
        memmove(buf->data + start, buf->data + start + keyword, buf->size - start - keyword);
        buf->size -= keyword;
    }
}

/* Charges the budget for a signature, since many methods may share a long one. */
static bool spend(struct ilpi_method_facts *facts, size_t bytes)
{
    struct ilp_error problem;
    if (ilpi_spend(&facts->budget, bytes, &problem) == ILP_OK) {
        return true;
    }
    ilpi_facts_set_why(facts, "its signature is too long", &problem);
    return false;
}

/* The names of types are charged by their size (spend()): a signature with one long name for each
 * of thousands of parameters would otherwise be quadratic in the size of the file. */
ilp_status ilpi_facts_parameters(struct ilpi_method_facts *facts,
                                 const struct ilpi_name_list **list, bool *known,
                                 struct ilp_error *error)
{
    struct ilpi_name_list *parameters = &facts->parameters;
    *list = parameters;
    ILPI_TRY(ilpi_facts_signature_read(facts, known, error));
    if (!*known || parameters->known) {
        return ILP_OK;
    }
    for (const struct ilp_type *type = facts->sig->params; type && *known; type = type->next) {
        size_t start = parameters->names.size;
        ilpi_facts_put_type(facts, &parameters->names, type);
        ilpi_buf_u8(&parameters->names, 0);
        if (parameters->names.status != ILP_OK) {
            return ilpi_fail_memory(error, parameters->names.size);
        }
        *known = spend(facts, parameters->names.size - start);
    }
    /* A list that the budget has cut is not kept: it would look complete. */
    parameters->known = *known;
    if (!*known) {
        ilpi_facts_forget(parameters);
    }
    return ILP_OK;
}

/* The list as one text, separated by ", ": what <parameters types="..."> matches. */
ilp_status ilpi_facts_parameter_types(struct ilpi_method_facts *facts, struct ilp_bytes *text,
                                      bool *known, struct ilp_error *error)
{
    const struct ilpi_name_list *list;
    struct ilpi_buf *types = &facts->parameter_types;
    ILPI_TRY(ilpi_facts_parameters(facts, &list, known, error));
    if (*known && types->size == 0) {
        for (size_t at = 0; at < list->names.size;) {
            const char *name = (const char *)list->names.data + at;
            ilpi_buf_format(types, "%s%s", at != 0 ? ", " : "", name);
            at += strlen(name) + 1;
        }
        ilpi_buf_u8(types, 0);
        if (types->status != ILP_OK) {
            return ilpi_fail_memory(error, types->size);
        }
    }
    *text = ilpi_facts_text_of(types);
    return ILP_OK;
}
