/* JSON settings of programs and frameworks, read as the host of .NET reads them: comments and a
 * byte order mark are allowed. The files may lie: size and depth are bounded.
 */
#ifndef JSON_FILE_H
#define JSON_FILE_H

#include <jansson.h>

/* NULL: not there, too large, or no JSON. Owned by the caller: json_decref(). */
json_t *json_file_read(const char *path);

/* The member of an object as text; NULL where it is something else. */
const char *json_text(const json_t *object, const char *key);

/* json_object_foreach() wants an object that it might change. */
json_t *json_mutable(const json_t *json);

#endif
