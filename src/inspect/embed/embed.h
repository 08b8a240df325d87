/* Embedding: an inspector's class, and all that it needs of its assembly, copied into the module
 * that is patched.
 *
 *   inspector image --plan--> types, tokens checked, references found --commit--> rows, bodies,
 * data of an edit
 *
 * Plan and commit are the same walk over the same rows: planning adds nothing, so that whatever
 * refuses does so before the first change (ILP_E_CANNOT_EMBED); what is left to fail when
 * committing is memory and the limits of the format.
 *
 *   embed.c   which types, in which order
 *   rows.c     a type and what belongs to it; members.c, attribute.c, body.c
 *   token.c    tokens and signatures
 *   scope.c    what the module's own core library offers; member.c looks for members there
 *   embedded.c  what was embedded before
 *
 * An embedded class is in the namespace "<ilpatch:ASSEMBLY>.NAMESPACE", which no compiler makes,
 * and not public. */
#ifndef ILPI_EMBED_H
#define ILPI_EMBED_H

#include "il/body.h"
#include "il/patch.h"
#include "il/stack.h"
#include "base/budget.h"
#include "inspect/core_scope.h"
#include "inspect/inspector.h"
#include "metadata/edit.h"
#include "sig/sig.h"

/* Where a TypeRef of the inspector leads to in the module. */
struct ilpi_embed_ref {
    bool found;
    struct ilpi_type_def def; /* image NULL: taken on trust, there was no library to look into */
    ilp_token scope;          /* an AssemblyRef of the module, or 0: `add` names one */
    struct ilp_assembly_name add;
};

/* The tables whose rows are mapped once each. */
enum ilpi_embed_memo {
    ILPI_MEMO_TYPE_REF,
    ILPI_MEMO_TYPE_SPEC,
    ILPI_MEMO_MEMBER_REF,
    ILPI_MEMO_METHOD_SPEC,
    ILPI_MEMO_STANDALONE_SIG,
    ILPI_MEMO_COUNT
};

struct ilpi_embedding {
    struct ilpi_alloc *alloc;
    struct ilp_arena arena;
    const struct ilp_inspector *inspector;
    struct ilp_image *from; /* the inspector's */
    struct ilp_image *to;   /* the module */
    struct ilp_edit *edit;  /* of it; NULL: it is only planned */
    const struct ilp_emitter *emitter;
    const struct ilp_resolver *resolver;
    ilp_token core_scope; /* the core library, as struct ilp_rewriter has it */
    struct ilp_assembly_name core_name;

    bool committing;
    ilp_status failure; /* of a commit: there is no second try */
    struct ilp_error why;
    struct ilpi_budget budget;
    unsigned depth; /* of tokens within signatures within tokens */

    /* By row of the inspector: while planning whether it is taken, then its place among what is
     * added, from 1 on. */
    uint32_t *types;
    uint32_t *fields;
    uint32_t *methods;
    ilp_rid *order; /* the types taken, in the order they were found, then enclosing ones first */
    uint32_t type_count;
    ilp_rid first_type; /* what the rows of the edit begin behind */
    ilp_rid first_field;
    ilp_rid first_method;
    ilp_rid *property_map; /* by TypeDef */
    ilp_rid *event_map;
    uint8_t *left_out; /* a bit for each CustomAttribute row whose type the module's framework does
                          not have */

    ilp_token *memo[ILPI_MEMO_COUNT];
    struct ilpi_embed_ref *refs; /* by TypeRef */

    ilp_rid entry[2]; /* MyInspector(object), MyInspector(object, string) */

    /* working memory */
    struct ilp_arena signatures;
    struct ilp_arena scratch;
    struct ilpi_code code;
    struct ilpi_buf body;
    struct ilpi_buf text;
    char name[256];
};

/* What an embedding is made of; all borrowed as long as it is open. */
struct ilpi_embed_request {
    struct ilpi_alloc *alloc;
    const struct ilp_inspector *inspector;
    struct ilp_image *to;
    struct ilp_edit *edit;             /* may be NULL: for a plan alone */
    const struct ilp_emitter *emitter; /* of the edit */
    const struct ilp_resolver *resolver;
    ilp_token core_scope;
    struct ilp_assembly_name core_name;
};

/* Plans. ILP_E_CANNOT_EMBED names what is in the way. */
ilp_status ilpi_embed_open(struct ilpi_embedding **out, const struct ilpi_embed_request *request,
                           struct ilp_error *error);
void ilpi_embed_close(struct ilpi_embedding *embedding); /* NULL is allowed */

/* The MethodDef that a method of the inspector becomes. The first question commits; a failure then
 * stays, since the edit is half done. */
ilp_status ilpi_embed_call(struct ilpi_embedding *embedding, ilp_rid method, ilp_token *token,
                           struct ilp_error *error);

/* The failure of a commit, ILP_OK if there was none. */
ilp_status ilpi_embed_failure(const struct ilpi_embedding *embedding, struct ilp_error *error);

/* ---- embedded.c: what was embedded before ---- */

/* Whether a type belongs to any inspector that was embedded. */
bool ilpi_is_embedded(const struct ilp_image *image, ilp_rid type);

