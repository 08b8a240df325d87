/* METHOD on a command line: a token, a name with or without its type, or a whole signature. */
#ifndef METHOD_NAME_H
#define METHOD_NAME_H

#include "host/tool.h"

/* Explains METHOD, for the commands' help. */
#define METHOD_NAME_HELP                                                                         \
    "METHOD is a token (0x06000002), a name (Shop.Cart::Sum, or Sum of all types), a name with " \
    "*\n"                                                                                        \
    "(Shop.*::Sum), or a whole signature as list prints it.\n"

/* The selected methods. */
struct method_name {
    const char *text; /* borrowed; NULL: all */
    ilp_token token;  /* 0: `text` is a name or a signature */
};

/* "0x06000002", or eight digits that form a method token, is a token. `text` may be NULL. Reports
 * errors in the name of `command`. */
enum exit_code method_name_parse(const char *command, const char *text, struct method_name *name);

/* Whether a MethodDef is selected: by its token, "Namespace.Type::Method", "Method", either of them
 * with wildcards, or its signature in ilp_method_text()'s form. Resets the arena; ends the program
 * if memory runs out. */
bool method_is_meant(const struct ilp_image *image, ilp_rid rid, const struct method_name *name,
                     struct ilp_arena *arena);

/* The name of a method as `wanted` has its own: "Type::Method", or "Method" alone. In the arena. */
const char *method_name_like(const struct ilp_image *image, ilp_rid rid, const char *wanted,
                             struct ilp_arena *arena);

/* ". Did you mean 'X'?" with the name in `file` that is most like one that no method of it has; ""
 * if none is, and for a token, a pattern or a signature. Owned by the caller. */
char *method_suggestion(const char *file, const struct method_name *name);

/* Reports that `file` has no such method, and suggests a name. */
enum exit_code method_not_found(const char *file, const struct method_name *name);

#endif
