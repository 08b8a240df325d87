/* What is queried of a method in a process that is watched (CONTROL_QUERY in control.h), and the
 * reply, as texts:
 *
 *   06000002 /app/Shop.dll
 *   compiled inspected 1 command-version=0.1.0;inspect-returns=1 */
#ifndef METHOD_QUERY_H
#define METHOD_QUERY_H

#include "ilpatch.h"

/* How far a method is on its way to values. Of several modules with one path the one counts that is
 * furthest. METHOD_STATE(ID, WORD) */
#define METHOD_STATES(METHOD_STATE)                                                    \
    METHOD_STATE(NO_MODULE, "no-module")     /* no module of that path was met */      \
    METHOD_STATE(MODULE_LEFT, "module-left") /* nothing of the module is inspected */  \
    METHOD_STATE(NOT_MET, "not-met")         /* no decision about it was needed */     \
    METHOD_STATE(FAILED, "failed")           /* an error: it stays as it is */         \
    METHOD_STATE(LEFT, "left")               /* it stays as it is, for `reason` */     \
    METHOD_STATE(GIVEN_UP, "given-up")       /* its new body was not compiled */       \
    METHOD_STATE(REQUESTED, "requested")     /* it has a new body, not compiled yet */ \
    METHOD_STATE(COMPILED, "compiled")       /* its new body went to the JIT */

enum method_state {
#define METHOD_STATE(id, word) METHOD_IS_##id,
    METHOD_STATES(METHOD_STATE)
#undef METHOD_STATE
        METHOD_STATE_COUNT
};

struct method_reply {
    enum method_state state;
    enum ilp_reason reason; /* of METHOD_IS_LEFT and later */
    unsigned modules;       /* so many of that path are loaded */
    const char *options;    /* of the watch, as ENV_OPTIONS has them; borrowed */
};

/* Owned by the caller; NULL: no memory. */
char *method_query_text(ilp_token method, const char *path);
char *method_reply_text(const struct method_reply *reply);

/* False: it is no such text. What is read borrows from it. */
bool method_query_read(const char *text, ilp_token *method, const char **path);
bool method_reply_read(const char *text, struct method_reply *reply);

/* "compiled" */
const char *method_state_word(enum method_state state);

#endif
