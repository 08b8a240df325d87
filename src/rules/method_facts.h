/* The facts of a method for conditions: each is computed when first needed, and kept while the
 * method, its type or the image stays the same. */
#ifndef ILPI_METHOD_FACTS_H
#define ILPI_METHOD_FACTS_H

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

/* Facts about a body, from two readings: one that is cheap, and one for tail calls. */
struct ilpi_facts_body {
    bool known;
    bool present;  /* the method has a body of IL */
    uint32_t size; /* of its code */
    bool handlers; /* it has exception handling */
    bool tails_known;
    bool tails;
};

/* The size of the struct that methods of one signature return (returns.c). */
#define ILPI_REMEMBERED_SIZES 256u
struct ilpi_remembered_size {
    uint32_t blob;        /* the signature's offset in #Blob; 0: free */
    uint32_t size;        /* 0: unknown */
    ilp_token unresolved; /* since this type is not found; 0: for another reason */
};

/* Facts about the current method, each made when it is first needed. In three parts, by how long
 * they stay valid: image, type, method. */
struct ilpi_method_facts {
    /* of the image */
    struct ilpi_alloc *alloc;            /* borrowed: the selector's */
    struct ilp_image *image;             /* borrowed */
    const struct ilp_resolver *resolver; /* borrowed; NULL: no other file is opened */
    unsigned target;                     /* never ILP_TARGET_AUTO */
    struct ilp_arena arena;              /* freed with the facts */
    struct ilpi_value_types value_types;
    /* per MethodDef: flags of MethodSemantics (II.22.28); NULL: not computed yet */
    uint8_t *semantics;
    struct ilpi_name_list assembly_attributes;
    /* What may still be read or made, for all methods: beyond it facts are unknown. */
    struct ilpi_budget budget;
    /* borrowed from the resolver's owner; NULL with symbols_requested: none */
    const struct ilp_symbols *symbols;
    bool symbols_requested;
    char no_symbols[200]; /* the reason for that */
    ilp_rid *move_next;   /* per MethodDef: the MoveNext of its state machine, from the symbols */
    struct ilpi_remembered_size sizes[ILPI_REMEMBERED_SIZES];

    /* of the type */
    ilp_rid owner;              /* the declaring TypeDef; 0: none yet, or none */
    struct ilpi_buf type;       /* its name in ILAsm's form; empty: not made yet */
    struct ilpi_buf name_space; /* the same */
    struct ilpi_name_list type_attributes;
    struct ilpi_supertypes supertypes;

    /* of the method */
    ilp_rid method;
    struct ilp_arena scratch;  /* `sig`, bodies: reset when a signature is read */
    const struct ilp_sig *sig; /* NULL: not read yet */
    struct ilpi_buf signature; /* empty: not made yet */
    struct ilpi_buf returns;
    struct ilpi_name_list method_attributes;
    struct ilpi_name_list parameters;
    struct ilpi_buf parameter_types; /* all of them */
    struct ilpi_name_list sources;
    struct ilpi_buf spelled; /* a type in the spelling of rules (spelling.h) */
    struct ilpi_facts_body body;
    struct ilpi_code code;

    /* why the last fact is unknown */
    char why[240];
};

ilp_status ilpi_facts_open(struct ilpi_method_facts *facts, struct ilpi_alloc *alloc,
                           struct ilp_image *image, const struct ilp_resolver *resolver,
                           unsigned target, struct ilp_error *error);
void ilpi_facts_close(struct ilpi_method_facts *facts);

/* The facts are those of this MethodDef from here on. */
void ilpi_facts_set(struct ilpi_method_facts *facts, ilp_rid method);

/* Names, borrowed until the next method; ilpi_facts_status() reports a lack of memory. */
struct ilp_bytes ilpi_facts_method(struct ilpi_method_facts *facts);
struct ilp_bytes ilpi_facts_type(struct ilpi_method_facts *facts);
struct ilp_bytes ilpi_facts_namespace(struct ilpi_method_facts *facts);
ilp_status ilpi_facts_status(const struct ilpi_method_facts *facts, struct ilp_error *error);

