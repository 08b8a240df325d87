/* The state of a method: the reply to a query (host/method_query.h). Nothing is decided or
 * requested for it. */
#ifndef ILPI_METHOD_STATE_H
#define ILPI_METHOD_STATE_H

#include "host/method_query.h"

struct profiler;

/* Over all modules with this path. `options` of the reply are not set. Takes the profiler's
 * lock. */
struct method_reply method_state_find(struct profiler *profiler, ilp_token method,
                                      const char *path);

#endif
