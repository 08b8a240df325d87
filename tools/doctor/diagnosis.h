/* Why no value of a method of a running process is shown. Found from outside, in files; an existing
 * watch is queried (host/method_query.h), which changes nothing. */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "host/profiler_options.h"
#include "tools/cmd/method_name.h"
#include "tools/launch/dotnet_process.h"

enum cause_id {
#define CAUSE(id, word) CAUSE_##id,
#include "tools/doctor/causes.def"
    CAUSE_COUNT
};

struct cause {
    const char *word; /* of causes.def, reasons.def or obstacles.def; borrowed */
    char *text;       /* a sentence without a full stop; owned */
    char *advice;     /* what to do; owned; NULL: none */
};

struct causes {
    struct cause *items; /* owned; in the order in which a value could get lost */
    size_t count, room;  /* used and allocated */
};

struct diagnosed_method {
    char *assembly; /* its path, as the process names it; owned */
    ilp_token token;
    char *signature;   /* owned */
    const char *state; /* method_state_word(); NULL: nothing is watched, or no reply */
    struct causes causes;
};

struct diagnosis {
    /* given */
    const struct dotnet_process *process;
    const char *profiler; /* its file */
    const struct method_name *method;
    const char *file;                 /* the given one; NULL: any */
    struct profiler_options *options; /* of the planned attach */

    /* found */
    struct causes causes;             /* of all methods */
    struct diagnosed_method *methods; /* owned */
    size_t count, room;
    size_t left_out; /* number of further methods with such a name */
};

/* EXIT_INCOMPLETE: no method was found; EXIT_BAD_INPUT: the profiler cannot get in. */
enum exit_code diagnosis_find(struct diagnosis *diagnosis);
void diagnosis_close(struct diagnosis *diagnosis);

#endif