/* Other facts. *known is false if the fact is unknown, and `why` has the reason; statuses are for
 * memory. */
ilp_status ilpi_facts_signature_read(struct ilpi_method_facts *facts, bool *known,
                                     struct ilp_error *error);
ilp_status ilpi_facts_signature(struct ilpi_method_facts *facts, struct ilp_bytes *text,
                                bool *known, struct ilp_error *error);
ilp_status ilpi_facts_returns(struct ilpi_method_facts *facts, struct ilp_bytes *text, bool *known,
                              struct ilp_error *error);

/* The types of the parameters, each in the form of ilpi_facts_returns(); and all of them with
 * ", " between. */
ilp_status ilpi_facts_parameters(struct ilpi_method_facts *facts,
                                 const struct ilpi_name_list **list, bool *known,
                                 struct ilp_error *error);
ilp_status ilpi_facts_parameter_types(struct ilpi_method_facts *facts, struct ilp_bytes *text,
                                      bool *known, struct ilp_error *error);

/* What the method's type implements, or what it derives from. */
ilp_status ilpi_facts_supertypes(struct ilpi_method_facts *facts, bool interfaces,
                                 const struct ilpi_name_list **list, struct ilp_error *error);
void ilpi_supertypes_forget(struct ilpi_supertypes *supertypes);

/* The source files of the method, with / between folders. */
ilp_status ilpi_facts_sources(struct ilpi_method_facts *facts, const struct ilpi_name_list **list,
                              bool *known, struct ilp_error *error);

/* The kinds of the returned type, a bit for each ILP_KIND_*. Not known: it is one of *kinds.
 * ILP_KIND_TASK is looked for only if it is in `wanted`. */
ilp_status ilpi_facts_kinds(struct ilpi_method_facts *facts, uint32_t wanted, uint32_t *kinds,
                            bool *known, struct ilp_error *error);

/* The size of the returned struct, 0 for other types. */
ilp_status ilpi_facts_size(struct ilpi_method_facts *facts, uint32_t *size, bool *known,
                           struct ilp_error *error);

/* A bit for each ILP_ROLE_*. */
ilp_status ilpi_facts_roles(struct ilpi_method_facts *facts, uint32_t *roles,
                            struct ilp_error *error);

/* The names of the attributes on the method, its type or the assembly (ILP_ON_*). */
ilp_status ilpi_facts_attributes(struct ilpi_method_facts *facts, unsigned on,
                                 const struct ilpi_name_list **list, struct ilp_error *error);

bool ilpi_facts_flag(const struct ilpi_method_facts *facts, uint32_t flag);
bool ilpi_facts_is_generated(const struct ilpi_method_facts *facts);
uint32_t ilpi_facts_arity(const struct ilpi_method_facts *facts, ilp_token owner);
unsigned ilpi_facts_visibility(const struct ilpi_method_facts *facts, unsigned table);

/* For the files of this folder: empties a buffer or list but keeps its memory; ends a text with a
 * NUL; records why a fact is unknown; appends a type as conditions see it, without modifiers and a
 * leading class or valuetype. */
void ilpi_facts_empty(struct ilpi_buf *buf);
void ilpi_facts_forget(struct ilpi_name_list *list);
struct ilp_bytes ilpi_facts_text_of(const struct ilpi_buf *buf);
void ilpi_facts_set_why(struct ilpi_method_facts *facts, const char *what,
                        const struct ilp_error *error);
void ilpi_facts_put_type(const struct ilpi_method_facts *facts, struct ilpi_buf *buf,
                         const struct ilp_type *type);

/* *body is filled as far as requested: `tails` needs a walk over all instructions. */
ilp_status ilpi_facts_body(struct ilpi_method_facts *facts, bool tails,
                           const struct ilpi_facts_body **body, bool *known,
                           struct ilp_error *error);

/* Whether a bug affects the method. */
ilp_status ilpi_facts_affected(struct ilpi_method_facts *facts, unsigned bug,
                               enum ilp_tristate *outcome, struct ilp_error *error);

#endif
