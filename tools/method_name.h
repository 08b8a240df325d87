/* METHOD of a command line: a token, or a name with or without its type. */
#ifndef METHOD_NAME_H
#define METHOD_NAME_H

#include "tool.h"

/* "0x06000002", or eight digits that would be the token of a method, is a token; any other text is a name, and *token 0
 * then. `text` may be NULL. Complains in the name of `command`. */
enum exit_code method_name_parse(const char *command, const char *text, ilp_token *token);

/* Whether a method is called `wanted`: "Namespace.Type::Method" or "Method". What was in the arena is forgotten; ends the
 * program when memory runs out. */
bool method_is_called(const struct ilp_image *image, ilp_rid rid, const char *wanted,
                      struct ilp_arena *arena);

#endif
