/* Adds and removes members of JSON objects in the text of a document: all other bytes stay, which
 * rewriting by a library would not preserve (comments, layout, numbers, escapes). */
#ifndef JSON_EDIT_H
#define JSON_EDIT_H

#include "base/buf.h"
#include "host/resolve/json_file.h"

/* The location of a member in the text of its document. */
struct json_member {
    size_t key; /* its opening quote */
    size_t value;
    size_t end; /* after the value */
};

/* The member of the object at offset `object`; false: there is none of this name. */
bool json_find(const struct json_document *document, size_t object, const char *key,
               struct json_member *found);

/* The offset of the outermost value. */
size_t json_begin(const struct json_document *document);

/* An edit: at `offset`, `removed` bytes are replaced by `text`. */
struct json_change {
    size_t offset;
    size_t removed;
    char *text; /* owned; NULL: only removed */
};

/* The edit that adds a member, as JSON without a comma, at the start of an object, and the edit
 * that removes one. The second reverses the first. */
struct json_change json_add(const struct json_document *document, struct ilp_bytes bytes,
                            size_t object, const char *member);
struct json_change json_remove(const struct json_document *document, struct ilp_bytes bytes,
                               const struct json_member *member);

/* The bytes of the document's file with all changes, which must not overlap; their texts are
 * freed. */
void json_apply(struct ilpi_buf *out, struct ilp_bytes bytes, struct json_change *changes,
                size_t count);

#endif
