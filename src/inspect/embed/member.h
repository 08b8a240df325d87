/* Members of the core library's types. */
#ifndef ILPI_EMBED_MEMBER_H
#define ILPI_EMBED_MEMBER_H

#include "inspect/embed/embedding.h"

/* A Field or MethodDef of some image. */
struct ilpi_embed_member {
    const struct ilp_image *image; /* NULL: there is none */
    ilp_token token;
    /* of a generic base type: the row alone does not name the member */
    bool inherited_instance;
};

/* The member that a MemberRef of the inspector refers to, in a type or its bases. */
ilp_status ilpi_embed_find_member(struct ilpi_embedding *embedding, const struct ilpi_type_def *def,
                                  ilp_rid member_ref, struct ilpi_embed_member *member,
                                  struct ilp_error *error);

#endif
