/* The inspectors of a request: the one of --inspector, and those that rules name. Failures are
 * reported. */
#ifndef REQUEST_INSPECTORS_H
#define REQUEST_INSPECTORS_H

#include "host/request.h"

/* Opens `default_inspector` (NULL: the stock inspector) and those that the rules name. */
enum exit_code request_open_inspectors(struct request *request, const char *default_inspector,
                                       const char *command);

/* Whether the argument of --inspector is a path. */
bool request_is_path(const char *inspector);

#endif
