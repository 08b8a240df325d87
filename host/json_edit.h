/* Members of JSON objects, added to and removed from the text of a document: all other bytes stay
 * as they are, which a parser's output would not keep (comments, layout, numbers, escapes). */
#ifndef JSON_EDIT_H
#define JSON_EDIT_H

#include "base/buf.h"
#include "host/resolve/json_file.h"

/* Where a member is in the text of its document. */
struct json_member {
    size_t key; /* its opening quote */
    size_t value;
    size_t end; /* after the value */
};

/* The member of the object that begins at offset `object`; false: it has none of this name. */
bool json_find(const struct json_document *document, size_t object, const char *key,
               struct json_member *found);

/* Where the outermost value begins. */
size_t json_begin(const struct json_document *document);

/* An edit: at `offset`, `removed` bytes are replaced by `text`. */
struct json_change {
    size_t offset;
    size_t removed;
    char *text; /* owned; NULL: only removed */
};

/* What adds a member, as JSON without a comma, to the front of an object, and what removes one from
 * it. The second takes back what the first did. */
struct json_change json_add(const struct json_document *document, struct ilp_bytes bytes,
                            size_t object, const char *member);
struct json_change json_remove(const struct json_document *document, struct ilp_bytes bytes,
                               const struct json_member *member);

/* The bytes of the document's file with all changes, which do not overlap; their texts are
 * freed. */
void json_apply(struct ilpi_buf *out, struct ilp_bytes bytes, struct json_change *changes,
                size_t count);

#endif
