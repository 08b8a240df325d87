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

/* Exit code 1: the file is good, and nothing of it was meant. */
enum exit_code method_not_found(const char *file, const struct method_name *name)
{
    report_message("%s has no method '%s'; 'ilpatch list %s' prints tokens and names", file,
                   name->text, file);
    return EXIT_INCOMPLETE;
}
