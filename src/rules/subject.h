/* The facts of a method for conditions: each is computed when first needed, and kept while the
 * method, its type or the image stays the same. */
#ifndef ILPI_SUBJECT_H
#define ILPI_SUBJECT_H

#include "base/buf.h"
#include "base/budget.h"
#include "types/value_type.h"
#include "il/body.h"
#include "il/code.h"
#include "metadata/flags.h"
#include "sig/sig.h"

/* A list of names, each ended by a NUL. */
struct ilpi_name_list {
    struct ilpi_buf names;
    bool known;
    bool pairs; /* each entry is a pair: the definition of a generic type, then the instance */
    bool open;  /* the list may be incomplete, for the reason in `why` */
    char why[200];
};

/* The base types and interfaces of a type (supertypes.c). */
struct ilpi_supertypes {
    struct ilp_arena arena;     /* of the type in work */
    struct ilpi_supertype *all; /* in the arena of the image; NULL: not computed yet */
    struct ilpi_name_list bases;
    struct ilpi_name_list interfaces;
};

struct ilpi_subject_body {
    bool known;
    bool present;  /* the method has a body of IL */
    uint32_t size; /* of its code */
    bool handlers; /* it has exception handling */
    bool tails_known;
    bool tails;
};

#define ILPI_REMEMBERED_SIZES 256u
struct ilpi_remembered_size {
    uint32_t blob; /* 0: free */
    uint32_t size;
    ilp_token unresolved;
};

struct ilpi_subject {
    /* of the image */
    struct ilpi_alloc *alloc;
    struct ilp_image *image;
    const struct ilp_resolver *resolver;
    unsigned target; /* never ILP_TARGET_AUTO */
    struct ilp_arena arena;
    struct ilpi_value_types value_types;
    /* per MethodDef: flags of MethodSemantics (II.22.28); NULL: not computed yet */
    uint8_t *semantics;
    struct ilpi_name_list assembly_attributes;
    struct ilpi_budget budget;
    /* borrowed from the resolver's owner; NULL with symbols_asked: none */
    const struct ilp_symbols *symbols;
    bool symbols_asked;
    char no_symbols[200]; /* the reason for that */
    ilp_rid *move_next;   /* per MethodDef: the MoveNext of its state machine, from the symbols */
    struct ilpi_remembered_size sizes[ILPI_REMEMBERED_SIZES];

    /* of the type */
    ilp_rid owner;
    struct ilpi_buf type;
    struct ilpi_buf name_space;
    struct ilpi_name_list type_attributes;
    struct ilpi_supertypes supertypes;

    /* of the method */
    ilp_rid method;
    struct ilp_arena scratch;
    const struct ilp_sig *sig; /* NULL: not read yet */
    struct ilpi_buf signature; /* empty: not made yet */
    struct ilpi_buf returns;
    struct ilpi_name_list method_attributes;
    struct ilpi_name_list parameters;
    struct ilpi_buf parameter_types; /* all of them */
    struct ilpi_name_list sources;
    struct ilpi_buf spelled; /* a type in the spelling of rules (spelling.h) */
    struct ilpi_subject_body body;
    struct ilpi_code code;

    /* why the last fact is unknown */
    char why[240];
};

ilp_status ilpi_subject_open(struct ilpi_subject *subject, struct ilpi_alloc *alloc,
                             struct ilp_image *image, const struct ilp_resolver *resolver,
                             unsigned target, struct ilp_error *error);
void ilpi_subject_close(struct ilpi_subject *subject);

/* Makes this MethodDef the subject. */
void ilpi_subject_set(struct ilpi_subject *subject, ilp_rid method);

/* Names, borrowed until the next method; ilpi_subject_status() reports a lack of memory. */
struct ilp_bytes ilpi_subject_method(struct ilpi_subject *subject);
struct ilp_bytes ilpi_subject_type(struct ilpi_subject *subject);
struct ilp_bytes ilpi_subject_namespace(struct ilpi_subject *subject);
ilp_status ilpi_subject_status(const struct ilpi_subject *subject, struct ilp_error *error);

