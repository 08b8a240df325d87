/* The base of embedding: refusals, types to copy, rows to add. See embedding.h. */
#include "inspect/embed/embedding.h"

#include <stdarg.h>
#include <stdio.h>

ilp_status ilpi_embed_refuse(const struct ilpi_embedding *embedding, ilp_token token,
                             struct ilp_error *error, const char *format, ...)
{
    char why[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return ilpi_fail(error, ILP_E_CANNOT_EMBED, ILPI_NO_OFFSET, token,
                     "%.60s cannot be embedded: %s", embedding->inspector->identity.name, why);
}

/* The enclosing TypeDef or TypeRef; 0: none. */
static ilp_token outer_of(const struct ilp_image *image, ilp_token type)
{
    ilp_rid rid = ILP_TOKEN_RID(type);
    if (ILP_TOKEN_TABLE(type) == ILP_TypeDef) {
        ilp_rid outer = ilp_enclosing_type(image, rid);
        return outer != 0 ? ILP_TOKEN(ILP_TypeDef, outer) : 0;
    }
    ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_TABLE(scope) == ILP_TypeRef ? scope : 0;
}

/* Allocates nothing, so that a message can always name a type. */
const char *ilpi_embed_name(struct ilpi_embedding *embedding, ilp_token type)
{
    enum { SHOWN = 8 };
    embedding->name[0] = '\0';
    for (unsigned i = 0; type != 0 && i < SHOWN; i++) {
        char inner[sizeof embedding->name];
        const char *name_space;
        const char *name;
        ilpi_type_name(embedding->from, type, &name_space, &name);
        memcpy(inner, embedding->name, sizeof inner);
        snprintf(embedding->name, sizeof embedding->name, "%.60s%s%.60s%s%.120s", name_space,
                 name_space[0] != '\0' ? "." : "", name, i != 0 ? "/" : "", inner);
        type = outer_of(embedding->from, type);
    }
    return embedding->name;
}

/* CoreCLR recognises this attribute by its name alone, so that compilers define it where a
 * framework does not. */
bool ilpi_embed_keeps_name(const struct ilpi_embedding *embedding, ilp_rid type)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(embedding->from, ILP_TOKEN(ILP_TypeDef, type), &name_space, &name);
    return strcmp(name, "IsByRefLikeAttribute") == 0 &&
           strcmp(name_space, "System.Runtime.CompilerServices") == 0;
}

/* ---- selecting ---- */

/* Outermost types have to exist for the nested ones, so the types around are included, too. */
ilp_status ilpi_embed_include(struct ilpi_embedding *embedding, ilp_rid type,
                              struct ilp_error *error)
{
    for (unsigned i = 0; type != 0; i++) {
        if (i == ILPI_EMBED_MAX_NESTING || type == 1 ||
            type > ilp_row_count(embedding->from, ILP_TypeDef)) {
            return ilpi_embed_refuse(embedding, ILP_TOKEN(ILP_TypeDef, type), error,
                                     "types are nested more than %u deep, or in no type",
                                     ILPI_EMBED_MAX_NESTING);
        }
        if (embedding->types[type] != 0) {
            break;
        }
        embedding->types[type] = 1;
        embedding->order[embedding->type_count++] = type;
        type = ilp_enclosing_type(embedding->from, type);
    }
    return ILP_OK;
}

/* ---- adding ---- */

/* Nothing is added while planning, but the budget is spent in both passes: an inspector that refers
 * to itself endlessly ends with an error and not with memory. */
ilp_status ilpi_embed_row(struct ilpi_embedding *embedding, unsigned table, const uint32_t *cells,
                          ilp_rid *rid, struct ilp_error *error)
{
    *rid = 0;
    ILPI_TRY(ilpi_spend(&embedding->budget, 8, error));
    return embedding->committing ? ilp_edit_add_row(embedding->edit, table, cells, rid, error)
                                 : ILP_OK;
}

ilp_status ilpi_embed_string(struct ilpi_embedding *embedding, uint32_t from, uint32_t *to,
                             struct ilp_error *error)
{
    *to = 0;
    return embedding->committing
               ? ilp_edit_add_string(embedding->edit, ilp_string(embedding->from, from), to, error)
               : ILP_OK;
}

ilp_status ilpi_embed_blob(struct ilpi_embedding *embedding, struct ilp_bytes blob, uint32_t *to,
                           struct ilp_error *error)
{
    *to = 0;
    ILPI_TRY(ilpi_spend(&embedding->budget, blob.size, error));
    return embedding->committing ? ilp_edit_add_blob(embedding->edit, blob, to, error) : ILP_OK;
}
