/* Messages in the form that MSBuild reads (ILPATCH_MESSAGES=msbuild): with these the errors of
 * ilpatch are errors of the build, with file and line.
 *
 *   ilpatch: rules.xml:2:10: no attribute ...   rules.xml(2,10): error ILP0002: no attribute ...
 *   ilpatch: Shop.dll: cannot read: ...         Shop.dll : error ILP0003: cannot read: ...
 *   ilpatch: cannot act as ...                  ilpatch : error ILP0004: cannot act as ...
 *
 * Whether a message is an error only shows at the end: then the exit code is at least EXIT_USAGE.
 * So standard error is a file until the command ends. */
#ifndef BUILD_MESSAGES_H
#define BUILD_MESSAGES_H

#include "host/tool.h"

/* From now on standard error is held, if the environment says so. */
void build_messages_begin(void);

/* Prints what was held, with the category and number of this exit code. */
void build_messages_end(enum exit_code code);

#endif
