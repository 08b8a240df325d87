/* The JSON files of the host of .NET: .deps.json, .runtimeconfig.json. They are read as the host
 * reads them, whose parser (rapidjson, with kParseCommentsFlag and kParseStopWhenDoneFlag) takes a
 * byte order mark, comments, and any bytes after the document. The files may lie: size and depth
 * are bounded, and what the host and jansson would read differently, such as two members of one
 * name, is an error. */
#ifndef JSON_FILE_H
#define JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "ilpatch.h"

/* A document with its text, in which blanks replace the byte order mark and the comments: offsets
 * are those of the file. */
struct json_document {
    json_t *root; /* an object or array */
    char *text;   /* owned; a zero follows it */
    size_t size;
    char error[160]; /* why it is not a document, and where */
};

/* False with doc->error set. json_document_close() either way. */
bool json_document_open(struct json_document *document, struct ilp_bytes bytes);
void json_document_close(struct json_document *document);

/* The document of a file, owned by the caller: json_decref(). NULL: the file does not exist, or
 * *error, owned by the caller, says why it cannot be read. `error` may be NULL. */
json_t *json_file_read(const char *path, char **error);

/* The member of an object as text; NULL where it is something else. */
const char *json_text(const json_t *object, const char *key);

/* json_object_foreach() wants an object that it might change. */
json_t *json_mutable(const json_t *json);

#endif
