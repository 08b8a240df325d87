/* Reads the JSON files of the host. See json_file.h. They may have comments and a byte order mark,
 * which jansson does not read: both are blanked in a copy, so that offsets stay those of the file.
 * Size and number of values are limited before a tree is made of them. */
#include "host/resolve/json_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/file_view.h"

/* The largest .deps.json of the SDK of .NET 10 has 118 KB and 4,500 of these signs. jansson needs
 * up to 120 bytes for each: an object, or a member and its value. */
#define MAX_JSON_SIZE  ((size_t)4 << 20)
#define MAX_JSON_SIGNS 50000u

/* Signs that begin an object, an array, or a value in one: their number bounds that of values. */
static bool is_sign(char c)
{
    return c == '{' || c == '[' || c == ':' || c == ',';
}

/* Replaces comments, which jansson does not support, by blanks, and counts the signs. */
static size_t blank_comments(char *text, size_t size)
{
    bool in_string = false;
    size_t signs = 0;
    for (size_t i = 0; i < size; i++) {
        if (in_string) {
            in_string = text[i] != '"';
            i += text[i] == '\\';
            continue;
        }
        in_string = text[i] == '"';
        signs += is_sign(text[i]);
        if (text[i] != '/' || i + 1 >= size) {
            continue;
        }
        bool line = text[i + 1] == '/';
        if (!line && text[i + 1] != '*') {
            continue;
        }
        size_t start = i;
        i += 2;
        while (i < size &&
               (line ? text[i] != '\n' : text[i - 1] != '*' || text[i] != '/' || i < start + 3)) {
            i++;
        }
        memset(text + start, ' ', (i < size ? i + 1 : size) - start);
    }
    return signs;
}

/* The checks precede jansson's, whose tree needs many times the memory of the text. `text` is a
 * copy for as long as the document is open, because offsets of values in it are used to replace
 * parts of the file. JSON_DISABLE_EOF_CHECK: what follows the first value is ignored. */
bool json_document_open(struct json_document *document, struct ilp_bytes bytes)
{
    json_error_t error = {.text = ""};
    *document = (struct json_document){.root = NULL};
    if (bytes.size == 0 || bytes.size > MAX_JSON_SIZE) {
        snprintf(document->error, sizeof document->error, "%s",
                 bytes.size == 0 ? "the file is empty" : "it is larger than 4 MB");
        return false;
    }
    document->size = bytes.size;
    document->text = new_items(bytes.size + 1, 1);
    if (!document->text) {
        snprintf(document->error, sizeof document->error, "out of memory");
        return false;
    }
    memcpy(document->text, bytes.data, bytes.size);
    if (bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0) {
        memset(document->text, ' ', 3);
    }
    if (blank_comments(document->text, document->size) > MAX_JSON_SIGNS) {
        snprintf(document->error, sizeof document->error,
                 "it has more than %u commas, colons and opening brackets", MAX_JSON_SIGNS);
        return false;
    }
    document->root = json_loadb(document->text, document->size,
                                JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
    if (!document->root) {
        if (json_error_code(&error) == json_error_out_of_memory) {
            memory_failed();
        }
        snprintf(document->error, sizeof document->error, "line %d, column %d: %.100s", error.line,
                 error.column, error.text);
    }
    return document->root != NULL;
}

void json_document_close(struct json_document *document)
{
    json_decref(document->root);
    free(document->text);
    *document = (struct json_document){.root = NULL};
}

/* NULL with *error NULL: the file does not exist, which is not an error for these files. */
json_t *json_file_read(const char *path, char **error)
{
    struct file_view view;
    struct json_document document;
    char *why = NULL;
    json_t *root = NULL;
    if (!file_view_open(&view, path)) {
        why = errno == ENOENT ? NULL : copy_text(strerror(errno));
    } else {
        if (json_document_open(&document, view.bytes)) {
            root = json_incref(document.root);
        } else {
            why = format_text("%s", document.error);
        }
        json_document_close(&document);
        file_view_close(&view);
    }
    if (error) {
        *error = why;
    } else {
        free(why);
    }
    return root;
}

/* NULL for a member that is missing or not a string, and for NULL itself. */
const char *json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* jansson's macro for iterating takes no const object, and does not change it. */
json_t *json_mutable(const json_t *json)
{
    return (json_t *)(uintptr_t)json;
}
