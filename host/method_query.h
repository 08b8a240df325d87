/* A query of a method's state in a watched process (CONTROL_QUERY in control.h), and the reply, as
 * texts:
 *
 *   06000002 /app/Shop.dll
 *   compiled inspected 1 command-version=1.0.0;inspect-returns=1 */
#ifndef METHOD_QUERY_H
#define METHOD_QUERY_H

#include "ilpatch.h"

/* The states of a method on its way to showing values. If several modules have the path, the
 * furthest state is returned. METHOD_STATE(ID, WORD) */
#define METHOD_STATES(METHOD_STATE)                                                       \
    METHOD_STATE(NO_MODULE, "no-module")     /* no module of that path was loaded */      \
    METHOD_STATE(MODULE_LEFT, "module-left") /* nothing of the module is inspected */     \
    METHOD_STATE(NOT_MET, "not-met")         /* no decision about it was needed */        \
    METHOD_STATE(FAILED, "failed")           /* an error occurred: it is not rewritten */ \
    METHOD_STATE(LEFT, "left")               /* it is not rewritten, for `reason` */      \
    METHOD_STATE(GIVEN_UP, "given-up")       /* its new body was not compiled */          \
    METHOD_STATE(REQUESTED, "requested")     /* it has a new body, not compiled yet */    \
    METHOD_STATE(COMPILED, "compiled")       /* the JIT got its new body */

enum method_state {
#define METHOD_STATE(id, word) METHOD_IS_##id,
    METHOD_STATES(METHOD_STATE)
#undef METHOD_STATE
        METHOD_STATE_COUNT
};

struct method_reply {
    enum method_state state;
    enum ilp_reason reason; /* in METHOD_IS_LEFT and later states */
    unsigned modules;       /* number of loaded modules with that path */
    const char *options;    /* of the watch, as in ENV_OPTIONS; borrowed */
};

/* Owned by the caller; NULL: no memory. */
char *method_query_text(ilp_token method, const char *path);
char *method_reply_text(const struct method_reply *reply);

/* False: invalid. The results borrow from the text. */
bool method_query_read(const char *text, ilp_token *method, const char **path);
bool method_reply_read(const char *text, struct method_reply *reply);

/* "compiled" */
const char *method_state_word(enum method_state state);

#endif
