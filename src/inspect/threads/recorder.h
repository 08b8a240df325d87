/* An emitter that only records a method's requests: its tokens are provisional, and replaced when
 * the requests are replayed on the file's emitter, in the order of the methods.
 *
 * Provisional tokens are valid for one method. References to assemblies and types, which are made
 * once for a module and can be part of signatures, are refused: such a method is done again, in its
 * turn, with the file's emitter. */
#ifndef ILPI_RECORDER_H
#define ILPI_RECORDER_H

#include "base/buf.h"
#include "base/list.h"

/* No table has this number, so no token read from an image is provisional. */
#define ILPI_PROVISIONAL 0x7Fu

enum ilpi_recorded_kind {
    ILPI_RECORDED_MEMBER_REF,
    ILPI_RECORDED_TYPE_SPEC,
    ILPI_RECORDED_METHOD_SPEC,
    ILPI_RECORDED_STANDALONE_SIG,
    ILPI_RECORDED_USER_STRING
};

/* A request, with its bytes as offsets: the buffer moves when it grows. */
struct ilpi_recorded {
    enum ilpi_recorded_kind kind;
    ilp_token parent; /* of a MemberRef or MethodSpec; may be provisional */
    size_t at;        /* in `bytes`: the signature or text, */
    size_t size;
    size_t name; /* after which there is the name of a MemberRef, with its NUL */
};

/* The requests of all methods of a block, one after another. */
struct ilpi_recording {
    struct ilpi_buf bytes; /* signatures, texts and names; and the bodies (block.c) */
    ILPI_LIST(struct ilpi_recorded) requests;
};

/* An emitter that gives provisional tokens, to be replaced when the real ones are made. */
struct ilpi_recorder {
    struct ilp_emitter interface;
    struct ilpi_recording *recording; /* receives the requests; borrowed */
    size_t first;                     /* of the method's requests */
    bool refused;                     /* a request was refused */
    bool remembered;                  /* a request gave a token that the module may have kept */
};

void ilpi_recorder_init(struct ilpi_recorder *recorder);

/* Call before each method. */
void ilpi_recorder_begin(struct ilpi_recorder *recorder, struct ilpi_recording *recording);

/* Replays `count` recorded requests on an emitter. `tokens` has room for that many, and receives
 * the tokens. */
ilp_status ilpi_recording_replay(const struct ilpi_recording *recording, size_t first, size_t count,
                                 const struct ilp_emitter *emitter, ilp_token *tokens,
                                 struct ilp_error *error);

/* The final token of a provisional one, after the replay. */
static inline ilp_token ilpi_final_token(const ilp_token *tokens, ilp_token token)
{
    return ILP_TOKEN_TABLE(token) == ILPI_PROVISIONAL ? tokens[ILP_TOKEN_RID(token)] : token;
}

#endif