/* The class of this inspector in a module that it was embedded in; 0: it was not. */
ilp_rid ilpi_embedded_class(const struct ilp_inspector *inspector, const struct ilp_image *image);

/* The method of such a class that `overload` of the inspector, whose assembly is `inspector`, has
 * become; *found is 0 when it has none like it. */
ilp_status ilpi_embedded_method(const struct ilp_image *image, ilp_rid type,
                                const struct ilpi_overload *overload,
                                const struct ilp_image *inspector, struct ilpi_alloc *alloc,
                                ilp_rid *found, struct ilp_error *error);

/* "<ilpatch:ASSEMBLY>.NAMESPACE" */
void ilpi_embedded_namespace(const struct ilp_inspector *inspector, const char *name_space,
                             struct ilpi_buf *text);

/* ---- between the files of embedding ---- */

/* "ASSEMBLY cannot be embedded: ...", about a row of the inspector. */
ilp_status ilpi_embed_refuse(const struct ilpi_embedding *embedding, ilp_token token,
                             struct ilp_error *error, const char *format, ...) ILPI_PRINTF(4, 5);

/* The name of a type of the inspector, for messages; cut where it is long. In embedding->name until
 * the next one. */
const char *ilpi_embed_name(struct ilpi_embedding *embedding, ilp_token type);

/* token.c: the token in the module for one of the inspector's; 0 for 0. While planning the
 * answer means nothing, but what the token leads to has been checked and taken in. */
ilp_status ilpi_embed_token(struct ilpi_embedding *embedding, ilp_token from, ilp_token *to,
                            struct ilp_error *error);

/* A signature with all its tokens mapped, as a blob of the edit. */
ilp_status ilpi_embed_signature(struct ilpi_embedding *embedding, uint32_t blob,
                                enum ilp_sig_kind kind, uint32_t *offset, struct ilp_error *error);

/* ldstr's. */
ilp_status ilpi_embed_user_string(struct ilpi_embedding *embedding, ilp_token from, ilp_token *to,
                                  struct ilp_error *error);

/* embedding.c: takes a type in. */
ilp_status ilpi_embed_include(struct ilpi_embedding *embedding, ilp_rid type,
                              struct ilp_error *error);

/* rows.c: one type with all its members, but for their bodies. */
ilp_status ilpi_embed_type(struct ilpi_embedding *embedding, ilp_rid type, struct ilp_error *error);

/* attribute.c: the attributes of a row; `to` is the row in the module. */
ilp_status ilpi_embed_attributes(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                                 struct ilp_error *error);

/* Adds a row, unless this is a plan. */
ilp_status ilpi_embed_row(struct ilpi_embedding *embedding, unsigned table, const uint32_t *cells,
                          ilp_rid *rid, struct ilp_error *error);
ilp_status ilpi_embed_string(struct ilpi_embedding *embedding, uint32_t from, uint32_t *to,
                             struct ilp_error *error);
ilp_status ilpi_embed_blob(struct ilpi_embedding *embedding, struct ilp_bytes blob, uint32_t *to,
                           struct ilp_error *error);

/* members.c: fields and methods of a type, their parameters and generic parameters. */
ilp_status ilpi_embed_fields(struct ilpi_embedding *embedding, ilp_rid type,
                             struct ilp_error *error);
ilp_status ilpi_embed_methods(struct ilpi_embedding *embedding, ilp_rid type,
                              struct ilp_error *error);
ilp_status ilpi_embed_constant(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                               struct ilp_error *error);
ilp_status ilpi_embed_generic_params(struct ilpi_embedding *embedding, ilp_token from, ilp_token to,
                                     struct ilp_error *error);

/* body.c: the bodies of a type's methods; the data of a field. */
ilp_status ilpi_embed_bodies(struct ilpi_embedding *embedding, ilp_rid type,
                             struct ilp_error *error);
ilp_status ilpi_embed_data(struct ilpi_embedding *embedding, ilp_rid field, ilp_token to,
                           struct ilp_error *error);

/* scope.c: where a TypeRef into the inspector's core library leads to in the module; *offered
 * is false where nothing there has it. */
ilp_status ilpi_embed_find(struct ilpi_embedding *embedding, ilp_rid type_ref,
                           struct ilpi_embed_ref *ref, bool *offered, struct ilp_error *error);

/* A Field or MethodDef of some image. */
struct ilpi_embed_member {
    const struct ilp_image *image; /* NULL: there is none */
    ilp_token token;
    /* of a generic type that is derived from: the row alone does not name it */
    bool inherited_instance;
};

/* member.c: the member that a MemberRef of the inspector means, in a type or what it derives
 * from. */
ilp_status ilpi_embed_find_member(struct ilpi_embedding *embedding, const struct ilpi_type_def *def,
                                  ilp_rid member_ref, struct ilpi_embed_member *member,
                                  struct ilp_error *error);

/* A type that runtimes know by its name wherever it is defined keeps it. */
bool ilpi_embed_keeps_name(const struct ilpi_embedding *embedding, ilp_rid type);

#endif
