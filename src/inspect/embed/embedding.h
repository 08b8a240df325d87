/* An embedding in progress: what the files of this folder share. See embed.h. */
#ifndef ILPI_EMBEDDING_H
#define ILPI_EMBEDDING_H

#include "base/budget.h"
#include "base/buf.h"
#include "il/code.h"
#include "inspect/inspector.h"
#include "metadata/edit.h"
#include "metadata/resolve.h"

/* Compilers' nesting is less deep. */
#define ILPI_EMBED_MAX_NESTING 64u

/* What a TypeRef of the inspector becomes in the module:
 *
 *   found   def.image     scope
 *   no      NULL          none       no assembly offers it: it is refused
 *   yes     another one   a token    a reference of the module, and the type is there
 *   yes     another one   0          the same in `add`, which is referred to at the commit
 *   yes     NULL          as above   the core library cannot be read here
 *   yes     the module    its own    the module is the core library: its TypeDef is used */
struct ilpi_embed_ref {
    bool found;
    struct ilpi_type_def def; /* image NULL: taken on trust, since the library cannot be read
                                 here */
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

/* Planned first (`committing` false), then committed: the same functions run twice, and what the
 * first run decided is in the arrays by row. What cannot be embedded is refused by the plan, while
 * the edit is unchanged. */
struct ilpi_embedding {
    struct ilpi_alloc *alloc;
    struct ilp_arena arena;
    const struct ilp_inspector *inspector;
    struct ilp_image *from; /* the inspector's */
    struct ilp_image *to;   /* the module */
    struct ilp_edit *edit;  /* the edit; NULL: plan only */
    const struct ilp_emitter *emitter;
    const struct ilp_resolver *resolver;
    ilp_token core_scope; /* core library scope, as in struct ilp_rewriter */
    struct ilp_assembly_name core_name;

    bool committing;
    ilp_status failure; /* of a commit: it is not retried */
    struct ilp_error why;
    struct ilpi_budget budget;
    unsigned depth; /* of tokens within signatures within tokens */

    /* By row of the inspector: during the plan, whether it is copied; then its number among the
     * added rows, from 1 on. */
    uint32_t *types;
    uint32_t *fields;
    uint32_t *methods;
    ilp_rid *order; /* the copied types, in the order of discovery, then enclosing ones first */
    uint32_t type_count;
    ilp_rid first_type; /* rows of the edit before the added ones */
    ilp_rid first_field;
    ilp_rid first_method;
    ilp_rid *property_map; /* by TypeDef */
    ilp_rid *event_map;
    uint8_t *left_out; /* a bit for each CustomAttribute row whose type the module's framework
                          lacks */

    /* tokens of the module, by row of the inspector; 0: not mapped yet. Values of the plan only
     * mark a row as visited, and commit() clears them */
    ilp_token *memo[ILPI_MEMO_COUNT];
    struct ilpi_embed_ref *refs; /* by TypeRef; found by the plan, and used by the commit */

    ilp_rid entry[2]; /* MyInspector(object), MyInspector(object, string) */

    /* working memory */
    struct ilp_arena signatures; /* trees; reset where `depth` is 0 */
    struct ilp_arena scratch;    /* of one search for a member, or one field's size */
    struct ilpi_code code;
    struct ilpi_buf body;
    struct ilpi_buf text;
    char name[256];
};

/* "ASSEMBLY cannot be embedded: ...", about a row of the inspector. */
ilp_status ilpi_embed_refuse(const struct ilpi_embedding *embedding, ilp_token token,
                             struct ilp_error *error, const char *format, ...) ILPI_PRINTF(4, 5);

/* The name of a type of the inspector, for messages; truncated if it is long. In embedding->name
 * until the next one. */
const char *ilpi_embed_name(struct ilpi_embedding *embedding, ilp_token type);

/* Runtimes know this type by its name wherever it is defined, so it keeps its name. */
bool ilpi_embed_keeps_name(const struct ilpi_embedding *embedding, ilp_rid type);

/* Copies a type, and those that it is nested in. */
ilp_status ilpi_embed_include(struct ilpi_embedding *embedding, ilp_rid type,
                              struct ilp_error *error);

static inline uint32_t ilpi_embed_cell(const struct ilpi_embedding *embedding, unsigned table,
                                       ilp_rid rid, unsigned column)
{
    return ilp_cell(embedding->from, table, rid, column);
}

/* Adds a row, unless this is the plan. */
ilp_status ilpi_embed_row(struct ilpi_embedding *embedding, unsigned table, const uint32_t *cells,
                          ilp_rid *rid, struct ilp_error *error);
ilp_status ilpi_embed_string(struct ilpi_embedding *embedding, uint32_t from, uint32_t *to,
                             struct ilp_error *error);
ilp_status ilpi_embed_blob(struct ilpi_embedding *embedding, struct ilp_bytes blob, uint32_t *to,
                           struct ilp_error *error);

#endif
