/* Selects methods by a METHOD operand. See method_name.h.
 *
 *   0x06000002           a token, and nothing else
 *   06000002             a token, if there are 8 digits and its table is MethodDef; else a name
 *   Total                a name, of any type
 *   Ns.Type::Total       a type and a name; with * as a pattern
 *   int32 Ns.Type::Total(int32)   a whole signature, as `ilpatch list` prints it
 */
#include "tools/cmd/method_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "host/file_view.h"
#include "host/text_out.h"
#include "tools/tool.h"

enum exit_code method_name_parse(const char *command, const char *text, struct method_name *name)
{
    bool marked = text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = marked ? text + 2 : text;
    *name = (struct method_name){.text = text};
    if (!text || (!marked && strlen(text) != 8) ||
        strspn(digits, "0123456789abcdefABCDEF") != strlen(digits)) {
        return text && text[0] == '\0' ? usage_error(command, "METHOD is empty") : EXIT_DONE;
    }
    unsigned long number = strtoul(digits, NULL, 16);
    bool of_method = number <= UINT32_MAX && ILP_TOKEN_TABLE(number) == ILP_MethodDef &&
                     ILP_TOKEN_RID(number) != 0;
    if (marked && !of_method) {
        return usage_error(command, "%s is not the token of a method: these begin with 0x06000001",
                           text);
    }
    name->token = of_method ? (ilp_token)number : 0;
    return EXIT_DONE;
}

/* A '*' in a signature is a pointer's. */
static bool is_like(const char *text, const char *wanted)
{
    bool has_wildcards = strchr(wanted, '*') && !strchr(wanted, '(');
    const struct ilpi_pattern pattern = {
        .kind = has_wildcards ? ILPI_PATTERN_LIKE : ILPI_PATTERN_EXACT, .text = bytes_of(wanted)};
    return ilpi_pattern_match(&pattern, NULL, bytes_of(text)) == ILP_YES;
}

/* From what is cheap to what is not: a token and a bare name need no text to be made. Each text is
 * made in the arena, which is reset for it. */
bool method_is_meant(const struct ilp_image *image, ilp_rid rid, const struct method_name *name,
                     struct ilp_arena *arena)
{
    ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
    const char *text = NULL;
    if (!name->text || name->token != 0) {
        return !name->text || name->token == method;
    }
    uint32_t own = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    if (is_like(ilp_string(image, own), name->text)) {
        return true;
    }
    if (strstr(name->text, "::")) {
        ilp_arena_reset(arena);
        need(ilp_method_name_text(image, method, arena, &text, NULL) == ILP_OK ? arena : NULL);
        if (is_like(text, name->text)) {
            return true;
        }
    }
    if (!strchr(name->text, '(')) {
        return false;
    }
    ilp_arena_reset(arena);
    need(ilp_method_text(image, method, arena, &text, NULL) == ILP_OK ? arena : NULL);
    return strcmp(text, name->text) == 0;
}

/* ---- no such method ---- */

const char *method_name_like(const struct ilp_image *image, ilp_rid rid, const char *wanted,
                             struct ilp_arena *arena)
{
    const char *text = NULL;
    need(ilp_method_name_text(image, ILP_TOKEN(ILP_MethodDef, rid), arena, &text, NULL) == ILP_OK
             ? arena
             : NULL);
    const char *colons = strstr(wanted, "::") ? NULL : strstr(text, "::");
    /* not `colons + 2`, which gcc 12 takes for a pointer to `text` itself (-Wdangling-pointer) */
    return text + (colons ? colons + 2 - text : 0);
}

/* A method of the wanted name, of another type. */
static const char *same_method(const char *wanted, const char *const *names, size_t count)
{
    const char *method = strstr(wanted, "::");
    for (size_t i = 0; method && i < count; i++) {
        const char *own = strstr(names[i], "::");
        if (own && strcmp(own, method) == 0) {
            return names[i];
        }
    }
    return NULL;
}

/* ". Did you mean 'X'?", or "" if no name is near. Owned by the caller. */
static char *suggestion_in(const struct ilp_image *image, const char *wanted,
                           struct ilp_arena *arena)
{
    size_t count = ilp_row_count(image, ILP_MethodDef);
    count = count < MOST_NAMES ? count : MOST_NAMES;
    const char **names = need(calloc(count + 1, sizeof *names));
    for (size_t i = 0; i < count; i++) {
        names[i] = method_name_like(image, (ilp_rid)(i + 1), wanted, arena);
    }
    const char *nearest = nearest_word(wanted, names, count);
    nearest = nearest ? nearest : same_method(wanted, names, count);
    char *text = need(nearest ? format_text(". Did you mean '%s'?", nearest) : strdup(""));
    free(names);
    return text;
}

/* The file is read again, since only this error needs its names. Standard input cannot be. */
char *method_suggestion(const char *file, const struct method_name *name)
{
    struct file_view view;
    struct ilp_image *image;
    struct ilp_arena *arena;
    char *text = NULL;
    if (name->token != 0 || strpbrk(name->text, "*(") || strcmp(file, "-") == 0 ||
        !file_view_open(&view, file)) {
        return need(strdup(""));
    }
    if (ilp_image_open(&image, view.bytes, ILP_LAYOUT_FILE, file, NULL, NULL) == ILP_OK) {
        need(ilp_arena_open(&arena, NULL, NULL) == ILP_OK ? arena : NULL);
        text = suggestion_in(image, name->text, arena);
        ilp_arena_close(arena);
        ilp_image_close(image);
    }
    file_view_close(&view);
    return text ? text : need(strdup(""));
}

/* Exit code 1: the file is good, and nothing of it was meant. */
enum exit_code method_not_found(const char *file, const struct method_name *name)
{
    char *suggestion = method_suggestion(file, name);
    report_message("%s has no method '%s'; 'ilpatch list %s' prints tokens and names%s", file,
                   name->text, file, suggestion);
    free(suggestion);
    return EXIT_INCOMPLETE;
}
