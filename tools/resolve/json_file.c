/* Reads JSON settings. See json_file.h. */
#include "resolve/json_file.h"

#include <stdlib.h>
#include <string.h>

#include "file_io.h"

/* The .deps.json of a large application has less than 2 MB. */
#define MAX_JSON_SIZE (32u << 20)

/* Puts blanks in the place of comments: jansson does not know them. */
static void blank_comments(char *text, size_t size)
{
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        if (in_string) {
            i += text[i] == '\\';
            in_string = i < size && text[i] != '"';
            continue;
        }
        in_string = text[i] == '"';
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
}

json_t *json_file_read(const char *path)
{
    struct file_view view;
    if (!file_view_open(&view, path)) {
        return NULL;
    }
    struct ilp_bytes bytes = view.bytes;
    json_t *json = NULL;
    if (bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0) {
        bytes = (struct ilp_bytes){bytes.data + 3, bytes.size - 3};
    }
    if (bytes.size != 0 && bytes.size <= MAX_JSON_SIZE) {
        char *text = need(malloc(bytes.size));
        memcpy(text, bytes.data, bytes.size);
        blank_comments(text, bytes.size);
        json = json_loadb(text, bytes.size, 0, NULL);
        free(text);
    }
    file_view_close(&view);
    return json;
}

const char *json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

json_t *json_mutable(const json_t *json)
{
    return (json_t *)(uintptr_t)json;
}
