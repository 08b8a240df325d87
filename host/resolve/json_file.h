/* The JSON files of the .NET host: .deps.json, .runtimeconfig.json. They are parsed as by the host,
 * whose parser (rapidjson, with kParseCommentsFlag and kParseStopWhenDoneFlag) accepts a byte order
 * mark, comments, and any bytes after the document. Files are not trusted: size and depth are
 * limited, and what the host and jansson would read differently, such as two members of one name,
 * is an error. */
#ifndef JSON_FILE_H
#define JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "ilpatch.h"

/* A document with its text, in which blanks replace the byte order mark and the comments: offsets
 * are those of the file. */
struct json_document {
    json_t *root; /* an object or array */
    char *text;   /* owned; ends in a NUL */
    size_t size;
    char error[160]; /* why it is invalid, and where */
};

/* False with doc->error set. json_document_close() either way. */
bool json_document_open(struct json_document *document, struct ilp_bytes bytes);
void json_document_close(struct json_document *document);

/* The document of a file, owned by the caller: json_decref(). NULL: the file does not exist, or
 * *error, owned by the caller, has the reason. `error` may be NULL. */
json_t *json_file_read(const char *path, char **error);

/* A member of an object as text; NULL if it is something else. */
const char *json_text(const json_t *object, const char *key);

/* json_object_foreach() requires a mutable object. */
json_t *json_mutable(const json_t *json);

#endif
