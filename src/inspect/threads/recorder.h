/* An emitter that only records what a method requests of it: the tokens that it gives are
 * provisional, and replaced when the requests are made of the emitter of the file, in the order of
 * the methods.
 *
 * Provisional tokens are for one method. References to assemblies and types, which are made once
 * for a module and can be part of signatures, are refused: the method is done again, when it is its
 * turn, with the emitter of the file. */
#ifndef ILPI_RECORDER_H
#define ILPI_RECORDER_H

#include "base/buf.h"
#include "base/list.h"

/* No table has this number, so that what can be read of an image are never such tokens. */
#define ILPI_PROVISIONAL 0x7Fu

enum ilpi_recorded_kind {
    ILPI_RECORDED_MEMBER_REF,
    ILPI_RECORDED_TYPE_SPEC,
    ILPI_RECORDED_METHOD_SPEC,
    ILPI_RECORDED_STANDALONE_SIG,
    ILPI_RECORDED_USER_STRING
};

struct ilpi_recorded {
    enum ilpi_recorded_kind kind;
    ilp_token parent; /* of a MemberRef or MethodSpec; may be provisional */
    size_t at;        /* in `bytes`: the signature or text, */
    size_t size;
    size_t name; /* after which there is the name of a MemberRef, with its NUL */
};

struct ilpi_recording {
    struct ilpi_buf bytes;
    ILPI_LIST(struct ilpi_recorded) requests;
};

struct ilpi_recorder {
    struct ilp_emitter interface;
    struct ilpi_recording *recording; /* where it goes to; borrowed */
    size_t first;                     /* of the method's requests */
    bool refused;                     /* one of them */
    bool remembered;                  /* one of them gave a token that a module may have kept */
};

void ilpi_recorder_init(struct ilpi_recorder *recorder);

/* Before each method. */
void ilpi_recorder_begin(struct ilpi_recorder *recorder, struct ilpi_recording *recording);

/* Makes `count` recorded requests of an emitter. `tokens` has room for as many: what each gave. */
ilp_status ilpi_recording_replay(const struct ilpi_recording *recording, size_t first, size_t count,
                                 const struct ilp_emitter *emitter, ilp_token *tokens,
                                 struct ilp_error *error);

/* The token that a provisional one stands for, after that. */
static inline ilp_token ilpi_final_token(const ilp_token *tokens, ilp_token token)
{
    return ILP_TOKEN_TABLE(token) == ILPI_PROVISIONAL ? tokens[ILP_TOKEN_RID(token)] : token;
}

#endif
