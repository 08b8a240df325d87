/* Edits the text of JSON documents. See json_edit.h.
 *
 * A document has been parsed before, so its text is known to be valid: strings end, brackets are
 * balanced. The scanner reads the text with comments blanked, so offsets are those of the file. */
#include "host/json_edit.h"

#include <stdlib.h>
#include <string.h>

#include "host/tool.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_blanks(const struct json_document *document, size_t at)
{
    while (at < document->size && is_blank(document->text[at])) {
        at++;
    }
    return at;
}

/* From the opening quote to after the closing one. */
static size_t skip_string(const struct json_document *document, size_t at)
{
    for (at++; at < document->size && document->text[at] != '"'; at++) {
        at += document->text[at] == '\\';
    }
    return at + 1;
}

/* To the end of a value by counting brackets: the text is valid, so no other check is needed. */
static size_t skip_value(const struct json_document *document, size_t at)
{
    size_t depth = 0;
    do {
        char c = document->text[at];
        if (c == '"') {
            at = skip_string(document, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            depth--;
            at++;
        } else if (depth != 0) {
            at++;
        } else { /* a number or a literal */
            at += strcspn(document->text + at, ",]} \t\r\n");
        }
    } while (depth != 0 && at < document->size);
    return at;
}

/* The root's opening bracket. */
size_t json_begin(const struct json_document *document)
{
    return skip_blanks(document, 0);
}

/* Keys may contain escapes. So a key that has any is compared by jansson. */
static bool is_key(const struct json_document *document, size_t at, size_t end, const char *key)
{
    json_t *text = json_loadb(document->text + at, end - at, JSON_DECODE_ANY, NULL);
    bool same = text && strcmp(json_string_value(text), key) == 0;
    json_decref(text);
    return same;
}

/* Members of one object in turn; nested ones are skipped as a whole. */
bool json_find(const struct json_document *document, size_t object, const char *key,
               struct json_member *found)
{
    size_t at = skip_blanks(document, object + 1);
    while (at < document->size && document->text[at] == '"') {
        size_t key_end = skip_string(document, at);
        size_t value = skip_blanks(document, skip_blanks(document, key_end) + 1);
        size_t end = skip_value(document, value);
        if (is_key(document, at, key_end, key)) {
            *found = (struct json_member){at, value, end};
            return true;
        }
        at = skip_blanks(document, end);
        at = document->text[at] == ',' ? skip_blanks(document, at + 1) : at;
    }
    return false;
}

/* Whitespace of the file itself, not blanked comments. */
static size_t blanks_at(struct ilp_bytes bytes, size_t at)
{
    size_t end = at;
    while (end < bytes.size && is_blank((char)bytes.data[end])) {
        end++;
    }
    return end - at;
}

/* The new member gets the whitespace before the first one: { "a": 1 } becomes { "new": 0, "a": 1
 * }. */
struct json_change json_add(const struct json_document *document, struct ilp_bytes bytes,
                            size_t object, const char *member)
{
    size_t at = object + 1;
    bool first = document->text[skip_blanks(document, at)] == '}';
    int blanks = first ? 0 : (int)blanks_at(bytes, at);
    return (struct json_change){
        at, 0,
        format_text("%.*s%s%s", blanks, (const char *)bytes.data + at, member, first ? "" : ",")};
}

/* With one comma, the one before it or, for the first member, the one after it. Blanks before it go
 * as well, comments stay. */
struct json_change json_remove(const struct json_document *document, struct ilp_bytes bytes,
                               const struct json_member *member)
{
    size_t before = member->key;
    size_t start = member->key;
    size_t end = member->end;
    while (is_blank(document->text[before - 1])) {
        before--;
    }
    if (document->text[before - 1] == ',') { /* a later member, perhaps the last */
        return (struct json_change){before - 1, end - (before - 1), NULL};
    }
    while (is_blank((char)bytes.data[start - 1])) { /* keep comments */
        start--;
    }
    end = skip_blanks(document, end);
    end = document->text[end] == ',' ? end + 1 : member->end;
    return (struct json_change){start, end - start, NULL};
}

static int compare_changes(const void *left, const void *right)
{
    const struct json_change *a = left;
    const struct json_change *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* In the order of their offsets, so that one pass writes the new text. Takes over the texts of the
 * changes. */
void json_apply(struct ilpi_buf *out, struct ilp_bytes bytes, struct json_change *changes,
                size_t count)
{
    size_t at = 0;
    qsort(changes, count, sizeof *changes, compare_changes);
    for (size_t i = 0; i < count; i++) {
        ilpi_buf_bytes_add(out, bytes.data + at, changes[i].offset - at);
        ilpi_buf_text(out, changes[i].text ? changes[i].text : "");
        at = changes[i].offset + changes[i].removed;
        free(changes[i].text);
        changes[i].text = NULL;
    }
    ilpi_buf_bytes_add(out, bytes.data + at, bytes.size - at);
}
