/* Formats and parses queries of methods. See method_query.h.
 *
 *   query   TOKEN PATH                       "06000002 /app/Shop.dll"
 *   reply   STATE REASON MODULES OPTIONS      the rest of the line is the options of the watch
 *
 * What may contain spaces is last. Both sides check everything, since they may be of different
 * versions. */
#include "host/method_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/memory.h"
#include "host/report_parts.h"
#include "inspect/reasons.h"

static const char *const words[METHOD_STATE_COUNT] = {
#define METHOD_STATE(id, word) [METHOD_IS_##id] = word,
    METHOD_STATES(METHOD_STATE)
#undef METHOD_STATE
};

const char *method_state_word(enum method_state state)
{
    return words[state];
}

char *method_query_text(ilp_token method, const char *path)
{
    return format_text("%08" PRIX32 " %s", method, path);
}

bool method_query_read(const char *text, ilp_token *method, const char **path)
{
    int size = 0;
    bool read = sscanf(text, "%8" SCNx32 " %n", method, &size) == 1 && size == 9;
    *path = text + size;
    return read && ILP_TOKEN_TABLE(*method) == ILP_MethodDef && ILP_TOKEN_RID(*method) != 0;
}

char *method_reply_text(const struct method_reply *reply)
{
    return format_text("%s %s %u %s", words[reply->state], ilp_reason_code(reply->reason),
                       reply->modules, reply->options);
}

static bool read_state(const char *word, enum method_state *state)
{
    for (unsigned i = 0; i < METHOD_STATE_COUNT; i++) {
        if (strcmp(words[i], word) == 0) {
            *state = (enum method_state)i;
            return true;
        }
    }
    return false;
}

/* `options` borrows from the text. */
bool method_reply_read(const char *text, struct method_reply *reply)
{
    char state[32], reason[32];
    int size = 0;
    bool read = sscanf(text, "%31s %31s %9u %n", state, reason, &reply->modules, &size) == 3 &&
                size != 0;
    reply->options = text + size;
    reply->reason = read ? report_reason_of(reason, strlen(reason)) : ILPI_REASON_COUNT;
    return read && read_state(state, &reply->state) && reply->reason != ILPI_REASON_COUNT;
}