/* Other facts. *known is false if the fact is unknown, and `why` has the reason; statuses are for
 * memory. */
ilp_status ilpi_subject_signature_read(struct ilpi_subject *subject, bool *known,
                                       struct ilp_error *error);
ilp_status ilpi_subject_signature(struct ilpi_subject *subject, struct ilp_bytes *text, bool *known,
                                  struct ilp_error *error);
ilp_status ilpi_subject_returns(struct ilpi_subject *subject, struct ilp_bytes *text, bool *known,
                                struct ilp_error *error);

/* The types of the parameters, each in the form of ilpi_subject_returns(); and all of them with
 * ", " between. */
ilp_status ilpi_subject_parameters(struct ilpi_subject *subject, const struct ilpi_name_list **list,
                                   bool *known, struct ilp_error *error);
ilp_status ilpi_subject_parameter_types(struct ilpi_subject *subject, struct ilp_bytes *text,
                                        bool *known, struct ilp_error *error);

/* What the method's type implements, or what it derives from. */
ilp_status ilpi_subject_supertypes(struct ilpi_subject *subject, bool interfaces,
                                   const struct ilpi_name_list **list, struct ilp_error *error);
void ilpi_supertypes_forget(struct ilpi_supertypes *supertypes);

/* The source files of the method, with / between folders. */
ilp_status ilpi_subject_sources(struct ilpi_subject *subject, const struct ilpi_name_list **list,
                                bool *known, struct ilp_error *error);

/* The kinds of the returned type, a bit for each ILP_KIND_*. Not known: it is one of *kinds.
 * ILP_KIND_TASK is looked for only if it is in `wanted`. */
ilp_status ilpi_subject_kinds(struct ilpi_subject *subject, uint32_t wanted, uint32_t *kinds,
                              bool *known, struct ilp_error *error);

/* The size of the returned struct, 0 for other types. */
ilp_status ilpi_subject_size(struct ilpi_subject *subject, uint32_t *size, bool *known,
                             struct ilp_error *error);

/* A bit for each ILP_ROLE_*. */
ilp_status ilpi_subject_roles(struct ilpi_subject *subject, uint32_t *roles,
                              struct ilp_error *error);

/* The names of the attributes on the method, its type or the assembly (ILP_ON_*). */
ilp_status ilpi_subject_attributes(struct ilpi_subject *subject, unsigned on,
                                   const struct ilpi_name_list **list, struct ilp_error *error);

bool ilpi_subject_flag(const struct ilpi_subject *subject, uint32_t flag);
bool ilpi_subject_is_generated(const struct ilpi_subject *subject);
uint32_t ilpi_subject_arity(const struct ilpi_subject *subject, ilp_token owner);
unsigned ilpi_subject_visibility(const struct ilpi_subject *subject, unsigned table);

/* For the files of this folder: empties a buffer or list but keeps its memory; ends a text with a
 * NUL; records why a fact is unknown; appends a type as conditions see it, without modifiers and a
 * leading class or valuetype. */
void ilpi_subject_empty(struct ilpi_buf *buf);
void ilpi_subject_forget(struct ilpi_name_list *list);
struct ilp_bytes ilpi_subject_text_of(const struct ilpi_buf *buf);
void ilpi_subject_tell_why(struct ilpi_subject *subject, const char *what,
                           const struct ilp_error *error);
void ilpi_subject_put_type(const struct ilpi_subject *subject, struct ilpi_buf *buf,
                           const struct ilp_type *type);

/* *body is filled as far as requested: `tails` needs a walk over all instructions. */
ilp_status ilpi_subject_body(struct ilpi_subject *subject, bool tails,
                             const struct ilpi_subject_body **body, bool *known,
                             struct ilp_error *error);

/* Whether a bug affects the method. */
ilp_status ilpi_subject_affected(struct ilpi_subject *subject, unsigned bug, enum ilp_truth *truth,
                                 struct ilp_error *error);

#endif
